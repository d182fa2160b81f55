import type {
  DashboardFigures,
  DashboardNow,
  QueueId,
  ReplyOf,
  Ticket,
  TicketId,
} from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { attendances } from "../../platform/db/schema/index.ts";
import type { TestApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { newPhone, textEvent } from "../messages/testing/channel-side.ts";
import { sumDaysAcrossCompanies } from "./index.ts";
import { ratedOffice } from "../ratings/testing/rated-office.ts";
import type { RatedOffice } from "../ratings/testing/rated-office.ts";

let office: RatedOffice;
let app: TestApp;
beforeAll(async () => {
  office = await ratedOffice();
  app = office.app;
});

type Row = Partial<Omit<typeof attendances.$inferInsert, "companyId">>;

/** A company in São Paulo with two agents, a queue, and attendances of the test alone. */
async function company(rows: (of: { ana: GivenUser; bia: GivenUser; queueId: QueueId }) => Row[]) {
  const { given, database } = app;
  const company = await given.company({ timeZone: "America/Sao_Paulo" });
  const queueId = await given.queue({ company, name: "Vendas" });
  const admin = await given.admin({ company, name: "Zoe" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [queueId] });
  const bia = await given.agent({ company, name: "Bia", queueIds: [queueId] });
  const values = rows({ ana, bia, queueId }).map((row) => ({
    ...{ companyId: company.id, createdAt: row.queuedAt ?? new Date() },
    ...row,
  }));
  if (values.length > 0) {
    await database.db.acrossCompanies((tx) => tx.orm.insert(attendances).values(values));
  }
  return { company, admin, ana, bia, queueId, api: app.as(admin) };
}

const at = (text: string): Date => new Date(text);

/** Half an hour of waiting and one of service on a Tuesday morning in São Paulo. */
const served = (day: string, more: Row = {}): Row => ({
  queuedAt: at(`${day}T12:00:00Z`),
  startedAt: at(`${day}T12:30:00Z`),
  finishedAt: at(`${day}T13:30:00Z`),
  ...more,
});

describe("the period", () => {
  const paths = [
    ...["/dashboard/figures", "/dashboard/by-user", "/dashboard/by-time"],
    ...["/reports/attendances", "/dashboard/export?format=csv", "/reports/export?format=csv"],
  ];

  test.each([
    ["none", "", "ERR_PERIOD_REQUIRED"],
    ["only an end", "dateTo=2026-01-31", "ERR_PERIOD_REQUIRED"],
    ["reversed dates", "dateFrom=2026-02-01&dateTo=2026-01-31", "ERR_PERIOD_REVERSED"],
    ["a begin after today", "dateFrom=9000-01-01", "ERR_PERIOD_REVERSED"],
    ["more than ten years", "dateFrom=2010-01-01&dateTo=2026-01-31", "ERR_PERIOD_TOO_LONG"],
    ["more than ten years until today", "dateFrom=0001-01-01", "ERR_PERIOD_TOO_LONG"],
    ["the year 0", "dateFrom=0000-01-01&dateTo=0000-01-02", "ERR_PERIOD_TOO_LONG"],
    ["a year of five digits", "dateFrom=20260-01-01", "ERR_INVALID_REQUEST"],
    ["a day that does not exist", "dateFrom=2026-02-30", "ERR_INVALID_REQUEST"],
    ["no day", "days=0", "ERR_INVALID_REQUEST"],
    ["too many days", `days=${limits.periodDaysMax + 1}`, "ERR_INVALID_REQUEST"],
  ])("%s is refused", async (_what, query, code) => {
    const api = app.as(office.admin);
    for (const path of paths) {
      const reply = await api.get<{ code: string }>(
        `${path}${path.includes("?") ? "&" : "?"}${query}`,
      );
      expect([path, reply.status, reply.body.code]).toEqual([path, 400, code]);
    }
  });

  test("ten years are read, by weeks from Monday", async () => {
    const { api } = await company(() => [served("2026-03-10"), served("2019-01-01")]);
    const query = "dateFrom=2017-01-01&dateTo=2026-12-31";
    const { body } = await api.get<DashboardFigures>(`/dashboard/figures?${query}`);
    expect(body.period).toMatchObject({ days: 3_652, unit: "week", timeZone: "America/Sao_Paulo" });
    expect(body.series[0]).toMatchObject({ from: "2017-01-01", to: "2017-01-01" });
    expect(body.series[1]).toMatchObject({ from: "2017-01-02", to: "2017-01-08" });
    expect(body.series.filter(({ attendances: n }) => n > 0)).toHaveLength(2);
  });

  test("the days of a period end today, where the company is", async () => {
    const { api } = await company(() => []);
    const now = await api.get<DashboardNow>("/dashboard/now");
    const { body } = await api.get<DashboardFigures>("/dashboard/figures?days=7");
    expect(body.period).toMatchObject({ to: now.body.today, days: 7, unit: "day" });
    expect(body.before.measures).toBeNull();
  });

  test("an attendance that crosses midnight is of the local day on which it was queued", async () => {
    // 23:50 in São Paulo, accepted and finished after midnight.
    const { api } = await company(({ ana }) => [
      {
        ...{ queuedAt: at("2026-03-11T02:50:00Z"), startedAt: at("2026-03-11T03:10:00Z") },
        ...{ finishedAt: at("2026-03-11T04:00:00Z"), userId: ana.id },
      },
    ]);
    const day = async (date: string) => {
      const query = `dateFrom=${date}&dateTo=${date}`;
      const { body } = await api.get<DashboardFigures>(`/dashboard/figures?${query}`);
      return [body.measures.resolved, body.series[23]?.attendances, body.measures.wait.seconds];
    };
    expect(await day("2026-03-10")).toEqual([1, 1, 1_200]);
    expect(await day("2026-03-11")).toEqual([0, 0, null]);
  });
});

describe("days that are summed", () => {
  const sumDays = () =>
    sumDaysAcrossCompanies({
      db: app.database.db,
      clock: { now: () => at("2026-03-20T12:00:00Z") },
    });
  const summedDays = async (id: number) => {
    const rows = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ day: string; timeZone: string }>(
        sql`select day::text as day, time_zone as "timeZone" from summed_days where company_id = ${id} order by day`,
      ),
    );
    return rows.map(({ day, timeZone }) => `${day} ${timeZone}`);
  };
  const days = (first: number, last: number, timeZone: string): string[] =>
    Array.from({ length: last - first + 1 }, (_, n) => `2026-03-${first + n} ${timeZone}`);

  test("a change counts once it is committed, also when its day is summed meanwhile", async () => {
    const { api, company: its } = await company(() => [served("2026-03-17"), served("2026-03-18")]);
    const measures = async () => {
      const path = "/dashboard/figures?dateFrom=2026-03-16&dateTo=2026-03-18";
      const { body } = await api.get<DashboardFigures>(path);
      return { n: body.measures.attendances, ratings: body.measures.ratings.counts };
    };
    await sumDays();
    expect(await summedDays(its.id)).toEqual(days(17, 19, "America/Sao_Paulo"));
    expect(await measures()).toEqual({ n: 2, ratings: [0, 0, 0] });
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update attendances set rate = 3 where company_id = ${its.id}`);
      await tx.orm.insert(attendances).values({ companyId: its.id, ...served("2026-03-17") });
      await Promise.all([sumDays(), sumDays()]);
      expect(await measures()).toEqual({ n: 2, ratings: [0, 0, 0] });
    });
    expect(await measures()).toEqual({ n: 3, ratings: [0, 0, 2] });
    await Promise.all([sumDays(), sumDays()]);
    expect(await measures()).toEqual({ n: 3, ratings: [0, 0, 2] });
    expect(await summedDays(its.id)).toHaveLength(3);
  });

  test("a company that moves to another time zone is summed anew", async () => {
    const { api, company: its } = await company(() => [
      served("2026-03-18", { queuedAt: at("2026-03-18T01:00:00Z") }),
    ]);
    const bars = async () => {
      const path = "/dashboard/figures?dateFrom=2026-03-17&dateTo=2026-03-18";
      const { body } = await api.get<DashboardFigures>(path);
      return body.series.map(({ attendances: n }) => n);
    };
    await sumDays();
    expect(await bars()).toEqual([1, 0]);
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set time_zone = 'Europe/Lisbon' where id = ${its.id}`),
    );
    expect(await bars()).toEqual([0, 1]);
    await sumDays();
    expect(await summedDays(its.id)).toEqual(days(18, 19, "Europe/Lisbon"));
    expect(await bars()).toEqual([0, 1]);
  });

  test("sums of attendances that are gone go with them", async () => {
    const { company: its } = await company(() => [served("2026-03-17")]);
    await sumDays();
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`delete from attendances where company_id = ${its.id}`),
    );
    await sumDays();
    const [left] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ n: number }>(
        sql`select count(*) as n from attendance_days where company_id = ${its.id}`,
      ),
    );
    expect(left?.n).toBe(0);
  });
});

