import type {
  Address,
  ContactEvent,
  DurableEvent,
  InboundMessage,
  MessageRef,
  Peer,
  ReactionEvent,
} from "../port.ts";
import { addressesOf } from "./addresses.ts";
import type {
  DeliveredContact,
  DeliveredMessage,
  DeliveredPart,
  DeliveredStatus,
  Delivery,
} from "./delivery.ts";
import { failureOfCode } from "./graph-errors.ts";
import { contentOf } from "./inbound-content.ts";

/** Meta's id of a message of ours, and our own. */
export type KnownId = { wamid: string; providerId: string };

/** Ids of ours, as `newProviderId` makes them: other data that comes back with a status is not ours. */
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

/** Pairs of ids that a delivery itself tells. */
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

/** None where nobody is named: then there is nobody to answer. */
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

/** The customer has another number: both are one person's, who is written to at the new one. */
function movedTo({ system }: DeliveredMessage, peer: Peer, at: Date): ContactEvent[] {
  if (system?.type !== "user_changed_number") return [];
  const [number, ...more] = addressesOf(system.wa_id ?? system.new_wa_id, system.user_id);
  if (number?.kind !== "pn") return [];
  const addresses = [number, ...more, ...peer.addresses];
  // In the line of what the number that was has sent.
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

/** Who is on the other side: the number may be missing, then it is the business-scoped id alone. */
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

/** Of messages that others sent through the same number nothing is told. */
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
