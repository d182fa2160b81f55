import { firstText, listOf, textOf } from "./fields.ts";

type Card = { displayName?: unknown; vcard?: unknown } | null | undefined;
export type SharedContact = { name: string; phones: readonly string[]; vcard: string };

/** The people of shared contact cards; the card itself goes along as it came. */
export function sharedContacts(cards: readonly Card[] | null | undefined): SharedContact[] {
  return listOf(cards).map(sharedContact).filter(saysSomething);
}

function sharedContact(card: Card): SharedContact {
  const vcard = textOf(card?.vcard);
  const lines = unfolded(vcard);
  const name = firstText(card?.displayName, valueOf(lines.find((line) => /^FN[;:]/i.test(line))));
  return { name, phones: lines.filter(isPhone).map(phoneOf).filter(Boolean), vcard };
}

function saysSomething({ name, vcard }: SharedContact): boolean {
  return name !== "" || vcard !== "";
}

/** A long line goes on in the next one, after a blank. */
function unfolded(vcard: string): string[] {
  return vcard.replaceAll(/\r?\n[ \t]/g, "").split(/\r?\n/);
}

function isPhone(line: string): boolean {
  return /^([\w-]+\.)?TEL[;:]/i.test(line);
}

function valueOf(line = ""): string {
  return line.slice(line.indexOf(":") + 1).trim();
}

/** As it is written; one without country code, as the network knows it, when it says so. */
function phoneOf(line: string): string {
  const written = valueOf(line).replace(/^tel:/i, "");
  const [, waid] = /;waid=(\d+)/i.exec(line) ?? [];
  return waid && !written.startsWith("+") ? `+${waid}` : written;
}