describe("figures", () => {
  test("a user or queue deleted since stands where it has attendances in the period, as removed", async () => {
    const { api, ana, queueId } = await company(({ ana, queueId }) => [
      served("2026-03-10", { userId: ana.id, queueId }),
    ]);
    expect((await api.delete(`/users/${ana.id}`)).status).toBe(200);
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update queues set deleted_at = now() where id = ${queueId}`),
    );
    const read = async (query: string) => {
      const { body } = await api.get<DashboardFigures>(`/dashboard/figures?${query}`);
      return [
        body.users.filter(({ isRemoved }) => isRemoved).map(({ name }) => name),
        body.queues.map(({ name, isRemoved }) => [name, isRemoved]),
      ];
    };
    expect(await read("dateFrom=2026-03-01&dateTo=2026-03-31")).toEqual([
      ["Ana"],
      [["Vendas", true]],
    ]);
    expect(await read("dateFrom=2026-04-01&dateTo=2026-04-30")).toEqual([[], []]);
    const { body } = await api.get<ReplyOf<"GET /dashboard">>("/dashboard?date_from=2026-03-01");
    expect(body.attendants.map(({ name }) => name)).toEqual(["Bia", "Zoe"]);
    const report = await api.get<ReplyOf<"GET /reports/attendances">>(
      "/reports/attendances?dateFrom=2026-03-01",
    );
    expect(report.body.attendances[0]?.user).toEqual({ id: ana.id, name: "Ana", isRemoved: true });
  });

  test("users are by resolved attendances and name; the last row is of nobody", async () => {
    const { api } = await company(({ bia }) => [
      served("2026-03-10", { userId: bia.id }),
      served("2026-03-10", { startedAt: null }),
    ]);
    const { body } = await api.get<ReplyOf<"GET /dashboard/by-user">>(
      "/dashboard/by-user?dateFrom=2026-03-10&dateTo=2026-03-10",
    );
    expect(body.users.map(({ name, resolved }) => [name, resolved])).toEqual([
      ...[
        ["Bia", 1],
        ["Ana", 0],
        ["Zoe", 0],
        ["", 1],
      ],
    ]);
  });

  test("the totals of the installation are told to super users only", async () => {
    const superUser = await app.given.admin({ company: office.company, super: true });
    const query = "/dashboard/figures?days=7";
    expect((await app.as(office.admin).get<DashboardFigures>(query)).body.totals).toBeNull();
    const { body } = await app.as(superUser).get<DashboardFigures>(query);
    expect(body.totals?.companies).toBeGreaterThan(1);
    const counters = async (user: GivenUser) => {
      const reply = await app.as(user).get<ReplyOf<"GET /dashboard">>("/dashboard?days=7");
      return reply.body.counters;
    };
    const none = { totalCompanies: 0, totalWhatsappSessions: 0 };
    expect(await counters(office.admin)).toMatchObject(none);
    expect((await counters(superUser)).totalCompanies).toBe(body.totals?.companies);
  });
});

describe("the facts of an attendance", () => {
  type Facts = {
    isFirst: boolean;
    isReopened: boolean;
    answerMs: number | null;
    rate: number | null;
  };
  const factsOf = (ticketId: number) =>
    app.database.db.acrossCompanies((tx) =>
      tx.query<Facts>(sql`
        select is_first as "isFirst", is_reopened as "isReopened", rate,
          (extract(epoch from answered_at - asked_at) * 1000)::float8 as "answerMs"
        from attendances where ticket_id = ${ticketId} order by id`),
    );
  const newest = async (ticketId: number) => (await factsOf(ticketId)).at(-1);
  const say = (ticketId: number, body: string) =>
    app.as(office.ana).post(`/messages/${ticketId}`, { body });

  // First, because the others let the clock go on, and the channel has its own.
  test("only a user's reopening is one; a customer who comes back begins another attendance; undone, it never was", async () => {
    const of = await office.awaiting();
    await office.write(of, "3");
    await office.write(of, "Mais uma coisa");
    const back = await factsOf(of.ticket.id);
    expect(back.map(({ isReopened, rate }) => [isReopened, rate])).toEqual([
      [false, 3],
      [false, null],
    ]);
    await office.change(office.admin, of, { status: "closed", userId: null });
    const reopened = await office.change(office.admin, of, { status: "open", undoSeconds: 10 });
    expect(reopened.status).toBe(200);
    expect(await newest(of.ticket.id)).toMatchObject({ isReopened: true, isFirst: false });
    const undo = (reopened.body as Ticket & { undo?: { id: string } }).undo?.id;
    const undone = await app
      .as(office.admin)
      .post(`/tickets/${of.ticket.id}/undo`, { undoId: undo });
    expect([undone.status, undone.body]).toEqual([200, expect.anything()]);
    expect((await factsOf(of.ticket.id)).some(({ isReopened }) => isReopened)).toBe(false);
  });

  test("the first answer counts from the customer's message; later ones and automatic messages do not", async () => {
    const of = await office.served();
    await office.write(of, "Alguém aí?");
    expect((await newest(of.ticket.id))?.answerMs).toBeNull();
    app.clock.advance(90_000);
    expect((await say(of.ticket.id, "Sim!")).status).toBe(200);
    const first = (await newest(of.ticket.id))?.answerMs ?? 0;
    expect(first).toBeGreaterThanOrEqual(90_000);
    expect(first).toBeLessThan(120_000);
    await office.write(of, "Que bom.");
    app.clock.advance(600_000);
    await say(of.ticket.id, "Pois não?");
    expect((await newest(of.ticket.id))?.answerMs).toBe(first);
  });

  test("a conversation that the company begins has no first answer until the customer has written", async () => {
    const of = await office.served();
    await say(of.ticket.id, "Temos novidades.");
    expect((await newest(of.ticket.id))?.answerMs).toBeNull();
    await office.write(of, "Quais?");
    app.clock.advance(30_000);
    await say(of.ticket.id, "Muitas.");
    expect((await newest(of.ticket.id))?.answerMs).toBeGreaterThanOrEqual(30_000);
  });

  test("an answer that is taken back was none", async () => {
    const of = await office.served();
    await office.write(of, "Oi");
    const sent = await app
      .as(office.ana)
      .post<{ id: string }>(`/messages/${of.ticket.id}`, { body: "Ops", undoSeconds: 10 });
    expect(sent.status).toBe(200);
    expect((await newest(of.ticket.id))?.answerMs).not.toBeNull();
    const undone = await app.as(office.ana).delete(`/messages/undo/${sent.body.id}`);
    expect(undone.status).toBe(200);
    expect((await newest(of.ticket.id))?.answerMs).toBeNull();
  });

  test("the first attendance of a ticket is that of a new contact", async () => {
    const phone = newPhone();
    await office.side.receive(textEvent({ chat: phone, text: "Olá" }));
    const [row] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ id: number }>(sql`
        select t.id from tickets t join contacts c on c.id = t.contact_id
        where t.company_id = ${office.company.id} and c.number = ${phone.value}`),
    );
    expect(await factsOf(row?.id ?? 0)).toMatchObject([{ isFirst: true, isReopened: false }]);
  });

  test("the ratings of attendances are those of the ratings", async () => {
    const rows = await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        select a.id from attendances a left join ratings r on r.attendance_id = a.id
        where a.rate is distinct from r.rate and a.company_id = ${office.company.id}`),
    );
    expect(rows).toEqual([]);
  });
});

