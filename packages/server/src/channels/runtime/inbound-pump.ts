import type { Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import { inWork } from "../../platform/observing/work.ts";
import type { AckEvent, SendFailedEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { ChannelHandlers, ConnectionDeps, Lease, OutboundSubject } from "./deps.ts";
import { waitAt } from "./deps.ts";
import type { JournalRow } from "./journal.ts";
import { decodeEvent, readJournal } from "./journal.ts";
import { heldLease, isLocked, leaseValues, lockedTickets } from "./lease.ts";

const gone = `gone as (
  delete from inbound_journal
   where company_id = $1 and id = $5 and exists (select 1 from held)
  returning 1
)`;
const answer = `select (select count(*) from held) as held, (select count(*) from gone) as gone`;

const claimEvent = { name: "inbound-claim", text: `with ${heldLease}, ${gone} ${answer}` };
/**
 * A report about a send also ends its outbound row. For a change of a message it returns the change; `isNew` when its
 * outcome was not known yet.
 */
const claimReport = {
  name: "inbound-claim-report",
  text: `with ${heldLease}, ${gone}, ${lockedTickets("o.connection_id = $2 and o.provider_id = $6")}, reported as (
           update outbound set state = $7, error_code = $8
            where company_id = $1 and connection_id = $2 and provider_id = $6 and state <> 'done'
              and exists (select 1 from gone) and ${isLocked}
           returning id
         )
         select (select count(*) from held) as held, (select count(*) from gone) as gone,
                o.command, o.message_id as "messageId", o.before,
                o.state not in ('done', 'failed', 'unconfirmed') as "isNew"
           from (values (1)) as always
           left join outbound o
             on o.company_id = $1 and o.connection_id = $2 and o.provider_id = $6 and o.command <> 'message'`,
};
const countFailure = {
  name: "inbound-failure",
  text: `with ${heldLease}
         update inbound_journal
            set attempts = attempts + 1, failed_at = case when $6 then now() end
          where company_id = $1 and id = $5 and exists (select 1 from held)`,
};

type Chat = { rows: JournalRow[]; isBusy: boolean };

const PAGE = 500;
const SWEEP_MS = 30_000;
const ERROR_WAIT_MS = 500;

/**
 * Hands a connection's journal rows to the product: one at a time and in order in each chat, chats in parallel. Each
 * row's transaction begins by deleting the row, so it is handled exactly once. A row that fails is retried while its
 * chat waits; after the last attempt it stays in the journal, marked as failed, and the chat continues.
 */
export class InboundPump {
  readonly #deps: ConnectionDeps;
  readonly #chats = new Map<string, Chat>();
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #sweep: NodeJS.Timeout;
  /** Rows in memory. */
  #pending = 0;
  #running = 0;
  #isStopped = false;
  /** Id of the newest row that is or was in memory. */
  #cursor = 0;
  /** Id of the newest stored row known here. */
  #newest = 0;
  /** Rows after the cursor wait in the journal; newer ones do not enter memory before them. */
  #isBehind = true;
  #isReading = false;
  #readFailures = 0;
  #onIdle: (() => void)[] = [];

  /** Starts with the rows that an earlier owner left. */
  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#sweep = setInterval(() => this.#sweepJournal(), SWEEP_MS);
    this.#sweep.unref();
    void this.#catchUp();
  }

  /** Takes rows that were just stored, in order. */
  submit(rows: readonly JournalRow[]): void {
    if (this.#isStopped) return;
    for (const row of rows) {
      this.#newest = row.id;
      if (row.id <= this.#cursor) continue;
      if (!this.#isBehind && this.#pending >= this.#deps.settings.backlogInMemory) {
        this.#isBehind = true;
      }
      if (!this.#isBehind) this.#take(row);
    }
    if (this.#isBehind) void this.#catchUp();
  }

  /** Reads the journal, because a failed insert may have stored rows. */
  lookAgain(): void {
    this.#isBehind = true;
    void this.#catchUp();
  }

  /** Whether no row is in memory or waits in the journal. */
  get isIdle(): boolean {
    return this.#pending === 0 && !this.#isBehind && !this.#isReading;
  }

  /** Starts no new row; resolves when the running ones are done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#sweep);
    for (const timer of this.#retries) clearTimeout(timer);
    this.#retries.clear();
    if (this.#running > 0) await new Promise<void>((resolve) => void this.#onIdle.push(resolve));
  }

  #take(row: JournalRow): void {
    this.#cursor = row.id;
    this.#pending += 1;
    let chat = this.#chats.get(row.chatKey);
    if (!chat) {
      chat = { rows: [], isBusy: false };
      this.#chats.set(row.chatKey, chat);
    }
    chat.rows.push(row);
    if (!chat.isBusy) this.#next(row.chatKey, chat);
  }

  #next(chatKey: string, chat: Chat): void {
    const row = chat.rows[0];
    if (!row) {
      chat.isBusy = false;
      this.#chats.delete(chatKey);
      return;
    }
    chat.isBusy = true;
    this.#deps.inboundSlots.acquire(this.#deps.lease.companyId, (release) => {
      if (this.#isStopped) {
        release();
        return;
      }
      this.#running += 1;
      void this.#handle(row).then((retryMs) => {
        release();
        this.#running -= 1;
        if (this.#isStopped) this.#checkIdle();
        else if (retryMs === null) this.#done(chatKey, chat);
        else this.#retryLater(chatKey, chat, retryMs);
      });
    });
  }

  #done(chatKey: string, chat: Chat): void {
    chat.rows.shift();
    this.#pending -= 1;
    this.#next(chatKey, chat);
    if (this.#isBehind) void this.#catchUp();
  }

  #retryLater(chatKey: string, chat: Chat, retryMs: number): void {
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#next(chatKey, chat);
    }, retryMs);
    timer.unref();
    this.#retries.add(timer);
  }

  #checkIdle(): void {
    if (this.#running > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Returns the wait before the next attempt, null when the row is done. */
  async #handle(row: JournalRow): Promise<number | null> {
    const { db, lease, handlers, metrics, log } = this.#deps;
    try {
      if (typeof row.event === "string") row.event = decodeEvent(row.event);
      const event = row.event;
      const handle = () =>
        db.transaction({ companyId: lease.companyId }, async (tx) => {
          if (event.type === "ack" || event.type === "send-failed") {
            const claimed = await claimReportOf(tx, lease, row.id, event);
            if (claimed.change) await reportChange(tx, lease, { handlers, event, claimed });
            else if (claimed.isOurs) await handlers.receive(tx, lease, event);
          } else if (await claim(tx, lease, row.id)) {
            await handlers.receive(tx, lease, event);
          }
        });
      const { companyId } = lease;
      await inWork(
        { kind: "message", name: `inbound ${event.type}`, companyId },
        handle,
        row.origin,
      );
      metrics.inbound("handled");
      return null;
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.#deps.onLeaseLost();
        return null;
      }
      return this.#failed(row, error).catch((cause: unknown) => {
        if (cause instanceof LeaseLost) this.#deps.onLeaseLost();
        else log.warn({ err: cause, journalId: row.id }, "a failed event could not be counted");
        return ERROR_WAIT_MS;
      });
    }
  }

  async #failed(row: JournalRow, error: unknown): Promise<number | null> {
    const { db, lease, settings, metrics, log } = this.#deps;
    const { connectionId, companyId } = lease;
    const subject = { connectionId, companyId, journalId: row.id, attempts: row.attempts + 1 };
    // An unavailable database is no fault of the event: the attempt is not counted.
    if (isUnavailable(error)) {
      log.warn({ err: error, ...subject }, "an event waits for the database");
      return ERROR_WAIT_MS;
    }
    const isGivenUp = row.attempts >= settings.inboundRetriesMs.length;
    await db.transaction({ companyId }, (tx) =>
      tx.query(countFailure, [...leaseValues(lease), row.id, isGivenUp]),
    );
    row.attempts += 1;
    metrics.inbound(isGivenUp ? "given-up" : "retried");
    if (isGivenUp) {
      log.error({ err: error, ...subject }, "an event was given up");
      return null;
    }
    log.warn({ err: error, ...subject }, "an event will be handled again");
    return waitAt(settings.inboundRetriesMs, row.attempts - 1);
  }

  /** Reads the journal until every row has been in memory. */
  async #catchUp(): Promise<void> {
    if (this.#isReading || this.#isStopped) return;
    this.#isReading = true;
    try {
      while (this.#isBehind && !this.#isStopped && this.#pending < PAGE) {
        const page = { afterId: this.#cursor, limit: PAGE };
        const newest = this.#newest;
        const rows = await readJournal(this.#deps.db, this.#deps.lease, page);
        if (this.#isStopped) return;
        for (const row of rows) this.#take(row);
        this.#readFailures = 0;
        // Rows stored during the read may be missing in it.
        if (rows.length < PAGE && this.#newest === newest) this.#isBehind = false;
      }
    } catch (error) {
      this.#deps.log.warn({ err: error }, "the journal cannot be read");
      const timer = setTimeout(
        () => {
          this.#retries.delete(timer);
          void this.#catchUp();
        },
        waitAt([200, 500, 1_000, 2_000], this.#readFailures),
      );
      this.#readFailures += 1;
      this.#retries.add(timer);
    } finally {
      this.#isReading = false;
    }
  }

  /** Finds rows whose commit finished after its database connection broke. */
  #sweepJournal(): void {
    if (!this.isIdle) return;
    this.#cursor = 0;
    this.lookAgain();
  }
}

/** Deletes the row from the journal, in the transaction that handles it. False: it was handled before. */
async function claim(tx: Tx, lease: Lease, id: number): Promise<boolean> {
  const [claimed] = await tx.query<{ held: number; gone: number }>(claimEvent, [
    ...leaseValues(lease),
    id,
  ]);
  if (claimed?.held !== 1) throw new LeaseLost();
  return claimed.gone === 1;
}

type Report = AckEvent | SendFailedEvent;
type ClaimedReport = { isOurs: boolean; isNew: boolean; change: OutboundSubject | null };

async function claimReportOf(
  tx: Tx,
  lease: Lease,
  id: number,
  event: Report,
): Promise<ClaimedReport> {
  const [claimed] = await tx.query<
    { held: number; gone: number; isNew: boolean } & (OutboundSubject | { command: null })
  >(claimReport, [
    ...leaseValues(lease),
    id,
    event.providerId,
    event.type === "ack" ? "done" : "failed",
    event.type === "ack" ? null : event.failure.kind,
  ]);
  if (claimed?.held !== 1) throw new LeaseLost();
  const isOurs = claimed.gone === 1;
  if (claimed.command === null) return { isOurs, isNew: false, change: null };
  const { messageId, command, before } = claimed;
  return { isOurs, isNew: claimed.isNew, change: { messageId, command, before } };
}

/** Changes have no acks of their own: the product learns only that the network refused one. */
async function reportChange(
  tx: Tx,
  lease: Lease,
  {
    handlers,
    event,
    claimed,
  }: { handlers: ChannelHandlers; event: Report; claimed: ClaimedReport },
): Promise<void> {
  const { isOurs, isNew, change } = claimed;
  if (!change || !isOurs || !isNew || event.type === "ack") return;
  await handlers.sent(tx, lease, { ...change, result: "failed", failure: event.failure });
}
