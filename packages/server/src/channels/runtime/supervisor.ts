import type { CompanyId, ConnectionId } from "@balcao/contract";
import { FairShare } from "../../platform/jobs/fair-share.ts";
import { FairSlots } from "../../platform/jobs/fair-slots.ts";
import { within } from "./concurrency.ts";
import type { ConnectionFigures, RuntimeDeps } from "./deps.ts";
import type { DesiredConnection } from "./lease.ts";
import { LeaseKeeper, readDesiredAcrossCompanies } from "./lease.ts";
import {
  CONNECTIONS_TOPIC,
  MEDIA_TOPIC,
  OUTBOUND_TOPIC,
  RECEIPTS_TOPIC,
  RETRY_TOPIC,
  TYPING_TOPIC,
  typingOf,
} from "./outbound.ts";
import { Ownership } from "./ownership.ts";
import { QUESTION_TOPIC } from "./questions.ts";

const TAKES_AT_ONCE = 2;
/** A poll without an answer for this long is abandoned for a new one. */
const POLL_MS = 20_000;

/**
 * Reads the desired state of all connections, at wake-ups and every few seconds, takes those that no process owns, and
 * applies the desired state to each owned one. An error of one connection stays in its Ownership.
 */
export class Supervisor {
  readonly #deps: RuntimeDeps;
  readonly #keeper: LeaseKeeper;
  readonly #owned = new Map<ConnectionId, Ownership>();
  /** Lost connections whose sessions are not closed yet. */
  readonly #closing = new Set<ConnectionId>();
  readonly #inboundSlots: FairShare;
  /** Events that wait to be stored, by company. */
  readonly #unstored = new Map<CompanyId, number>();
  readonly #startSlots: FairSlots;
  readonly #fileSlots: FairSlots;
  readonly #timer: NodeJS.Timeout;
  readonly #subscriptions: (() => void)[];
  readonly #unserved = new Set<ConnectionId>();
  #poll: Promise<void> | null = null;
  #pollAgain = false;
  #isStopped = false;

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
    const { settings, wake } = deps;
    this.#keeper = new LeaseKeeper(deps);
    this.#inboundSlots = new FairShare({
      ...{ slots: settings.inboundAtOnce, least: settings.inboundLeast },
    });
    this.#startSlots = new FairSlots(settings.startsAtOnce);
    this.#fileSlots = new FairSlots(settings.filesAtOnce);
    this.#timer = setInterval(() => this.pollSoon(), settings.lookEveryMs);
    this.#subscriptions = [
      wake.on(CONNECTIONS_TOPIC, () => this.pollSoon()),
      this.#onWake(OUTBOUND_TOPIC, (ownership) => ownership.pumps.wakeOutbound()),
      this.#onWake(RECEIPTS_TOPIC, (ownership) => ownership.pumps.wakeReceipts()),
      this.#onWake(MEDIA_TOPIC, (ownership) => ownership.pumps.wakeMedia()),
      this.#onWake(QUESTION_TOPIC, (ownership) => ownership.pumps.wakeQuestions()),
      this.#onWake(RETRY_TOPIC, (ownership) => ownership.retryNow()),
      wake.on(TYPING_TOPIC, (topic) => {
        const typing = typingOf(topic);
        if (typing) this.#owned.get(typing.connectionId)?.setTyping(typing.chat, typing.isTyping);
      }),
    ];
    this.pollSoon();
  }

  /** Subscribes to a topic that ends with a connection's id. */
  #onWake(prefix: string, act: (ownership: Ownership) => void): () => void {
    return this.#deps.wake.on(prefix, (topic) => {
      const ownership = this.#owned.get(Number(topic.slice(prefix.length)) as ConnectionId);
      if (ownership) act(ownership);
    });
  }

  /** Polls now, or once more after the running poll. */
  pollSoon(): void {
    if (this.#isStopped) return;
    this.#pollAgain = true;
    this.#poll ??= this.#pollWhileAsked().finally(() => {
      this.#poll = null;
      if (this.#pollAgain) this.pollSoon();
    });
  }

  /**
   * Whether the connections owned here have no work, in memory or in the database, and no connection is left that this
   * process would take.
   */
  async isIdle(): Promise<boolean> {
    if (this.#poll) return false;
    for (const ownership of this.#owned.values()) {
      if (!(await ownership.isIdle())) return false;
    }
    const rows = await readDesiredAcrossCompanies(this.#deps.db, [...this.#owned.keys()]);
    const hasWork = rows.some((row) => {
      const ownership = this.#owned.get(row.connectionId);
      // A lost lease that has not expired.
      if (!ownership) return row.owner === this.#deps.owner;
      const hasWork = row.hasOutbound || row.hasReceipts || row.hasMedia || row.hasQuestions;
      return row.hasJournal || (hasWork && ownership.pumps.isSending);
    });
    return !hasWork && this.#takeable(rows).length === 0 && this.#poll === null;
  }

  /** The company's events that wait to be stored, and its chats whose next event waits for its turn. */
  waitingOf(companyId: CompanyId): number {
    return this.#inboundSlots.waitingOf(companyId) + (this.#unstored.get(companyId) ?? 0);
  }

  #countUnstored(companyId: CompanyId, change: number): void {
    const count = (this.#unstored.get(companyId) ?? 0) + change;
    if (count === 0) this.#unstored.delete(companyId);
    else this.#unstored.set(companyId, count);
  }

  /** Figures of the connections owned here. */
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
    await this.#poll;
    // The last poll may have taken more.
    const late = [...this.#owned.values()].filter((ownership) => !owned.has(ownership));
    await Promise.all([...stopping, ...late.map((ownership) => this.#stopOne(ownership))]);
    this.#keeper.stop();
    this.#deps.wake.send(CONNECTIONS_TOPIC);
  }

  async #pollWhileAsked(): Promise<void> {
    while (this.#pollAgain && !this.#isStopped) {
      this.#pollAgain = false;
      try {
        await this.#pollOnce();
      } catch (error) {
        this.#deps.log.warn({ err: error }, "the connections were not read");
      }
    }
  }

  async #pollOnce(): Promise<void> {
    const owned = [...this.#owned];
    const rows = await within(
      POLL_MS,
      readDesiredAcrossCompanies(
        this.#deps.db,
        owned.map(([connectionId]) => connectionId),
      ),
    );
    const byId = new Map(rows.map((row) => [row.connectionId, row]));
    for (const [connectionId, ownership] of owned) {
      const row = byId.get(connectionId);
      if (row) ownership.apply(row);
      // The connection was deleted, and its lease with it.
      else this.#keeper.lose(ownership.lease);
    }
    // Takes a few, then polls again, so that processes which start together share the connections.
    await this.#takeSome(this.#takeable(rows).slice(0, this.#deps.settings.startsAtOnce));
  }

  /** Connections without an owner that this process may take. */
  #takeable(rows: readonly DesiredConnection[]): DesiredConnection[] {
    const free = rows.filter(
      (row) => this.#isFree(row) && !this.#owned.has(row.connectionId) && this.#isServed(row),
    );
    return inTurns(free).slice(0, Math.max(0, this.#share(rows) - this.#owned.size));
  }

  /** No process owns the connection, or this one does, lost its lease and has closed its session. */
  #isFree({ owner, connectionId }: DesiredConnection): boolean {
    return owner === null || (owner === this.#deps.owner && !this.#closing.has(connectionId));
  }

  /** How many connections this process may own: its share, and one for the rounding. */
  #share(rows: readonly DesiredConnection[]): number {
    const owners = new Set(rows.flatMap(({ owner }) => (owner === null ? [] : [owner])));
    owners.add(this.#deps.owner);
    return Math.ceil(rows.length / owners.size) + 1;
  }

  #isServed({ connectionId, channel }: DesiredConnection): boolean {
    if (this.#deps.adapters.has(channel)) return true;
    if (!this.#unserved.has(connectionId)) {
      this.#unserved.add(connectionId);
      this.#deps.log.warn({ connectionId, channel }, "no adapter for the connection's channel");
    }
    return false;
  }

  async #takeSome(free: DesiredConnection[]): Promise<void> {
    const taker = async (): Promise<void> => {
      for (let row = free.shift(); row && !this.#isStopped; row = free.shift()) {
        await this.#take(row);
      }
    };
    await Promise.all(Array.from({ length: TAKES_AT_ONCE }, taker));
  }

  async #take(row: DesiredConnection): Promise<void> {
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
        onUnstored: (change) => this.#countUnstored(companyId, change),
        onLeaseLost: () => this.#keeper.lose(lease),
        onFinished: () => this.#release(ownership),
      });
      this.#owned.set(connectionId, ownership);
      // The row was read before the lease was ours and may be outdated: poll again.
      this.#pollAgain = true;
    } catch (error) {
      this.#deps.log.warn({ err: error, connectionId }, "a connection was not taken");
    }
  }

  #abandon(connectionId: ConnectionId): void {
    const ownership = this.#owned.get(connectionId);
    this.#owned.delete(connectionId);
    if (!ownership) return;
    this.#closing.add(connectionId);
    void ownership.abandon().finally(() => {
      this.#closing.delete(connectionId);
      this.pollSoon();
    });
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
    this.pollSoon();
  }

  async #stopOne(ownership: Ownership): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), this.#deps.settings.stopMs);
    });
    const ended = await Promise.race([ownership.stop(), limit]);
    clearTimeout(timer);
    const { connectionId } = ownership.lease;
    if (ended === "late") {
      this.#deps.log.error({ connectionId }, "a connection does not stop; its lease will expire");
      void ownership.abandon();
      return;
    }
    await this.#release(ownership);
  }
}

/** Takes companies in turns, so that one with many connections does not delay the others. */
function inTurns(rows: readonly DesiredConnection[]): DesiredConnection[] {
  const places = new Map<number, number>();
  const placed = rows.map((row) => {
    const place = (places.get(row.companyId) ?? 0) + 1;
    places.set(row.companyId, place);
    return { row, place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}
