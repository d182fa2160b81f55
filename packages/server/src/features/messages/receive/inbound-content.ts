import type { MessageDetails } from "@balcao/contract";
import type { InboundContent } from "../../../channels/port.ts";
import { adIntroduction } from "../last-message.ts";
import { mediaBody, mediaName, mediaTypeOf } from "../media-text.ts";
import type { MediaRow } from "../message-row.ts";

/** What is stored of a message's content (behaviour 1.2). */
export type StoredContent = {
  mediaType: string;
  body: string;
  details: MessageDetails | null;
  media: MediaRow | null;
};

type ContentOf<K extends InboundContent["kind"]> = Extract<InboundContent, { kind: K }>;

/** The media type of a message whose content has not come yet. */
export const PENDING = "ciphertext";

/** A vote that was taken back is no message. */
export function saysNothing(content: InboundContent): boolean {
  return content.kind === "poll-vote" && content.options.length === 0;
}

/** The content as it is stored. An advertisement stands in front of the first message only that it brings. */
export function describeContent(
  content: InboundContent,
  { hasQuote, introducesAd }: { hasQuote: boolean; introducesAd: boolean },
): StoredContent {
  switch (content.kind) {
    case "text":
      return describeText(content, { hasQuote, introducesAd });
    case "media":
      return describeMedia(content, introducesAd);
    case "location":
      return describeLocation(content);
    case "contacts":
      return describeContacts(content);
    case "poll":
      return describePoll(content);
    case "poll-vote":
      return describeVote(content);
    case "choice":
      return describeChoice(content);
    case "pending":
      return plain(PENDING, "⏳ Aguardando esta mensagem. Isso pode levar alguns instantes.");
    case "view-once":
      return {
        ...plain("viewOnceMessage", "👁️ Mensagem de visualização única – abra no celular"),
        details: { kind: "view-once" },
      };
    case "other":
      return plain(content.type, `[${content.type}] ${content.text}`.trimEnd());
  }
}

const plain = (mediaType: string, body: string): StoredContent => ({
  mediaType,
  body,
  details: null,
  media: null,
});

function describeText(
  { text, ad }: ContentOf<"text">,
  { hasQuote, introducesAd }: { hasQuote: boolean; introducesAd: boolean },
): StoredContent {
  const mediaType = hasQuote || ad ? "extendedTextMessage" : "conversation";
  if (!ad || !introducesAd) return plain(mediaType, text);
  const { title, body, sourceUrl } = ad;
  return {
    ...plain(mediaType, adIntroduction(ad) + text),
    details: { kind: "ad", title, body, sourceUrl },
  };
}

/** People read what stands on the button; the automatic attendant goes by its id. */
function describeChoice({ type, id, text }: ContentOf<"choice">): StoredContent {
  return text === undefined
    ? plain(type, id)
    : { ...plain(type, text), details: { kind: "choice", id } };
}

function describeMedia(
  { file, caption = "", isViewOnce = false, ad }: ContentOf<"media">,
  introducesAd: boolean,
): StoredContent {
  const media: MediaRow = {
    kind: file.media,
    state: "loading",
    fileKey: null,
    thumbnailKey: null,
    name: mediaName(file.media, file.mime, file.fileName),
    mime: file.mime,
    bytes: file.bytes ?? 0,
    width: null,
    height: null,
    durationMs: file.durationMs ?? null,
    waveform: null,
    isViewOnce,
  };
  const mediaType = mediaTypeOf(media);
  if (!ad || !introducesAd) {
    return { mediaType, body: mediaBody(media, caption), details: null, media };
  }
  const { title, body, sourceUrl } = ad;
  const details = { kind: "ad", title, body, sourceUrl } as const;
  return { mediaType, body: adIntroduction(ad) + caption, details, media };
}

function describeLocation(content: ContentOf<"location">): StoredContent {
  const { latitude, longitude, name = "", address = "", isLive = false, thumbnail = "" } = content;
  const details = { kind: "location", latitude, longitude, name, address, isLive } as const;
  if (isLive) {
    const body = `Latitude: ${latitude} - Longitude: ${longitude}`;
    return { ...plain("liveLocationMessage", body), details };
  }
  const picture = /^[\w+/]+=*$/.test(thumbnail) ? `data:image/png;base64,${thumbnail}` : "";
  const map = `https://maps.google.com/maps?q=${latitude}%2C${longitude}&z=17&hl=pt-BR`;
  const body = [picture, map, `${latitude}, ${longitude}`].join("|");
  return { ...plain("locationMessage", body), details };
}

function describeContacts({ contacts }: ContentOf<"contacts">): StoredContent {
  const details = {
    kind: "contacts",
    contacts: contacts.map(({ name, phones }) => ({ name, phones: [...phones] })),
  } as const;
  const [only] = contacts;
  if (only && contacts.length === 1) return { ...plain("contactMessage", only.vcard), details };
  const lines = contacts.map(({ name, phones }) => ` ${name}: 📞${phones[0] ?? ""}`);
  return { ...plain("contactsArrayMessage", lines.join("\n")), details };
}

function describePoll(content: ContentOf<"poll">): StoredContent {
  const { type, question, severalAllowed } = content;
  const options = [...content.options];
  const lines = [`📊 *${question}*`, ...options.map((option) => `▫️ ${option}`)];
  return {
    ...plain(type, lines.join("\n")),
    details: { kind: "poll", question, options, severalAllowed },
  };
}

function describeVote(content: ContentOf<"poll-vote">): StoredContent {
  const options = [...content.options];
  return {
    ...plain("pollUpdateMessage", options.join(", ")),
    details: { kind: "poll-vote", options },
  };
}
