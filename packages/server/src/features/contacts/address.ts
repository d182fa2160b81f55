import type { Address } from "../../channels/port.ts";
import { DomainError } from "../../platform/context.ts";

/** An address with the canonical key by which it is found again. */
export type KeyedAddress = Address & { key: string };

/**
 * The form in which an address is compared: a Brazilian mobile number with and without the ninth digit is one key (the
 * long one), other numbers are their digits, every other kind stands as the channel wrote it.
 */
export function addressKey(address: Address): string {
  if (address.kind !== "pn") return address.value;
  const digits = address.value.replace(/\D/g, "");
  return withNinthDigit(digits);
}

/** Each address once (by kind and key), with its key, in the given order. */
export function keyedAddresses(addresses: readonly Address[]): KeyedAddress[] {
  const byKey = new Map<string, KeyedAddress>();
  for (const { kind, value } of addresses) {
    const key = addressKey({ kind, value });
    const name = `${kind} ${key}`;
    if (key !== "" && !byKey.has(name)) byKey.set(name, { kind, value, key });
  }
  return [...byKey.values()];
}

/** The contact's number as it is stored: a phone number's digits, a group's id unchanged, else null. */
export function numberOf(addresses: readonly Address[]): string | null {
  for (const { kind, value } of addresses) {
    if (kind === "group") return value;
    const digits = kind === "pn" ? value.replace(/\D/g, "") : "";
    if (digits !== "") return digits;
  }
  return null;
}

/** 55, area code, then eight digits beginning with 6 to 9: a mobile number in the form before the ninth digit. */
const shortBrazilianMobile = /^(55[1-9][1-9])([6-9]\d{7})$/;

function withNinthDigit(digits: string): string {
  return digits.replace(shortBrazilianMobile, "$19$2");
}

/** Up to the longest number (E.164), from the shortest that users type. */
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

/** The forms in which the chat network may know a number: as given, then with or without the Brazilian ninth digit. */
export function formsOf(digits: string): string[] {
  const long = addressKey({ kind: "pn", value: digits });
  const short = long.replace(/^(55\d{2})9([6-9]\d{7})$/, "$1$2");
  return [...new Set([digits, long, short])];
}

/** A Brazilian mobile number with its area code, in either form of the ninth digit. */
const wholeBrazilianMobile = /^((?:55)?[1-9][1-9])9?([6-9]\d{7})$/;

/**
 * The digits of a searched text that may be a phone number in some writing, for LIKE: a whole Brazilian mobile number is found in
 * either form of the ninth digit. "" for any other text.
 */
export function searchedDigits(term: string): string {
  if (!/^[\d\s()+.-]+$/.test(term)) return "";
  return term.replace(/\D/g, "").replace(wholeBrazilianMobile, "$1%$2");
}
