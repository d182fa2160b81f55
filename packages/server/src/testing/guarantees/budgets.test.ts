import type { EndpointName } from "@balcao/contract";
import { companyEvent, endpoints, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import {
  createProgram,
  giveConnectionToken,
  tokenOf,
} from "../../features/api/testing/programs.ts";
import type { TestApp } from "../app.ts";
import { testApp } from "../app.ts";
import { createSender, watchWrites } from "./http-sender.ts";
import { createRows, createUnusedRows } from "./rows.ts";
import { createSide, tokenFor } from "./sides.ts";
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
const send = createSender(quiet.url);
const side = await createSide(quiet);
const { people } = side;

test.for([
  "/tickets?status=pending&pageNumber=1",
  "/tickets?status=open&showAll=true&pinnedFirst=true&snoozed=false",
  "/tickets?status=closed",
  "/tickets?searchParam=marca&withUnreadMessages=true",
  "/tickets?status=pending&tags=[1]&users=[1]&date=2026-01-31&updatedAt=2026-01-31",
  "/tickets?status=closed&whatsappIds=[1]&withUnreadMessages=true",
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

test("a new customer's text through the simulator takes at most 3 statements beside the 1 that proves who asks", async () => {
  const company = await quiet.given.company();
  const admin = await quiet.given.admin({ company });
  const connectionId = await quiet.given.connection({ company, linked: true });
  const path = `/simulator/connections/${connectionId}/chats/5511940000001/messages`;
  const { work } = await statementsOf(quiet, () => quiet.as(admin).post(path, { body: "Oi" }));
  // A new customer holds the connection's row until the commit, as other new customers do.
  expect(work.length).toBeLessThanOrEqual(3);
});

test.for(["/messages/send", "/v1/messages"])(
  "a program's message to a known customer takes at most 9 statements, with the one that proves who asks: %s",
  async (path) => {
    const company = await quiet.given.company();
    const admin = await quiet.given.admin({ company });
    const connectionId = await quiet.given.connection({ company, linked: true });
    const ticket = await quiet.given.ticket({ company, connectionId, status: "closed" });
    await quiet.given.message(ticket, { body: "Oi", read: true });
    const connectionToken = `token-${company.id}`;
    await giveConnectionToken(quiet, connectionId, connectionToken);
    const ofConnection = path === "/messages/send";
    const token = ofConnection ? connectionToken : (await tokenOf(quiet, admin)).token;
    const program = createProgram(quiet, token);
    const json = {
      ...{ number: ticket.phone, body: "Seu pedido saiu" },
      ...(ofConnection ? {} : { connectionId }),
    };
    quiet.statements.take();
    const reply = await program("POST", path, { json });
    const all = quiet.statements.take();
    expect([reply.status, reply.body]).toEqual([ofConnection ? 200 : 201, expect.anything()]);
    expect(all.filter((text) => text.includes("insert into messages"))).toHaveLength(1);
    expect(all.length, all.join("\n")).toBeLessThanOrEqual(9);
    // Who reads the log has it written at once: it would be counted in a later test.
    expect((await quiet.as(admin).get("/api-calls")).status).toBe(200);
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

test("the files and links of a ticket take 1 statement beside the 1 that proves who asks", async () => {
  const { ticketId, messageId } = await createRows(quiet, side);
  await quiet.as(people.user).put(`/tickets/${ticketId}`, { status: "open" });
  for (const query of ["", `?beforeId=${messageId}`]) {
    const { authentication, work } = await statementsOf(quiet, () =>
      quiet.as(people.user).get(`/messages/${ticketId}/shared${query}`),
    );
    expect([authentication, work.length]).toEqual([1, 1]);
  }
});

test("a page of messages that has nothing to mark read takes no more than that", async () => {
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

const unusedRows = createUnusedRows(quiet, side, await createRows(quiet, side));
const writes = await watchWrites(quiet.database.db);

test("every statement on a company's rows names the company", { timeout: 120_000 }, async () => {
  const names = Object.keys(endpoints) as EndpointName[];
  const transactions = await transactionsDuring(async () => {
    for (const name of names) {
      // Signing in ends the person's other session: it is done by somebody else.
      const role = name === "POST /auth/login" ? "supervisor" : "admin";
      const rows = await unusedRows.of(role, (used) => validParts(name, used));
      await writes.take();
      const { method, target, body, contentType } = toWire(name, validParts(name, rows));
      const headers = {
        ...(name === "DELETE /auth/logout"
          ? {}
          : { authorization: `Bearer ${tokenFor(name, side, "admin", rows)}` }),
        ...(contentType === undefined ? {} : { "content-type": contentType }),
      };
      await send({ method, target, headers, ...(body === undefined ? {} : { body }) });
      unusedRows.after(role, await writes.take());
    }
  });
  const asCompany = transactions.filter(({ scope }) => scope === "company");
  expect(asCompany.length).toBeGreaterThan(names.length / 2);
  const statements = asCompany.flatMap((transaction) => transaction.statements);
  // The tenants' own table is keyed by the company itself; when a constraint is checked is no matter of rows.
  const namesIt =
    /^set constraints |company_id|\b(?:from|update) companies c\b[^]*\bwhere c\.id = |\b(?:from|update) "companies" [^]*\bwhere "companies"\."id" = |search_tickets\(|note_audit\(/;
  // Announcements, help videos and plans are the provider's, for every company.
  const isForAll = /^(?!.*\bjoin\b)select .*\bfrom "(?:announcements|helps|plans)"/;
  const unnamed = statements.filter((text) => !namesIt.test(text) && !isForAll.test(text));
  expect(unnamed).toEqual([]);
});

/** With its channels. */
const whole = await testApp();

/** A company with an agent, a queue, and a connection on which a customer writes to it. */
async function createLine(name = "Nome") {
  const { given } = whole;
  const company = await given.company();
  const queueId = await given.queue({ company, name });
  const admin = await given.admin({ company });
  const agent = await given.agent({ company, queueIds: [queueId], name });
  const connectionId = await given.connection({ company, queueIds: [queueId], name });
  await vi.waitFor(
    async () => {
      const reply = await whole.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
      expect(reply.body.status).toBe("CONNECTED");
    },
    { interval: 20 },
  );
  await whole.idle();
  const chats = `/simulator/connections/${connectionId}/chats`;
  const phone = "5511970000001";
  await whole.as(admin).post(chats, { name, phone });
  const write = async (body: string): Promise<void> => {
    const reply = await whole.as(admin).post(`${chats}/${phone}/messages`, { body });
    expect(reply.status).toBe(200);
    await whole.idle();
  };
  const ticketId = async (): Promise<number> => {
    const reply = await whole.as(admin).get("/tickets?showAll=true");
    const [ticket] = endpoints["GET /tickets"].reply.parse(reply.body).tickets;
    if (!ticket) throw new Error("there is no ticket");
    return ticket.id;
  };
  return { company, admin, agent, write, ticketId };
}

test("a text that arrives is stored in one transaction of at most 8 statements", async () => {
  const { admin, write, ticketId } = await createLine();
  const arrive = async (body: string): Promise<void> => {
    const transactions = await transactionsDuring(() => write(body));
    const storing = transactions.filter(({ statements }) =>
      statements.some((text) => /insert into messages\b/i.test(text)),
    );
    expect(storing).toHaveLength(1);
    expect(storing[0]?.statements.length).toBeLessThanOrEqual(8);
    // All of it happens in that transaction.
    const outside = transactions.filter((transaction) => transaction !== storing[0]);
    const writes =
      /\b(insert into|update|delete from) (contacts|contact_addresses|tickets|attendances|messages)\b/i;
    const texts = outside.flatMap(({ statements }) => statements);
    expect(texts.filter((text) => writes.test(text))).toEqual([]);
  };

  await arrive("O primeiro de um novo cliente");
  await arrive("O segundo");
  const closed = await whole.as(admin).put(`/tickets/${await ticketId()}`, { status: "closed" });
  expect(closed.status).toBe(200);
  await arrive("De novo, depois do fim");
});

test("a ticket event is no larger than 4 kB, with the longest names and texts and ten tags", async () => {
  const long = (length: number): string => "🙂".repeat(length / 2);
  const { company, agent, write, ticketId } = await createLine(long(limits.nameMax));
  await write(long(limits.messageBodyMax));
  const id = await ticketId();
  await whole.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      with made as (
        insert into tags (company_id, name)
        select ${company.id}, 'Etiqueta ' || n from generate_series(1, 10) n returning id)
      insert into ticket_tags (company_id, ticket_id, tag_id)
      select ${company.id}, ${id}, id from made`),
  );
  const live = await whole.live(agent);
  const reply = await whole.as(agent).put(`/tickets/${id}`, { status: "open" });
  expect(reply.status).toBe(200);
  const payload = await live.next(companyEvent(company.id, "ticket"));
  expect(payload).toMatchObject({ action: "update", ticket: { id, tags: { length: 10 } } });
  expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(4_096);
});
