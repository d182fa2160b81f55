import type { DashboardFigures, ReplyOf } from "@balcao/contract";
import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { attendances, tags, ticketTags } from "../../platform/db/schema/index.ts";
import type { GivenUser } from "../../testing/given.ts";
import { testApp } from "../../testing/app.ts";
import { sumDaysAcrossCompanies } from "./index.ts";
import { seed, seededRandom, sized } from "../../testing/soak.ts";
import type { Local, PlainAttendance } from "./testing/plain-figures.ts";
import {
  addDays,
  bars,
  heatMap,
  localTimes,
  measure,
  msOf,
  resolvedAt,
} from "./testing/plain-figures.ts";

// Random attendances, many of them around midnights and changes of clocks: the dashboard, its charts, the reports behind its
// figures and both exports are what plain TypeScript makes of the same attendances; before their days are summed, afterwards, and
// after changes to days that are summed.

const app = await testApp({ environment: { ROLES: "http" } });

const zones = [
  ...["America/Sao_Paulo", "Europe/Lisbon", "America/Santiago", "America/Havana"],
  ...["Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Atlantic/Azores"],
];
/** Brazil gave up its summer time in 2019. */
const FIRST = Date.UTC(2017, 8, 1);
const DAYS = 1_100;
const DAY_MS = 86_400_000;
const perZone = sized({ test: 150, soak: 1_250 });
const filtersPerZone = sized({ test: 3, soak: 40 });
const zonesTried = sized({ test: 4, soak: zones.length });

type World = {
  admin: GivenUser;
  companyId: number;
  list: PlainAttendance[];
  tagged: Map<number, number[]>;
  ids: Record<"users" | "queues" | "connections" | "tags", number[]>;
  removedUser: number;
  local: (moment: Date) => Local;
  /** Local days on which the clocks change. */
  changes: string[];
};

/** The moments, to a quarter of an hour, at which a zone's clocks change. */
function clockChanges(timeZone: string): Date[] {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    timeZoneName: "longOffset",
    hour: "2-digit",
  });
  const offset = (ms: number): string =>
    format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const found: Date[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    const begin = FIRST + day * DAY_MS;
    if (offset(begin) === offset(begin + DAY_MS)) continue;
    for (let quarter = 1; quarter <= 96; quarter += 1) {
      const at = begin + quarter * 900_000;
      if (offset(at) !== offset(at - 900_000)) found.push(new Date(at));
    }
  }
  return found;
}

