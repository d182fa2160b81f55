import type { Contact, LIDMapping, WAMessageKey } from "baileys";
import type { Address, ContactEvent, MessageRef, Peer } from "../../port.ts";
import { firstText, listOf, textOf } from "./fields.ts";

/** The company's own account: its number and its privacy id, without the server part. */
export type Self = { pn: string | null; lid: string | null };

const PERSON_SERVERS: Record<string, "pn" | "lid"> = {
  "s.whatsapp.net": "pn",
  "c.us": "pn",
  hosted: "pn",
  lid: "lid",
  "hosted.lid": "lid",
};

/** The network's announcements and its assistant. */
const NOT_PEOPLE = /^(0|16505361212|1313555\d{4}|131655500\d{2})$/;

/**
 * A person or a group, without its device; null for what is neither: broadcasts, channels, bots, servers. The digits of
 * a privacy id never become a number.
 */
export function toAddress(jid: unknown): Address | null {
  if (typeof jid !== "string") return null;
  const [, user = "", server = ""] = /^([^@:]+)(?::\d+)?@([a-z.]+)$/.exec(jid) ?? [];
  if (server === "g.us") return /^[\d-]+$/.test(user) ? { kind: "group", value: user } : null;
  const kind = PERSON_SERVERS[server];
  const digits = user.split("_")[0] ?? "";
  if (!kind || !/^\d+$/.test(digits)) return null;
  if (kind === "pn" && NOT_PEOPLE.test(digits)) return null;
  return { kind, value: digits };
}

/** Throws for an address of another channel. */
export function toJid({ kind, value }: Address): string {
  switch (kind) {
    case "pn":
      return `${value}@s.whatsapp.net`;
    case "lid":
      return `${value}@lid`;
    case "group":
      return `${value}@g.us`;
    case "bsuid":
      throw new Error("an address of another channel");
  }
}

/** Our own addresses, from the credentials. */
export function selfOf(me: { id?: string; lid?: string } | undefined): Self {
  const { addresses = [] } = toPeer([me?.id, me?.lid]) ?? {};
  const own = (kind: Address["kind"]) => addresses.find((one) => one.kind === kind)?.value ?? null;
  return { pn: own("pn"), lid: own("lid") };
}

export function isSelf({ kind, value }: Address, self: Self): boolean {
  return (kind === "pn" && value === self.pn) || (kind === "lid" && value === self.lid);
}

/** The person behind several addresses, the number first. Null when none of them is a person's. */
export function toPeer(jids: readonly unknown[], displayName?: string): Peer | null {
  const found = jids.map(toAddress);
  const addresses = (["pn", "lid"] as const).flatMap(
    (kind) => found.find((one) => one?.kind === kind) ?? [],
  );
  if (addresses.length === 0) return null;
  return { addresses, ...(displayName ? { displayName } : {}) };
}

/** The network's key of a message, for read receipts, edits, deletions, reactions and quotes. */
export function keyOf(ref: MessageRef): WAMessageKey {
  return {
    remoteJid: toJid(ref.chat),
    id: ref.id,
    fromMe: ref.fromMe,
    ...(ref.author && ref.chat.kind === "group" ? { participant: toJid(ref.author) } : {}),
  };
}

/** Whether a text comes for the first time, as far as the last `limit` texts are remembered. */
export function firstTimes(limit: number): (text: string) => boolean {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return false;
    known.add(text);
    const [oldest] = known;
    if (known.size > limit && oldest !== undefined) known.delete(oldest);
    return true;
  };
}

/** Whether a person or a name is new: the network repeats a name with each message. */
export function newPeople(limit = 10_000): (event: ContactEvent) => boolean {
  const isNew = firstTimes(limit);
  return ({ peer }) =>
    isNew(JSON.stringify([peer.addresses.map(({ value }) => value), peer.displayName]));
}

/** Reports that two addresses are one person's, once per pair. */
export function pairEvents(
  peer: Peer,
  at: Date,
  isNewPair: (pair: string) => boolean = () => true,
): ContactEvent[] {
  const pn = peer.addresses.find((one) => one.kind === "pn");
  const lid = peer.addresses.find((one) => one.kind === "lid");
  if (!pn || !lid || !isNewPair(`${pn.value}:${lid.value}`)) return [];
  return [{ type: "contact", chat: pn, peer, at }];
}

/**
 * From `contacts.upsert`, `contacts.update` and `lid-mapping.update`: a name, or two addresses of one person. The name
 * in the company's own address book comes first. Our own number is left out: for messages written on our phone, the
 * library may take our number for the customer's.
 */
export function toContactEvent(
  contact: Partial<Contact> | LIDMapping,
  at: Date,
  self: Self = { pn: null, lid: null },
): ContactEvent | null {
  const peer = "pn" in contact ? toPeer([contact.pn, contact.lid]) : personOf(contact);
  const chat = peer?.addresses[0];
  if (!peer || !chat || (peer.addresses.length < 2 && !peer.displayName)) return null;
  if (peer.addresses.some((address) => isSelf(address, self))) return null;
  return { type: "contact", chat, peer, at };
}

function personOf(contact: Partial<Contact>): Peer | null {
  const name = firstText(contact.name, contact.notify, contact.verifiedName).trim();
  return toPeer([contact.id, contact.phoneNumber, contact.lid], name);
}

type Card = { displayName?: unknown; vcard?: unknown } | null | undefined;
export type SharedContact = { name: string; phones: readonly string[]; vcard: string };

/** The people on shared contact cards, with the card's own text. */
export function sharedContacts(cards: readonly Card[] | null | undefined): SharedContact[] {
  return listOf(cards)
    .map(sharedContact)
    .filter(({ name, vcard }) => name !== "" || vcard !== "");
}

function sharedContact(card: Card): SharedContact {
  const vcard = textOf(card?.vcard);
  // A long line continues in the next one after a blank.
  const lines = vcard.replaceAll(/\r?\n[ \t]/g, "").split(/\r?\n/);
  const name = firstText(card?.displayName, valueOf(lines.find((line) => /^FN[;:]/i.test(line))));
  const phones = lines.filter((line) => /^([\w-]+\.)?TEL[;:]/i.test(line)).map(phoneOf);
  return { name, phones: phones.filter(Boolean), vcard };
}

function valueOf(line = ""): string {
  return line.slice(line.indexOf(":") + 1).trim();
}

/** As written; a number without country code is replaced by the network's id of it, if given. */
function phoneOf(line: string): string {
  const written = valueOf(line).replace(/^tel:/i, "");
  const [, waid] = /;waid=(\d+)/i.exec(line) ?? [];
  return waid && !written.startsWith("+") ? `+${waid}` : written;
}
