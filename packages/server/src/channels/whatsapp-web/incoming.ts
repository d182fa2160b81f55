import type { BaileysEventMap, BinaryNode, SignalKeyStore, WAMessage, WASocket } from "baileys";
import { z } from "zod";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";
import type { DurableEvent, InboundMessage, TransientEvent } from "../port.ts";
import type { AuthState } from "./auth-state.ts";
import type { Self } from "./content/addresses.ts";
import { firstTimes, newPeople, selfOf, toAddress, toContactEvent } from "./content/addresses.ts";
import { pendingMessage, toDurableEvents } from "./content/inbound.ts";
import { pollKeyOf, readPollVote, votedPollId } from "./content/menus-and-polls.ts";
import {
  refusalOf,
  toCallEvent,
  toPresenceEvents,
  toReceiptEvents,
  toUpdateEvents,
} from "./content/updates.ts";
import type { Delivery } from "./delivery.ts";
import type { Replayed } from "./plaintext-journal.ts";
import type { Groups } from "./queries.ts";

type IncomingDeps = {
  auth: AuthState;
  groups: Groups;
  polls: PollKeys;
  delivery: Delivery;
  clock: Clock;
  /** Whether the service had queued the message for us. */
  wasLate: (messageId: string) => boolean;
  /** Whether it changes another message: then it gets no placeholder. */
  isChange: (messageId: string) => boolean;
  /** Reports events that are not stored. */
  tell: (event: TransientEvent) => void;
  /** A message that is not decrypted after this time gets a placeholder: most are repeated within seconds. */
  pendingMs: number;
  log: Logger;
};

type Events = Partial<BaileysEventMap>;
type Origin = Exclude<InboundMessage["origin"], "own-device">;

const HISTORY_BATCH = 100;
const POLL_TRIES = 10;
const POLL_WAIT_MS = 500;

/** Translates the network's reports and passes them on in order. */
export class Incoming {
  readonly #deps: IncomingDeps;
  readonly #isNewPair = firstTimes(10_000);
  readonly #isNewCall = firstTimes(1_000);
  readonly #isNewPerson = newPeople();
  #work: Promise<void> = Promise.resolve();
  #underWay = 0;
  #connectedAt: Date;
  /** Timers of undecrypted messages, by message id, until they get their placeholder. */
  readonly #undecrypted = new Map<string, NodeJS.Timeout>();

  constructor(deps: IncomingDeps) {
    this.#deps = deps;
    this.#connectedAt = deps.clock.now();
  }

  /** Messages sent before this moment are offline ones. */
  connected(): void {
    this.#connectedAt = this.#deps.clock.now();
  }

