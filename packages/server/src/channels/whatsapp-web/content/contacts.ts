import type { Contact, LIDMapping } from "baileys";
import type { ContactEvent, Peer } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toPeer } from "./addresses.ts";
import { firstText } from "./fields.ts";

/** Remembers which number-and-privacy-id pairs were told. */
export type PairMemory = {
  /** True once per pair, as long as it is remembered. */
  isNew(pn: string, lid: string): boolean;
};

/** Forgets the oldest beyond `limit`. */
export function createPairMemory(limit = 10_000): PairMemory {
  const isNew = createMemory(limit);
  return { isNew: (pn, lid) => isNew(`${pn}:${lid}`) };
}

/** Answers whether a text is told for the first time. */
export function createMemory(limit: number): (text: string) => boolean {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return false;
    known.add(text);
    const [oldest] = known;
    if (known.size > limit && oldest !== undefined) known.delete(oldest);
    return true;
  };
}

/** Remembers what was told of people: the network repeats a name with each message. */
export type PeopleMemory = {
  /** True once per person and name, as long as it is remembered. */
  isNews(event: ContactEvent): boolean;
};

/** Forgets the oldest beyond `limit`. */
export function createPeopleMemory(limit = 10_000): PeopleMemory {
  const isNew = createMemory(limit);
  return {
    isNews: ({ peer }) =>
      isNew(JSON.stringify([peer.addresses.map(({ value }) => value), peer.displayName])),
  };
}

/** Says that the addresses are one person's, when there are two and nobody has heard of it. */
export function pairEvents(peer: Peer, at: Date, pairs: PairMemory | undefined): ContactEvent[] {
  const pn = peer.addresses.find((one) => one.kind === "pn");
  const lid = peer.addresses.find((one) => one.kind === "lid");
  if (!pn || !lid || pairs?.isNew(pn.value, lid.value) === false) return [];
  return [{ type: "contact", chat: pn, peer, at }];
}

/**
 * From `contacts.upsert`, `contacts.update` and `lid-mapping.update`: only what says a name, or that two addresses are
 * one person. The name in the company's own address book comes first. Nothing about ourselves: of what we write on the
 * phone, the library may take our number for the customer's.
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
