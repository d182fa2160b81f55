import type { ImportProblem } from "@balcao/contract";
import type { CountryCode } from "libphonenumber-js/max";
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";

/** The digits of a number with country code, or why a cell has none. */
export type ReadNumber =
  | { number: string; problem: null }
  | {
      number: null;
      problem: Extract<ImportProblem, "noNumber" | "noAreaCode" | "lostDigits" | "notANumber">;
    };

const found = (number: string): ReadNumber => ({ number, problem: null });
const refused = (problem: NonNullable<ReadNumber["problem"]>): ReadNumber => ({
  number: null,
  problem,
});

/** As a spreadsheet program shows a long number in a narrow column. */
const SCIENTIFIC = /^([+-]?\d+)(?:[.,](\d+))?e\+?(\d+)$/i;
const WRITTEN = /^[\d\s()+./\-\u2010-\u2015]+$/;
/** Area codes of Brazil. */
const AREA = "(?:[14689][1-9]|2[12478]|3[1-578]|5[13-5]|7[13-79])";
/** With and without the ninth digit: numbers of before are in use on the chat network still. */
const BRAZILIAN = new RegExp(`^${AREA}(?:9\\d{8}|[2-9]\\d{7})$`);
/** Before the area code: nothing, the digit of long distance, or this with the digits of a carrier. */
const LONG_DISTANCE = new RegExp(`^0(?:\\d\\d)?(?=${AREA}(?:9\\d{8}|[2-9]\\d{7})$)`);
/** Free and shared-cost numbers, which no person has. */
const SERVICE = /^(0[3589]00|(55)?(400\d|300\d)\d{4}$)/;

/**
 * Reads a phone number as people write it in a cell. With + or 00 it is international; otherwise a national one of the country
 * (ISO 3166-1 alpha-2), else one with country code and without +.
 */
export function readImportNumber(cell: string, country: string): ReadNumber {
  const text = cell
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .replace(/^(tel|phone|whatsapp):\s*|^'|@(c\.us|s\.whatsapp\.net)$|[.,]0$/gi, "");
  const scientific = SCIENTIFIC.exec(text);
  if (scientific) return ofScientific(scientific, country);
  if (!/\d/.test(text)) return refused(/\p{L}/u.test(text) ? "notANumber" : "noNumber");
  if (!WRITTEN.test(text)) return refused("notANumber");
  const digits = text.replace(/\D/g, "");
  if (/^\W*\+/.test(text)) return ofInternational(digits);
  if (digits.startsWith("00")) return ofInternational(digits.slice(2));
  return ofNational(digits, country);
}

/** All digits may still be there. */
function ofScientific([, whole = "", part = "", exponent]: RegExpExecArray, country: string) {
  const missing = Number(exponent) - part.length;
  if (missing > 0 || missing < -part.length) return refused("lostDigits");
  return missing === 0 ? ofNational(`${whole}${part}`, country) : refused("notANumber");
}

function ofNational(digits: string, country: string): ReadNumber {
  if (SERVICE.test(digits)) return refused("notANumber");
  if (country === "BR") {
    const national = digits.replace(LONG_DISTANCE, "");
    if (BRAZILIAN.test(national)) return found(`55${national}`);
  } else if (isSupportedCountry(country)) {
    const number = validNumber(digits, country);
    if (number !== null) return found(number);
  }
  const international = ofInternational(digits);
  if (international.problem === null) return international;
  const isShort = digits.length >= 6 && digits.length <= 9;
  return refused(isShort ? "noAreaCode" : "notANumber");
}

function ofInternational(digits: string): ReadNumber {
  if (digits.length < 8 || digits.length > 15) return refused("notANumber");
  if (digits.startsWith("55") && BRAZILIAN.test(digits.slice(2))) return found(digits);
  // Mobile numbers of Mexico had a 1 after the country code.
  const known = digits.replace(/^521(?=\d{10}$)/, "52");
  const number = validNumber(`+${known}`);
  return number === null ? refused("notANumber") : found(number);
}

function validNumber(text: string, country?: CountryCode): string | null {
  const phone = parsePhoneNumberFromString(text, country ? { defaultCountry: country } : {});
  return phone?.isValid() ? phone.number.slice(1) : null;
}
