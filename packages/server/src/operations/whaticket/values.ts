import { createHash } from "node:crypto";
import type { MediaKind, MessageDetails } from "@balcao/contract";
import parsePhoneNumber from "libphonenumber-js/min";
import type { Address } from "../../channels/port.ts";

/** A row of the source. Each value is PostgreSQL's text of it; a column that this variant lacks is missing. */
export type SourceRow = Readonly<Record<string, string | null | undefined>>;

/** The import cannot begin; the message is for people. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
}

type Value = string | null | undefined;

/** Text that PostgreSQL takes: no NUL, no half of a surrogate pair, at most `max` characters. */
export function textOf(value: Value, max = 1_000_000): string {
  const whole = (value ?? "").replaceAll("\u0000", "").toWellFormed();
  if (whole.length <= max) return whole;
  return whole.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}

export function boolOf(value: Value, fallback = false): boolean {
  if (value === null || value === undefined || value === "") return fallback;
  return ["t", "true", "1", "enabled"].includes(value.toLowerCase());
}

/** A whole number within the bounds, or the fallback. */
export function intOf(value: Value, fallback: number, min = 0, max = 2_147_483_647): number {
  const number = Number.parseFloat(value ?? "");
  if (!Number.isFinite(number)) return fallback;
  return Math.min(max, Math.max(min, Math.round(number)));
}

/** The id that a column refers to; null for none. */
export function idOf(value: Value): string | null {
  return value === null || value === undefined || value === "" || value === "0" ? null : value;
}

/** Money that is stored as a float, in cents: 99.9 and 99.89999999999999 are the same price. */
export function centsOf(value: Value): number {
  const number = Number.parseFloat((value ?? "").replace(/^(\d+),(\d{1,2})$/, "$1.$2"));
  if (!Number.isFinite(number) || number < 0) return 0;
  return Math.min(2_000_000_000, Math.round(number * 100));
}

const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);
const brazilianDate = /^(\d{2})\/(\d{2})\/(\d{4})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/;
const isoDate =
  /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** A moment from a timestamp or from a text in a usual writing; null when it is none, or far from any real one. */
