import type { Attendance, ChangedTicket, CompanyEvents, ReplyOf, Ticket } from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ scheduleLookMs: 20 });
});

const MINUTE_MS = 60_000;

/** Ana serves a customer; Bia is a colleague of another queue. */
async function office() {
  const { given } = app;
  const company = await given.company();
  const [sales, support] = [await given.queue({ company }), await given.queue({ company })];
  const ana = await given.agent({ company, name: "Ana", queueIds: [sales] });
  const connectionId = await given.connection({ company });
  const served = { company, connectionId, queueId: sales } as const;
  return {
    ...{ company, sales, support, connectionId, ana },
    admin: await given.admin({ company }),
    bia: await given.agent({ company, queueIds: [support] }),
    ticket: await given.ticket({ ...served, status: "open", userId: ana.id }),
    serve: () => given.ticket({ ...served, status: "open", userId: ana.id }),
  };
}

const inMinutes = (minutes: number): string => addMinutes(app.clock.now(), minutes).toISOString();

async function snooze(
  user: GivenUser,
  ticket: GivenTicket,
  until: string | null,
  undoSeconds = 0,
): Promise<ChangedTicket> {
  const body = { until, undoSeconds };
  const reply = await app.as(user).put<ChangedTicket>(`/tickets/${ticket.id}/snooze`, body);
  expect([reply.status, reply.body.snooze]).toEqual([200, { until }]);
  return reply.body;
}

async function listed(user: GivenUser, query: string): Promise<number[]> {
  const reply = await app.as(user).get<ReplyOf<"GET /tickets">>(`/tickets?${query}`);
  expect(reply.body.count).toBe(reply.body.tickets.length);
  return reply.body.tickets.map(({ id }) => id);
}

const show = async (user: GivenUser, { id }: GivenTicket): Promise<Ticket> =>
  (await app.as(user).get<Ticket>(`/tickets/${id}`)).body;

async function snoozesOf(user: GivenUser, { id }: GivenTicket): Promise<Attendance["snoozes"]> {
  const path = `/tickets/${id}/attendances`;
  const reply = await app.as(user).get<ReplyOf<"GET /tickets/:ticketId/attendances">>(path);
  return reply.body.attendances.flatMap(({ snoozes }) => snoozes);
}

