import type { EndpointName } from "@balcao/contract";
import { companyEvent, endpoints, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import type { TestApp } from "../app.ts";
import { testApp } from "../app.ts";
import { createRows, createSide } from "./sides.ts";
import { toWire, validParts } from "./valid-requests.ts";

// Architecture 5. Transaction control (begin with the company's setting, commit) is not counted.

afterEach(() => {
  vi.restoreAllMocks();
});

/** A transaction as the database sees it: the statements between begin and commit of one connection. */
type Transaction = { scope: "company" | "installation"; statements: string[] };

/** Looks at what goes to the database while something is done, by transactions. */
async function transactionsDuring(action: () => Promise<unknown>): Promise<Transaction[]> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  await action();
  const transactions: Transaction[] = [];
  const open = new Map<unknown, Transaction>();
  query.mock.calls.forEach(([statement]: unknown[], place) => {
    const client: unknown = query.mock.contexts[place];
    const text = textOf(statement);
    if (/^begin\b/i.test(text)) {
      const isCompany = text.includes("app.company_id");
      open.set(client, { scope: isCompany ? "company" : "installation", statements: [] });
    } else if (/^(commit|rollback)$/i.test(text)) {
      const done = open.get(client);
      if (done) transactions.push(done);
      open.delete(client);
    } else open.get(client)?.statements.push(text);
  });
  query.mockRestore();
  return transactions;
}

function textOf(statement: unknown): string {
  if (typeof statement === "string") return statement;
  if (typeof statement === "object" && statement !== null && "text" in statement) {
    return String(statement.text);
  }
  throw new Error("a statement without text");
}

/** Statements of one request: those that prove who asks, and those that do what is asked. */
async function statementsOf(
  product: TestApp,
  request: () => Promise<{ status: number; body: unknown }>,
) {
  product.statements.take();
  const reply = await request();
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  const all = product.statements.take();
  const isAuthentication = (text: string): boolean =>
    /\bfrom users u\s+join companies c\b/.test(text) && text.includes("token_version");
  return {
    authentication: all.filter(isAuthentication).length,
    work: all.filter((text) => !isAuthentication(text)),
  };
}

/** Requests only: nothing else speaks to the database. */
const quiet = await testApp({ environment: { ROLES: "http" } });
const side = await createSide(quiet);
const { people } = side;

test.for([
  "/tickets?status=pending&pageNumber=1",
  "/tickets?status=open&showAll=true",
  "/tickets?status=closed",
  "/tickets?searchParam=marca&withUnreadMessages=true",
  "/tickets?status=pending&tags=[1]&users=[1]&date=2026-01-31&updatedAt=2026-01-31",
  "/tickets/counts",
])(
  "a page of tickets takes at most 2 statements beside the 1 that proves who asks: %s",
  async (path) => {
    await createRows(quiet, side);
    for (const who of [people.user, people.admin]) {
      const { authentication, work } = await statementsOf(quiet, () => quiet.as(who).get(path));
      expect(authentication).toBe(1);
      expect(work.length).toBeGreaterThan(0);
      expect(work.length).toBeLessThanOrEqual(2);
    }
  },
);

test("a page of messages takes at most 2 statements beside the 1 that proves who asks", async () => {
  const { ticketId, messageId } = await createRows(quiet, side);
  await quiet.as(people.user).put(`/tickets/${ticketId}`, { status: "open" });
  for (const query of [
    "markRead=false",
    "pageNumber=2&markRead=false",
    `markRead=false&beforeId=${messageId}`,
  ]) {
    const { authentication, work } = await statementsOf(quiet, () =>
      quiet.as(people.user).get(`/messages/${ticketId}?${query}`),
    );
    expect(authentication).toBe(1);
    expect(work.length).toBeLessThanOrEqual(2);
  }
});

test("a page of messages that marks nothing read takes no more than one that may", async () => {
  const { ticketId } = await createRows(quiet, side);
  await quiet.as(people.user).put(`/tickets/${ticketId}`, { status: "open" });
  // Opening it made everything read.
  await quiet.as(people.user).get(`/messages/${ticketId}`);
  const { work } = await statementsOf(quiet, () =>
    quiet.as(people.user).get(`/messages/${ticketId}`),
  );
  expect(work.length).toBeLessThanOrEqual(2);
});

test("an accept takes at most 6 statements beside the 1 that proves who asks", async () => {
  const { ticketId } = await createRows(quiet, side);
  const { authentication, work } = await statementsOf(quiet, () =>
    quiet.as(people.user).put(`/tickets/${ticketId}`, { status: "open", userId: people.user.id }),
  );
  expect(authentication).toBe(1);
  expect(work.length).toBeLessThanOrEqual(6);
});

