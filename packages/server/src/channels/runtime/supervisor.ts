import type { ChannelKind, ConnectionId } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Random } from "../../platform/sources.ts";
import type { ChannelAdapter } from "../port.ts";
import { FairSlots } from "./fair-slots.ts";
import type { ChannelHandlers } from "./handlers.ts";
import { LeaseKeeper } from "./lease.ts";
import type { ChannelMetrics, ConnectionFigures } from "./metrics.ts";
import { Ownership } from "./ownership.ts";
import type { ChannelSettings } from "./settings.ts";
import {
  CONNECTIONS_TOPIC,
  MEDIA_TOPIC,
  OUTBOUND_TOPIC,
  QUESTION_TOPIC,
  RETRY_TOPIC,
  TYPING_TOPIC,
  connectionOf,
} from "./topics.ts";
import { typingOf } from "./typing.ts";
import type { WantedConnection } from "./wanted.ts";
import { readWantedAcrossCompanies } from "./wanted.ts";
import { within } from "./within.ts";

export type SupervisorDeps = {
  db: Database;
  wake: Wake;
  adapters: ReadonlyMap<ChannelKind, ChannelAdapter>;
  handlers: ChannelHandlers;
  owner: string;
  random: Random;
  settings: ChannelSettings;
  metrics: ChannelMetrics;
  log: Logger;
};

const TAKES_AT_ONCE = 2;
/** A look that is not answered for this long is given up for a new one. */
const LOOK_MS = 20_000;

/**
 * Looks at what is wanted of all connections, at wake-ups and every few seconds, takes those that nobody owns, and
 * passes on to each owned one what is wanted of it. One connection's trouble stays in its Ownership.
 */
