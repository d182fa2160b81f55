import { randomBytes } from "node:crypto";
import type { proto } from "baileys";
import { jidDecode } from "baileys";
import type { LinkedDevice } from "./linked-device.ts";
import { takeBundle } from "./linked-device.ts";
import type { SentFile } from "./media-host.ts";
import type { BinaryNode } from "./nodes.ts";
import { child, node, now } from "./nodes.ts";
import type { SignalDevice } from "./signal-device.ts";
import { createSignalDevice } from "./signal-device.ts";

/** A person on the network with one phone. */
export type User = {
  /** Digits. */
  phone: string;
  /** Digits of the address that does not show the phone. */
  lid: string;
  name: string;
  device: SignalDevice;
};

/** Takes what a company's device writes to a person. */
export type Receiver = {
  user: User;
  take(message: Arrival): Promise<void>;
  /**
   * Whether a message of this id is on the phone already, which then drops the second one unread: what is sent again
   * after a crash may be encrypted with a key that was used.
   */
  drops(id: string, to: string, from: LinkedDevice): boolean;
  /** A message came that its phone cannot decrypt. */
  unreadable(message: Arrival, reason: string): Promise<void>;
  /** The company says something of a message that the person wrote. */
  receipt(id: string, type: string): void;
  /** The company could not decrypt a message of this person. */
  resend(id: string, device: LinkedDevice, receipt: BinaryNode): Promise<void>;
  /** Anything else that reaches the person: typing, calls. */
  signal(stanza: BinaryNode): void;
  /** The file of a message that this person wrote. */
  fileOf(id: string): SentFile | undefined;
};

export type Arrival = {
  id: string;
  /** The address as the company wrote it. */
  to: string;
  from: LinkedDevice;
  message: proto.IMessage;
};

/** The company's account on the network. */
export type AccountState = {
  user: User;
  devices: Map<number, LinkedDevice>;
  nextDeviceId: number;
  /** By phone and by LID: the people it knows, and itself. */
  receivers: Map<string, Receiver>;
  groups: Map<string, Group>;
  history: proto.IConversation[];
  /** How the service treats it. */
  isBanned: boolean;
  linking: LinkHabit;
  isSilent: boolean;
  lookup: LookupHabit;
  answer: ServiceAnswer;
  /** Ids of messages that were lost on purpose. */
  lost: string[];
};

/**
 * The service's handling of a company's message: acknowledged and delivered; swallowed; delivered without a word;
 * refused with an error number.
 */
export type ServiceAnswer = "accept" | "lose" | "mute" | { error: string };

/** The service's answer to a lookup of devices: the devices, none, or no answer. */
export type LookupHabit = "answer" | "empty" | "silent";

/**
 * How a wish to link ends: the phone agrees; the service wants a proof that only a person with the phone can give; no
 * code to type is given out.
 */
export type LinkHabit = "agree" | "passkey" | "no-codes";

export type Group = { id: string; subject: string; members: User[] };

export function newUser(phone: string, name: string, lid?: string): User {
  return { phone, name, lid: lid ?? newLid(), device: createSignalDevice() };
}

function newLid(): string {
  return String(100_000_000_000_000 + (randomBytes(6).readUIntBE(0, 6) % 899_999_999_999_999));
}

export function pnOf({ phone }: User, device?: LinkedDevice): string {
  return `${phone}${device ? `:${device.id}` : ""}@s.whatsapp.net`;
}

export function lidOf({ lid }: User, device?: LinkedDevice): string {
  return `${lid}${device ? `:${device.id}` : ""}@lid`;
}

export function receiverOf(account: AccountState, jid: string | undefined): Receiver | undefined {
  return account.receivers.get(jidDecode(jid)?.user ?? "");
}

export type Posted = {
  id: string;
  message: proto.IMessage;
  /** Where it comes from, and whatever else stands on the stanza. */
  attrs: Record<string, string | undefined>;
  /** Stands beside the message of its receiver: a group's common ciphertext. */
  more?: BinaryNode[];
  /** It cannot be decrypted. */
  isGarbled?: boolean;
};

/** Encrypts a message of `sender` for the company's linked devices, and gives it to their delivery. */
export async function post(account: AccountState, sender: User, posted: Posted): Promise<void> {
  for (const device of account.devices.values()) await postTo(account, device, sender, posted);
}

export async function postTo(
  account: AccountState,
  device: LinkedDevice,
  sender: User,
  { id, message, attrs, more = [], isGarbled = false }: Posted,
  count?: number,
): Promise<void> {
  const jid = lidOf(account.user, device);
  if (!(await sender.device.hasSession(jid))) {
    await sender.device.startSession(jid, takeBundle(device));
  }
  const { type, ciphertext } = await sender.device.encrypt(jid, message);
  if (isGarbled) ciphertext[ciphertext.length - 1] = (ciphertext.at(-1) ?? 0) ^ 0xff;
  const enc = node("enc", { v: "2", type, ...(count && { count: String(count) }) }, ciphertext);
  device.delivery.give(
    node("message", { id, t: now(), notify: sender.name, ...attrs }, [enc, ...more]),
  );
}

/** The how manieth time a device asks for a message again. */
export function retryCountOf(receipt: BinaryNode): number {
  return Number(child(receipt, "retry")?.attrs["count"] ?? 1);
}

const ID_BYTES = 9;

/** As a phone makes them. */
export function newMessageId(): string {
  return `3A${randomBytes(ID_BYTES).toString("hex").toUpperCase()}`;
}

/** Does one thing after the other, so that what is encrypted first is delivered first. */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
