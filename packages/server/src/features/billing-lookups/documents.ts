/** The numbers by which customers are found: CPF of people, CNPJ of companies. */

/** The digits of a valid CPF or CNPJ, written with or without `. - / ,` and blanks; null: the text is none. */
export function documentIn(text: string): string | null {
  const digits = text.replaceAll(/[.\-/,\s]/g, "");
  return isCpf(digits) || isCnpj(digits) ? digits : null;
}

/** As it is printed: `529.982.247-25`, `11.222.333/0001-81`. */
export function formattedDocument(digits: string): string {
  return digits.length === 11
    ? digits.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4")
    : digits.replace(/^(\d{2})(\d{3})(\d{3})(\d{4})(\d{2})$/, "$1.$2.$3/$4-$5");
}

function isCpf(digits: string): boolean {
  return /^\d{11}$/.test(digits) && !isRepeated(digits) && hasCheckDigits(digits, cpfWeights);
}

function isCnpj(digits: string): boolean {
  return /^\d{14}$/.test(digits) && !isRepeated(digits) && hasCheckDigits(digits, cnpjWeights);
}

/** `111.111.111-11` has the right check digits, and is nobody's. */
const isRepeated = (digits: string): boolean => /^(\d)\1*$/.test(digits);

/** The weight of a digit by its distance from the check digit. */
type Weights = (fromRight: number) => number;
const cpfWeights: Weights = (fromRight) => fromRight + 1;
const cnpjWeights: Weights = (fromRight) => ((fromRight - 1) % 8) + 2;

function hasCheckDigits(digits: string, weights: Weights): boolean {
  return [2, 1].every((place) => {
    const before = digits.slice(0, -place);
    return checkDigit(before, weights) === Number(digits.at(-place));
  });
}

function checkDigit(digits: string, weights: Weights): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    sum += Number(digits.charAt(index)) * weights(digits.length - index);
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
