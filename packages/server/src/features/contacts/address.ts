import type { Address } from "../../channels/port.ts";

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

/** What is stored as the contact's number: a phone number's digits, a group's id unchanged, else nothing. */
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
