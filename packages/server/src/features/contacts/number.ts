import { DomainError } from "../../platform/context.ts";
import { addressKey } from "./address.ts";

/** As long as a number may be (E.164), and as short as one that people type. */
const digitsOnly = /^\d{8,15}$/;

/**
 * The digits of a number as people write it: ten or eleven without a country are Brazilian (behaviour 10.5). Throws
 * ERR_NUMBER_FORMAT.
 */
export function readNumber(written: string): string {
  const isInternational = /^\s*(\+|00)/.test(written);
  const digits = written.replace(/^\s*(\+|00)/, "").replace(/[\s().-]/g, "");
  if (!digitsOnly.test(digits)) throw new DomainError("ERR_NUMBER_FORMAT");
  const isNational = !isInternational && (digits.length === 10 || digits.length === 11);
  return isNational ? `55${digits}` : digits;
}

/** Under which forms the chat network may know a number: as given, then with or without the Brazilian ninth digit. */
export function formsOf(digits: string): string[] {
  const long = addressKey({ kind: "pn", value: digits });
  const short = long.replace(/^(55\d{2})9([6-9]\d{7})$/, "$1$2");
  return [...new Set([digits, long, short])];
}

/** The digits of a searched text that may be a phone number in some writing; "" for any other text. */
export function searchedDigits(term: string): string {
  return /^[\d\s()+.-]+$/.test(term) ? term.replace(/\D/g, "") : "";
}