export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #keeper: LeaseKeeper;
  readonly #owned = new Map<ConnectionId, Ownership>();
  readonly #inboundSlots: FairSlots;
  readonly #startSlots: FairSlots;
  readonly #fileSlots: FairSlots;
  readonly #timer: NodeJS.Timeout;
  readonly #subscriptions: (() => void)[];
  readonly #unserved = new Set<ConnectionId>();
  #look: Promise<void> | null = null;
  #lookAgain = false;
  #isStopped = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    const { settings, wake } = deps;
    this.#keeper = new LeaseKeeper(deps);
    this.#inboundSlots = new FairSlots(settings.inboundAtOnce);
    this.#startSlots = new FairSlots(settings.startsAtOnce);
    this.#fileSlots = new FairSlots(settings.filesAtOnce);
    this.#timer = setInterval(() => this.lookSoon(), settings.lookEveryMs);
    this.#subscriptions = [
      wake.on(CONNECTIONS_TOPIC, () => this.lookSoon()),
      wake.on(OUTBOUND_TOPIC, (topic) =>
        this.#owned.get(connectionOf(topic, OUTBOUND_TOPIC))?.wakeOutbound(),
      ),
      wake.on(MEDIA_TOPIC, (topic) =>
        this.#owned.get(connectionOf(topic, MEDIA_TOPIC))?.wakeMedia(),
      ),
      wake.on(QUESTION_TOPIC, (topic) =>
        this.#owned.get(connectionOf(topic, QUESTION_TOPIC))?.wakeQuestions(),
      ),
      wake.on(RETRY_TOPIC, (topic) =>
        this.#owned.get(connectionOf(topic, RETRY_TOPIC))?.retryNow(),
      ),
      wake.on(TYPING_TOPIC, (topic) => {
        const told = typingOf(topic);
        if (told) this.#owned.get(told.connectionId)?.setTyping(told.chat, told.isTyping);
      }),
    ];
    this.lookSoon();
  }

  /** One look now, or one more after the present one. */
  lookSoon(): void {
    if (this.#isStopped) return;
    this.#lookAgain = true;
    this.#look ??= this.#lookWhileAsked().finally(() => {
      this.#look = null;
      if (this.#lookAgain) this.lookSoon();
    });
  }

  /**
   * Whether nothing is under way for the connections owned here, in memory or in the database, and none is left that
   * this process would take.
   */
  async isIdle(): Promise<boolean> {
    if (this.#look) return false;
    for (const ownership of this.#owned.values()) {
      if (!(await ownership.isIdle())) return false;
    }
    const rows = await readWantedAcrossCompanies(this.#deps.db, [...this.#owned.keys()]);
    const hasWork = rows.some((row) => {
      const ownership = this.#owned.get(row.connectionId);
      // Lost, and not expired yet.
      if (!ownership) return row.owner === this.#deps.owner;
      const hasWork = row.hasOutbound || row.hasReceipts || row.hasMedia || row.hasQuestions;
      return row.hasJournal || (hasWork && ownership.isSending);
    });
    return !hasWork && this.#takeable(rows).length === 0 && this.#look === null;
  }

  /** Of the connections owned here. */
  figures(): ConnectionFigures[] {
    return [...this.#owned.values()].map((ownership) => ownership.figures());
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    const owned = new Set(this.#owned.values());
    const stopping = [...owned].map((ownership) => this.#stopOne(ownership));
    await this.#look;
    // Those that the last look still took.
    const late = [...this.#owned.values()].filter((ownership) => !owned.has(ownership));
    await Promise.all([...stopping, ...late.map((ownership) => this.#stopOne(ownership))]);
    this.#keeper.stop();
    this.#deps.wake.send(CONNECTIONS_TOPIC);
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain && !this.#isStopped) {
      this.#lookAgain = false;
      try {
        await this.#lookOnce();
      } catch (error) {
        this.#deps.log.warn({ err: error }, "the wanted connections were not read");
      }
    }
  }

  async #lookOnce(): Promise<void> {
    const owned = [...this.#owned];
    const rows = await within(
      LOOK_MS,
      readWantedAcrossCompanies(
        this.#deps.db,
        owned.map(([connectionId]) => connectionId),
      ),
    );
    const byId = new Map(rows.map((row) => [row.connectionId, row]));
    for (const [connectionId, ownership] of owned) {
      const row = byId.get(connectionId);
      if (row) ownership.settle(row);
      // Deleted: its lease and everything else is gone with it.
      else this.#keeper.lose(ownership.lease);
    }
    // A few, then another look: processes that start together find each other in this way.
    await this.#takeSome(this.#takeable(rows).slice(0, this.#deps.settings.startsAtOnce));
  }

  /** What nobody owns, as far as this process may take it. */
  #takeable(rows: readonly WantedConnection[]): WantedConnection[] {
    const free = rows.filter(
      (row) => row.owner === null && !this.#owned.has(row.connectionId) && this.#isServed(row),
    );
    return inTurns(free).slice(0, Math.max(0, this.#share(rows) - this.#owned.size));
  }

  /** How many connections this process may own: its part, and one for the rounding. */
  #share(rows: readonly WantedConnection[]): number {
    const owners = new Set(rows.flatMap(({ owner }) => (owner === null ? [] : [owner])));
    owners.add(this.#deps.owner);
    return Math.ceil(rows.length / owners.size) + 1;
  }

  #isServed({ connectionId, channel }: WantedConnection): boolean {
    if (this.#deps.adapters.has(channel)) return true;
    if (!this.#unserved.has(connectionId)) {
      this.#unserved.add(connectionId);
      this.#deps.log.warn({ connectionId, channel }, "no adapter for the connection's channel");
    }
    return false;
  }

  async #takeSome(free: WantedConnection[]): Promise<void> {
    const taker = async (): Promise<void> => {
      for (let row = free.shift(); row && !this.#isStopped; row = free.shift()) {
        await this.#take(row);
      }
    };
    await Promise.all(Array.from({ length: TAKES_AT_ONCE }, taker));
  }

  async #take(row: WantedConnection): Promise<void> {
    const { companyId, connectionId } = row;
    const adapter = this.#deps.adapters.get(row.channel);
    if (!adapter) return;
    try {
      const lease = await this.#keeper.take({ companyId, connectionId }, () =>
        this.#abandon(connectionId),
      );
      if (!lease) return;
      const ownership: Ownership = new Ownership({
        ...this.#deps,
        lease,
        adapter,
        channel: row.channel,
        inboundSlots: this.#inboundSlots,
        startSlots: this.#startSlots,
        fileSlots: this.#fileSlots,
        onLeaseLost: () => this.#keeper.lose(lease),
        onFinished: () => this.#release(ownership),
      });
      this.#owned.set(connectionId, ownership);
      // What was read before the lease was ours may be old: the next look says what is wanted.
      this.#lookAgain = true;
    } catch (error) {
      this.#deps.log.warn({ err: error, connectionId }, "a connection was not taken");
    }
  }

  #abandon(connectionId: ConnectionId): void {
    const ownership = this.#owned.get(connectionId);
    this.#owned.delete(connectionId);
    ownership?.abandon();
  }

  async #release(ownership: Ownership): Promise<void> {
    const { lease } = ownership;
    if (this.#owned.get(lease.connectionId) === ownership) this.#owned.delete(lease.connectionId);
    try {
      await this.#keeper.release(lease);
    } catch (error) {
      // It expires by itself.
      this.#deps.log.warn({ err: error, connectionId: lease.connectionId }, "a lease stays");
    }
    this.lookSoon();
  }

  async #stopOne(ownership: Ownership): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), this.#deps.settings.stopMs);
    });
    const ended = await Promise.race([ownership.stop(), patience]);
    clearTimeout(timer);
    const { connectionId } = ownership.lease;
    if (ended === "late") {
      this.#deps.log.error({ connectionId }, "a connection does not stop; its lease will expire");
      ownership.abandon();
      return;
    }
    await this.#release(ownership);
  }
}

/** One of each company, then the next of each: a company with many does not keep the others waiting. */
function inTurns(rows: readonly WantedConnection[]): WantedConnection[] {
  const places = new Map<number, number>();
  const placed = rows.map((row) => {
    const place = (places.get(row.companyId) ?? 0) + 1;
    places.set(row.companyId, place);
    return { row, place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}
