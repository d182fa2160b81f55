import type { Database } from "../../platform/db/database.ts";
import type { DurableEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { chatKeyOf, chatOf, encodeEvent } from "./durable-events.ts";
import type { Lease } from "./fence.ts";
import { heldLease, leaseValues } from "./fence.ts";

/** An event that is safely stored; ids grow in the order of storage. */
export type JournalRow = {
  id: number;
  chatKey: string;
  attempts: number;
  /** A text when it was read from the journal: decoded only when its turn comes, so that a bad one harms itself only. */
  event: DurableEvent | string;
};

const insertEvents = {
  name: "journal-insert",
  text: `with ${heldLease}
         insert into inbound_journal (company_id, connection_id, chat_key, event)
         select $1, $2, arrived.chat_key, arrived.event
           from held, unnest($5::text[], $6::text[]) with ordinality as arrived (chat_key, event, place)
          order by arrived.place
         returning id`,
};
const readEvents = {
  name: "journal-read",
  text: `select id, chat_key as "chatKey", attempts, event from inbound_journal
          where company_id = $1 and connection_id = $2 and id > $3 and failed_at is null
          order by id limit $4`,
};

type Waiting = {
  events: readonly DurableEvent[];
  resolve: () => void;
  reject: (error: unknown) => void;
};

/** Longest list of events in one insert. */
const BATCH = 500;

/**
 * Stores what a channel delivers before anything else happens to it. One insert is under way at a time, so the order
 * of ids is the order of commits; what arrives meanwhile goes together into the next one: a single event is stored at
 * once, a flood in few commits.
 */
export class Journal {
  readonly #db: Database;
  readonly #lease: Lease;
  readonly #onStored: (rows: JournalRow[]) => void;
  readonly #onDoubt: () => void;
  #waiting: Waiting[] = [];
  #isWriting = false;

  /**
   * `onStored` gets the rows in order, before their `store` resolves. `onDoubt` is called when an insert failed: its
   * rows may exist all the same (the connection broke at the commit).
   */
  constructor(
    db: Database,
    lease: Lease,
    on: { stored: (rows: JournalRow[]) => void; doubt: () => void },
  ) {
    this.#db = db;
    this.#lease = lease;
    this.#onStored = on.stored;
    this.#onDoubt = on.doubt;
  }

  /** Resolves after COMMIT; rejects with LeaseLost when the fence is stale. */
  store(events: readonly DurableEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, resolve, reject });
      void this.#write();
    });
  }

  get isIdle(): boolean {
    return !this.#isWriting && this.#waiting.length === 0;
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const calls = this.#nextBatch();
      try {
        this.#onStored(await this.#insert(calls.flatMap(({ events }) => events)));
        for (const { resolve } of calls) resolve();
      } catch (error) {
        if (!(error instanceof LeaseLost)) this.#onDoubt();
        for (const { reject } of calls) reject(error);
      }
    }
    this.#isWriting = false;
  }

  /** Whole calls up to the batch size, but at least one. */
  #nextBatch(): Waiting[] {
    let count = 0;
    let size = 0;
    for (const { events } of this.#waiting) {
      if (count > 0 && size + events.length > BATCH) break;
      count += 1;
      size += events.length;
    }
    return this.#waiting.splice(0, count);
  }

  async #insert(events: DurableEvent[]): Promise<JournalRow[]> {
    const encoded = events.map(encodeEvent);
    const chatKeys = encoded.map(({ event }) => chatKeyOf(chatOf(event)));
    const ids = await this.#db.transaction({ companyId: this.#lease.companyId }, async (tx) => {
      const rows = await tx.query<{ id: number }>(insertEvents, [
        ...leaseValues(this.#lease),
        chatKeys,
        encoded.map(({ text }) => text),
      ]);
      if (rows.length !== events.length) throw new LeaseLost();
      return rows.map((row) => row.id);
    });
    return encoded.map(({ event }, place) => ({
      id: ids[place] ?? 0,
      chatKey: chatKeys[place] ?? "",
      attempts: 0,
      event,
    }));
  }
}

/** Unhandled rows after an id, in order. */
export async function readJournal(
  db: Database,
  lease: Lease,
  page: { afterId: number; limit: number },
): Promise<JournalRow[]> {
  return db.transaction({ companyId: lease.companyId }, (tx) =>
    tx.query<JournalRow>(readEvents, [
      lease.companyId,
      lease.connectionId,
      page.afterId,
      page.limit,
    ]),
  );
}
