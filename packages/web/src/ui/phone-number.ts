/** Digits of the number without country code, by country code: where people put the spaces and the dash. */
const forms: readonly (readonly [country: string, form: RegExp, written: string])[] = [
  ["55", /^(\d{2})(\d{4,5})(\d{4})$/, "$1 $2-$3"],
  ["1", /^(\d{3})(\d{3})(\d{4})$/, "$1 $2-$3"],
  ["351", /^(\d{3})(\d{3})(\d{3})$/, "$1 $2 $3"],
  ["34", /^(\d{3})(\d{3})(\d{3})$/, "$1 $2 $3"],
  ["54", /^(9?)(\d{2})(\d{4})(\d{4})$/, "$1 $2 $3-$4"],
];

/** A number of the chat network as people write it: "+55 11 98456-2210". What is no phone number stays as it is. */
export function formatPhone(number: string): string {
  if (!/^\d{8,15}$/.test(number)) return number;
  for (const [country, form, written] of forms) {
    const rest = number.slice(country.length);
    if (!number.startsWith(country) || !form.test(rest)) continue;
    return `+${country} ${rest.replace(form, written).trim()}`;
  }
  return `+${number}`;
}
