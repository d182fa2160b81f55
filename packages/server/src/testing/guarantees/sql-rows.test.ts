import type {
  CompanyId,
  ContactId,
  ContactListId,
  TagId,
  QueueId,
  TicketId,
} from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { sweepGoneConnections } from "../../channels/runtime/index.ts";
import { copyContacts, countFitting } from "../../features/contact-lists/index.ts";
import { listChoices, listContacts, readChosen } from "../../features/contacts/book-lists.ts";
import { exportContacts } from "../../features/contacts/export.ts";
import { countCards, readBoard, readCards } from "../../features/kanban/board.ts";
import { readFiles } from "../../features/messages/files-of-contact.ts";
import { readNotes } from "../../features/ticket-notes/notes-of-contact.ts";
import { findNewestVisible } from "../../features/tickets/tickets-of-contact.ts";
import { listAttendancesOfContact } from "../../features/tickets/attendances.ts";
import { countLists, countTickets, listTickets } from "../../features/tickets/read-tickets.ts";
import { createTicketDto } from "../../features/tickets/ticket-row.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { testDatabase } from "../database.ts";
import { atEndOfFile } from "../end-of-file.ts";
import { createRowCheck } from "../row-columns.ts";
import type { Statement } from "../statements-in-source.ts";
import { findStatements } from "../statements-in-source.ts";
import { wrongReads } from "../wrong-rows.ts";

// The row type at a call is a promise that the compiler takes on trust. Here PostgreSQL says what the rows are.

const fixture = "testing/wrong-rows.ts";
/** Their statements depend on the table; the tests of privacy run them for each. */
const byTable: ReadonlySet<string> = new Set([
  "features/privacy/erasing-steps.ts eraseTexts",
  "features/privacy/exporting.ts readRows",
  "features/privacy/people.ts countHeld",
]);
const isProduct = (path: string): boolean => !/\.test\.ts$|(^|\/)testing\//.test(path);

let faultsOf: (text: string, rows: Statement["rows"]) => Promise<string[]>;
let statements: Statement[];
let unknown: Pick<Statement, "place" | "rows">[];
let wrong: Statement[];

beforeAll(async () => {
  const found = findStatements((path) => isProduct(path) || path === fixture);
  unknown = found.unknown;
  statements = found.statements.filter(
    ({ place }) => !place.startsWith(fixture) && !byTable.has(place),
  );
  wrong = found.statements.filter(({ place }) => place.startsWith(fixture));
  const database = await testDatabase();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  atEndOfFile(() => client.end());
  faultsOf = await createRowCheck(client);
  // Reading the source takes three seconds of a processor, however many others want it.
}, 180_000);

const ctx: Ctx = {
  companyId: 1 as CompanyId,
  actor: { kind: "system", name: "test" },
  requestId: "test",
};
const list = { searchParam: "ana", pageNumber: 1, date: "2026-01-31" };
const tickets = {
  ...list,
  status: "open" as const,
  showAll: true,
  queueIds: [],
  tags: undefined,
  users: undefined,
  whatsappIds: undefined,
  snoozed: undefined,
  waitMinutes: undefined,
  pinnedFirst: false,
  updatedAt: undefined,
  withUnreadMessages: false,
  order: "wait" as const,
};

const nextChosen = { afterId: null, limit: 10, now: new Date() };
const dto = createTicketDto(() => "");
const cards = { toListedDto: dto.ofReader };
const boardFilter = {
  ...{ searchParam: "55 1", queueIds: [1 as QueueId], users: undefined, whatsappIds: undefined },
};

