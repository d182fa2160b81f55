import type { ReplyOf, TagId, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenTicket, GivenUser, TicketWish } from "../../testing/given.ts";

type List = ReplyOf<"GET /tickets">;
type Query = Record<string, string | boolean | readonly number[]>;

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

function pathOf(query: Query): string {
  const texts = Object.entries(query).map(([key, value]): [string, string] => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return `/tickets?${new URLSearchParams(texts).toString()}`;
}

async function list(user: GivenUser, query: Query = {}): Promise<List> {
  const reply = await app.as(user).get<List>(pathOf(query));
  expect(reply.status).toBe(200);
  return reply.body;
}

/** Ids of the tickets a user lists, in their order. */
async function ids(user: GivenUser, query: Query = {}): Promise<number[]> {
  const { tickets, count, hasMore } = await list(user, query);
  expect({ count, hasMore }).toEqual({ count: tickets.length, hasMore: false });
  return tickets.map((ticket) => ticket.id);
}

/** A company with two queues and everybody who looks at its tickets. */
async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  const connectionId = await given.connection({ company, linked: false });
  return {
    company,
    sales,
    support,
    connectionId,
    admin: await given.admin({ company }),
    agent: await given.agent({ company, queueIds: [sales] }),
    colleague: await given.agent({ company, queueIds: [sales] }),
    free: await given.agent({ company, queueIds: [sales], allTicket: "enabled" }),
  };
}

let minute = 0;
/** Tickets are older the later they are made, so lists show them in the order of making. */
async function ticket(of: { company: GivenCompany; connectionId: number }, wish: TicketWish = {}) {
  minute += 1;
  const at = new Date(Date.now() - minute * 60_000);
  const connection = { connectionId: of.connectionId as NonNullable<TicketWish["connectionId"]> };
  return app.given.ticket({ company: of.company, ...connection, at, ...wish });
}

const idOf = ({ id }: GivenTicket): number => id;

