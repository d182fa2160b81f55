import type { CompanyId, ConnectionId, ConnectionStatus, MediaKind } from "@balcao/contract";
import type { Tx } from "../platform/db/database.ts";

/** Number of the lease; it grows with each change of owner, and every write of a session carries it. */
export type Fence = number;

/** A person's or group's address on a channel. `pn` is digits with country code. */
export type Address = { kind: "pn" | "lid" | "bsuid" | "group"; value: string };

/** A person: at least one address, `pn` may be missing. */
export type Peer = { addresses: readonly Address[]; displayName?: string };

/** A message on the chat network. */
export type MessageRef = { chat: Address; id: string; fromMe: boolean; author?: Address };

/** What a channel can do; callers ask before they offer. */
export type Capabilities = {
  /** Linked with a phone, by scanning a code. */
  qr: boolean;
  /** Linked by typing a code on the phone instead. */
  pairingCode: boolean;
  presence: boolean;
  /** Changing the text of a sent message, deleting it for everyone, reacting to one. */
  edit: boolean;
  revoke: boolean;
  react: boolean;
  /** Telling whether a number is on the network. */
  numberCheck: boolean;
  profilePicture: boolean;
  groups: boolean;
  /** Messages whose text the network has approved. */
  templates: boolean;
  /** Hours after the customer's last message in which anything but a template may be sent; null without such a rule. */
  freeTextWindowHours: number | null;
  /** A repeated send with the same id is the same message on the network. */
  clientMessageId: boolean;
  /**
   * How often a message whose fate is unknown may be sent again under its id (never without `clientMessageId`). Small
   * where the network's "the same id is the same message" cannot be proved.
   */
  resends: number;
};

export type ProviderErrorKind =
  | "not-connected"
  | "logged-out"
  | "rate-limited"
  | "recipient-unknown"
  /** The network did not say on which devices the recipient can be reached. */
  | "recipient-unchecked"
  | "bad-request"
  | "temporary"
  /** The network wants proof again: a token is void, a right was taken. */
  | "auth"
  | "banned"
  /** The account may not write to people who have not written to it: a further try makes it worse. */
  | "restricted"
  /** Too long since the customer's last message: only a template goes through. */
  | "window-closed"
  | "unsupported"
  | "media-missing"
  | "media-too-big"
  /** It may have been sent and nobody can say so: a person decides whether to send it again. */
  | "unconfirmed"
  | "lease-lost";

export type ProviderFailure = { kind: ProviderErrorKind; code?: string; retryAfterMs?: number };

/** Why a session closed, for people and for the decision whether to start again. */
export type CloseReason =
  /** Unlinked on the phone; the provider has forgotten its link. */
  | "logged-out"
  /** Another client uses the link. */
  | "replaced"
  /** Lost, timed out. */
  | "network"
  /** The service failed, or nobody knows why. */
  | "service"
  /** The service sent what could not be decrypted or decoded. */
  | "unreadable"
  /** Linked just now, or asked for by the service: the next session starts at once. */
  | "restart"
  /** Nobody scanned, or typed, the code. */
  | "qr-expired"
  /** The account cannot be linked this way. */
  | "link-refused"
  | "banned"
  /** The service no longer takes this version of the client. */
  | "outdated"
  /** Whoever answered could not prove to be the service. */
  | "untrusted"
  /** Credentials are missing, void or lack a right. */
  | "auth"
  /** By people. */
  | "stopped";

/** A file of ours that goes out; the session reads it through its context. */
export type OutboundFile = {
  key: string;
  mime: string;
  name: string;
  bytes: number;
  durationMs?: number;
  /** Levels from 0 to 100. */
  waveform?: readonly number[];
  /** Of a picture or a film: its size, and a small picture of it, a file like this one. */
  width?: number;
  height?: number;
  thumbnailKey?: string;
};

export type OutboundMedia = {
  kind: "media";
  media: MediaKind;
  file: OutboundFile;
  caption?: string;
};
/** A message approved by the network beforehand; `components` fill its places, in the network's own form. */
export type OutboundTemplate = {
  kind: "template";
  name: string;
  language: string;
  components: readonly unknown[];
  /** What the receiver reads. */
  text: string;
};
export type OutboundBody = { kind: "text"; text: string } | OutboundMedia | OutboundTemplate;

/** What changes a message that is on the network already. `emoji` null takes a reaction back. */
export type OutboundChange =
  | { kind: "edit"; target: MessageRef; text: string }
  | { kind: "revoke"; target: MessageRef }
  | { kind: "reaction"; target: MessageRef; emoji: string | null };