describe("a ticket that is put off", () => {
  test("leaves the list and its count, stands under its own filter, and is found by clients that do not ask", async () => {
    const { ana, ticket, serve } = await office();
    const other = await serve();
    await snooze(ana, ticket, inMinutes(60));
    expect(await listed(ana, "status=open&snoozed=false")).toEqual([other.id]);
    expect(await listed(ana, "status=open&snoozed=true")).toEqual([ticket.id]);
    expect(await listed(ana, "status=open")).toHaveLength(2);
    const counts = async (query: string) =>
      (await app.as(ana).get(`/tickets/counts?${query}`)).body;
    expect(await counts("snoozed=false")).toEqual({ open: 1, pending: 0 });
    expect(await counts("snoozed=true")).toEqual({ open: 1, pending: 0 });
  });

  test("comes back at its time and not before, with a line in the timeline and a live event", async () => {
    const { ana, company, ticket } = await office();
    const until = inMinutes(20);
    await snooze(ana, ticket, until);
    const client = await app.live(ana);
    app.clock.advance(19 * MINUTE_MS);
    // A look was made since.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await show(ana, ticket)).snooze).toEqual({ until });
    app.clock.advance(2 * MINUTE_MS);
    await vi.waitFor(async () => expect((await show(ana, ticket)).snooze).toBeNull(), 5_000);
    expect(await snoozesOf(ana, ticket)).toMatchObject([
      { user: { id: ana.id, name: "Ana" }, until, ended: "time", endedAt: expect.any(String) },
    ]);
    await vi.waitFor(() => {
      const told = client.heard.flatMap(({ name, payload }) =>
        name === companyEvent(company.id, "ticket") ? [payload as CompanyEvents["ticket"]] : [],
      );
      expect(told).toMatchObject([{ action: "update", ticket: { id: ticket.id, snooze: null } }]);
    });
  });

  test("comes back when its customer writes, also without a time", async () => {
    const { admin, ana, ticket } = await office();
    await snooze(ana, ticket, null);
    const path = `/simulator/connections/${ticket.connectionId}/chats/${ticket.phone}/messages`;
    expect((await app.as(admin).post(path, { body: "Pensei melhor" })).status).toBe(200);
    await app.idle();
    expect(await show(ana, ticket)).toMatchObject({ snooze: null, lastMessage: "Pensei melhor" });
    expect(await snoozesOf(ana, ticket)).toMatchObject([{ until: null, ended: "customer" }]);
  });

  test("stays away while the company writes, and comes back by a user", async () => {
    const { ana, ticket } = await office();
    await snooze(ana, ticket, inMinutes(60));
    await app.as(ana).post(`/messages/${ticket.id}`, { body: "Já vejo" });
    expect((await show(ana, ticket)).snooze).not.toBeNull();
    const back = await app.as(ana).delete<Ticket>(`/tickets/${ticket.id}/snooze`);
    expect([back.status, back.body.snooze]).toEqual([200, null]);
    expect((await app.as(ana).delete(`/tickets/${ticket.id}/snooze`)).status).toBe(200);
    expect(await snoozesOf(ana, ticket)).toMatchObject([{ ended: "user" }]);
  });

  test.each<[string, (of: Awaited<ReturnType<typeof office>>) => object]>([
    ["is resolved", () => ({ status: "closed" })],
    ["is returned", () => ({ status: "pending", userId: null })],
    ["gets another queue", ({ support, ana }) => ({ queueId: support, userId: ana.id })],
  ])("is no longer put off when it %s; an undo puts it off again", async (_, change) => {
    const of = await office();
    const { ana, admin, ticket } = of;
    const until = inMinutes(60);
    await snooze(ana, ticket, until);
    const path = `/tickets/${ticket.id}`;
    const changed = await app.as(ana).put<ChangedTicket>(path, { ...change(of), undoSeconds: 5 });
    expect([changed.status, changed.body.snooze]).toEqual([200, null]);
    expect(await snoozesOf(admin, ticket)).toMatchObject([{ ended: "changed" }]);
    await app.as(ana).post(`${path}/undo`, { undoId: changed.body.undo?.id });
    expect((await show(ana, ticket)).snooze).toEqual({ until });
    expect(await snoozesOf(ana, ticket)).toMatchObject([{ ended: null, endedAt: null }]);
  });

  test("can be undone without a trace, and put off again", async () => {
    const { ana, ticket } = await office();
    const first = inMinutes(30);
    await snooze(ana, ticket, first);
    const { undo } = await snooze(ana, ticket, inMinutes(60), 5);
    const path = `/tickets/${ticket.id}/undo`;
    expect((await app.as(ana).post(path, { undoId: undo?.id })).status).toBe(200);
    expect((await show(ana, ticket)).snooze).toEqual({ until: first });
    expect(await snoozesOf(ana, ticket)).toMatchObject([{ until: first, ended: null }]);
  });

  test("is refused to those who do not see it, for a closed one and for a time that is over or too far", async () => {
    const { company, ana, bia, ticket, sales } = await office();
    const refused = async (user: GivenUser, { id }: GivenTicket, until: string | null) => {
      const reply = await app.as(user).put<{ code: string }>(`/tickets/${id}/snooze`, { until });
      return [reply.status, reply.body.code];
    };
    expect(await refused(bia, ticket, null)).toEqual([403, "ERR_TICKET_FORBIDDEN"]);
    const over = inMinutes(-1);
    expect(await refused(ana, ticket, over)).toEqual([400, "ERR_SNOOZE_TIME"]);
    const far = inMinutes((limits.snoozeDaysMax + 1) * 24 * 60);
    expect(await refused(ana, ticket, far)).toEqual([400, "ERR_SNOOZE_TIME"]);
    const servedBy = { userId: ana.id, queueId: sales };
    const closed = await app.given.ticket({ company, status: "closed", servedBy });
    expect(await refused(ana, closed, null)).toEqual([400, "ERR_TICKET_TRANSITION"]);
    expect(await snoozesOf(ana, ticket)).toEqual([]);
  });
});