describe("an agent's lists", () => {
  async function all() {
    const place = await office();
    const { sales, support, agent, colleague } = place;
    const make = (wish: TicketWish) => ticket(place, wish);
    return {
      ...place,
      waiting: await make({ queueId: sales }),
      waitingElsewhere: await make({ queueId: support }),
      waitingNowhere: await make({}),
      mine: await make({ status: "open", userId: agent.id, queueId: sales }),
      mineNowhere: await make({ status: "open", userId: agent.id }),
      mineElsewhere: await make({ status: "open", userId: agent.id, queueId: support }),
      colleagues: await make({ status: "open", userId: colleague.id, queueId: sales }),
      nobodys: await make({ status: "open", queueId: sales }),
      served: await make({ status: "closed", servedBy: { userId: agent.id, queueId: sales } }),
      servedByQueue: await make({
        status: "closed",
        servedBy: { userId: colleague.id, queueId: sales },
      }),
      servedElsewhere: await make({ status: "closed", servedBy: { queueId: support } }),
    };
  }

  test("have waiting tickets of the agent's queues, own ones and unassigned ones; never others', whatever the filter", async () => {
    const t = await all();
    expect(await ids(t.agent, { status: "pending" })).toEqual([t.waiting].map(idOf));
    const open = [t.mine, t.mineNowhere, t.mineElsewhere, t.nobodys].map(idOf);
    expect(await ids(t.agent, { status: "open" })).toEqual(open);
    expect(await ids(t.agent, { status: "closed" })).toEqual([t.served, t.servedByQueue].map(idOf));
    expect(await ids(t.agent)).toEqual([t.waiting.id, ...open]);
    expect(await ids(t.agent, { showAll: true, status: "open" })).toEqual(open);
    expect(await ids(t.agent, { users: [t.colleague.id], status: "open" })).toHaveLength(4);
    const greedy = { status: "pending", queueIds: [t.sales, t.support], showAll: true };
    expect(await ids(t.agent, greedy)).toEqual([t.waiting].map(idOf));
    expect(await ids(t.agent, { status: "pending", queueIds: [t.support] })).toEqual([]);
  });

  test("always have a ticket that is assigned to the agent, whatever its queue and the chosen ones", async () => {
    const t = await all();
    const other = await app.given.queue({ company: t.company });
    const both = await app.given.agent({ company: t.company, queueIds: [t.sales, other] });
    const elsewhere = await ticket(t, { status: "open", userId: both.id, queueId: t.support });
    const here = await ticket(t, { status: "open", userId: both.id, queueId: t.sales });
    const listed = [t.nobodys, elsewhere, here].map(idOf);
    const open = { status: "open" } as const;
    expect(await ids(both, open)).toEqual(listed);
    expect(await ids(both, { ...open, queueIds: [t.sales, other] })).toEqual(listed);
    expect(await ids(both, { ...open, queueIds: [other] })).toEqual([elsewhere.id]);
    expect(await ids(both, { ...open, queueIds: [t.support] })).toEqual([elsewhere.id]);
    // Nobody else of those queues sees it.
    expect(await ids(t.colleague, { ...open, queueIds: [t.support] })).toEqual([]);
  });

  test("have waiting tickets without queue if the agent sees those", async () => {
    const t = await all();
    expect(await ids(t.free, { status: "pending" })).toEqual(
      [t.waiting, t.waitingNowhere].map(idOf),
    );
    expect(await ids(t.free, { status: "open" })).toEqual([t.nobodys].map(idOf));
  });

  test("an admin sees all waiting and closed tickets, of the open ones others' only with show-all", async () => {
    const t = await all();
    const waiting = [t.waiting, t.waitingElsewhere, t.waitingNowhere].map(idOf);
    const closed = [t.served, t.servedByQueue, t.servedElsewhere].map(idOf);
    const open = [t.mine, t.mineNowhere, t.mineElsewhere, t.colleagues, t.nobodys].map(idOf);
    expect(await ids(t.admin, { status: "pending" })).toEqual(waiting);
    expect(await ids(t.admin, { status: "closed" })).toEqual(closed);
    expect(await ids(t.admin, { status: "open" })).toEqual([t.nobodys.id]);
    expect(await ids(t.admin, { status: "open", showAll: true })).toEqual(open);
    expect(await ids(t.admin, { showAll: true })).toEqual([...waiting, ...open, ...closed]);
    expect(await ids(t.admin)).toEqual([...waiting, t.nobodys.id]);
  });

  test("an admin's queues and users choose; a closed ticket counts by who served it", async () => {
    const t = await all();
    const closed = { status: "closed" } as const;
    expect(await ids(t.admin, { status: "pending", queueIds: [t.support] })).toEqual(
      [t.waitingElsewhere, t.waitingNowhere].map(idOf),
    );
    expect(await ids(t.admin, { ...closed, queueIds: [t.support] })).toEqual([
      t.servedElsewhere.id,
    ]);
    const both = { showAll: true, status: "open", users: [t.agent.id, t.colleague.id] };
    expect(await ids(t.admin, both)).toEqual(
      [t.mine, t.mineNowhere, t.mineElsewhere, t.colleagues].map(idOf),
    );
    expect(await ids(t.admin, { ...closed, users: [t.agent.id] })).toEqual([t.served.id]);
  });

  test("the counts of the tabs are those of the lists", async () => {
    const t = await all();
    const counts = async (user: GivenUser, query = "") =>
      (await app.as(user).get(`/tickets/counts${query}`)).body;
    expect(await counts(t.agent)).toEqual({ open: 4, pending: 1 });
    expect(await counts(t.agent, `?queueIds=[${t.sales}]`)).toEqual({ open: 4, pending: 1 });
    expect(await counts(t.admin)).toEqual({ open: 1, pending: 3 });
    expect(await counts(t.admin, "?showAll=true")).toEqual({ open: 5, pending: 3 });
    expect(await counts(t.admin, `?queueIds=[${t.support}]&showAll=true`)).toEqual({
      open: 2,
      pending: 2,
    });
  });
});