/** A message that is quoted: what it says goes along, because the receiver's phone may not have it. */
export type Quote = MessageRef & { text: string };

export type SendCommand = {
  /** Chosen and stored before the call; the id on the wire. */
  providerId: string;
  to: Address;
  body: OutboundBody | OutboundChange;
  quote?: Quote;
};

/**
 * `written`: handed to the network, an ack event follows. `accepted`: the service has it. `refused`: certainly not sent.
 * `unknown`: may be sent, so never tried again under another id.
 */
export type SendOutcome =
  | { result: "written" | "accepted" }
  | { result: "refused" | "unknown"; failure: ProviderFailure };

export type PresenceState = "available" | "unavailable" | "composing" | "recording" | "paused";

/** The advertisement that brought a customer here. */
export type AdContext = { title: string; body: string; sourceUrl: string };

/** A file on the chat network. Only the channel that delivered it understands `locator`. */
export type MediaRef = {
  media: MediaKind;
  /** As the network claims; what counts is the content. */
  mime: string;
  fileName?: string;
  bytes?: number;
  durationMs?: number;
  locator: string;
};

export type InboundContent =
  | { kind: "text"; text: string; ad?: AdContext }
  | { kind: "media"; file: MediaRef; caption?: string; isViewOnce?: boolean; ad?: AdContext }
  | {
      kind: "location";
      latitude: number;
      longitude: number;
      name?: string;
      address?: string;
      isLive?: boolean;
      /** A small picture as base64 of PNG or JPEG. */
      thumbnail?: string;
    }
  | {
      kind: "contacts";
      contacts: readonly { name: string; phones: readonly string[]; vcard: string }[];
    }
  | {
      kind: "poll";
      /** The network's own name: pollCreationMessage, …V2, …V3. */
      type: string;
      question: string;
      options: readonly string[];
      severalAllowed: boolean;
    }
  | { kind: "poll-vote"; options: readonly string[] }
  /** A pressed button or a chosen row of a list, with what stands on it; `type` is the network's name of it. */
  | { kind: "choice"; type: string; id: string; text?: string }
  /** It cannot be decrypted yet: its content comes under the same id, if it comes. */
  | { kind: "pending" }
  /** A view-once message whose content only the phone gets. */
  | { kind: "view-once" }
  /** Anything else that says something: invitations, products, payments, what nobody knows yet. */
  | { kind: "other"; type: string; text: string };

/** A message that arrived: from a customer, or written on the company's phone (`fromMe`). */
export type InboundMessage = {
  type: "message";
  ref: MessageRef;
  from: Peer;
  /** Of a group. */
  chatName?: string;
  at: Date;
  origin: "live" | "offline" | "history" | "own-device";
  content: InboundContent;
  quoted?: MessageRef;
  isForwarded?: boolean;
};

/** Whoever wrote a message changed its text; an unknown one is ignored. */
export type EditEvent = { type: "edit"; target: MessageRef; text: string; at: Date };

/** Whoever wrote a message, or a group's admin, deleted it for everyone. */
export type RevokeEvent = { type: "revoke"; target: MessageRef; at: Date };

/** A person, or the company on its phone (`fromMe`), reacts; `emoji` null takes it back. */
export type ReactionEvent = {
  type: "reaction";
  target: MessageRef;
  from: Peer;
  fromMe: boolean;
  emoji: string | null;
  at: Date;
};

/** A customer rings. Answering it is not for the product; refusing is (behaviour 2.12). */
export type CallEvent = {
  type: "call";
  id: string;
  chat: Address;
  from: Peer;
  isVideo: boolean;
  at: Date;
};

/** What the network knows of a person; also says that these addresses are one person. */
export type ContactEvent = {
  type: "contact";
  /** Its first address: the partition in which the event keeps its order. */
  chat: Address;
  peer: Peer;
  /** The person has moved: the first address is the phone number from now on, instead of the one that was. */
  isNewNumber?: boolean;
  at: Date;
};

/** Only moves up. */
export type AckEvent = {
  type: "ack";
  providerId: string;
  chat: Address;
  level: 1 | 2 | 3 | 4 | 5;
};

/** The network refused after it had taken the message. */
export type SendFailedEvent = {
  type: "send-failed";
  providerId: string;
  chat: Address;
  failure: ProviderFailure;
};

