import type { MediaKind } from "@balcao/contract";
import type {
  AdContext,
  Address,
  ContactEvent,
  DurableEvent,
  InboundContent,
  InboundMessage,
  MessageRef,
  Peer,
  ReactionEvent,
} from "../port.ts";
import type {
  DeliveredContact,
  DeliveredFile,
  DeliveredMessage,
  DeliveredPart,
  DeliveredStatus,
  Delivery,
} from "./delivery.ts";
import { failureOfCode } from "./graph.ts";
import { locatorOf } from "./media.ts";

/** Meta's id of a message of ours, and our own. */
export type KnownId = { wamid: string; providerId: string };

/** Our ids, as `newProviderId` makes them: other data in a status is not ours. */
const OUR_ID = /^3EB0[0-9A-F]{18}$/;

const ackLevels = { sent: 2, delivered: 3, read: 4, played: 5 } as const;

/** Meta's ids in a delivery that may be of messages of ours. */
export function wamidsIn({ parts }: Delivery): string[] {
  const wamids = parts.flatMap(({ messages, echoes, statuses }) => [
    ...[...messages, ...echoes].flatMap(({ context, reaction, edit, revoke }) => [
      context?.id,
      reaction?.message_id,
      edit?.original_message_id,
      revoke?.original_message_id,
    ]),
    ...statuses.map(({ id }) => id),
  ]);
  return [...new Set(wamids.filter((wamid) => wamid !== undefined))];
}

/** Pairs of ids that the delivery itself contains. */
export function idsLearned({ parts }: Delivery): KnownId[] {
  return parts
    .flatMap(({ statuses }) => statuses)
    .flatMap(({ id, biz_opaque_callback_data: ours }) =>
      ours !== undefined && OUR_ID.test(ours) ? [{ wamid: id, providerId: ours }] : [],
    );
}

/** A delivery as events, in its order; `ours` has our ids of the messages in `wamidsIn` that we sent. */
export function toEvents(delivery: Delivery, ours: ReadonlyMap<string, string>): DurableEvent[] {
  return delivery.parts.flatMap((part) => [
    ...part.messages.flatMap((message) => toMessageEvents(message, { part, ours, fromMe: false })),
    ...part.echoes.flatMap((message) => toMessageEvents(message, { part, ours, fromMe: true })),
    ...part.statuses.flatMap((status) => toReport(status, ours)),
  ]);
}

type Surroundings = { part: DeliveredPart; ours: ReadonlyMap<string, string>; fromMe: boolean };

/** Empty without a sender. */
function toMessageEvents(message: DeliveredMessage, around: Surroundings): DurableEvent[] {
  const { part, ours, fromMe } = around;
  const peer = peerOf(message, part.contacts, fromMe);
  const chat = peer.addresses[0];
  if (!chat) return [];
  const at = new Date(message.timestamp * 1_000);
  const refTo = (wamid: string): MessageRef => {
    const own = ours.get(wamid);
    return { chat, id: own ?? wamid, fromMe: own !== undefined };
  };

  if (message.reaction) {
    const { message_id: target, emoji } = message.reaction;
    const event: ReactionEvent = {
      type: "reaction",
      target: refTo(target),
      from: peer,
      fromMe,
      emoji: emoji || null,
      at,
    };
    return [event];
  }
  if (message.revoke) {
    return [{ type: "revoke", target: refTo(message.revoke.original_message_id), at }];
  }
  if (message.edit) {
    const text = message.edit.message.text?.body;
    if (text === undefined) return [];
    return [{ type: "edit", target: refTo(message.edit.original_message_id), text, at }];
  }
  return [
    ...movedTo(message, peer, at),
    toInboundMessage(message, { chat, peer, at, fromMe, refTo }),
  ];
}

