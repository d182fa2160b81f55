import type { proto } from "baileys";
import type { AccountState, Arrival, Group, Posted, Receiver, User } from "./account.ts";
import { createTurns, lidOf, newMessageId, pnOf, post, postTo, retryCountOf } from "./account.ts";
import type { Said } from "./contents.ts";
import { editOf, fileOf, messageOf, reactionOf, revokeOf, stanzaType } from "./contents.ts";
import { postToGroup } from "./group-messages.ts";
import type { Received } from "./inbox.ts";
import { createInbox, until } from "./inbox.ts";
import type { LinkedDevice } from "./linked-device.ts";
import { readRetryBundle, retryNodes, takeBundle } from "./linked-device.ts";
import { newId } from "./linking.ts";
import type { MediaHost } from "./media-host.ts";
import { node, now } from "./nodes.ts";

/** Which address a person's messages come from, and whether the other one is told along. */
export type Addressing = { from: "pn" | "lid"; alone: boolean };

/** The receipts that a phone sends automatically. */
export type ReceiptHabit = "delivered" | "read" | "none";

export type SendOptions = {
  id?: string;
  /** A message that is answered: its id, its author and what it says. */
  quoted?: { id: string; fromMe: boolean; message: proto.IMessage };
  /** In a group. */
  to?: Group;
  /** It cannot be decrypted, until `resends`. */
  isGarbled?: boolean;
};

/** A simulated customer with a phone, keys and sessions of its own. */
export type Contact = ReturnType<typeof createContact>;

