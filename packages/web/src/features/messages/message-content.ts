import type { Message, MessageDetails } from "@balcao/contract";
import type { TFunction } from "../../i18n/index.ts";
import { formatDuration } from "./media-labels.ts";
import { splitSignature } from "./signature.ts";
import { plainText } from "./whatsapp-text.ts";

type Said = Pick<Message, "body" | "fromMe" | "media" | "details" | "isDeleted">;

/** The text that people wrote: a message's own, or the caption of its file; "" when there is none. */
export function writtenText(message: Said): string {
  const { body, media, details } = message;
  if (details?.kind === "ad") return withoutAd(body, details);
  if (details !== null && details.kind !== "choice") return "";
  if (media === null) return body;
  // A file without a caption has its name, or the name of its kind, in place of one (behaviour 1.2).
  if (media.kind === "sticker" || media.kind === "audio" || media.kind === "voice") return "";
  return body === media.name ? "" : body;
}

/** The advertisement stands before the text for clients that know no more than texts (behaviour 1.2). */
function withoutAd(body: string, ad: Extract<MessageDetails, { kind: "ad" }>): string {
  const start = `*${ad.title}*\n${ad.body}\n${ad.sourceUrl}\n\n`;
  return body.startsWith(start) ? body.slice(start.length) : body;
}

/** A call or a changed number stands as a line of its own, not as a bubble: it says nothing and answers to nothing. */
export function isLine({ details }: Pick<Message, "details">): boolean {
  return details?.kind === "call" || details?.kind === "number-changed";
}

/** A message in one line: for quotes and where there is no room for more. */
export function previewText(t: TFunction, message: Said): string {
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
  return details === null ? plain : detailsText(t, details);
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

/** Whether the file of a message can be shown in the viewer now. */
export function isViewable({ media, isDeleted }: Pick<Message, "media" | "isDeleted">): boolean {
  if (media === null || isDeleted || media.state !== "ready" || media.url === null) return false;
  return media.kind === "image" || media.kind === "video";
}
