/** A catalogue, or a part of one. */
export type Branch = { readonly [key: string]: string | Branch };

/** Two parts of a catalogue in one. A feature's texts may stand in both. */
export function joined(one: Branch, other: Branch): Branch {
  const whole: Record<string, string | Branch> = { ...one };
  for (const [key, texts] of Object.entries(other)) {
    const known = whole[key];
    whole[key] =
      typeof known === "object" && typeof texts === "object" ? joined(known, texts) : texts;
  }
  return whole;
}
