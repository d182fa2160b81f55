import type { Tx } from "../../platform/db/database.ts";
import type { Address, NumberAnswer } from "../port.ts";
import type { LineRef } from "./line.ts";

/** Phones are shorter than this, groups are not. */
const GROUP_DIGITS = 16;
const GROUP_PREFIX = "120363";

/** The address of a conversation: a customer's phone, or a group. */
export function addressOf(chat: string): Address {
  return { kind: isGroupNumber(chat) ? "group" : "pn", value: chat };
}

/** The conversation of an address on this network, null for what is none. */
export function chatOfAddress({ kind, value }: Address): string | null {
  if (kind === "pn") return /^\d{8,15}$/.test(value) ? value : null;
  return kind === "group" && /^\d{16,20}$/.test(value) ? value : null;
}

export function isGroupNumber(chat: string): boolean {
  return chat.length >= GROUP_DIGITS;
}

export function newGroupNumber(random: { integer(min: number, max: number): number }): string {
  return `${GROUP_PREFIX}${random.integer(100_000, 1_000_000)}${random.integer(100_000, 1_000_000)}`;
}

/** The number and, for a Brazilian mobile, the same one with or without its ninth digit. */
export function formsOf(phone: string): string[] {
  const long = /^55(\d\d)9([6-9]\d{7})$/.exec(phone);
  if (long) return [phone, `55${long[1]}${long[2]}`];
  const short = /^55(\d\d)([6-9]\d{7})$/.exec(phone);
  return short ? [phone, `55${short[1]}9${short[2]}`] : [phone];
}

const findPhones = {
  name: "simulator-find-phones",
  text: `select phone from simulator_customers
          where company_id = $1 and connection_id = $2 and phone = any ($3) and members is null`,
};

async function readKnown(tx: Tx, line: LineRef, phones: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ phone: string }>(findPhones, [
    line.companyId,
    line.connectionId,
    phones,
  ]);
  return new Set(rows.map(({ phone }) => phone));
}

/** The phone in the form that its customer has on the network, else as it is. */
export async function readAccount(tx: Tx, line: LineRef, phone: string): Promise<string> {
  const forms = formsOf(phone);
  if (forms.length === 1) return phone;
  const known = await readKnown(tx, line, forms);
  return forms.find((form) => known.has(form)) ?? phone;
}

/** A number without country code is a Brazilian one; those that end in 0000 are not on the network. */
export async function checkAccounts(
  tx: Tx,
  line: LineRef,
  asked: readonly string[],
): Promise<NumberAnswer[]> {
  const numbers = asked.map((digits) => ({ asked: digits, number: withCountry(digits) }));
  const known = await readKnown(
    tx,
    line,
    numbers.flatMap(({ number }) => formsOf(number)),
  );
  return numbers.map((entry) => ({
    asked: entry.asked,
    exists: !entry.number.endsWith("0000"),
    number: formsOf(entry.number).find((form) => known.has(form)) ?? entry.number,
  }));
}

function withCountry(digits: string): string {
  return digits.length === 10 || digits.length === 11 ? `55${digits}` : digits;
}
