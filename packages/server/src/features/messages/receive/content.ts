import type { InboundContent } from "../../../channels/port.ts";
import type { MessageRow } from "../message.ts";
import { adIntroduction, mediaBody, mediaName, mediaTypeOf, PENDING } from "../message.ts";

/** A message's content as it is stored (behaviour 1.2). */
export type StoredContent = Pick<MessageRow, "body" | "details" | "media"> & { mediaType: string };

type ContentOf<K extends InboundContent["kind"]> = Extract<InboundContent, { kind: K }>;

/** Describes a content as it is stored. Only the first message of an advertisement begins with its text. */
export function describeContent(
  content: InboundContent,
  { hasQuote, introducesAd }: { hasQuote: boolean; introducesAd: boolean },
): StoredContent {
  switch (content.kind) {
    case "text": {
      const { text, ad } = content;
      const mediaType = hasQuote || ad ? "extendedTextMessage" : "conversation";
      return ad && introducesAd ? withAd(plain(mediaType, text), ad, text) : plain(mediaType, text);
    }
    case "media":
      return describeMedia(content, introducesAd);
    case "location":
      return describeLocation(content);
    case "contacts":
      return describeContacts(content);
    case "poll": {
      const { type, question, severalAllowed } = content;
      const options = [...content.options];
      const lines = [`📊 *${question}*`, ...options.map((option) => `▫️ ${option}`)];
      const details = { kind: "poll", question, options, severalAllowed } as const;
      return plain(type, lines.join("\n"), details);
    }
    case "poll-vote": {
      const options = [...content.options];
      return plain("pollUpdateMessage", options.join(", "), { kind: "poll-vote", options });
    }
    case "choice": {
      // Users read the button's text; the automatic attendant uses its id.
      const { type, id, text } = content;
      return text === undefined ? plain(type, id) : plain(type, text, { kind: "choice", id });
    }
    case "pending":
      return plain(PENDING, "⏳ Aguardando esta mensagem. Isso pode levar alguns instantes.");
    case "view-once": {
      const body = "👁️ Mensagem de visualização única – abra no celular";
      return plain("viewOnceMessage", body, { kind: "view-once" });
    }
    case "other":
      return plain(content.type, `[${content.type}] ${content.text}`.trimEnd());
  }
}

const plain = (
  mediaType: string,
  body: string,
  details: StoredContent["details"] = null,
): StoredContent => ({ mediaType, body, details, media: null });

function withAd(
  stored: StoredContent,
  { title, body, sourceUrl }: NonNullable<ContentOf<"text">["ad"]>,
  written: string,
): StoredContent {
  const ad = { title, body, sourceUrl };
  return { ...stored, body: adIntroduction(ad) + written, details: { kind: "ad", ...ad } };
}

function describeMedia(
  { file, caption = "", isViewOnce = false, ad }: ContentOf<"media">,
  introducesAd: boolean,
): StoredContent {
  const media = {
    kind: file.media,
    state: "loading" as const,
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
  const stored = { ...plain(mediaTypeOf(media), mediaBody(media, caption)), media };
  return ad && introducesAd ? withAd(stored, ad, caption) : stored;
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
  if (only && contacts.length === 1) return plain("contactMessage", only.vcard, details);
  const lines = contacts.map(({ name, phones }) => ` ${name}: 📞${phones[0] ?? ""}`);
  return plain("contactsArrayMessage", lines.join("\n"), details);
}
