import type { Message, MessageDetails, Reaction, Media } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { TFunction } from "../../../i18n/index.ts";
import { currentLanguage } from "../../../i18n/index.ts";
import { loadedHistory } from "../history/message-history.ts";
import { plainText } from "./formatted-text.tsx";
import { localeTags } from "../../../i18n/languages.ts";

type MessageText = Pick<
  Message,
  "body" | "fromMe" | "media" | "details" | "isDeleted" | "mediaType"
>;

/** Kinds of messages that the product only has words for; "other" can be seen on the phone alone. */
export type OtherKind = "product" | "order" | "invite" | "event" | "payment" | "other";

const otherKinds: readonly (readonly [RegExp, OtherKind])[] = [
  [/^(product|catalog)/i, "product"],
  [/^order/i, "order"],
  [/^groupInvite/i, "invite"],
  [/event/i, "event"],
  [/payment|invoice/i, "payment"],
];

/** A message of such a kind, which is stored as `[kind] text` (behaviour 1.2); null for all others. */
export function otherContent({
  body,
  mediaType,
  media,
  details,
}: Pick<MessageText, "body" | "mediaType" | "media" | "details">): {
  kind: OtherKind;
  text: string;
} | null {
  const mark = `[${mediaType}]`;
  if (mediaType === null || media !== null || details !== null || !body.startsWith(mark))
    return null;
  const kind = otherKinds.find(([names]) => names.test(mediaType))?.[1] ?? "other";
  return { kind, text: body.slice(mark.length).trim() };
}

/** The typed text of a message: its own or its file's caption; "" if there is none. */
export function writtenText(message: MessageText): string {
  const { body, media, details } = message;
  if (details?.kind === "ad") return withoutAd(body, details);
  if (details !== null && details.kind !== "choice") return "";
  if (media === null) return otherContent(message)?.text ?? body;
  // The body of a file without a caption is its name or the name of its kind (behaviour 1.2).
  if (media.kind === "sticker" || media.kind === "audio" || media.kind === "voice") return "";
  return body === media.name ? "" : body;
}

/** The advertisement precedes the text, for clients that know only texts (behaviour 1.2). */
function withoutAd(body: string, ad: Extract<MessageDetails, { kind: "ad" }>): string {
  const start = `*${ad.title}*\n${ad.body}\n${ad.sourceUrl}\n\n`;
  return body.startsWith(start) ? body.slice(start.length) : body;
}

/** A call or a changed number is a line, not a bubble: it has no actions. */
export function isLine({ details }: Pick<Message, "details">): boolean {
  return details?.kind === "call" || details?.kind === "number-changed";
}

/** A message in one line, for quotes and small spaces. */
export function previewText(t: TFunction, message: MessageText): string {
  if (message.isDeleted) return t("messages.deleted");
  const written = writtenText(message);
  const { text } = message.fromMe ? splitSignature(written) : { text: written };
  const plain = plainText(text);
  if (plain !== "") return plain;
  const { media, details } = message;
  if (media !== null) {
    const name = media.kind === "document" ? media.name : t(`messages.kinds.${media.kind}`);
    const isHeard = media.kind === "audio" || media.kind === "voice";
    if (!isHeard || media.durationMs === null) return name;
    return `${name}, ${formatDuration(media.durationMs)}`;
  }
  if (details !== null) return detailsText(t, details);
  const other = otherContent(message);
  return other === null ? plain : t(`messages.others.${other.kind}`);
}

function detailsText(t: TFunction, details: MessageDetails): string {
  switch (details.kind) {
    case "location":
      return details.name || details.address || t("messages.kinds.location");
    case "contacts":
      return details.contacts.map((contact) => contact.name).join(", ");
    case "poll":
      return details.question;
    case "poll-vote":
      return details.options.join(", ");
    case "call":
      return t(details.isVideo ? "messages.callVideo" : "messages.callVoice");
    case "ad":
      return details.title;
    case "choice":
      return "";
    case "view-once":
      return t("messages.viewOnceOnPhone");
    case "number-changed":
      return numberChangedText(t, details);
  }
}

export function numberChangedText(
  t: TFunction,
  { from, to }: Extract<MessageDetails, { kind: "number-changed" }>,
): string {
  return from === ""
    ? t("messages.numberGiven", { to })
    : t("messages.numberChanged", { from, to });
}

/** True if the viewer can show the file of a message. */
export function isViewable({ media, isDeleted }: Pick<Message, "media" | "isDeleted">): boolean {
  if (media === null || isDeleted || media.state !== "ready" || media.url === null) return false;
  return media.kind === "image" || media.kind === "video";
}

/** The message failed, or its delivery is unknown: it can be neither answered nor changed. */
export function mayBeMissing(message: Message): boolean {
  return message.failedCode !== null || message.isUnconfirmed;
}

/** Own texts within 15 minutes after sending (behaviour 1.10); unsent ones are discarded instead. */
export function isEditable(message: Message, nowMs: number): boolean {
  const isText = message.media === null && message.details === null;
  if (!message.fromMe || message.isDeleted || mayBeMissing(message) || !isText) return false;
  return nowMs - Date.parse(message.createdAt) < limits.editWithinMs;
}

/** Own messages that are not deleted; only outgoing messages can be (spec 2, tickets area). */
export function isDeletable(message: Message): boolean {
  return message.fromMe && !message.isDeleted && !mayBeMissing(message) && !isLine(message);
}

/** A message that can be sent to somebody else too. */
export function isForwardable(message: Message): boolean {
  const { media, details, mediaType } = message;
  if (message.isDeleted || isLine(message)) return false;
  if (details?.kind === "view-once" || mediaType === "ciphertext") return false;
  return media === null ? message.body.trim() !== "" : isWhole(media) && !media.isViewOnce;
}