describe("now", () => {
  test("tells what waits by queue, who serves what, and today's figures", async () => {
    const { company: its, admin, ana, queueId, api } = await company(() => []);
    const { given, database } = app;
    const connectionId = await given.connection({ company: its, linked: false });
    const place = { company: its, connectionId };
    const minutesAgo = (minutes: number): Date =>
      new Date(app.clock.now().getTime() - minutes * 60_000);
    const waiting = (contactName: string, minutes: number, queue: QueueId | null) =>
      given.ticket({ ...place, contactName, queueId: queue, at: minutesAgo(minutes) });
    const oldest = await waiting("Renata", 90, queueId);
    await waiting("Larissa", 5, queueId);
    await waiting("Novo", 2, null);
    const menu = await waiting("No menu", 1, null);
    await given.ticket({ ...place, status: "open", userId: ana.id, queueId });
    await database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update tickets set chatbot = true where id = ${menu.id}`);
      await tx.query(sql`update users set online = true where id = ${ana.id}`);
      await tx.query(sql`update queues set first_answer_minutes = 8 where id = ${queueId}`);
    });
    const { body } = await api.get<DashboardNow>("/dashboard/now");
    expect(body).toMatchObject({
      waiting: { count: 3, hourAgo: 1, longest: { contactName: "Renata", ticketId: oldest.id } },
      open: { count: 1, unanswered: 0 },
      withChatbot: { count: 1, inMenu: 1, outOfHours: 0 },
      people: { online: 1, total: 3 },
      resolvedToday: { count: 0, before: 0 },
      targetMinutes: 8,
      queues: [
        { id: queueId, name: "Vendas", waiting: 2, targetMinutes: 8, people: 2, online: 1 },
        { id: null, waiting: 1, longest: { contactName: "Novo", queueName: null } },
      ],
    });
    expect(body.team.map(({ name, open }) => [name, open])).toEqual([
      ...[
        ["Ana", 1],
        ["Bia", 0],
        ["Zoe", 0],
      ],
    ]);
    expect(body.hours).toHaveLength(24);
    const chosen = await api.get<DashboardNow>(
      `/dashboard/now?queueIds=[null]&userIds=[${admin.id}]`,
    );
    expect(chosen.body).toMatchObject({ waiting: { count: 1 }, open: { count: 0 } });
    expect(chosen.body.queues.map(({ id }) => id)).toEqual([null]);
  });

  test("compares with the same weekday: a week ago until now, and the average of the last four", async () => {
    const now = app.clock.now();
    const daysAgo = (days: number, minutes = 0): Date =>
      new Date(now.getTime() - days * 86_400_000 - minutes * 60_000);
    const ended = (queuedAt: Date, finishedAt: Date): Row => ({
      queuedAt,
      finishedAt,
      startedAt: queuedAt,
    });
    const { api } = await company(() => [
      ended(daysAgo(7, 1), daysAgo(7, 1)),
      // After this time of that day, or on another day: it counts in the average of its hour, or nowhere.
      ended(daysAgo(14), daysAgo(14)),
      ended(daysAgo(3), daysAgo(3)),
    ]);
    const { body } = await api.get<DashboardNow>("/dashboard/now");
    expect(body.resolvedToday.before).toBe(1);
    expect(body.hours.reduce((sum, { usual }) => sum + usual, 0)).toBe(0.5);
  });

  test("admins hear that it has changed, at most once in two seconds and after the last change; agents do not", async () => {
    const name = companyEvent(office.company.id, "figures");
    const clients = [await app.live(office.admin), await app.live(office.ana)] as const;
    const heard = clients.map((client) => {
      let count = 0;
      client.socket.on(name, () => (count += 1));
      return () => count;
    });
    const open = async () => {
      const of = await office.served({ status: "pending" });
      expect((await office.change(office.ana, of, { status: "open" })).status).toBe(200);
    };
    await open();
    await expect.poll(() => heard[0]?.()).toBeGreaterThan(0);
    const before = heard[0]?.() ?? 0;
    await Promise.all(Array.from({ length: 12 }, open));
    await expect.poll(() => heard[0]?.()).toBeGreaterThan(before);
    expect(heard[0]?.()).toBeLessThan(before + 12);
    expect(heard[1]?.()).toBe(0);
    for (const client of clients) client.socket.close();
  });
});

describe("calls of other clients", () => {
  test("5.24: counters and attendants of days and of dates; numbers are numbers", async () => {
    const { api } = await company(({ ana, bia, queueId }) => [
      served("2026-03-10", { userId: ana.id, queueId, rate: 3, rated: true }),
      served("2026-03-11", { userId: ana.id, queueId, rate: 2, rated: true }),
      // Not started, and still running.
      { queuedAt: at("2026-03-12T12:00:00Z"), userId: bia.id },
    ]);
    const read = async (query: string) =>
      (await api.get<ReplyOf<"GET /dashboard">>(`/dashboard?${query}`)).body;
    const both = await read("date_from=2026-03-10&date_to=2026-03-12");
    expect(both.counters).toEqual({
      ...{ avgSupportTime: 60, avgWaitTime: 30, supportHappening: 0, supportPending: 0 },
      ...{ supportFinished: 2, leads: 0, totalCompanies: 0, totalWhatsappSessions: 0 },
    });
    expect(
      both.attendants.map(({ name, rating, avgSupportTime, tickets: n, online }) => [
        ...[name, rating, avgSupportTime, n, online],
      ]),
    ).toEqual([
      ["Ana", 2.5, 60, 2, false],
      ["Bia", 0, 0, 1, false],
      ["Zoe", 0, 0, 0, false],
    ]);
    expect((await read("date_from=2026-03-11")).counters.supportFinished).toBe(1);
    expect((await read("date_to=2026-03-10")).counters.supportFinished).toBe(1);
    expect((await read("days=3650")).counters.supportFinished).toBe(2);
    const empty = await read("days=0&date_from=2026-05-01");
    expect(empty.counters).toMatchObject({ avgSupportTime: null, avgWaitTime: null });
    for (const query of ["", "days=0"]) {
      const reply = await api.get<{ error: string }>(`/dashboard?${query}`);
      expect([reply.status, reply.body.error]).toEqual([400, "Parametrize o filtro"]);
    }
  });

  test("2.14: leads are contacts with exactly one attendance in the period", async () => {
    const { company: its, api } = await company(() => []);
    const ticketIds: TicketId[] = [];
    for (let n = 0; n < 2; n += 1) {
      const one = await app.given.ticket({
        company: its,
        status: "closed",
        at: at("2026-03-10T12:00:00Z"),
      });
      ticketIds.push(one.id);
    }
    await app.database.db.acrossCompanies((tx) =>
      tx.orm.insert(attendances).values({
        ...{ companyId: its.id, ticketId: ticketIds[0] ?? null },
        ...served("2026-03-11"),
      }),
    );
    const leads = async (query: string) =>
      (await api.get<ReplyOf<"GET /dashboard">>(`/dashboard?${query}`)).body.counters.leads;
    expect(await leads("date_from=2026-03-01&date_to=2026-03-31")).toBe(1);
    expect(await leads("date_from=2026-03-11&date_to=2026-03-31")).toBe(1);
    expect(await leads("date_from=2026-03-10&date_to=2026-03-10")).toBe(2);
  });

  test("5.24: finished attendances by user, with 0, by name; attendances by hour of one day, else by day", async () => {
    const { api } = await company(({ bia }) => [
      served("2026-03-10", { userId: bia.id }),
      served("2026-03-12", { userId: bia.id }),
      served("2026-03-12"),
    ]);
    const query = "initialDate=2026-03-10&finalDate=2026-03-12&companyId=999";
    expect((await api.get(`/dashboard/ticketsUsers?${query}`)).body).toEqual({
      data: [
        { nome: "Ana", quantidade: 0 },
        { nome: "Bia", quantidade: 2 },
        { nome: "Zoe", quantidade: 0 },
      ],
      count: 2,
    });
    expect((await api.get(`/dashboard/ticketsDay?${query}`)).body).toEqual({
      data: [
        { data: "10/03/2026", total: 1 },
        { data: "12/03/2026", total: 2 },
      ],
      count: 3,
    });
    const day = "initialDate=2026-03-12&finalDate=2026-03-12";
    expect((await api.get(`/dashboard/ticketsDay?${day}`)).body).toEqual({
      data: [{ horario: 9, total: 2 }],
      count: 2,
    });
  });
});
