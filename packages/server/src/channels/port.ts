import type { CompanyId, ConnectionId, ConnectionStatus, MediaKind } from "@balcao/contract";
import type { Tx } from "../platform/db/database.ts";

/** The lease's number; it grows with each change of owner, and every write of a session checks it. */
export type Fence = number;

/** A person's or group's address on a channel. `pn` is digits with country code. */
export type Address = { kind: "pn" | "lid" | "bsuid" | "group"; value: string };

/** A person: at least one address, `pn` may be missing. */
export type Peer = { addresses: readonly Address[]; displayName?: string };

/** A message on the chat network. */
export type MessageRef = { chat: Address; id: string; fromMe: boolean; author?: Address };

/** The features that a channel supports. */
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
   * How often a message with an unknown outcome may be sent again with its id (never without `clientMessageId`). Small
   * for a network that does not guarantee that the same id is the same message.
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
  /** The credentials are no longer valid, or lack a right. */
  | "auth"
  | "banned"
  /** The account may not write to people who have not written to it; another attempt makes it worse. */
  | "restricted"
  /** The customer's last message is too old: only a template may be sent. */
  | "window-closed"
  | "unsupported"
  | "media-missing"
  | "media-too-big"
  /** It may have been sent: a user decides whether to send it again. */
  | "unconfirmed"
  | "lease-lost";

export type ProviderFailure = { kind: ProviderErrorKind; code?: string; retryAfterMs?: number };

/** The reason for which a session closed, shown to users; it decides whether to start again. */
export type CloseReason =
  /** Unlinked on the phone; the provider has forgotten its link. */
  | "logged-out"
  /** Another client uses the link. */
  | "replaced"
  /** Lost, timed out. */
  | "network"
  /** The service failed, or the reason is unknown. */
  | "service"
  /** A frame of the service could not be decrypted or decoded. */
  | "unreadable"
  /** Linked just now, or asked for by the service: the next session starts at once. */
  | "restart"
  /** The code was not scanned or typed in time. */
  | "qr-expired"
  /** The account cannot be linked this way. */
  | "link-refused"
  | "banned"
  /** The service no longer takes this version of the client. */
  | "outdated"
  /** The server could not prove to be the service. */
  | "untrusted"
  /** Credentials are missing, void or lack a right. */
  | "auth"
  /** A user stopped it. */
  | "stopped";

/** One of our files, to be sent; the session reads it through its context. */
export type OutboundFile = {
  key: string;
  mime: string;
  name: string;
  bytes: number;
  durationMs?: number;
  /** Levels from 0 to 100. */
  waveform?: readonly number[];
  /** Size and preview file of a picture or video. */
  width?: number;
  height?: number;
  thumbnailKey?: string;
};

export type OutboundMedia = {
  kind: "media";
  media: MediaKind;
  file: OutboundFile;
  caption?: string;
  /** Marked on the customer's phone, where the channel can. */
  isForwarded?: true;
};
/** A template approved by the network; `components` fill its placeholders, in the network's own format. */
export type OutboundTemplate = {
  kind: "template";
  name: string;
  language: string;
  components: readonly unknown[];
  /** The text that the receiver reads. */
  text: string;
};
export type OutboundBody =
  | { kind: "text"; text: string; isForwarded?: true }
  | OutboundMedia
  | OutboundTemplate;

/** A change of a message that is on the network. `emoji` null removes a reaction. */
export type OutboundChange =
  | { kind: "edit"; target: MessageRef; text: string }
  | { kind: "revoke"; target: MessageRef }
  | { kind: "reaction"; target: MessageRef; emoji: string | null };

/** A quoted message with its text, because the receiver's phone may not have it. */
export type Quote = MessageRef & { text: string };

export type SendCommand = {
  /** Chosen and stored before the call; the id on the wire. */
  providerId: string;
  to: Address;
  body: OutboundBody | OutboundChange;
  quote?: Quote;
};

/**
 * `written`: handed to the network, an ack event follows. `accepted`: the service has it. `refused`: certainly not
 * sent. `unknown`: may have been sent, so it must not be sent with another id.
 */
export type SendOutcome =
  | { result: "written" | "accepted" }
  | { result: "refused" | "unknown"; failure: ProviderFailure };

export type PresenceState = "available" | "unavailable" | "composing" | "recording" | "paused";

/** The advertisement that a customer replied to. */
export type AdContext = { title: string; body: string; sourceUrl: string };

