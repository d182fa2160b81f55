/** "+55 11 98456-2210" for Brazilian numbers, "+" and the digits for others. */
export function formatPhone(phone: string): string {
  const brazilian = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(phone);
  if (!brazilian) return `+${phone}`;
  const [, area, first, last] = brazilian;
  return `+55 ${area} ${first}-${last}`;
}

/** What a person types as a phone, as the digits the simulated network wants; null when it cannot be one. */
export function parsePhone(typed: string): string | null {
  const digits = typed.replaceAll(/[\s()+.-]/g, "");
  return /^\d{8,15}$/.test(digits) ? digits : null;
}
