import type { Message } from "@balcao/contract";
import { pictureSize } from "./media-size.ts";
import { isLine, writtenText } from "./message-content.ts";
import type { MessageRow } from "./message-rows.ts";

const DAY_ROW_PX = 44;
const LINE_ROW_PX = 32;
const LINE_PX = 20;
const BUBBLE_PX = 16;
const GROUP_GAP_PX = 9;
const QUOTE_PX = 52;
const AUDIO_PX = 50;
const CARD_PX = 62;
const CALL_PX = 30;
const OPTION_PX = 32;
const REACTIONS_PX = 21;
const BELOW_PX = 24;
const CHARACTERS_PER_LINE = 62;

/** How high a row will be, roughly: it is measured once it is there. */
export function estimatedHeightPx(row: MessageRow | undefined): number {
  if (row === undefined || row.kind === "day") return DAY_ROW_PX;
  if (row.kind === "unread" || row.kind === "entry") return LINE_ROW_PX;
  const { item } = row;
  const gap = row.endsGroup ? GROUP_GAP_PX : 0;
  if (item.kind === "unsent") return gap + BUBBLE_PX + linesPx(item.unsent.body);
  return gap + storedHeightPx(item.message);
}

function storedHeightPx(message: Message): number {
  if (message.isDeleted) return BUBBLE_PX + LINE_PX;
  if (isLine(message)) return CALL_PX;
  const quote = message.quotedMsg === null ? 0 : QUOTE_PX;
  const reactions = message.reactions.length === 0 ? 0 : REACTIONS_PX;
  const hasLines =
    message.failedCode !== null || message.changeFailedCode !== null || message.isUnconfirmed;
  const below = hasLines ? BELOW_PX : 0;
  const text = writtenText(message);
  return BUBBLE_PX + quote + reactions + below + filePx(message) + linesPx(text);
}

function filePx({ media, details }: Message): number {
  if (media !== null) {
    if (media.kind === "audio" || media.kind === "voice") return AUDIO_PX;
    return media.kind === "document" ? CARD_PX : pictureSize(media).heightPx;
  }
  if (details?.kind === "contacts") return CARD_PX * details.contacts.length;
  if (details?.kind === "poll") return CARD_PX + OPTION_PX * details.options.length;
  return details?.kind === "location" || details?.kind === "ad" ? CARD_PX : 0;
}

function linesPx(text: string): number {
  let lines = 0;
  for (const line of text.split("\n", 200)) {
    lines += Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE));
  }
  return LINE_PX * Math.max(1, lines);
}