test("a text that arrives is stored in one transaction of at most 8 statements", async () => {
  const product = await testApp();
  const company = await product.given.company();
  const admin = await product.given.admin({ company });
  const queueId = await product.given.queue({ company });
  const connectionId = await product.given.connection({ company, queueIds: [queueId] });
  const isConnected = async (): Promise<void> => {
    const reply = await product.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
    expect(reply.body.status).toBe("CONNECTED");
  };
  await vi.waitFor(isConnected, { timeout: 10_000, interval: 20 });
  await product.idle();

  const arrive = async (body: string): Promise<void> => {
    const chat = `/simulator/connections/${connectionId}/chats/5511970000001/messages`;
    const transactions = await transactionsDuring(async () => {
      const reply = await product.as(admin).post(chat, { body });
      expect(reply.status).toBe(200);
      await product.idle();
    });
    const storing = transactions.filter(({ statements }) =>
      statements.some((text) => /insert into messages\b/i.test(text)),
    );
    expect(storing).toHaveLength(1);
    expect(storing[0]?.statements.length).toBeLessThanOrEqual(8);
    // Nothing of it happens outside that transaction.
    const writesOutside = transactions
      .filter((transaction) => transaction !== storing[0])
      .flatMap(({ statements }) => statements)
      .filter((text) =>
        /\b(insert into|update|delete from) (contacts|contact_addresses|tickets|attendances|messages)\b/i.test(
          text,
        ),
      );
    expect(writesOutside).toEqual([]);
  };

  await arrive("O primeiro de um novo cliente");
  await arrive("O segundo");
  const [ticket] = await product.database.db.acrossCompanies((tx) =>
    tx.query<{ id: number }>(sql`select id from tickets where company_id = ${company.id}`),
  );
  await product.as(admin).put(`/tickets/${ticket?.id}`, { status: "closed" });
  await arrive("De novo, depois do fim");
});

test("every statement on a company's rows names the company", async () => {
  const names = Object.keys(endpoints) as EndpointName[];
  const transactions = await transactionsDuring(async () => {
    for (const name of names) {
      // Signing in ends the person's other session: it is done by somebody else.
      const rows = await createRows(
        quiet,
        side,
        name === "POST /auth/login" ? "supervisor" : "admin",
      );
      const { method, target, body } = toWire(name, validParts(name, rows));
      const api = name === "DELETE /auth/logout" ? quiet.anonymous : quiet.as(people.admin);
      const given = body === undefined ? undefined : JSON.parse(body);
      await api.request(method, target.replace(/^\/api/, ""), given);
    }
  });
  const asCompany = transactions.filter(({ scope }) => scope === "company");
  expect(asCompany.length).toBeGreaterThan(names.length / 2);
  const statements = asCompany.flatMap((transaction) => transaction.statements);
  // The tenants' own table is keyed by the company itself.
  const namesIt = /company_id|\bfrom companies c\b[^]*\bwhere c\.id = |search_tickets\(/;
  expect(statements.filter((text) => !namesIt.test(text))).toEqual([]);
});

test("a ticket event is no larger than 4 kB, whatever is in the ticket", async () => {
  const long = (length: number): string => "🙂".repeat(length / 2);
  const product = quiet;
  const company = await product.given.company();
  const queueId = await product.given.queue({ company, name: long(limits.nameMax) });
  const agent = await product.given.agent({
    company,
    queueIds: [queueId],
    name: long(limits.nameMax),
  });
  const connectionId = await product.given.connection({ company, name: long(limits.nameMax) });
  const ticket = await product.given.ticket({
    company,
    queueId,
    connectionId,
    contactName: long(limits.nameMax),
  });
  await product.given.message(ticket, { queueId, body: long(limits.messageBodyMax) });
  await product.database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`
      update tickets set last_message = left(last_message, 500) where id = ${ticket.id}`);
    await tx.query(sql`
      with made as (insert into tags (company_id, name)
        select ${company.id}, 'Etiqueta ' || n from generate_series(1, 10) n returning id)
      insert into ticket_tags (company_id, ticket_id, tag_id) select ${company.id}, ${ticket.id}, id from made`);
  });
  const live = await product.live(agent);
  const reply = await product.as(agent).put(`/tickets/${ticket.id}`, { status: "open" });
  expect(reply.status).toBe(200);
  const payload = await live.next(companyEvent(company.id, "ticket"));
  expect(payload).toMatchObject({ action: "update", ticket: { id: ticket.id } });
  expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(4_096);
});