async function world(timeZone: string, random: () => number): Promise<World> {
  const { given, database } = app;
  const company = await given.company({ timeZone });
  const admin = await given.admin({ company });
  const people: GivenUser[] = [admin];
  const queueIds: number[] = [];
  const connectionIds: number[] = [];
  for (let n = 0; n < 3; n += 1) people.push(await given.agent({ company }));
  for (let n = 0; n < 3; n += 1) queueIds.push(await given.queue({ company }));
  for (let n = 0; n < 2; n += 1)
    connectionIds.push(await given.connection({ company, linked: false }));
  const ticketIds: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const ticket = await given.ticket({
      company,
      status: "closed",
      at: new Date(FIRST - 30 * DAY_MS),
    });
    ticketIds.push(ticket.id);
  }
  const removedUser = people[3]?.id ?? 0;
  const any = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
  const changes = clockChanges(timeZone);
  const local = localTimes(timeZone);

  const moment = (): Date => {
    const far = FIRST + Math.floor(random() * DAYS * DAY_MS);
    if (random() < 0.5 || changes.length === 0) return new Date(far);
    return new Date(any(changes).getTime() + Math.floor((random() - 0.5) * 30 * 3_600_000));
  };
  const later = (from: Date, hours: number): Date =>
    new Date(from.getTime() + Math.floor(random() * random() * hours * 3_600_000));
  const maybe = <T>(share: number, value: T): T | null => (random() < share ? value : null);

  const rows = Array.from({ length: perZone }, () => {
    const queuedAt = moment();
    const startedAt = maybe(0.85, random() < 0.05 ? queuedAt : later(queuedAt, 40));
    const isRunning = random() < 0.1;
    const ended = isRunning ? null : later(startedAt ?? queuedAt, 60);
    const ratingAt = ended && maybe(0.4, ended);
    const finishedAt = ratingAt ? maybe(0.9, later(ratingAt, 24)) : ended;
    const askedAt = maybe(0.8, later(new Date(queuedAt.getTime() - 3_600_000), 1));
    return {
      companyId: company.id,
      // Only one attendance of a ticket may be unfinished; those without a ticket are of deleted ones.
      ticketId: finishedAt === null ? null : maybe(0.95, any(ticketIds)),
      userId: maybe(0.85, any(people).id),
      queueId: maybe(0.85, any(queueIds)),
      connectionId: maybe(0.9, any(connectionIds)),
      createdAt: new Date(queuedAt.getTime() - Math.floor(random() * 7_200_000)),
      queuedAt,
      startedAt,
      askedAt,
      answeredAt: askedAt && later(askedAt, 30),
      ratingAt,
      finishedAt,
      rate: ratingAt && finishedAt ? maybe(0.7, 1 + Math.floor(random() * 3)) : null,
      isFirst: random() < 0.2,
      isReopened: random() < 0.1,
    };
  });
  const { list, tagged, tagIds } = await database.db.acrossCompanies(async (tx) => {
    // The tickets' own attendances are not of this test.
    await tx.query(
      sql`update tickets set last_attendance_id = null where company_id = ${company.id}`,
    );
    await tx.query(sql`delete from attendances where company_id = ${company.id}`);
    const inserted = await tx.orm
      .insert(attendances)
      .values(rows as (typeof attendances.$inferInsert)[])
      .returning({ id: attendances.id });
    const newTags = await tx.orm
      .insert(tags)
      .values([1, 2].map((n) => ({ companyId: company.id, name: `Tag ${n}`, color: "#000000" })))
      .returning({ id: tags.id });
    const tagIds = newTags.map(({ id }) => id);
    const links = ticketIds.flatMap((ticketId) =>
      tagIds
        .filter(() => random() < 0.4)
        .map((tagId) => ({ companyId: company.id, ticketId, tagId })),
    );
    await tx.orm.insert(ticketTags).values(links as (typeof ticketTags.$inferInsert)[]);
    await tx.query(sql`update users set deleted_at = now() where id = ${removedUser}`);
    const tagged = new Map<number, number[]>();
    for (const { ticketId, tagId } of links) {
      tagged.set(ticketId, [...(tagged.get(ticketId) ?? []), tagId]);
    }
    const list = rows.map((row, place) => ({ ...row, id: inserted[place]?.id ?? 0 }));
    return { list, tagged, tagIds };
  });
  return {
    ...{ admin, companyId: company.id, list, tagged, local, removedUser },
    ids: {
      users: people.map(({ id }) => id),
      ...{ queues: queueIds, connections: connectionIds, tags: tagIds },
    },
    changes: changes.map((at) => local(at).day),
  };
}

/** Changes some attendances as the product would, and removes one, in the database and in `list`. */
async function changeSome({ list, ids, companyId }: World, random: () => number): Promise<void> {
  await app.database.db.acrossCompanies(async (tx) => {
    for (let n = 0; n < 12; n += 1) {
      const its = list[Math.floor(random() * list.length)];
      if (!its) continue;
      const rate = its.rate === null ? null : 1 + Math.floor(random() * 3);
      const queuedAt = new Date(its.queuedAt.getTime() - Math.floor(random() * 2) * DAY_MS);
      const some = { userId: ids.users[n % 2] ?? null, rate, queuedAt, isReopened: n % 2 === 0 };
      Object.assign(its, some);
      await tx.orm
        .update(attendances)
        .set(some as Partial<typeof attendances.$inferInsert>)
        .where(sql`id = ${its.id}`);
    }
    const [gone] = list.splice(Math.floor(random() * list.length), 1);
    await tx.query(
      sql`delete from attendances where id = ${gone?.id} and company_id = ${companyId}`,
    );
  });
}

/** How many days of the company are read from their sums. */
async function summedDays({ companyId }: World): Promise<number> {
  const [row] = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ days: number }>(
      sql`select count(*) as days from summed_days where company_id = ${companyId} and ends_at > begins_at`,
    ),
  );
  return row?.days ?? 0;
}

type Choice = Partial<Record<"userIds" | "queueIds" | "whatsappIds" | "tagIds", (number | null)[]>>;

const among = (choice: (number | null)[] | undefined, id: number | null): boolean =>
  choice === undefined || choice.includes(id);

const chosen = ({ list, tagged }: World, choice: Choice): PlainAttendance[] =>
  list.filter(
    (a) =>
      among(choice.userIds, a.userId) &&
      among(choice.queueIds, a.queueId) &&
      among(choice.whatsappIds, a.connectionId) &&
      (choice.tagIds === undefined ||
        (tagged.get(a.ticketId ?? 0) ?? []).some((id) => choice.tagIds?.includes(id))),
  );