export function dateOf(value: Value): Date | null {
  const text = (value ?? "").trim();
  const [, day, month, year, h = "00", min = "00", s = "00"] = brazilianDate.exec(text) ?? [];
  const normal = day === undefined ? text : `${year}-${month}-${day}T${h}:${min}:${s}Z`;
  const parts = isoDate.exec(normal);
  if (!parts) return epochOf(text);
  const [, y, mo, d, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = parts;
  const offset = zone === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(-2).padStart(2, "0")}`;
  const wholeOffset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : offset;
  const ms = fraction.slice(0, 3).padEnd(3, "0");
  return plausible(Date.parse(`${y}-${mo}-${d}T${hour}:${minute}:${second}.${ms}${wholeOffset}`));
}

/** Some forks write milliseconds as text. */
function epochOf(text: string): Date | null {
  return /^\d{12,13}$/.test(text) ? plausible(Number(text)) : null;
}

function plausible(ms: number): Date | null {
  return ms >= EARLIEST && ms <= LATEST ? new Date(ms) : null;
}

/** The value of a JSON column; undefined when it cannot be read. */
export function jsonOf(value: Value): unknown {
  if (value === null || value === undefined || value === "") return undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

/** The id of a message here: made of the one there, ordered by time, so that a repeated import makes the same one. */
export function messageUuid(source: string, id: string, at: Date): string {
  const hash = createHash("sha256").update(`${source}\n${id}`).digest();
  hash.writeUIntBE(Math.max(0, at.getTime()), 0, 6);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x70;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const oldGroup = /^\d{8,15}-\d{9,11}$/;
const newGroup = /^120363\d{10,14}$/;
const nobody = /^(status|0|null|undefined|nan)?(@.*)?$/i;

/**
 * The addresses in a contact's number, `lid` and `remoteJid`: these forks keep phone numbers, private addresses (LIDs) and ids of
 * groups in one column. Empty when nobody can be reached by it.
 */
export function addressesOf(row: SourceRow): Address[] {
  const found: Address[] = [];
  for (const value of [row["number"], row["remoteJid"], row["lid"]]) {
    const address = readAddress(textOf(value, 200).trim(), {
      isGroup: boolOf(row["isGroup"]),
      isLid: value !== undefined && value === row["lid"],
    });
    if (address) found.push(address);
  }
  return found;
}

function readAddress(
  value: string,
  { isGroup, isLid }: { isGroup: boolean; isLid: boolean },
): Address | null {
  if (nobody.test(value) || value.startsWith("status@")) return null;
  const [name = "", host = ""] = value.split("@", 2);
  const bare = name.split(":", 1)[0] ?? "";
  if (host === "g.us" || oldGroup.test(bare) || newGroup.test(bare))
    return { kind: "group", value: bare };
  const digits = bare.replace(/\D/g, "");
  if (digits.length < 8) return null;
  if (isGroup) return { kind: "group", value: bare };
  if (isLid || host.endsWith("lid")) return { kind: "lid", value: digits };
  if (isPhone(digits)) return { kind: "pn", value: digits };
  return digits.length >= 13 ? { kind: "lid", value: digits } : null;
}

/** Whether digits are a phone number with its country. */
function isPhone(digits: string): boolean {
  if (digits.length > 15) return false;
  return parsePhoneNumber(`+${digits}`)?.isPossible() ?? false;
}

/** Kinds of a message without a file, and those with one, as the forks name them. */
export function mediaKindOf(mediaType: string, fileName: string): MediaKind {
  const type = mediaType.toLowerCase();
  if (type.startsWith("sticker")) return "sticker";
  if (type.startsWith("image")) return "image";
  if (type.startsWith("video")) return "video";
  if (type === "ptt" || type.startsWith("voice")) return "voice";
  if (type.startsWith("audio")) return /\.(ogg|oga|opus|mp3)$/i.test(fileName) ? "voice" : "audio";
  return "document";
}

/** The file name at the end of a stored address or path, decoded. */
export function fileNameOf(mediaUrl: string): string {
  const path = mediaUrl.split(/[?#]/, 1)[0] ?? "";
  const last = path.split(/[/\\]/).at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

export type MessageContent = { body: string; mediaType: string; details: MessageDetails | null };

/** Text, type and further content of a message without a file. */
export function contentOf(mediaType: string, body: string): MessageContent {
  switch (mediaType) {
    case "locationMessage":
    case "liveLocationMessage":
    case "location":
      return locationOf(body);
    case "contactMessage":
    case "contactsArrayMessage":
    case "vcard":
    case "contact":
      return cardsOf(body);
    case "call_log":
      return { body, mediaType, details: { kind: "call", isVideo: false } };
    case "":
    case "chat":
    case "text":
    case "conversation":
      return { body, mediaType: "conversation", details: null };
    default:
      return { body, mediaType: "extendedTextMessage", details: null };
  }
}

/** `imageDataUrl|mapLink|description`; the picture is not kept. */
function locationOf(body: string): MessageContent {
  const parts = body.split("|").map((part) => part.trim());
  const link = parts.find((part) => /^https?:/.test(part)) ?? "";
  const [, latitude, longitude] = /(-?\d{1,3}\.\d+)(?:%2C|,)\s*(-?\d{1,3}\.\d+)/i.exec(link) ?? [];
  const name = parts
    .filter((part) => part !== link && !part.startsWith("data:"))
    .join(" ")
    .slice(0, 500);
  if (latitude === undefined || longitude === undefined) {
    const text = parts.filter((part) => !part.startsWith("data:")).join(" ");
    return { body: text, mediaType: "extendedTextMessage", details: null };
  }
  return {
    body: `|${link}|${name}`,
    mediaType: "locationMessage",
    details: {
      ...{ kind: "location", latitude: Number(latitude), longitude: Number(longitude) },
      ...{ name, address: "", isLive: false },
    },
  };
}

function cardsOf(body: string): MessageContent {
  const contacts = body
    .split(/END:VCARD/i)
    .filter((card) => /BEGIN:VCARD/i.test(card))
    .slice(0, 50)
    .map((card) => ({
      name: (/^FN[^:\n]*:(.*)$/im.exec(card)?.[1] ?? "").trim().slice(0, 200),
      phones: [...card.matchAll(/^(?:item\d+\.)?TEL[^:\n]*:(.*)$/gim)].map((line) =>
        (line[1] ?? "").trim().slice(0, 50),
      ),
    }));
  if (contacts.length === 0) return { body, mediaType: "extendedTextMessage", details: null };
  return { body, mediaType: "contactMessage", details: { kind: "contacts", contacts } };
}

/** Invisible marks before what the older product wrote by itself, and before texts of campaigns. */
const automaticMark = /^[\u200e\u200c]+/;

export function withoutMark(body: string): { text: string; isAutomatic: boolean } {
  const text = body.replace(automaticMark, "");
  return { text, isAutomatic: text.length !== body.length };
}