  close(): void {
    for (const timer of this.#undecrypted.values()) clearTimeout(timer);
    this.#undecrypted.clear();
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Takes one batch of the library's events. */
  take(socket: WASocket, events: Events): void {
    const presence = events["presence.update"];
    if (presence) toPresenceEvents(presence, this.#self).forEach((event) => this.#deps.tell(event));
    for (const { id, subject } of events["groups.update"] ?? []) {
      if (id) this.#deps.groups.renamed(id, subject);
    }
    const members = events["group-participants.update"];
    if (members) this.#deps.groups.changed(members.id);
    if (!hasDurable(events)) return;
    this.#enqueue(async () => {
      const history = events["messaging-history.set"];
      if (history) await this.#takeHistory(history);
      const messages = events["messages.upsert"];
      if (messages) await this.#deps.groups.learn(socket, messages.messages.flatMap(groupOf));
      this.#deps.delivery.add(
        [
          ...this.#contacts(events),
          ...(messages ? await this.#messages(messages.messages, this.#originOf(messages)) : []),
          ...this.#changes(events),
        ],
        (messages?.messages ?? []).filter(({ message }) => message).flatMap(idOf),
      );
    });
  }

  /** The network accepted or refused a message of ours. */
  acknowledged({ attrs }: BinaryNode): void {
    const chat = toAddress(attrs["from"]);
    const providerId = attrs["id"];
    if (!chat || !providerId) return;
    const code = attrs["error"];
    const event: DurableEvent = code
      ? { type: "send-failed", providerId, chat, failure: refusalOf(code) }
      : { type: "ack", providerId, chat, level: 2 };
    this.#deps.delivery.add([event]);
  }

  /** A phone's receipt for our messages. Resolves when it is stored: until then the service has to repeat it. */
  async receipt(stanza: BinaryNode): Promise<void> {
    const events = toReceiptEvents(stanza, this.#self);
    if (events.length > 0) await this.#deps.delivery.addAndWait(events);
  }

  /** Translates messages that an earlier session has decrypted. */
  async eventsOf(replayed: readonly Replayed[]): Promise<DurableEvent[]> {
    const events: DurableEvent[] = [];
    for (const { message, isOffline, me } of replayed) {
      const origin = isOffline ? "offline" : "live";
      events.push(...(await this.#translate(message, origin, selfOf(me))));
    }
    return events;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#underWay += 1;
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => {
        // Decrypted messages are in the journal, and come again with the next session.
        this.#deps.log.error({ err: error }, "a report of the network could not be translated");
      })
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  get #self(): Self {
    return selfOf(this.#deps.auth.creds.me);
  }

  /** Offline: sent before we connected. */
  #originOf({ type }: BaileysEventMap["messages.upsert"]): (message: WAMessage) => Origin {
    return (message) => {
      const sentMs = Number(message.messageTimestamp ?? 0) * 1_000;
      const isLate = type === "append" || this.#deps.wasLate(message.key.id ?? "");
      return isLate && sentMs < this.#connectedAt.getTime() ? "offline" : "live";
    };
  }

  async #messages(
    messages: readonly WAMessage[],
    originOf: (message: WAMessage) => Origin,
  ): Promise<DurableEvent[]> {
    const events: DurableEvent[] = [];
    for (const message of messages) {
      const origin = originOf(message);
      events.push(...(await this.#translate(message, origin, this.#self)));
      this.#awaitContent(message, origin);
    }
    return events;
  }

  /** Starts the wait for the placeholder of an undecrypted message; its decrypted repetition ends the wait. */
  #awaitContent(message: WAMessage, origin: Origin): void {
    const { groups, clock, delivery, pendingMs } = this.#deps;
    const id = message.key.id ?? "";
    clearTimeout(this.#undecrypted.get(id));
    this.#undecrypted.delete(id);
    const placeholder = pendingMessage(message, {
      self: this.#self,
      origin,
      now: clock.now(),
      groupName: (jid) => groups.nameOf(jid),
    });
    if (!placeholder || this.#deps.isChange(id)) return;
    const timer = setTimeout(() => {
      this.#undecrypted.delete(id);
      delivery.add([placeholder]);
    }, pendingMs);
    timer.unref();
    this.#undecrypted.set(id, timer);
  }

  async #translate(message: WAMessage, origin: Origin, self: Self): Promise<DurableEvent[]> {
    const { groups, clock } = this.#deps;
    const options = await this.#pollOptions(message, self);
    return toDurableEvents(message, {
      self,
      origin,
      isNewPair: this.#isNewPair,
      now: clock.now(),
      groupName: (jid) => groups.nameOf(jid),
      decryptPollVote: () => options,
    });
  }

  /** Keeps a poll, or returns the options of a vote; retries while the database is away. */
  async #pollOptions(message: WAMessage, self: Self): Promise<readonly string[] | null> {
    const { polls, log } = this.#deps;
    for (let tries = 1; ; tries += 1) {
      try {
        return await polls.take(message, self);
      } catch (error) {
        if (tries === POLL_TRIES) {
          log.warn({ err: error }, "a poll or a vote was not kept");
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_WAIT_MS));
      }
    }
  }

  #contacts(events: Events): DurableEvent[] {
    const now = this.#deps.clock.now();
    const mapping = events["lid-mapping.update"];
    const contacts = [
      ...(mapping ? [mapping] : []),
      ...(events["contacts.upsert"] ?? []),
      ...(events["contacts.update"] ?? []),
    ];
    return contacts
      .map((contact) => toContactEvent(contact, now, this.#self))
      .filter((event) => event !== null)
      .filter((event) => this.#isNewPerson(event));
  }

  #changes(events: Events): DurableEvent[] {
    const now = this.#deps.clock.now();
    const context = { self: this.#self, now };
    const calls = (events.call ?? []).map((call) =>
      toCallEvent(call, { ...context, isNewCall: this.#isNewCall }),
    );
    return [
      // Acks of other phones came as receipts.
      ...(events["messages.update"] ?? [])
        .flatMap((update) => toUpdateEvents(update, context))
        .filter((event) => event.type !== "ack" || event.level < 3),
      ...calls.filter((event) => event !== null),
    ];
  }

  async #takeHistory({
    messages,
    contacts,
    lidPnMappings = [],
  }: BaileysEventMap["messaging-history.set"]): Promise<void> {
    const now = this.#deps.clock.now();
    const people = [...lidPnMappings, ...contacts].map((one) =>
      toContactEvent(one, now, this.#self),
    );
    this.#deps.delivery.add(people.filter((event) => event !== null));
    // The newest messages come first.
    const inOrder = messages.toReversed();
    for (let at = 0; at < inOrder.length; at += HISTORY_BATCH) {
      const batch = inOrder.slice(at, at + HISTORY_BATCH);
      this.#deps.delivery.add(await this.#messages(batch, () => "history"));
    }
  }
}

function hasDurable(events: Events): boolean {
  const kinds = [
    "messages.upsert",
    "messages.update",
    "messaging-history.set",
    "contacts.upsert",
    "contacts.update",
    "lid-mapping.update",
    "call",
  ] as const;
  return kinds.some((kind) => events[kind] !== undefined);
}

function groupOf({ key }: WAMessage): string[] {
  return key.remoteJid?.endsWith("@g.us") ? [key.remoteJid] : [];
}

function idOf({ key }: WAMessage): string[] {
  return key.id ? [key.id] : [];
}

const storedPoll = z.object({
  id: z.string(),
  secret: z.string(),
  options: z.array(z.string()),
  creators: z.array(z.string()),
});

const POLL = "poll";

/** Secrets of polls, kept among the session's keys: a vote can be read only with its poll's secret. */
export class PollKeys {
  readonly #keys: SignalKeyStore;

  constructor(keys: SignalKeyStore) {
    this.#keys = keys;
  }

  /** Keeps a poll. Returns the options of a vote; null for any other message and for an unreadable vote. */
  async take(message: WAMessage, self: Self): Promise<readonly string[] | null> {
    const poll = pollKeyOf(message, self);
    // A key type that the library does not know.
    if (poll) await this.#keys.set({ [POLL]: { [poll.id]: poll } } as object);
    const id = votedPollId(message);
    if (id === null) return null;
    const { [id]: kept } = await this.#keys.get(POLL as "session", [id]);
    const known = storedPoll.safeParse(kept);
    return known.success ? readPollVote(message, known.data, self) : null;
  }
}