describe("a pinned ticket", () => {
  const pin = (user: GivenUser, { id }: GivenTicket) => app.as(user).put(`/tickets/${id}/pin`);
  const pinned = async (user: GivenUser, query: string) =>
    (await app.as(user).get<ReplyOf<"GET /tickets">>(`/tickets?${query}`)).body.tickets.map(
      ({ id, isPinned }) => [id, isPinned],
    );

  test("stands first in the user's own list, where that is asked for, until the pin is removed", async () => {
    const { ana, admin, ticket, serve } = await office();
    const newer = await serve();
    const query = "status=open&showAll=true";
    expect((await pin(ana, ticket)).body).toEqual({ ticketId: ticket.id, isPinned: true });
    await pin(ana, ticket);
    expect(await pinned(ana, `${query}&pinnedFirst=true`)).toEqual([
      [ticket.id, true],
      [newer.id, false],
    ]);
    const unpinned = [
      [newer.id, false],
      [ticket.id, false],
    ];
    expect(await pinned(ana, query)).toEqual(unpinned);
    expect(await pinned(admin, `${query}&pinnedFirst=true`)).toEqual(unpinned);
    await app.as(ana).delete(`/tickets/${ticket.id}/pin`);
    expect(await pinned(ana, `${query}&pinnedFirst=true`)).toEqual(unpinned);
  });

  test("is on the first page, once, however old it is", async () => {
    const { company, ana, sales, ticket, connectionId } = await office();
    const wish = { company, connectionId, queueId: sales, status: "open", userId: ana.id } as const;
    for (let n = 0; n < 41; n += 1) await app.given.ticket(wish);
    await pin(ana, ticket);
    const query = "status=open&pinnedFirst=true&pageNumber=";
    const first = await pinned(ana, `${query}1`);
    const all = [...first, ...(await pinned(ana, `${query}2`))].map(([id]) => id);
    expect(first[0]).toEqual([ticket.id, true]);
    expect([all.length, new Set(all).size]).toEqual([42, 42]);
  });

  test("is told to the user's other windows only", async () => {
    const { company, ana, admin, ticket } = await office();
    const [own, others] = [await app.live(ana), await app.live(admin)];
    const name = companyEvent(company.id, "ticketPin");
    const heard = (client: typeof own) => client.heard.filter((event) => event.name === name);
    await pin(ana, ticket);
    const payload = { ticketId: ticket.id, isPinned: true };
    await vi.waitFor(() => expect(heard(own)).toMatchObject([{ payload }]));
    expect(heard(others)).toEqual([]);
  });

  test("a user pins no more than a limit of tickets that wait or are served, and only visible ones", async () => {
    const { company, ana, bia, ticket, serve } = await office();
    expect((await pin(bia, ticket)).status).toBe(403);
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        with made as (
          insert into tickets (company_id, uuid, contact_id, status, user_id)
          select ${company.id}, gen_random_uuid(), ${ticket.contactId}, 'open', ${ana.id}
          from generate_series(1, ${limits.pinsMax}) returning id
        )
        insert into ticket_pins (company_id, user_id, ticket_id) select ${company.id}, ${ana.id}, id from made`),
    );
    const reply = await pin(ana, await serve());
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ code: "ERR_PIN_LIMIT_REACHED" }),
    ]);
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update tickets set status = 'closed', user_id = null
        where company_id = ${company.id} and connection_id is null`),
    );
    expect((await pin(ana, ticket)).status).toBe(200);
  });
});