/** What must survive a crash: journalled before the receipt, handled in order per chat. */
export type DurableEvent =
  | InboundMessage
  | EditEvent
  | RevokeEvent
  | ReactionEvent
  | CallEvent
  | ContactEvent
  | AckEvent
  | SendFailedEvent;

/**
 * A session's state. One that ends by itself tells DISCONNECTED with its reason, once, and is over: the runtime decides
 * what follows (a new session, or waiting for people) and what people see meanwhile.
 */
export type StateEvent = {
  type: "state";
  status: ConnectionStatus;
  reason?: CloseReason;
  /** The company's own number, once known. */
  number?: string;
};

/** What is true only now. */
export type TransientEvent =
  | StateEvent
  /** A code to scan: the status is `qrcode` with it. `null` takes it off the screen. */
  | { type: "qr"; text: string | null }
  /** A code to type on the phone, shown instead of the one to scan. `null` takes it off the screen. */
  | { type: "pairing-code"; text: string | null }
  | { type: "presence"; peer: Peer; chat: Address; state: PresenceState };

/** Where a provider reports. */
export type EventSink = {
  /**
   * Resolves after COMMIT; only then may the provider give its receipt. The same message twice is harmless. Rejects
   * with LeaseLost when the fence is stale or the session is closed, else with the database's error: try again.
   */
  store(events: readonly DurableEvent[]): Promise<void>;
  /**
   * Told at once, in the order of the calls, not kept. What a closed session tells is ignored; rejects with LeaseLost
   * when the fence is stale.
   */
  tell(event: TransientEvent): Promise<void>;
};

/** The session's fence is no longer the lease's: another process owns the connection, or the session is over. */
export class LeaseLost extends Error {
  constructor() {
    super("the connection's lease belongs to another process");
    this.name = "LeaseLost";
  }
}

export type ProviderContext = {
  companyId: CompanyId;
  connectionId: ConnectionId;
  fence: Fence;
  /** Digits of the phone that is to be linked by a typed code; null: by scanning. */
  pairingPhone: string | null;
  sink: EventSink;
  /** A company's transaction that happens only while this session's fence is the lease's; rejects with LeaseLost. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The company's own files, for sending. Null when there is none of that key. */
  openFile(key: string): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number } | null>;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
};

/** The network has forgotten a file. */
export class MediaGone extends Error {
  constructor() {
    super("the chat network no longer has the file");
    this.name = "MediaGone";
  }
}

/** The downloaded file differs in hash or length from the file that its message announced. */
export class MediaForged extends Error {
  constructor(what: string) {
    super(`the file's ${what} is not what the message says`);
    this.name = "MediaForged";
  }
}

export type ProfilePicture = { content: Uint8Array; mime: string };

export type NumberAnswer = { asked: string; exists: boolean; number: string };

/** One session of one connection. It is not started twice: a restart is a new provider. */
export type ChatProvider = {
  readonly capabilities: Capabilities;
  /** Resolves when the attempt has begun; states come as events. */
  start(): Promise<void>;
  /** Closes the session, keeps the link. Resolves when nothing of it runs any more; a send under way answers before. */
  stop(): Promise<void>;
  /** Unlinks from the phone and forgets the link; also valid without a running session. */
  unlink(): Promise<void>;
  send(command: SendCommand): Promise<SendOutcome>;
  /**
   * A file of the network, decrypted, its hash checked. Rejects with MediaGone when it will never be there again, with
   * any other error when a later try may succeed.
   */
  openMedia(file: MediaRef, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Which numbers (digits) are on the network, with the number as the network writes it; one answer each. */
  checkNumbers(numbers: readonly string[]): Promise<readonly NumberAnswer[]>;
  /** Refuses a call that rings. */
  refuseCall(call: CallEvent): Promise<void>;
  /** Read receipts to the customer: each message and those before it in its chat. */
  markRead(refs: readonly MessageRef[]): Promise<void>;
  /** Tells the customer that somebody writes to him, or no longer does. Forgotten when there is no session. */
  setTyping(chat: Address, isTyping: boolean): Promise<void>;
  /** Null when the person has none or does not show it. */
  profilePicture(address: Address, signal: AbortSignal): Promise<ProfilePicture | null>;
  /** Whether nothing is on its way from the network to the sink. For tests; a provider that cannot know leaves it out. */
  isIdle?(): Promise<boolean>;
};

/** An adapter: makes a session for a connection of its kind. */
export type ChannelAdapter = {
  /** Awaited before a provider is made: what only connections of this kind need is loaded here. */
  prepare?(): Promise<void>;
  createProvider(context: ProviderContext): ChatProvider;
};