/** A call of each reader whose statement depends on its arguments. */
const examples: Record<string, (tx: Tx, db: Database) => Promise<unknown>> = {
  "channels/runtime/index.ts sweepGoneConnections": (_tx, db) =>
    sweepGoneConnections(db, { name: "cloud_message_ids" }),
  "features/contact-lists/index.ts copyContacts": (tx) =>
    copyContacts(ctx, tx, {
      id: 1 as ContactListId,
      selection: { filter: { contactedWithin: 90, tags: [1 as TagId] }, except: [] },
      now: new Date(),
    }).catch(() => undefined),
  "features/contact-lists/index.ts countFitting": (tx) =>
    countFitting(ctx, tx, { id: 1 as ContactListId, filter: { unnamed: true } }, new Date()),
  "features/contacts/export.ts exportContacts": (_tx, db) =>
    exportContacts({ db, clock: { now: () => new Date() } }, ctx as UserCtx, {
      ...{ format: "csv", language: "pt", selection: { filter: { optedOut: true }, except: [] } },
    }).catch(() => undefined),
  "features/contacts/book-lists.ts readChosen": (tx) =>
    readChosen(ctx, tx, { filter: { contactedBefore: 90 }, except: [] }, nextChosen),
  "features/contacts/book-lists.ts listContacts": (tx) => listContacts(ctx, tx, list),
  "features/contacts/book-lists.ts listByLastContact": (tx) =>
    listContacts(ctx, tx, { searchParam: "", pageNumber: 1, sort: "lastContact" }),
  "features/contacts/book-lists.ts listChoices": (tx) =>
    listChoices(ctx, tx, "ana", { limit: 10, last: undefined }),
  "features/kanban/board.ts readBoard": (_tx, db) =>
    readBoard({ db, tickets: cards }, ctx as UserCtx, boardFilter),
  "features/kanban/board.ts countCards": (_tx, db) =>
    countCards({ db }, ctx as UserCtx, boardFilter),
  "features/kanban/board.ts readCards": (_tx, db) =>
    readCards({ db, tickets: cards }, ctx as UserCtx, {
      ...{ ...boardFilter, laneId: null, before: "2026-01-31T12:00:00.000Z" },
      beforeId: 1 as TicketId,
    }).catch(() => undefined),
  "features/messages/files-of-contact.ts readFiles": (tx) =>
    readFiles(ctx as UserCtx, tx, 1 as ContactId, { pageNumber: 1, kind: "others" }),
  "features/ticket-notes/notes-of-contact.ts readNotes": (tx) =>
    readNotes(ctx as UserCtx, tx, 1 as ContactId, 1),
  "features/tickets/tickets-of-contact.ts findNewestVisible": (tx) =>
    findNewestVisible(ctx as UserCtx, tx, 1 as ContactId),
  "features/tickets/attendances.ts readAttendances": (tx) =>
    listAttendancesOfContact(ctx as UserCtx, tx, 1 as ContactId, 1),
  "features/tickets/read-tickets.ts listTickets": (_tx, db) =>
    listTickets({ db, dto }, ctx, tickets),
  "features/tickets/read-tickets.ts countLists": (_tx, db) =>
    countLists({ db }, ctx as UserCtx, [tickets], 100),
  "features/tickets/read-tickets.ts countTickets": (_tx, db) =>
    countTickets({ db }, ctx as UserCtx, tickets),
};

/** The statements that an example hands over; it gets no rows. */
async function textsOf(example: (tx: Tx, db: Database) => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const tx = {
    query: async (statement: SQL | PreparedStatement) => {
      if ("text" in statement) texts.push(statement.text);
      return [];
    },
  } as unknown as Tx;
  const db = {
    acrossCompanies: (work: (tx: Tx) => Promise<unknown>) => work(tx),
    transaction: (_scope: unknown, work: (tx: Tx) => Promise<unknown>) => work(tx),
    read: (_scope: unknown, statement: PreparedStatement) => tx.query(statement),
  };
  await example(tx, db as unknown as Database);
  return texts;
}

test("the rows of every statement have the type that its caller expects", async () => {
  const faults: string[] = [];
  for (const { place, name, text, rows } of statements) {
    const found = await faultsOf(text, rows).catch((error: unknown) => [String(error), text]);
    faults.push(...found.map((fault) => `${place} (${name}): ${fault}`));
  }
  expect([...new Set(faults)]).toEqual([]);
  expect(statements.length).toBeGreaterThan(300);
});

test("so do those of statements with a variable text: each has an example here", async () => {
  expect(unknown.map(({ place }) => place).sort()).toEqual(Object.keys(examples).sort());
  for (const { place, rows } of unknown) {
    const texts = await textsOf(examples[place] ?? expect.unreachable());
    expect(texts).toHaveLength(1);
    expect([place, ...(await faultsOf(texts[0] ?? "", rows))]).toEqual([place]);
  }
});

test("a renamed or missing column, another type and an unexpected null are found", async () => {
  const found: string[][] = [];
  for (const { text, rows } of wrong) found.push(await faultsOf(text, rows));
  expect(found.flat()).toEqual(wrongReads.flatMap(({ faults }) => faults));
  expect(found).toHaveLength(wrongReads.length + 1);
});
