import type { BaileysEventMap, BinaryNode, WAMessage, WASocket } from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";
import type { DurableEvent, InboundMessage, TransientEvent } from "../port.ts";
import type { AuthState } from "./auth-state.ts";
import type { Self } from "./content/addresses.ts";
import { selfOf, toAddress } from "./content/addresses.ts";
import { createCallMemory, toCallEvent } from "./content/calls.ts";
import { createPairMemory, createPeopleMemory, toContactEvent } from "./content/contacts.ts";
import { refusalOf } from "./content/failures.ts";
import { pendingMessage, toDurableEvents } from "./content/inbound.ts";
import { toPresenceEvents } from "./content/presence.ts";
import { toReceiptEvents } from "./content/receipts.ts";
import { toUpdateEvents } from "./content/updates.ts";
import type { Delivery } from "./delivery.ts";
import type { Groups } from "./groups.ts";
import type { Replayed } from "./plaintext-journal.ts";
import type { PollKeys } from "./poll-keys.ts";

export type IncomingDeps = {
  auth: AuthState;
  groups: Groups;
  polls: PollKeys;
  delivery: Delivery;
  clock: Clock;
  /** Whether the service had kept a message for us. */
  wasLate: (messageId: string) => boolean;
  /** Tells what is true only now. */
  tell: (event: TransientEvent) => void;
  /** A message that is not decrypted for this long gets a placeholder: most are sent again within seconds. */
  pendingMs: number;
  log: Logger;
};

type Events = Partial<BaileysEventMap>;
type Origin = Exclude<InboundMessage["origin"], "own-device">;

const HISTORY_BATCH = 100;
const POLL_TRIES = 10;
const POLL_WAIT_MS = 500;

/** Translates what the network reports, and hands it on in the order in which it came. */
export class Incoming {
  readonly #deps: IncomingDeps;
  readonly #pairs = createPairMemory();
  readonly #calls = createCallMemory();
  readonly #people = createPeopleMemory();
  #work: Promise<void> = Promise.resolve();
  #underWay = 0;
  #connectedAt: Date;
  /** Messages that were not decrypted, by their ids, until they get their placeholder. */
  readonly #undecrypted = new Map<string, NodeJS.Timeout>();

  constructor(deps: IncomingDeps) {
    this.#deps = deps;
    this.#connectedAt = deps.clock.now();
  }

  /** From now on it is live. */
  connected(): void {
    this.#connectedAt = this.#deps.clock.now();
  }

  /** Nothing is reported any more. */
  close(): void {
    for (const timer of this.#undecrypted.values()) clearTimeout(timer);
    this.#undecrypted.clear();
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** What the library reports at one time. */
  take(socket: WASocket, events: Events): void {
    for (const update of events["presence.update"] ? [events["presence.update"]] : []) {
      for (const event of toPresenceEvents(update, this.#self)) this.#deps.tell(event);
    }
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

  /** The network took or refused what we sent. */
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

  /** What other phones say of our messages. Resolves when it is stored: until then the service is to say it again. */
  async receipt(stanza: BinaryNode): Promise<void> {
    const events = toReceiptEvents(stanza, this.#self);
    if (events.length > 0) await this.#deps.delivery.addAndWait(events);
  }

  /** What an earlier session had decrypted, as events. */
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
        // What was decrypted is in the journal of plaintexts, and comes again with the next session.
        this.#deps.log.error({ err: error }, "what the network reported was not understood");
      })
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  get #self(): Self {
    return selfOf(this.#deps.auth.creds.me);
  }

  /** Offline: sent before we were here. What came while the connection was down for a moment is live. */
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

  /** What comes decrypted in time, message or not, needs no placeholder. */
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
    if (!placeholder) return;
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
      pairs: this.#pairs,
      now: clock.now(),
      groupName: (jid) => groups.nameOf(jid),
      decryptPollVote: () => options,
    });
  }

  /** Keeps a poll; answers what a vote chose. The database may be away for a moment. */
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
    const said = [
      ...(mapping ? [mapping] : []),
      ...(events["contacts.upsert"] ?? []),
      ...(events["contacts.update"] ?? []),
    ];
    return said
      .map((one) => toContactEvent(one, now, this.#self))
      .filter((event) => event !== null)
      .filter((event) => this.#people.isNews(event));
  }

  #changes(events: Events): DurableEvent[] {
    const now = this.#deps.clock.now();
    const context = { self: this.#self, now };
    const calls = (events.call ?? []).map((call) =>
      toCallEvent(call, { ...context, calls: this.#calls }),
    );
    return [
      // What other phones acknowledge came as their receipt.
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
    // The newest come first.
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