/** A file on the chat network. Only the channel that delivered it reads `locator`. */
export type MediaRef = {
  media: MediaKind;
  /** As the network claims; the real type comes from the content. */
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
  /** A pressed button or a chosen row of a list, with its label; `type` is the network's name. */
  | { kind: "choice"; type: string; id: string; text?: string }
  /** Not decrypted yet: the content may follow with the same id. */
  | { kind: "pending" }
  /** A view-once message whose content only the phone gets. */
  | { kind: "view-once" }
  /** Any other content: invitations, products, payments, unknown kinds. */
  | { kind: "other"; type: string; text: string };

/** A message that arrived: from a customer, or written on the company's phone (`fromMe`). */
export type InboundMessage = {
  type: "message";
  ref: MessageRef;
  from: Peer;
  /** The group's name. */
  chatName?: string;
  at: Date;
  origin: "live" | "offline" | "history" | "own-device";
  content: InboundContent;
  quoted?: MessageRef;
  isForwarded?: boolean;
};

/** The author of a message changed its text; the edit of an unknown message is ignored. */
export type EditEvent = { type: "edit"; target: MessageRef; text: string; at: Date };

/** The author of a message, or a group's admin, deleted it for everyone. */
export type RevokeEvent = { type: "revoke"; target: MessageRef; at: Date };

/** A person, or the company from its phone (`fromMe`), reacts; `emoji` null removes the reaction. */
export type ReactionEvent = {
  type: "reaction";
  target: MessageRef;
  from: Peer;
  fromMe: boolean;
  emoji: string | null;
  at: Date;
};

/** A customer calls. The product can only refuse the call (behaviour 2.12). */
export type CallEvent = {
  type: "call";
  id: string;
  chat: Address;
  from: Peer;
  isVideo: boolean;
  at: Date;
};

/** The network's data about a person; all addresses of `peer` belong to this person. */
export type ContactEvent = {
  type: "contact";
  /** The first address: the partition in which the event keeps its order. */
  chat: Address;
  peer: Peer;
  /** The person has a new phone number: the first address replaces the old number. */
  isNewNumber?: boolean;
  at: Date;
};

/** An acknowledgement; the level never goes down. */
export type AckEvent = {
  type: "ack";
  providerId: string;
  chat: Address;
  level: 1 | 2 | 3 | 4 | 5;
};

/** The network refused a message after it had accepted it. */
export type SendFailedEvent = {
  type: "send-failed";
  providerId: string;
  chat: Address;
  failure: ProviderFailure;
};

/** Events that survive a crash: journalled before the receipt, handled in order per chat. */
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
 * A session's state. A session that ends by itself reports DISCONNECTED with its reason, once; the runtime then decides
 * whether it starts a new session or waits for a user, and which status users see.
 */
export type StateEvent = {
  type: "state";
  status: ConnectionStatus;
  reason?: CloseReason;
  /** The company's own number, once known. */
  number?: string;
};

/** Events that are not stored. */
export type TransientEvent =
  | StateEvent
  /** A code to scan: the status is `qrcode` with it. `null` takes it off the screen. */
  | { type: "qr"; text: string | null }
  /** A code to type on the phone, shown instead of the one to scan. `null` takes it off the screen. */
  | { type: "pairing-code"; text: string | null }
  | { type: "presence"; peer: Peer; chat: Address; state: PresenceState };

/** Takes a provider's events. */
export type EventSink = {
  /**
   * Resolves after COMMIT; only then may the provider send its receipt. A repeated message is harmless. Rejects with
   * LeaseLost when the fence is stale or the session is closed, otherwise with the database's error: then retry.
   */
  store(events: readonly DurableEvent[]): Promise<void>;
  /**
   * Reports an event at once, in the order of the calls; it is not stored. Events of a closed session are ignored;
   * rejects with LeaseLost when the fence is stale.
   */
  tell(event: TransientEvent): Promise<void>;
};

/** The session's fence is stale: another process owns the connection, or the session is closed. */
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
  /** Digits of the phone to be linked by a typed code; null to link by scanning. */
  pairingPhone: string | null;
  sink: EventSink;
  /** Runs a company's transaction while this session's fence is valid; otherwise rejects with LeaseLost. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The company's own files, for sending. Null when no file has the key. */
  openFile(key: string): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number } | null>;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
};

/** The network no longer has a file. */
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
  /** Resolves when the attempt has started; states follow as events. */
  start(): Promise<void>;
  /** Closes the session, keeps the link. Resolves when the session has ended and its running sends have returned. */
  stop(): Promise<void>;
  /** Unlinks from the phone and deletes the link; also valid without a running session. */
  unlink(): Promise<void>;
  send(command: SendCommand): Promise<SendOutcome>;
  /**
   * A file of the network, decrypted, with a checked hash. Rejects with MediaGone when the network no longer has it,
   * with any other error when a later attempt may succeed.
   */
  openMedia(file: MediaRef, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Checks which numbers (digits) are on the network, in the network's spelling; one answer per number. */
  checkNumbers(numbers: readonly string[]): Promise<readonly NumberAnswer[]>;
  /** Refuses a ringing call. */
  refuseCall(call: CallEvent): Promise<void>;
  /** Sends read receipts: for each message and those before it in its chat. */
  markRead(refs: readonly MessageRef[]): Promise<void>;
  /** Shows the customer that a user types, or no longer does. Has no effect without a session. */
  setTyping(chat: Address, isTyping: boolean): Promise<void>;
  /** Null when the person has no picture or does not show it. */
  profilePicture(address: Address, signal: AbortSignal): Promise<ProfilePicture | null>;
  /** Whether no event is on its way from the network to the sink. For tests; optional. */
  isIdle?(): Promise<boolean>;
};

/** An adapter: creates sessions for connections of its channel. */
export type ChannelAdapter = {
  /** Awaited before a provider is created: loads what only this channel needs. */
  prepare?(): Promise<void>;
  createProvider(context: ProviderContext): ChatProvider;
};

/** A person in the own stores of a channel: phone numbers as digits in every form, and private ids. */
export type PersonIds = { numbers: readonly string[]; privateIds: readonly string[] };

/** The rows and files that an adapter keeps beside the product's own, for the erasure of a person (docs/privacy.md). */
export type PersonStore = {
  /** Counts what names the person. */
  count(companyId: CompanyId, person: PersonIds): Promise<number>;
  /** Deletes what names the person and is older than `before`. May be repeated. */
  forget(companyId: CompanyId, person: PersonIds, before: Date): Promise<void>;
  /** Deletes what belongs to sent and received messages, in the transaction that deletes them. */
  forgetMessages(tx: Tx, companyId: CompanyId, messages: readonly KeptMessage[]): Promise<void>;
};

/** A message as a channel stores it. */
export type KeptMessage = { connectionId: ConnectionId; providerId: string };
