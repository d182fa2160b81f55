import type { MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { instantOf } from "../../features/schedules/index.ts";
import { ImportRefused, textOf } from "../whaticket/values.ts";

/** Which number of a date is the day, and how that was found out. */
export type DateOrder = { isDayFirst: boolean; because: "a value" | "the order" | "the language" };

export type ChatMessage = {
  fromMe: boolean;
  at: Date;
  body: string;
  /** A file of the message: its name in the export, null where the export was made without files. */
  file: { kind: MediaKind; name: string | null } | null;
  isDeleted: boolean;
  isEdited: boolean;
  /** The same in a later export of the chat, with or without files, whatever the date order of the phone is. */
  key: string;
};

export type Chat = {
  messages: ChatMessage[];
  /** The contact's name in the file; null where only the company wrote. */
  contactName: string | null;
  order: DateOrder;
  /** The numbers of lines that are no message: those of the app without author, and those without any content. */
  left: { system: number; empty: number };
};

export type ChatWish = {
  /** The company's name in the file. */
  me: string;
  /** The contact's, if it is known. */
  name: string | undefined;
  timeZone: string;
  /** A later date is no date. */
  now: Date;
};

export const LINES_MAX = 100_000;
const AUTHOR_MAX = 150;
const EARLIEST = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

const marks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const leadingMarks = /^[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/;
const narrowSpaces = /[\u00a0\u2007\u2009\u202f]/g;

const moment = String.raw`(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4}),? {1,2}(?:às )?(\d{1,2})[:.h](\d{2})(?::(\d{2}))? ?(?:([ap])\.? ?m\.?)?`;
const android = new RegExp(`^${moment} - `, "i");
const ios = new RegExp(String.raw`^\[${moment}\] `, "i");

type Header = { numbers: [number, number, number]; time: string; rest: string };

/** A line that begins a message or is one of the app; null for the next line of a message. */
function readHeader(line: string): Header | null {
  const bare = line.replace(leadingMarks, "");
  // Long enough for any date; what follows stays as it was written.
  const head = bare.slice(0, 60).replace(narrowSpaces, " ");
  const found = (head.startsWith("[") ? ios : android).exec(head);
  if (!found) return null;
  const [whole, a, b, c, hour, minute, second = "00", half] = found;
  const clock = hourOf(Number(hour), half?.toLowerCase());
  if (clock === null) return null;
  const time = `${String(clock).padStart(2, "0")}:${minute}:${second}`;
  return { numbers: [Number(a), Number(b), Number(c)], time, rest: bare.slice(whole.length) };
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour < 24 ? hour : null;
  if (hour > 12) return hour < 24 ? hour : null;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

const isYearFirst = ({ numbers: [first] }: Header): boolean => first > 31;

/** The date as the clocks wrote it, without its zone. */
function writtenAt({ numbers: [a, b, c], time }: Header, isDayFirst: boolean): string {
  const [year, month, day] = a > 31 ? [a, b, c] : isDayFirst ? [c, b, a] : [c, a, b];
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${year < 100 ? 2000 + year : year}-${two(month)}-${two(day)}T${time}`;
}

/** By a value above 12, else by the order of time, which never goes back, else as in Brazil. */
function dateOrderOf(headers: readonly Header[]): DateOrder {
  const open = headers.filter((header) => !isYearFirst(header));
  const dayFirst = open.filter(({ numbers: [a] }) => a > 12).length;
  const monthFirst = open.filter(({ numbers: [, b] }) => b > 12).length;
  // Both: a date that somebody wrote or pasted into a message looks like one of the file.
  if (dayFirst !== monthFirst) return { isDayFirst: dayFirst > monthFirst, because: "a value" };
  const goesOn = (isDayFirst: boolean): boolean =>
    open.every((header, place) => {
      const before = open[place - 1];
      return !before || writtenAt(before, isDayFirst) <= writtenAt(header, isDayFirst);
    });
  const [byDay, byMonth] = [goesOn(true), goesOn(false)];
  if (byDay !== byMonth) return { isDayFirst: byDay, because: "the order" };
  return { isDayFirst: true, because: "the language" };
}

type Entry = { at: Date; written: string; rest: string };

/**
 * The messages of a chat that the phone app exported, in the order of the file. Throws ImportRefused when it is none, is a group's,
 * or names nobody as the company.
 */
export function readChat(text: string, { me, name, timeZone, now }: ChatWish): Chat {
  const lines = text.split(/\r\n|\n|\r/, LINES_MAX + 1);
  if (lines.length > LINES_MAX)
    throw new ImportRefused(`The chat has more than ${LINES_MAX} lines. Nothing was changed.`);
  const headers = lines.map(readHeader);
  const order = dateOrderOf(headers.filter((header) => header !== null));
  const latest = now.getTime() + DAY_MS;
  const entries: Entry[] = [];
  lines.forEach((line, place) => {
    const header = headers[place];
    const written = header ? writtenAt(header, order.isDayFirst) : "";
    const at = header ? instantOf(written, timeZone) : null;
    const last = entries.at(-1);
    if (header && at && at.getTime() >= EARLIEST && at.getTime() <= latest) {
      entries.push({ at, written, rest: header.rest });
    } else if (last) {
      last.rest += `\n${line}`;
    }
  });
  if (entries.length === 0)
    throw new ImportRefused("The file is no chat that the phone app has exported.");
  return messagesOf(entries, { me: plainName(me), name: name && plainName(name), order });
}

const plainName = (name: string): string =>
  textOf(name).replace(marks, "").replace(narrowSpaces, " ").normalize("NFC").trim();

type Split = Entry & { author: string; body: string };

/** Names that are known may have colons; any other ends at the first one. */
function splitAuthor(entry: Entry, known: readonly string[]): Split | null {
  const [first = ""] = entry.rest.split("\n", 1);
  for (let at = first.indexOf(":"); at > 0 && at <= AUTHOR_MAX; at = first.indexOf(":", at + 1)) {
    const author = plainName(first.slice(0, at));
    const isEnd = at === first.length - 1 || first[at + 1] === " ";
    if (isEnd && known.includes(author)) {
      return { ...entry, author, body: entry.rest.slice(at + 1).replace(/^ /, "") };
    }
  }
  const at = first.indexOf(": ");
  if (at <= 0 || at > AUTHOR_MAX) return null;
  return { ...entry, author: plainName(first.slice(0, at)), body: entry.rest.slice(at + 2) };
}

function messagesOf(
  entries: readonly Entry[],
  { me, name, order }: { me: string; name: string | undefined; order: DateOrder },
): Chat {
  const known = [me, ...(name === undefined ? [] : [name])];
  const left = { system: 0, empty: 0 };
  const said: Split[] = [];
  for (const entry of entries) {
    const split = splitAuthor(entry, known);
    if (split === null || encryption.test(split.body)) left.system += 1;
    else said.push(split);
  }
  const authors = [...new Set(said.map(({ author }) => author))];
  refuseAuthors(authors, me, name);
  const seen = new Map<string, number>();
  const messages = said.flatMap(({ author, at, written, body }): ChatMessage[] => {
    const content = contentOf(body);
    if (content.body === "" && content.file === null && !content.isDeleted) {
      left.empty += 1;
      return [];
    }
    const fromMe = author === me;
    // The name of a file is left out: an export without files does not have it.
    const what = content.file === null ? content.body : `file\n${content.body}`;
    const line = `${written.slice(0, 16)}\n${fromMe ? "me" : "contact"}\n${what}`;
    const turn = (seen.get(line) ?? 0) + 1;
    seen.set(line, turn);
    return [{ fromMe, at, ...content, key: `${line}\n${turn}` }];
  });
  if (messages.length === 0) throw new ImportRefused("The chat has no messages.");
  const contactName = authors.find((author) => author !== me) ?? null;
  return { messages, contactName, order, left };
}

function refuseAuthors(authors: readonly string[], me: string, name: string | undefined): void {
  const names = authors.map((author) => `"${author}"`).slice(0, 20);
  if (authors.length > 2) {
    throw new ImportRefused(
      `The chat has ${authors.length} authors, as a group has: ${names.join(", ")}. Only chats with one contact are imported.`,
    );
  }
  if (authors.length === 0) throw new ImportRefused("The chat has no messages.");
  const isMissing = !authors.includes(me) && !(authors.length === 1 && authors[0] === name);
  if (isMissing) {
    throw new ImportRefused(
      `Nobody in the chat is called "${me}". --me is one of: ${names.join(", ")}.`,
    );
  }
}

const encryption =
  /^[\u200e\u200f].*(criptografia de ponta a ponta|end-to-end encrypted|cifrad[oa]s? de extremo a extremo)/;
const attachedAndroid =
  /^([^\n<>:"/\\|?*]{1,250}\.[a-z0-9]{1,10}) \((?:arquivo anexado|ficheiro anexado|file attached|archivo adjunto)\)(?:\n|$)/i;
const attachedIos = /<(?:anexado|anexo|attached|adjunto): ([^<>\n]{1,250})>$/i;
const omittedAndroid =
  /^<(?:m[ií]dia oculta|arquivo de m[ií]dia oculto|ficheiro multim[eé]dia omitido|media omitted|multimedia omitido)>(?:\n|$)/i;
const omittedIos =
  /^(imagem|image|imagen|foto|v[ií]deo|[aá]udio|figurinha|sticker|gif|documento?|document) (?:ocult[oa]|ocultad[oa]|omitid[oa]|omitted)\.?$/i;
const deleted =
  /^(?:(?:essa |esta )?mensagem (?:foi )?apagada|você apagou (?:esta|essa) mensagem|this message was deleted|you deleted this message|se eliminó este mensaje|eliminaste este mensaje)\.?$/i;
const edited =
  /<(?:(?:esta |essa )?mensagem (?:foi )?editada|this message was edited|se editó este mensaje)\.?>$/i;

/** The parts of a message beside its text. */
function contentOf(written: string): Pick<ChatMessage, "body" | "file" | "isDeleted" | "isEdited"> {
  // The app's own marks stand before names of files; of the customer's text only those at its beginning go.
  const plain = written.replace(leadingMarks, "").trimEnd();
  const end = edited.exec(plain.slice(-60));
  const isEdited = end !== null;
  const text = end ? plain.slice(0, plain.length - end[0].length) : plain;
  const bare = text.replace(marks, "").trim();
  const none = { isDeleted: false, isEdited };
  if (deleted.test(bare)) return { ...none, body: "", file: null, isDeleted: true };
  const before = attachedAndroid.exec(bare) ?? omittedAndroid.exec(bare);
  if (before) {
    const name = before[1] ?? null;
    const file = { name, kind: name === null ? "document" : kindOfName(name) } as const;
    return { ...none, file, body: bodyOf(bare.slice(before[0].length)) };
  }
  const after = attachedIos.exec(bare);
  if (after?.[1] !== undefined) {
    const file = { name: after[1].trim(), kind: kindOfName(after[1]) };
    return { ...none, file, body: bodyOf(bare.slice(0, after.index)) };
  }
  const mark = text === plain ? written.lastIndexOf("\u200e") : -1;
  const omitted = mark === -1 ? null : omittedIos.exec(written.slice(mark + 1).trimEnd());
  if (omitted) {
    const file = { name: null, kind: kindOfWord(omitted[1] ?? "") };
    return { ...none, file, body: bodyOf(written.slice(0, mark).replace(marks, "")) };
  }
  return { ...none, file: null, body: bodyOf(text) };
}

const bodyOf = (text: string): string => textOf(text.trim(), limits.messageBodyMax);

/** Names that the app gives: IMG-20231231-WA0001.jpg, PTT-…, STK-…; on the other phone 00000012-PHOTO-…. */
function kindOfName(name: string): MediaKind {
  if (/\.webp$/i.test(name)) return "sticker";
  if (/\.(jpe?g|png|gif)$/i.test(name)) return "image";
  if (/\.(mp4|mov|3gp|webm)$/i.test(name)) return "video";
  if (/\.(opus|ogg|oga)$/i.test(name)) return "voice";
  return /\.(mp3|m4a|aac|amr|wav)$/i.test(name) ? "audio" : "document";
}

function kindOfWord(word: string): MediaKind {
  if (/^(im|foto)/i.test(word)) return "image";
  if (/^(v|gif)/i.test(word)) return "video";
  if (/^(fig|stick)/i.test(word)) return "sticker";
  return /^[aá]/i.test(word) ? "audio" : "document";
}
