import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { systemCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { AttendantSettings } from "./settings.ts";
import type { DueTicket } from "./turn-rows.ts";
import {
  findDueAcrossCompanies,
  isAnyoneWaitingAcrossCompanies,
  noteFailure,
} from "./turn-rows.ts";
import type { TurnOutcome, Turns } from "./turn.ts";

export type PumpDeps = {
  db: Database;
  sources: { clock: Clock; ids: IdSource };
  log: Logger;
  turns: Turns;
  settings: AttendantSettings;
};

const IDLE_POLL_MS = 5;
const TROUBLE_WAIT_MS = 500;

/**
 * Looks for tickets that are due, when it is woken, when the next one comes due, and every few seconds, and has several of
 * them attended to at the same time. Any number of processes do this side by side: a ticket's turn belongs to whoever
 * locks the ticket.
 */
export class AttendantPump {
  readonly #deps: PumpDeps;
  /** Tickets that this process attends to. */
  readonly #running = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off, by the process's own time. */
  #lookAtMs = Number.POSITIVE_INFINITY;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | null = null;
  #isStarted = false;
  #isStopped = false;

  constructor(deps: PumpDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isStarted = true;
    this.#lookIn(0);
  }

  /** A turn was begun or put off somewhere. */
  wake(): void {
    const { firstMs, answerMs, longestMs } = this.#deps.settings.quiet;
    this.#lookIn(Math.min(firstMs, answerMs, longestMs));
  }

  /** Takes every turn that is due at the moment, one after the other; answers how many there were. */
  async runDue(now = this.#deps.sources.clock.now()): Promise<number> {
    const { db, settings, turns } = this.#deps;
    let taken = 0;
    for (;;) {
      const { due } = await findDueAcrossCompanies(db, now, settings.atOnce);
      if (due.length === 0) return taken;
      const outcomes: TurnOutcome[] = [];
      for (const ticket of due) outcomes.push(await turns.take(ticket, now));
      const done = outcomes.filter((outcome) => outcome === "done").length;
      taken += done;
      // Somebody else has those tickets for the moment.
      if (done === 0) await pause(IDLE_POLL_MS);
    }
  }

  /** Resolves when no ticket is due, or will be. */
  async idle(): Promise<void> {
    while (this.#isStarted && !this.#isStopped && !(await this.isIdle())) await pause(IDLE_POLL_MS);
  }

  async isIdle(): Promise<boolean> {
    if (!this.#isStarted || this.#isStopped) return true;
    if (this.#running.size > 0) return false;
    return !(await isAnyoneWaitingAcrossCompanies(this.#deps.db));
  }

  /** Begins nothing new; resolves when the turns that run are over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#look;
    await Promise.all(this.#running.values());
  }

  #lookIn(ms: number): void {
    if (!this.#isStarted || this.#isStopped) return;
    const nowMs = performance.now();
    const atMs = Math.max(nowMs + ms, this.#notBeforeMs);
    if (atMs >= this.#lookAtMs) return;
    clearTimeout(this.#timer);
    this.#lookAtMs = atMs;
    this.#timer = setTimeout(() => {
      this.#lookAtMs = Number.POSITIVE_INFINITY;
      if (performance.now() < this.#notBeforeMs) this.#lookIn(0);
      else this.#lookOnce();
    }, atMs - nowMs);
  }

  #lookOnce(): void {
    if (this.#look) return;
    let nextMs = 0;
    this.#look = this.#lookNow()
      .then((ms) => {
        nextMs = ms;
      })
      .finally(() => {
        this.#look = null;
        this.#lookIn(nextMs);
      });
  }

  /** Answers when to look again. */
  async #lookNow(): Promise<number> {
    const { db, sources, settings, log } = this.#deps;
    this.#holdFor(settings.betweenLooksMs);
    try {
      const now = sources.clock.now();
      const limit = settings.atOnce + this.#running.size;
      const { due, nextAt } = await findDueAcrossCompanies(db, now, limit);
      for (const ticket of due) this.#begin(ticket);
      if (due.some(({ ticketId }) => !this.#running.has(ticketId))) return 0;
      const nextMs = nextAt === null ? settings.lookEveryMs : differenceInMilliseconds(nextAt, now);
      return Math.min(nextMs, settings.lookEveryMs);
    } catch (error) {
      if (!this.#isStopped) log.warn({ err: error }, "due tickets were not read");
      this.#holdFor(TROUBLE_WAIT_MS);
      return TROUBLE_WAIT_MS;
    }
  }

  /** No look for so long. */
  #holdFor(ms: number): void {
    this.#notBeforeMs = performance.now() + ms;
  }

  #begin(ticket: DueTicket): void {
    const { ticketId } = ticket;
    if (this.#isStopped || this.#running.has(ticketId)) return;
    if (this.#running.size >= this.#deps.settings.atOnce) return;
    const turn = this.#attend(ticket).finally(() => this.#running.delete(ticketId));
    this.#running.set(ticketId, turn);
  }

  async #attend(ticket: DueTicket): Promise<void> {
    const { turns, sources } = this.#deps;
    try {
      const outcome = await turns.take(ticket, sources.clock.now());
      // Somebody else has it, and may leave it as it is.
      if (outcome === "absent") this.#lookIn(0);
    } catch (error) {
      await this.#failed(ticket, error);
      this.#lookIn(0);
    }
  }

  /** A database that is away says nothing about the ticket: that is not counted. */
  async #failed({ companyId, ticketId }: DueTicket, error: unknown): Promise<void> {
    const { db, sources, settings, turns, log } = this.#deps;
    const ctx = systemCtx(companyId, "attendant", sources.ids.uuid());
    const { retriesMs } = settings;
    const subject = { companyId, ticketId };
    turns.forgetFiles();
    if (isUnavailable(error)) {
      this.#holdFor(TROUBLE_WAIT_MS);
      log.warn({ err: error, ...subject }, "a turn waits for the database");
      return;
    }
    try {
      const failure = await db.transaction(ctx, (tx) =>
        noteFailure(ctx, tx, ticketId, { now: sources.clock.now(), retriesMs }),
      );
      if (failure?.isGivenUp) log.error({ err: error, ...subject }, "a turn was given up");
      else log.warn({ err: error, ...subject }, "a turn will be taken again");
    } catch (cause) {
      log.warn({ err: cause, ...subject }, "a failed turn could not be counted");
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