const isWhole = ({ state, url }: Media): boolean => state === "ready" && url !== null;

/** True if the menu of a message has an entry. */
export function hasOptions(message: Message, canWrite: boolean): boolean {
  if (message.isDeleted || isLine(message)) return false;
  const isFile = message.media !== null && message.media.url !== null;
  return canWrite || isFile || isForwardable(message);
}

/** The last own message that may be edited, for ↑ in an empty composer; null if there is none. */
export function lastEditableMessage(ticketId: number, nowMs: number): Message | null {
  const messages = newestMessages(ticketId);
  return messages.findLast((message) => isEditable(message, nowMs)) ?? null;
}

const none: readonly Message[] = [];

/** The loaded end of the conversation, ascending; empty if it is not loaded or an older part is shown. */
export function newestMessages(ticketId: number): readonly Message[] {
  return loadedHistory(ticketId)?.messages ?? none;
}

/** One emoji of a message with all its authors. */
export type ReactionChip = Readonly<{
  emoji: string;
  count: number;
  /** The company's reaction is included: a press removes it. */
  isOwn: boolean;
  names: readonly string[];
}>;

/** The quick reactions; the picker has all others. */
export const quickEmojis = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;

/** Reactions by emoji, in the order of their first one. */
export function chipsOf(reactions: readonly Reaction[]): readonly ReactionChip[] {
  const chips = new Map<string, ReactionChip>();
  for (const { emoji, fromMe, name } of reactions) {
    const known = chips.get(emoji);
    chips.set(emoji, {
      emoji,
      count: (known?.count ?? 0) + 1,
      isOwn: fromMe || known?.isOwn === true,
      names: [...(known?.names ?? []), name],
    });
  }
  return [...chips.values()];
}

/** The company's reaction to a message; null if none. */
export function ownReaction(message: Message): string | null {
  return message.reactions.find((one) => one.fromMe)?.emoji ?? null;
}

/** The message with the company's reaction; an empty emoji removes it. */
export function withOwnReaction(message: Message, emoji: string, name: string): Message {
  const others = message.reactions.filter((one) => !one.fromMe);
  if (emoji === "") return { ...message, reactions: others };
  const own: Reaction = { emoji, fromMe: true, contactId: null, name };
  return { ...message, reactions: [...others, own] };
}

const SIGNATURE = /^\*([^*\n]+):\*\n/;

/** The text with the agent's name above it (spec 2, "sign-message option"). */
export function sign(name: string, body: string): string {
  return `*${name.replaceAll("*", "")}:*\n${body}`;
}

/** Splits a signed text into name and text; `author` is null without a signature. */
export function splitSignature(body: string): { author: string | null; text: string } {
  const match = SIGNATURE.exec(body);
  if (!match) return { author: null, text: body };
  return { author: match[1] ?? null, text: body.slice(match[0].length) };
}

const steps = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** "640 kB", "1,2 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 1_000 && step < steps.length - 1) {
    value /= 1_000;
    step += 1;
  }
  return new Intl.NumberFormat(localeTags[currentLanguage()], {
    style: "unit",
    unit: steps[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: value < 10 && step > 1 ? 1 : 0,
  }).format(value);
}

/** "0:14", "1:02:30". */
export function formatDuration(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const tail = String(rest).padStart(2, "0");
  return hours === 0
    ? `${minutes}:${tail}`
    : `${hours}:${String(minutes).padStart(2, "0")}:${tail}`;
}

/** "PDF" of "contrato.pdf", "" when the name has no ending. */
export function fileEnding(name: string): string {
  const dot = name.lastIndexOf(".");
  const ending = dot > 0 ? name.slice(dot + 1) : "";
  return ending.length > 5 ? "" : ending.toUpperCase();
}

type SizePx = Readonly<{ widthPx: number; heightPx: number }>;

/** The largest size of a picture in a bubble (ui.md section 3, bubbles). */
const PICTURE_MAX: SizePx = { widthPx: 268, heightPx: 320 };
/** Smaller pictures have a background of this size, as a target for touch. */
const PICTURE_MIN: SizePx = { widthPx: 120, heightPx: 72 };
/** For files without a known size. */
const PICTURE_UNKNOWN: SizePx = { widthPx: 268, heightPx: 201 };
const STICKER_PX = 144;

/** The size of a picture, video or sticker, known before it loads. */
export function pictureSize(media: Pick<Media, "kind" | "width" | "height">): SizePx {
  const { kind, width, height } = media;
  const max = kind === "sticker" ? { widthPx: STICKER_PX, heightPx: STICKER_PX } : PICTURE_MAX;
  if (width === null || height === null || width <= 0 || height <= 0) {
    return kind === "sticker" ? max : PICTURE_UNKNOWN;
  }
  const scale = Math.min(1, max.widthPx / width, max.heightPx / height);
  const min = kind === "sticker" ? { widthPx: 0, heightPx: 0 } : PICTURE_MIN;
  return {
    widthPx: Math.round(Math.max(min.widthPx, width * scale)),
    heightPx: Math.round(Math.max(min.heightPx, height * scale)),
  };
}

/** The number of bars of an audio (ui.md section 3: 22 to 30). */
const BARS = 28;
const LOWEST = 12;

/** The heights of an audio's bars in percent, resampled from its levels (0 to 100). Without levels all are low. */
export function barsOf(waveform: readonly number[] | null): readonly number[] {
  const levels = waveform ?? [];
  return Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * levels.length) / BARS);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * levels.length) / BARS));
    const part = levels.slice(from, to);
    return Math.max(LOWEST, Math.min(100, Math.round(Math.max(0, ...part))));
  });
}
