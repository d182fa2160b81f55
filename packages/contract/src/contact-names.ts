/** The name of a contact of whom only a number or a private address is known; the first real name replaces it. Also valid in PostgreSQL. */
export const placeholderName = /^[\d\s()+.-]*$/;

export function isPlaceholderName(name: string): boolean {
  return placeholderName.test(name);
}
