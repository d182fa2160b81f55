import type { WAMessageKey } from "baileys";
import type { Address, MessageRef, Peer } from "../../port.ts";

/** The company's own account: users (the part before the server) of its number and of its privacy id. */
export type Self = { pn: string | null; lid: string | null };

const PERSON_SERVERS: Record<string, "pn" | "lid"> = {
  "s.whatsapp.net": "pn",
  "c.us": "pn",
  hosted: "pn",
  lid: "lid",
  "hosted.lid": "lid",
};

/** The network's own announcements and its assistant: nobody a company talks with. */
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

/** Who we are, from the credentials. */
export function selfOf(me: { id?: string; lid?: string } | undefined): Self {
  const addresses = [toAddress(me?.id), toAddress(me?.lid)];
  const valueOf = (kind: Address["kind"]) =>
    addresses.find((one) => one?.kind === kind)?.value ?? null;
  return { pn: valueOf("pn"), lid: valueOf("lid") };
}

export function isSelf({ kind, value }: Address, self: Self): boolean {
  return (kind === "pn" && value === self.pn) || (kind === "lid" && value === self.lid);
}

/** The person behind several names of one address; its number first. Null when none of them is a person's. */
export function toPeer(jids: readonly unknown[], displayName?: string): Peer | null {
  const people = jids.map(toAddress).filter((one) => one !== null && one.kind !== "group");
  const found = [
    people.find((one) => one?.kind === "pn"),
    people.find((one) => one?.kind === "lid"),
  ];
  const addresses = found.filter((one) => one !== undefined && one !== null);
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
