import type { MediaKind } from "@balcao/contract";
import type { AdContext, InboundContent } from "../port.ts";
import type { DeliveredFile, DeliveredMessage } from "./delivery.ts";
import { locatorOf } from "./locator.ts";

/** What a message says. Kinds that nobody knows yet keep their name, and why Meta does not show them. */
export function contentOf(message: DeliveredMessage): InboundContent {
  return (
    textOf(message) ??
    mediaOf(message) ??
    placeOf(message) ??
    peopleOf(message) ??
    choiceOf(message) ??
    orderOf(message) ??
    otherOf(message)
  );
}

function textOf({ text, referral }: DeliveredMessage): InboundContent | null {
  return text ? { kind: "text", text: text.body, ...adOf(referral) } : null;
}

/** The advertisement that brought the customer here. */
function adOf(referral: DeliveredMessage["referral"]): { ad?: AdContext } {
  if (!referral?.source_url) return {};
  const { headline: title, body, source_url: sourceUrl } = referral;
  return { ad: { title, body, sourceUrl } };
}

function mediaOf(message: DeliveredMessage): InboundContent | null {
  const { image, video, audio, document, sticker, referral } = message;
  if (image) return fileOf("image", image, referral);
  if (video) return fileOf("video", video, referral);
  if (audio) return fileOf(audio.voice === true ? "voice" : "audio", audio, referral);
  if (document) return fileOf("document", document, referral);
  return sticker ? fileOf("sticker", sticker, referral) : null;
}

function fileOf(
  media: MediaKind,
  file: DeliveredFile,
  referral: DeliveredMessage["referral"],
): InboundContent {
  const { id, mime_type: mime, sha256, filename, caption } = file;
  return {
    kind: "media",
    file: {
      media,
      mime,
      locator: locatorOf({ id, sha256 }),
      ...(filename === undefined ? {} : { fileName: filename }),
    },
    ...(caption === undefined ? {} : { caption }),
    ...adOf(referral),
  };
}

function placeOf({ location }: DeliveredMessage): InboundContent | null {
  if (!location) return null;
  const { latitude, longitude, name, address } = location;
  return {
    kind: "location",
    latitude,
    longitude,
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
  };
}

function peopleOf({ contacts }: DeliveredMessage): InboundContent | null {
  if (!contacts || contacts.length === 0) return null;
  return {
    kind: "contacts",
    contacts: contacts.map(({ name, phones }) => {
      const shown = name?.formatted_name ?? "";
      const numbers = phones.flatMap(({ phone, wa_id }) => phone ?? wa_id ?? []);
      return { name: shown, phones: numbers, vcard: vcardOf(shown, numbers) };
    }),
  };
}

function vcardOf(name: string, phones: readonly string[]): string {
  const plain = (value: string) => value.replaceAll(/[\r\n]/g, " ");
  return [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `FN:${plain(name)}`,
    ...phones.map((phone) => `TEL;type=CELL;waid=${phone.replaceAll(/\D/g, "")}:${plain(phone)}`),
    "END:VCARD",
  ].join("\n");
}

function choiceOf({ interactive, button }: DeliveredMessage): InboundContent | null {
  if (button) {
    return choice("templateButtonReplyMessage", button.payload ?? button.text, button.text);
  }
  if (interactive?.button_reply) {
    const { id, title } = interactive.button_reply;
    return choice("buttonsResponseMessage", id, title);
  }
  if (interactive?.list_reply) {
    const { id, title } = interactive.list_reply;
    return choice("listResponseMessage", id, title);
  }
  if (!interactive) return null;
  return { kind: "other", type: interactive.type, text: interactive.nfm_reply?.body ?? "" };
}

function choice(type: string, id: string, text: string): InboundContent {
  return { kind: "choice", type, id, ...(text === "" || text === id ? {} : { text }) };
}

function orderOf({ order }: DeliveredMessage): InboundContent | null {
  if (!order) return null;
  const items = order.product_items.map(
    ({ quantity, product_retailer_id: product }) => `${quantity} × ${product}`,
  );
  return { kind: "other", type: "order", text: [order.text, ...items].filter(Boolean).join("\n") };
}

function otherOf({ type, system, errors }: DeliveredMessage): InboundContent {
  return { kind: "other", type, text: system?.body ?? errors[0]?.title ?? "" };
}