/** The customer changed numbers: both belong to one person, whose new number is used from now on. */
function movedTo({ system }: DeliveredMessage, peer: Peer, at: Date): ContactEvent[] {
  if (system?.type !== "user_changed_number") return [];
  const [number, ...more] = addressesOf(system.wa_id ?? system.new_wa_id, system.user_id);
  if (number?.kind !== "pn") return [];
  const addresses = [number, ...more, ...peer.addresses];
  // Ordered with the messages of the old number.
  const chat = peer.addresses[0] ?? number;
  return [{ type: "contact", chat, peer: { addresses }, isNewNumber: true, at }];
}

function toInboundMessage(
  message: DeliveredMessage,
  {
    chat,
    peer,
    at,
    fromMe,
    refTo,
  }: {
    chat: Address;
    peer: Peer;
    at: Date;
    fromMe: boolean;
    refTo: (wamid: string) => MessageRef;
  },
): InboundMessage {
  const { id, context } = message;
  const isForwarded = context?.forwarded === true || context?.frequently_forwarded === true;
  return {
    type: "message",
    ref: { chat, id, fromMe },
    from: peer,
    at,
    origin: fromMe ? "own-device" : "live",
    content: contentOf(message),
    ...(context?.id === undefined ? {} : { quoted: refTo(context.id) }),
    ...(isForwarded ? { isForwarded } : {}),
  };
}

/** The customer; without a number it is the business-scoped id alone. */
function peerOf(
  message: DeliveredMessage,
  contacts: readonly DeliveredContact[],
  fromMe: boolean,
): Peer {
  const named = fromMe ? [message.to, message.to_user_id] : [message.from, message.from_user_id];
  const contact = contacts.find(
    ({ wa_id, user_id }) =>
      (wa_id !== undefined && named.includes(wa_id)) ||
      (user_id !== undefined && named.includes(user_id)),
  );
  const only = contacts.length === 1 && named.every((value) => value === undefined);
  const known = contact ?? (only ? contacts[0] : undefined);
  const addresses = addressesOf(...named, known?.wa_id, known?.user_id);
  const displayName = known?.profile?.name ?? known?.profile?.username;
  return displayName === undefined ? { addresses } : { addresses, displayName };
}

/** Statuses of messages that others sent through the same number are ignored. */
function toReport(status: DeliveredStatus, ours: ReadonlyMap<string, string>): DurableEvent[] {
  const { id, biz_opaque_callback_data: given } = status;
  const providerId = given !== undefined && OUR_ID.test(given) ? given : ours.get(id);
  if (providerId === undefined) return [];
  const [chat = { kind: "bsuid", value: id } as const] = addressesOf(
    status.recipient_id,
    status.recipient_user_id,
  );
  if (status.status === "failed") {
    const failure = failureOfCode(status.errors[0]?.code ?? -1);
    return [{ type: "send-failed", providerId, chat, failure }];
  }
  const level = Object.entries(ackLevels).find(([name]) => name === status.status)?.[1];
  return level === undefined ? [] : [{ type: "ack", providerId, chat, level }];
}

/** The content of a message. Unknown kinds keep their name and Meta's reason for hiding them. */
function contentOf(message: DeliveredMessage): InboundContent {
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

/** The advertisement that the customer replied to. */
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

const PHONE = /^\d{5,20}$/;
/** A business-scoped user id: the country's letters, a dot, letters and digits (`US.1349…`). */
const BSUID = /^[A-Z]{2}(\.[A-Za-z0-9]+)+$/;

/** The distinct addresses of these values, phone numbers first. Meta puts user ids into either field. */
function addressesOf(...values: readonly (string | undefined)[]): Address[] {
  const given = new Set(values.filter((value) => value !== undefined));
  const pn = [...given].filter((value) => PHONE.test(value));
  const bsuid = [...given].filter((value) => BSUID.test(value));
  return [
    ...pn.map((value): Address => ({ kind: "pn", value })),
    ...bsuid.map((value): Address => ({ kind: "bsuid", value })),
  ];
}
