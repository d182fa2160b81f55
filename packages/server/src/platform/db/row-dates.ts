/** A timestamp as the wire has it: ISO 8601 UTC with milliseconds. */
export function toIso(moment: Date): string {
  return moment.toISOString();
}

/** Like `toIso`, null for null. */
export function toIsoOrNull(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}