export function createContact(account: AccountState, user: User, media: MediaHost) {
  const inbox = createInbox();
  const turns = createTurns();
  const sent = new Map<string, Posted>();
  /** Messages that are not sent again yet, with who has asked. */
  const held = new Map<string, (() => Promise<void>)[]>();
  const receipts = new Map<string, string[]>();
  const signals: string[] = [];
  const steps = new Map<string, string[]>();
  const arrivedAt = new Map<string, Arrival>();
  let addressing: Addressing = { from: "pn", alone: false };
  let habit: ReceiptHabit = "delivered";

  function origin(): Record<string, string | undefined> {
    const other = addressing.alone ? undefined : addressing;
    return addressing.from === "pn"
      ? { from: pnOf(user), sender_lid: other && lidOf(user) }
      : { from: lidOf(user), sender_pn: other && pnOf(user) };
  }

  const company = (): string =>
    addressing.from === "pn" ? pnOf(account.user) : lidOf(account.user);

  function dispatch(
    message: proto.IMessage,
    options: SendOptions = {},
    attrs: Record<string, string> = {},
  ): Promise<string> {
    const id = options.id ?? newMessageId();
    return turns(async () => {
      const type = stanzaType(message);
      if (options.to) {
        await postToGroup(account, options.to, user, { id, message, attrs: { type, ...attrs } });
        return id;
      }
      const posted = { id, message, attrs: { ...origin(), type, ...attrs } };
      sent.set(id, posted);
      const { isGarbled = false } = options;
      if (isGarbled) held.set(id, []);
      await post(account, user, { ...posted, isGarbled });
      return id;
    });
  }

  /** The phone's receipts for a message of the company. */
  function tell(
    id: string,
    type?: "read" | "played" | "retry",
    content?: ReturnType<typeof node>[],
  ) {
    const arrival = arrivedAt.get(id);
    if (!arrival) throw new Error(`${user.phone} has no message ${id}`);
    const isGroup = arrival.to.endsWith("@g.us");
    arrival.from.delivery.give(
      node(
        "receipt",
        { id, from: arrival.to, type, t: now(), participant: isGroup ? lidOf(user) : undefined },
        content,
      ),
    );
  }

  function note(id: string, step: string): void {
    steps.set(id, [...(steps.get(id) ?? []), step]);
  }

  function confirm(id: string): void {
    if (habit !== "none") tell(id);
    if (habit === "read") tell(id, "read");
  }

  const receiver: Receiver = {
    user,
    drops: (id, to, from) => {
      if (!inbox.drops(id)) return false;
      note(id, "came again");
      arrivedAt.set(id, { id, to, from, message: {} });
      confirm(id);
      return true;
    },
    take: async (arrival) => {
      note(arrival.id, "shown");
      arrivedAt.set(arrival.id, arrival);
      inbox.take(arrival);
      confirm(arrival.id);
    },
    unreadable: async (arrival, reason) => {
      inbox.keepPlace(arrival.id);
      note(arrival.id, `unreadable (${reason})`);
      arrivedAt.set(arrival.id, arrival);
      const count = inbox.countTry(arrival.id);
      tell(arrival.id, "retry", retryNodes(arrival.id, count, await user.device.bundle()));
    },
    receipt: (id, type) => {
      receipts.set(id, [...(receipts.get(id) ?? []), type]);
    },
    resend: (id, device, receipt) =>
      turns(async () => {
        const posted = sent.get(id);
        const waiting = held.get(id);
        if (waiting) waiting.push(() => receiver.resend(id, device, receipt));
        if (!posted || waiting) return;
        const bundle = readRetryBundle(receipt) ?? takeBundle(device);
        await user.device.startSession(lidOf(account.user, device), bundle);
        await postTo(account, device, user, posted, retryCountOf(receipt));
      }),
    fileOf: (id) => {
      const message = sent.get(id)?.message;
      return message && fileOf(message);
    },
    signal: (stanza) => {
      const [what] = Array.isArray(stanza.content) ? stanza.content : [];
      signals.push(`${stanza.tag}/${what?.tag ?? stanza.attrs["type"] ?? ""}`);
    },
  };

  const eachDevice = (give: (device: LinkedDevice) => void): void => {
    for (const device of account.devices.values()) give(device);
  };

  const keyOf = (id: string): proto.IMessageKey =>
    inbox.find(id)
      ? { id, fromMe: false, remoteJid: company() }
      : { id, fromMe: true, remoteJid: company() };

  return {
    phone: user.phone,
    lid: user.lid,
    jids: { pn: pnOf(user), lid: lidOf(user) },
    user,
    receiver,
    /** Sends a message again that was garbled, to who has asked and who will. */
    resends: async (id: string): Promise<void> => {
      const asked = held.get(id) ?? [];
      held.delete(id);
      for (const again of asked) await again();
    },
    /** Resolves with the message's id when it is on its way. */
    sends: async (said: Said, options: SendOptions = {}): Promise<string> => {
      const message = await messageOf(said, media);
      return dispatch(
        options.quoted ? quoting(message, options.quoted, company()) : message,
        options,
      );
    },
    edits: (id: string, text: string, options: Pick<SendOptions, "isGarbled"> = {}) =>
      dispatch(editOf(keyOf(id), text), options, { edit: "1" }),
    revokes: (id: string) => dispatch(revokeOf(keyOf(id)), {}, { edit: "7" }),
    /** To an own message or one of the company; null takes it back. */
    reacts: (id: string, emoji: string | null, options: Pick<SendOptions, "isGarbled"> = {}) =>
      dispatch(reactionOf(keyOf(id), emoji), options),
    types: (state: "composing" | "paused" | "recording") =>
      eachDevice(({ line }) => {
        const isSound = state === "recording";
        const what = node(isSound ? "composing" : state, isSound ? { media: "audio" } : {});
        line?.send(node("chatstate", { from: origin()["from"] }, [what]));
      }),
    appears: (state: "available" | "unavailable") =>
      eachDevice(({ line }) =>
        line?.send(node("presence", { from: origin()["from"], type: state })),
      ),
    /** Rings; answers the call's id. */
    calls: ({ video = false, id = newMessageId() } = {}): string => {
      const from = origin()["from"];
      const offer = node(
        "offer",
        { "call-id": id, "call-creator": from, caller_pn: pnOf(user) },
        video ? [node("video")] : [node("audio", { enc: "opus" })],
      );
      eachDevice(({ delivery }) =>
        delivery.give(node("call", { from, id: newId(), t: now() }, [offer])),
      );
      return id;
    },
    /** The company's messages to this phone. */
    received: (): Received[] => inbox.all(),
    /** Resolves with the message of this text when it has come. */
    receives: (text: string): Promise<Received> =>
      until(`"${text}" for ${user.phone}`, () => inbox.all().find((one) => one.text === text)),
    receivesId: (id: string): Promise<Received> =>
      until(`message ${id} for ${user.phone}`, () => inbox.find(id)),
    /** The steps of a company's message on this phone, for diagnosis of a failed test. */
    trailOf: (id: string): readonly string[] => steps.get(id) ?? [],
    delivers: (id: string) => tell(id),
    reads: (id: string) => tell(id, "read"),
    plays: (id: string) => tell(id, "played"),
    /** The receipts of the company's devices for a message of this person: "delivered", "inactive", "read", … */
    receiptsOf: (id: string): string[] => receipts.get(id) ?? [],
    /** Typing, presence and refused calls of the company, as they came. */
    signals: (): string[] => [...signals],
    setAddressing: (to: Addressing): void => {
      addressing = to;
    },
    setReceipts: (to: ReceiptHabit): void => {
      habit = to;
    },
    setPicture: (bytes: Uint8Array): void => media.setPicture(pnOf(user), bytes),
    /** As after the app was installed anew: what comes next cannot be read and is asked for again. */
    losesSessions: async (): Promise<void> => {
      for (const device of account.devices.values()) {
        await user.device.forgetSession(lidOf(account.user, device));
      }
    },
  };
}

function quoting(
  message: proto.IMessage,
  { id, fromMe, message: quotedMessage }: NonNullable<SendOptions["quoted"]>,
  company: string,
): proto.IMessage {
  const contextInfo = { stanzaId: id, quotedMessage, ...(!fromMe && { participant: company }) };
  if (message.conversation !== undefined && message.conversation !== null) {
    return { extendedTextMessage: { text: message.conversation, contextInfo } };
  }
  if (message.imageMessage) return { imageMessage: { ...message.imageMessage, contextInfo } };
  throw new Error("only texts and pictures quote here");
}