function randomFilter({ ids, changes }: World, random: () => number) {
  const choice: Choice = {};
  const some = (list: readonly number[], orNone: boolean): (number | null)[] | undefined => {
    if (random() < 0.6) return undefined;
    const picked: (number | null)[] = list.filter(() => random() < 0.5);
    if (orNone && random() < 0.4) picked.push(null);
    return picked.length === 0 ? undefined : picked;
  };
  const parts = {
    ...{ userIds: some(ids.users, true), queueIds: some(ids.queues, true) },
    ...{ whatsappIds: some(ids.connections, true), tagIds: some(ids.tags, false) },
  };
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined) choice[name as keyof Choice] = value;
  }
  const near = changes[Math.floor(random() * changes.length)];
  const start = new Date(FIRST + Math.floor(random() * DAYS * DAY_MS)).toISOString().slice(0, 10);
  const lengths = [1, 1, 7, 31, 90, 366, 500];
  const days = lengths[Math.floor(random() * lengths.length)] ?? 1;
  const around = near === undefined || random() < 0.3 ? start : near;
  const from = days === 1 ? around : addDays(around, -Math.floor(random() * days));
  return { choice, from, to: addDays(from, days - 1), days };
}

const queryOf = (parts: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(parts).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ).toString();

type Report = ReplyOf<"GET /reports/attendances">;

for (const timeZone of zones.slice(0, zonesTried)) {
  test(`figures, charts, reports and exports are those of plain TypeScript in ${timeZone} (seed ${seed})`, async () => {
    const random = seededRandom(seed + zones.indexOf(timeZone));
    const its = await world(timeZone, random);
    const api = app.as(its.admin);
    let counted = 0;
    for (let n = 0; n < filtersPerZone; n += 1) {
      if (n % 3 === 1)
        await sumDaysAcrossCompanies({ db: app.database.db, clock: { now: () => new Date() } });
      if (n % 3 === 2) await changeSome(its, random);
      const { choice, from, to, days } = randomFilter(its, random);
      const all = chosen(its, choice);
      const within = (begin: string, end: string) =>
        all.filter((a) => {
          const { day } = its.local(a.queuedAt);
          return day >= begin && day <= end;
        });
      const list = within(from, to);
      const before = { from: addDays(from, -days), to: addDays(from, -1) };
      const old = within(before.from, before.to);
      const filter = queryOf({ dateFrom: from, dateTo: to, ...choice });

      counted += list.length;
      const reply = await api.get<DashboardFigures>(`/dashboard/figures?${filter}`);
      expect(reply.status).toBe(200);
      const { body } = reply;
      expect(body.measures).toEqual(measure(list));
      expect(body.before).toEqual({ ...before, measures: old.length === 0 ? null : measure(old) });
      expect(body.unhappyAfterWait).toBe(
        list.filter((a) => a.rate === 1 && (msOf(a, "wait") ?? 0) > 20 * 60_000).length,
      );
      expect(body.series).toEqual(bars(list, { from, to }, its.local));
      expect(body.heatMap).toEqual(heatMap(list, its.local));
      const usersNow = new Set(list.map(({ userId }) => userId));
      const shownUsers = its.ids.users.filter((id) => id !== its.removedUser || usersNow.has(id));
      const expectedUsers = [...shownUsers, ...(usersNow.has(null) ? [null] : [])];
      expect(new Set(body.users.map(({ id }) => id))).toEqual(new Set(expectedUsers));
      for (const row of body.users) {
        const { id, name: _name, isRemoved, online: _online, openNow: _openNow, ...figures } = row;
        expect(figures).toEqual(measure(list.filter(({ userId }) => userId === id)));
        expect(isRemoved).toBe(id === its.removedUser);
      }
      for (const {
        id,
        name: _name,
        color: _color,
        isRemoved: _removed,
        ...figures
      } of body.queues) {
        expect(figures).toEqual(measure(list.filter(({ queueId }) => queueId === id)));
      }
      expect(body.queues.reduce((sum, { attendances: count }) => sum + count, 0)).toBe(list.length);

      await sameReports(its, filter, list);
      await sameByResolved(its, { choice, from, to }, all);
      if (n < 2) await sameExports(its, filter, list, body);
    }
    expect(counted).toBeGreaterThan(0);
    expect(await summedDays(its)).toBeGreaterThan(DAYS / 2);
  }, 600_000);
}

