import type { ContactId, ContactRef } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { KeyedAddress } from "./address.ts";
import { numberOf } from "./address.ts";

/** A contact as tickets and messages carry it. */
export type ContactRow = {
  id: ContactId;
  name: string;
  number: string | null;
  email: string;
  profilePicUrl: string;
  isGroup: boolean;
};

/** Somebody on a chat network, as a message reports him, or a group. */
export type Person = {
  addresses: readonly KeyedAddress[];
  isGroup: boolean;
  /** What the person calls himself, never set from a message of the company's own; of a group, its subject. */
  pushName?: string | undefined;
};

/** Name of a contact seen for the first time: its own, else the number, else the private id. */
export function initialName(person: Person): string {
  return realName(person) ?? numberOf(person.addresses) ?? person.addresses[0]?.value ?? "";
}

/**
 * The name a known contact gets by this message, null to keep it: the first real name replaces digits, a name that
 * people gave or that was read before stays (behaviour 1.3). A number that becomes known replaces a private id.
 */
export function betterName(contact: ContactRow, person: Person): string | null {
  if (!isPlaceholder(contact.name)) return null;
  const number = contact.number === null ? numberOf(person.addresses) : null;
  const better = realName(person) ?? number;
  return better === contact.name ? null : better;
}

/** The name of contacts that are one person: the first real one, beginning with the contact that stays. */
export function nameOfOne(stays: ContactRow, others: readonly ContactRow[]): string {
  const real = [stays, ...others].find(({ name }) => !isPlaceholder(name));
  return (real ?? stays).name;
}

/** A contact as the wire has it; without a number it is "". */
export function toContactRef(row: ContactRow): ContactRef {
  return {
    id: row.id,
    name: row.name,
    number: row.number ?? "",
    email: row.email,
    profilePicUrl: row.profilePicUrl,
  };
}

/** Null for digits. */
function realName(person: Person): string | null {
  const name = cleanName(person.pushName ?? "");
  return isPlaceholder(name) ? null : name;
}

function isPlaceholder(name: string): boolean {
  return /^[\d\s()+.-]*$/.test(name);
}

/** One line without NUL (PostgreSQL cannot store it), not longer than a name may be. */
function cleanName(name: string): string {
  const line = name.replaceAll("\u0000", "").replace(/\s+/g, " ").trim();
  return Array.from(line).slice(0, limits.nameMax).join("");
}