describe("filters", () => {
  test("by tags: the ticket has all of them", async () => {
    const place = await office();
    const [both, one, none] = [await ticket(place), await ticket(place), await ticket(place)];
    const tag = async (of: GivenTicket[], name: string): Promise<TagId> =>
      app.database.db.acrossCompanies(async (tx) => {
        const [row] = await tx.query<{ id: TagId }>(
          sql`insert into tags (company_id, name, color) values (${place.company.id}, ${name}, '#123456') returning id`,
        );
        if (!row) throw new Error("no tag");
        for (const { id } of of) {
          await tx.query(
            sql`insert into ticket_tags (company_id, ticket_id, tag_id) values (${place.company.id}, ${id}, ${row.id})`,
          );
        }
        return row.id;
      });
    const urgent = await tag([both, one], "Urgente");
    const vip = await tag([both], "VIP");
    expect(await ids(place.admin, { tags: [urgent] })).toEqual([both, one].map(idOf));
    expect(await ids(place.admin, { tags: [urgent, vip, vip] })).toEqual([both.id]);
    expect(await ids(place.admin, { tags: [] })).toEqual([both, one, none].map(idOf));
    const { tickets } = await list(place.admin, { tags: [vip] });
    expect(tickets[0]?.tags).toEqual([
      { id: urgent, name: "Urgente", color: "#123456" },
      { id: vip, name: "VIP", color: "#123456" },
    ]);
  });

  test("by day: the company's day, not the server's", async () => {
    const company = await app.given.company({ timeZone: "America/Sao_Paulo" });
    const place = { company, connectionId: await app.given.connection({ company, linked: false }) };
    const admin = await app.given.admin({ company });
    const evening = await ticket(place, { at: new Date("2026-03-11T02:59:59Z") });
    const morning = await ticket(place, { at: new Date("2026-03-11T03:00:00Z") });
    expect(await ids(admin, { date: "2026-03-10" })).toEqual([evening.id]);
    expect(await ids(admin, { date: "2026-03-11" })).toEqual([morning.id]);
    expect(await ids(admin, { updatedAt: "2026-03-11" })).toEqual([morning.id]);
    expect(await ids(admin, { date: "2026-03-10", updatedAt: "2026-03-11" })).toEqual([]);
    expect(await ids(admin, { date: "0000-01-01" })).toEqual([]);
    expect(await ids(admin, { date: "9999-12-31" })).toEqual([]);
    expect(await ids(admin, { date: "", updatedAt: "" })).toHaveLength(2);
  });

  test("by unread messages", async () => {
    const place = await office();
    const unread = await ticket(place, { queueId: place.sales });
    await app.given.message(unread);
    await ticket(place, { queueId: place.sales });
    const others = await ticket(place, {
      status: "open",
      userId: place.colleague.id,
      queueId: place.sales,
    });
    await app.given.message(others);
    expect(await ids(place.agent, { withUnreadMessages: true })).toEqual([unread.id]);
    expect(await ids(place.admin, { withUnreadMessages: true })).toEqual([unread.id]);
    const everybodys = { withUnreadMessages: true, showAll: true };
    expect(await ids(place.admin, everybodys)).toEqual([others, unread].map(idOf));
  });

  test("by connection, together with others; the counts of the tabs follow", async () => {
    const place = await office();
    const second = await app.given.connection({ company: place.company, linked: false });
    const elsewhere = await ticket(place, { connectionId: second, queueId: place.sales });
    await ticket(place, { queueId: place.sales });
    await app.given.message(elsewhere);
    expect(await ids(place.agent, { whatsappIds: [second] })).toEqual([elsewhere.id]);
    const both = { whatsappIds: [second, place.connectionId] };
    expect(await ids(place.admin, both)).toHaveLength(2);
    expect(await ids(place.admin, { ...both, withUnreadMessages: true })).toEqual([elsewhere.id]);
    const counts = async (query: string) =>
      (await app.as(place.agent).get(`/tickets/counts?${query}`)).body;
    expect(await counts(`whatsappIds=[${second}]`)).toEqual({ open: 0, pending: 1 });
    expect(await counts("withUnreadMessages=true")).toEqual({ open: 0, pending: 1 });
    expect(await counts("tags=[1]")).toEqual({ open: 0, pending: 0 });
  });

  test("by the customer's wait", async () => {
    const place = await office();
    const wait = async (minutes: number | null): Promise<number> => {
      const { id } = await ticket(place, { queueId: place.sales });
      await app.database.db.acrossCompanies((tx) =>
        tx.query(
          sql`update tickets set waiting_since = now() - make_interval(mins => ${minutes}) where id = ${id}`,
        ),
      );
      return id;
    };
    const [long, short] = [await wait(31), await wait(29), await wait(null)];
    expect(await ids(place.agent, { waitMinutes: "30" })).toEqual([long]);
    expect(await ids(place.agent, { waitMinutes: "20" })).toEqual([long, short]);
    const counts = await app.as(place.agent).get("/tickets/counts?waitMinutes=30");
    expect(counts.body).toEqual({ open: 0, pending: 1 });
  });

  test("malformed ones are refused", async () => {
    const { admin } = await office();
    for (const query of [
      "queueIds=[1",
      "tags=1",
      "whatsappIds=[0]",
      "waitMinutes=0",
      "status=done",
      "date=2026-02-30",
      "pageNumber=x",
    ]) {
      expect((await app.as(admin).get(`/tickets?${query}`)).status).toBe(400);
    }
  });
});

