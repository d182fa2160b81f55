import type { Schedule } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let png: Buffer;
beforeAll(async () => {
  png = await sharp({ create: { width: 8, height: 6, channels: 3, background: "#c03" } })
    .png()
    .toBuffer();
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office(timeZone = "America/Sao_Paulo") {
  const { given } = app;
  const company = await given.company({ timeZone });
  return {
    company,
    ana: await given.agent({ company, name: "Ana" }),
    bia: await given.agent({ company }),
    contactId: (await given.ticket({ company, contactName: "José Cliente" })).contactId,
  };
}

type Reply = Schedule & { code?: string };

// 4 October 2040 is a Thursday.
const weekly = { every: "week", weekdays: [4], until: "2040-10-25" } as const;
const first = "2040-10-04T09:00";

const post = (user: GivenUser, contactId: number, more: object = {}) =>
  app.as(user).post<Reply>("/schedules", {
    ...{ body: "Reposição da semana", contactId, sendAt: first, repeat: weekly },
    ...more,
  });
const put = (user: GivenUser, of: Schedule | undefined, query: string, more: object = {}) =>
  app.as(user).put<Reply>(`/schedules/${of?.id}${query}`, {
    ...{ body: of?.body, contactId: of?.contactId, sendAt: of?.sendAt },
    ...more,
  });

async function all(user: GivenUser): Promise<Schedule[]> {
  const query = "dateStart=2040-01-01&dateEnd=2042-12-31";
  const reply = await app.as(user).get<{ schedules: Schedule[] }>(`/schedules?${query}`);
  return reply.body.schedules;
}

const times = async (user: GivenUser): Promise<string[]> =>
  (await all(user)).map(({ sendAt }) => sendAt.slice(5, 16));
const texts = async (user: GivenUser): Promise<string[]> =>
  (await all(user)).map(({ body }) => body);

test("a repeated message is a schedule for each of its days, all made at once and published", async () => {
  const { company, ana, contactId } = await office();
  const client = await app.live(ana);
  const made = await post(ana, contactId);
  expect(made.body).toMatchObject({
    sendAt: "2040-10-04T12:00:00.000Z",
    series: { id: expect.any(String), repeat: weekly },
  });
  expect(await times(ana)).toEqual(["10-04T12:00", "10-11T12:00", "10-18T12:00", "10-25T12:00"]);
  const ids = new Set((await all(ana)).map(({ series }) => series?.id));
  expect([...ids]).toEqual([made.body.series?.id]);
  for (const _ of ids) {
    expect(await client.next(companyEvent(company.id, "schedule"))).toMatchObject({
      action: "create",
    });
  }
});

test.for([
  [{ every: "day", until: "2040-10-06" }, ["10-04T12:00", "10-05T12:00", "10-06T12:00"]],
  [{ every: "week", weekdays: [2, 5], until: "2040-10-10" }, ["10-05T12:00", "10-09T12:00"]],
  // The 31st is the last day of a month.
  [{ every: "month", day: 31, until: "2040-12-01" }, ["10-31T12:00", "11-30T12:00"]],
] as const)("with %o it is sent on %o", async ([repeat, expected]) => {
  const { ana, contactId } = await office();
  expect((await post(ana, contactId, { repeat })).status).toBe(200);
  expect(await times(ana)).toEqual(expected);
});

test("the local time stays when the clocks change", async () => {
  const { ana, contactId } = await office("America/New_York");
  const repeat = { every: "week", weekdays: [6], until: "2027-03-20" };
  await post(ana, contactId, { sendAt: "2027-03-06T09:00", repeat });
  const reply = await app
    .as(ana)
    .get<{ schedules: Schedule[] }>("/schedules?dateStart=2027-03-01&dateEnd=2027-03-31");
  // Summer time begins on 14 March.
  expect(reply.body.schedules.map(({ sendAt }) => sendAt.slice(5, 16))).toEqual([
    "03-06T14:00",
    "03-13T14:00",
    "03-20T13:00",
  ]);
});

test.for([
  [{ every: "day", until: "2041-03-01" }, "ERR_SCHEDULE_REPEAT"],
  [{ every: "month", day: 4, until: "2041-10-05" }, "ERR_SCHEDULE_REPEAT"],
  [{ every: "day", until: "2040-10-03" }, "ERR_SCHEDULE_REPEAT"],
  [{ every: "week", weekdays: [], until: "2040-10-25" }, "ERR_INVALID_REQUEST"],
  [{ every: "week", weekdays: [7], until: "2040-10-25" }, "ERR_INVALID_REQUEST"],
  [{ every: "year", until: "2040-10-25" }, "ERR_INVALID_REQUEST"],
] as const)("%o is refused and stores nothing", async ([repeat, code]) => {
  const { ana, contactId } = await office();
  const reply = await post(ana, contactId, { repeat });
  expect([reply.status, reply.body.code]).toEqual([400, code]);
  expect(await all(ana)).toEqual([]);
});

test("one message of a series is changed, moved and deleted alone, also by clients that know no series", async () => {
  const { ana, contactId } = await office();
  await post(ana, contactId);
  const [, second, third] = await all(ana);
  const moved = await put(ana, second, "", { body: "Só esta", sendAt: "2040-10-12T10:00" });
  expect(moved.body).toMatchObject({ id: second?.id, body: "Só esta", series: { repeat: weekly } });
  expect((await app.as(ana).delete(`/schedules/${third?.id}`)).status).toBe(200);
  expect(await times(ana)).toEqual(["10-04T12:00", "10-12T13:00", "10-25T12:00"]);
});

test("this and the following are moved together: the days move with the message", async () => {
  const { ana, contactId } = await office();
  await post(ana, contactId);
  const [, second] = await all(ana);
  const moved = await put(ana, second, "?scope=following", { sendAt: "2040-10-12T10:30" });
  expect(moved.body).toMatchObject({
    id: second?.id,
    series: { repeat: { every: "week", weekdays: [5], until: "2040-10-26" } },
  });
  expect(await times(ana)).toEqual(["10-04T12:00", "10-12T13:30", "10-19T13:30", "10-26T13:30"]);
  // The first one is a series of its own now, which ends before the moved one.
  const [before, ...after] = await all(ana);
  expect(before?.series?.repeat.until).toBe("2040-10-10");
  expect(before?.series?.id).not.toBe(after[0]?.series?.id);
  expect(new Set(after.map(({ series }) => series?.id)).size).toBe(1);
});

test("this and the following get another text and other days; sent ones stay as they are", async () => {
  const { ana, contactId } = await office();
  await post(ana, contactId);
  const [, second, third] = await all(ana);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update schedules set status = 'ENVIADA', sent_at = now() where id = ${third?.id}`),
  );
  const repeat = { every: "day", until: "2040-10-13" };
  const changed = await put(ana, second, "?scope=following", { body: "Outro texto", repeat });
  expect(changed.body.series?.repeat).toEqual(repeat);
  expect(await times(ana)).toEqual([
    ...["10-04T12:00", "10-11T12:00", "10-12T12:00", "10-13T12:00"],
    "10-18T12:00",
  ]);
  expect((await texts(ana)).filter((text) => text === "Outro texto")).toHaveLength(3);
});

test("a message begins to repeat, and stops", async () => {
  const { ana, contactId } = await office();
  const single = await post(ana, contactId, { repeat: undefined });
  expect(single.body.series).toBeNull();
  const begun = await put(ana, single.body, "", { repeat: weekly });
  expect(begun.body).toMatchObject({ id: single.body.id, series: { repeat: weekly } });
  expect(await times(ana)).toHaveLength(4);
  const [, second] = await all(ana);
  const ended = await put(ana, second, "?scope=following", { repeat: null });
  expect(ended.body.series).toBeNull();
  expect(await times(ana)).toEqual(["10-04T12:00", "10-11T12:00"]);
});

test("this and the following are deleted and that is published; another user's series is not found", async () => {
  const { company, ana, bia, contactId } = await office();
  await post(ana, contactId);
  const [, second, third, fourth] = await all(ana);
  for (const reply of [
    await app.as(bia).delete<Reply>(`/schedules/${second?.id}?scope=following`),
    await put(bia, second, "?scope=following", { body: "De outra pessoa" }),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([404, "ERR_NO_SCHEDULE_FOUND"]);
  }
  const client = await app.live(ana);
  await app.as(ana).delete(`/schedules/${second?.id}?scope=following`);
  expect(await times(ana)).toEqual(["10-04T12:00"]);
  const name = companyEvent(company.id, "schedule");
  const heard = [await client.next(name), await client.next(name), await client.next(name)];
  const gone = heard.map((event) => (event as { scheduleId: number }).scheduleId);
  expect(new Set(gone)).toEqual(new Set([second?.id, third?.id, fourth?.id]));
});

test("a picture is attached to one message or to this and the following, and later ones have it too", async () => {
  const { ana, contactId } = await office();
  await post(ana, contactId);
  const [, second, third] = await all(ana);
  const attach = (of: Schedule | undefined, query: string, name: string) => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(png)], { type: "image/png" }), name);
    return fetch(`${app.url}/api/schedules/${of?.id}/media-upload${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ana.token}` },
      body: form,
    });
  };
  expect((await attach(second, "?scope=following", "todas.png")).status).toBe(200);
  expect((await attach(third, "", "uma.png")).status).toBe(200);
  const names = async (): Promise<(string | null)[]> =>
    (await all(ana)).map(({ mediaName }) => mediaName);
  expect(await names()).toEqual([null, "todas.png", "uma.png", "todas.png"]);
  const repeat = { every: "day", until: "2040-10-13" };
  await put(ana, second, "?scope=following", { repeat });
  expect(await names()).toEqual([null, "todas.png", "todas.png", "todas.png"]);
  await app.as(ana).delete(`/schedules/${second?.id}/media-upload?scope=following`);
  expect(await names()).toEqual([null, null, null, null]);
});

test("changes of one series at once end with one message for each day", async () => {
  const { ana, contactId } = await office();
  await post(ana, contactId, { repeat: { every: "day", until: "2040-10-23" } });
  const rows = await all(ana);
  const replies = await Promise.all(
    [3, 1, 5].map((place) => put(ana, rows[place], "?scope=following", { body: `Texto ${place}` })),
  );
  // A message that another change replaced is no longer there.
  for (const { status } of replies) expect([200, 404]).toContain(status);
  const days = await times(ana);
  expect(days).toEqual([...new Set(days)]);
  expect(days).toHaveLength(20);
});