/** A report of a cell of the dashboard has its attendances, all pages in order. */
async function sameReports(its: World, filter: string, list: readonly PlainAttendance[]) {
  const weekday = 3;
  const cell = list.filter((a) => its.local(a.queuedAt).weekday === weekday);
  const cells: [query: string, its: readonly PlainAttendance[]][] = [
    ["", list],
    ["&state=resolved", list.filter((a) => resolvedAt(a) !== null)],
    ["&state=running", list.filter((a) => resolvedAt(a) === null)],
    ["&state=reopened", list.filter(({ isReopened }) => isReopened)],
    ["&state=new", list.filter(({ isFirst }) => isFirst)],
    ["&state=rated", list.filter(({ rate }) => rate !== null)],
    [
      "&rates=[1]&waitOver=20",
      list.filter((a) => a.rate === 1 && (msOf(a, "wait") ?? 0) > 1_200_000),
    ],
    ["&time=wait", list.filter((a) => msOf(a, "wait") !== null)],
    ["&time=firstAnswer", list.filter((a) => msOf(a, "firstAnswer") !== null)],
    ["&time=support", list.filter((a) => msOf(a, "support") !== null)],
    [`&weekday=${weekday}`, cell],
    [`&weekday=${weekday}&hour=1`, cell.filter((a) => its.local(a.queuedAt).hour === 1)],
  ];
  const api = app.as(its.admin);
  for (const [query, expected] of cells) {
    const { body } = await api.get<Report>(`/reports/attendances?${filter}${query}`);
    expect([query, body.sums]).toEqual([query, measure(expected)]);
  }
  const ids: number[] = [];
  let next: string | null = "";
  while (next !== null) {
    const after: string = next === "" ? "" : `&after=${next}`;
    const { body }: { body: Report } = await api.get<Report>(
      `/reports/attendances?${filter}${after}`,
    );
    ids.push(...body.attendances.map(({ id }) => id));
    next = body.next;
  }
  expect(ids).toEqual(newestFirst(list, (a) => a.queuedAt));
}

const newestFirst = (list: readonly PlainAttendance[], by: (a: PlainAttendance) => Date) =>
  list.toSorted((a, b) => by(b).getTime() - by(a).getTime() || b.id - a.id).map(({ id }) => id);

async function sameByResolved(
  its: World,
  { choice, from, to }: { choice: Choice; from: string; to: string },
  all: readonly PlainAttendance[],
) {
  const list = all.filter((a) => {
    const at = resolvedAt(a);
    if (at === null) return false;
    const { day } = its.local(at);
    return day >= from && day <= to;
  });
  const query = queryOf({ dateFrom: from, dateTo: to, ...choice, by: "resolved" });
  const { body } = await app.as(its.admin).get<Report>(`/reports/attendances?${query}`);
  expect(body.sums).toEqual(measure(list));
  const first = newestFirst(list, (a) => resolvedAt(a) ?? a.queuedAt).slice(0, 50);
  expect(body.attendances.map(({ id }) => id)).toEqual(first);
}

async function rowsOf(its: World, path: string): Promise<string[][]> {
  const reply = await fetch(`${app.url}/api${path}`, {
    headers: { authorization: `Bearer ${its.admin.token}` },
  });
  expect(reply.status).toBe(200);
  const text = await reply.text();
  const options = { delimiter: ";", bom: true, relax_column_count: true, skip_empty_lines: false };
  return parse(text, options);
}

const shortText = (value: number | null): string =>
  value === null ? "" : String(Math.round(value * 100) / 100).replace(".", ",");

/** The figures in the order of the sheet. */
function cellsOf(list: readonly PlainAttendance[]): string[] {
  const m = measure(list);
  const [rate1, rate2, rate3] = m.ratings.counts;
  return [
    ...[m.attendances, m.resolved, m.running, m.reopened, m.newContacts].map(String),
    ...[m.wait.seconds, m.firstAnswer.seconds, m.support.seconds, m.ratings.average].map(shortText),
    ...[m.ratings.count, rate3, rate2, rate1].map(String),
  ];
}

async function sameExports(
  its: World,
  filter: string,
  list: readonly PlainAttendance[],
  shown: DashboardFigures,
) {
  const sheet = await rowsOf(its, `/dashboard/export?${filter}&format=csv&language=en`);
  const at = (title: string): number => sheet.findIndex(([first]) => first === title);
  const figures = sheet.slice(at("Figures of the period") + 1, at("Figures of the period") + 14);
  expect(figures.map(([, value]) => value)).toEqual(cellsOf(list));
  const people = sheet.slice(at("By agent") + 1, at("By agent") + 1 + shown.users.length);
  expect(people.map((row) => row.slice(2))).toEqual(
    shown.users.map(({ id }) => cellsOf(list.filter(({ userId }) => userId === id))),
  );
  const heat = sheet.slice(at("By weekday and hour") + 1, at("By weekday and hour") + 8);
  expect(heat.map((row) => row.slice(1).map(Number))).toEqual(heatMap(list, its.local));

  const report = await rowsOf(its, `/reports/export?${filter}&format=csv&language=en`);
  const titles = report.findIndex(([first]) => first === "Protocol");
  expect(report.slice(titles - 14, titles - 1).map(([, value]) => value)).toEqual(cellsOf(list));
  expect(report.slice(titles + 1).map(([id]) => Number(id))).toEqual(
    newestFirst(list, (a) => a.queuedAt),
  );
}
