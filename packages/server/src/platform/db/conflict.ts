/** Whether a statement failed because another row has what this unique key or index allows once. */
export function isConflict(error: unknown, key: string): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && error.code === "23505" && "constraint" in error) {
    return error.constraint === key;
  }
  return isConflict(error.cause, key);
}