describe("pages", () => {
  test("have forty rows, the newest change first, and say how many there are", async () => {
    const place = await office();
    const made: number[] = [];
    for (let n = 0; n < 85; n += 1) made.push((await ticket(place)).id);
    const pages = [await list(place.admin), await list(place.admin, { pageNumber: "2" })];
    const last = await list(place.admin, { pageNumber: "3" });
    expect([...pages, last].flatMap((page) => page.tickets.map((one) => one.id))).toEqual(made);
    expect([...pages, last].map(({ count, hasMore }) => [count, hasMore])).toEqual([
      [85, true],
      [85, true],
      [85, false],
    ]);
    expect(await list(place.admin, { pageNumber: "9" })).toEqual({
      tickets: [],
      count: 85,
      hasMore: false,
    });
  });

  test("equal times are ordered by id", async () => {
    const place = await office();
    const at = new Date("2026-01-01T00:00:00Z");
    const made: number[] = [];
    for (let n = 0; n < 3; n += 1) made.unshift((await ticket(place, { at })).id);
    expect(await ids(place.admin)).toEqual(made);
  });
});

describe("a single ticket", () => {
  test("is returned by id and by uuid to users who may see it, with all fields that clients read", async () => {
    const place = await office();
    const { id, uuid, contactId, phone } = await ticket(place, {
      queueId: place.sales,
      contactName: "Ana",
    });
    const byId = await app.as(place.agent).get<Ticket>(`/tickets/${id}`);
    const byUuid = await app.as(place.agent).get<Ticket>(`/tickets/u/${uuid}`);
    expect([byId.status, byUuid.status]).toEqual([200, 200]);
    expect(byUuid.body).toEqual(byId.body);
    expect(byId.body).toMatchObject({
      id,
      uuid,
      status: "pending",
      user: null,
      userId: null,
      queue: { id: place.sales, name: "Vendas" },
      whatsapp: { id: place.connectionId, name: expect.any(String) },
      tags: [],
      contact: {
        id: contactId,
        name: "Ana",
        number: phone,
        email: "",
        profilePicUrl: "",
        extraInfo: [],
      },
      unreadMessages: 0,
      companyId: place.company.id,
    });
  });

  test.each<[who: string, queue: "sales" | "support", status: number]>([
    ["an agent of its queue", "sales", 200],
    ["an agent of another queue", "support", 403],
  ])("%s: %s → %i", async (_who, queue, status) => {
    const place = await office();
    const { id, uuid } = await ticket(place, { queueId: place[queue] });
    const replies = [
      await app.as(place.agent).get(`/tickets/${id}`),
      await app.as(place.agent).get(`/tickets/u/${uuid}`),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(status);
      if (status === 403) {
        expect(reply.body).toMatchObject({
          error: "Acesso não permitido",
          code: "ERR_TICKET_FORBIDDEN",
        });
      }
    }
  });

  test("with an id of another company, an unknown or a malformed one is not found", async () => {
    const here = await office();
    const { id, uuid } = await ticket(await office());
    for (const path of [
      `/tickets/${id}`,
      `/tickets/u/${uuid}`,
      "/tickets/2147483647",
      "/tickets/u/00000000-0000-7000-8000-000000000000",
      "/tickets/u/not-a-uuid",
    ]) {
      const reply = await app.as(here.admin).get(path);
      expect([reply.status, reply.body]).toEqual([
        404,
        expect.objectContaining({ error: "ERR_NO_TICKET_FOUND" }),
      ]);
    }
  });
});
