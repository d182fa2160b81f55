import type { Schedule } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office(wish: Parameters<TestApp["given"]["company"]>[0] = {}) {
  const { given } = app;
  const company = await given.company(wish);
  return {
    company,
    ana: await given.agent({ company, name: "Ana" }),
    bia: await given.agent({ company }),
    admin: await given.admin({ company }),
    stranger: await given.admin({ company: await given.company() }),
    contactId: (await given.ticket({ company, contactName: "José Cliente" })).contactId,
  };
}

type Reply = Schedule & { code?: string };
type Page = { schedules: Schedule[]; count: number; hasMore: boolean };

const add = (user: GivenUser, body: Record<string, unknown>) =>
  app.as(user).post<Reply>("/schedules", body);
const put = (user: GivenUser, id: number, body: Record<string, unknown>) =>
  app.as(user).put<Reply>(`/schedules/${id}`, body);
const page = async (user: GivenUser, query = "") =>
  (await app.as(user).get<Page>(`/schedules?${query}`)).body;
const bodies = ({ schedules }: Page) => schedules.map(({ body }) => body);

/** So long from now, as an instant with zone. */
const inMinutes = (minutes: number): string =>
  new Date(app.clock.now().getTime() + minutes * 60_000).toISOString();

async function scheduled(user: GivenUser, contactId: number, more = {}): Promise<Schedule> {
  const reply = await add(user, { body: "Bom dia!", contactId, sendAt: inMinutes(60), ...more });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

const change = (id: number, values: ReturnType<typeof sql>) =>
  app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update schedules set ${values} where id = ${id}`),
  );

test("a message is scheduled with contact and author, and published to its author and to admins only", async () => {
  const { company, ana, bia, admin, contactId } = await office();
  const [anas, admins, bias] = [await app.live(ana), await app.live(admin), await app.live(bia)];
  const made = await scheduled(ana, contactId, { userId: bia.id, sentAt: "", status: "ENVIADA" });
  expect(made).toMatchObject({
    body: "Bom dia!",
    status: "PENDENTE",
    sentAt: null,
    errorCode: null,
    userId: ana.id,
    contact: { id: contactId, name: "José Cliente" },
    user: { id: ana.id, name: "Ana" },
    ticketId: null,
    mediaPath: null,
    mediaName: null,
  });
  for (const client of [anas, admins]) {
    const name = companyEvent(company.id, "schedule");
    expect(await client.next(name)).toEqual({ action: "create", schedule: made });
    // As other clients of the family know it.
    expect(await client.next(`company${company.id}-schedule`)).toMatchObject({ action: "create" });
  }
  await app.as(admin).put("/settings/call", { value: "enabled" });
  await bias.next(companyEvent(company.id, "settings"));
  expect(JSON.stringify(bias.heard)).not.toContain("Bom dia!");
});

test("a local time is on the clocks of the company", async () => {
  const { ana, contactId } = await office({ timeZone: "America/Manaus" });
  const made = await scheduled(ana, contactId, { sendAt: "2040-07-01T10:00" });
  expect(made.sendAt).toBe("2040-07-01T14:00:00.000Z");
});

test.for([
  [{ body: "Oi, 4" }, 200, undefined],
  [{ body: "  Oi!  " }, 400, "ERR_SCHEDULE_BODY_SHORT"],
  [{ body: "" }, 400, "ERR_SCHEDULE_BODY_SHORT"],
  [{ sendAt: "2020-01-01T10:00" }, 400, "ERR_SCHEDULE_PAST"],
  [{ sendAt: "2040-02-31T10:00" }, 400, "ERR_INVALID_REQUEST"],
  [{ sendAt: "amanhã" }, 400, "ERR_INVALID_REQUEST"],
  [{ sendAt: "" }, 400, "ERR_INVALID_REQUEST"],
  [{ contactId: 2_000_000_000 }, 404, "ERR_NO_CONTACT_FOUND"],
] as const)("a schedule with %j is answered %d", async ([wish, status, code]) => {
  const { ana, contactId } = await office();
  const body = { body: "Bom dia!", contactId, sendAt: inMinutes(60), ...wish };
  const made = await add(ana, body);
  expect([made.status, made.body.code]).toEqual([status, code]);
  // The same rules when it is changed.
  const { id } = await scheduled(ana, contactId);
  const changed = await put(ana, id, body);
  expect([changed.status, changed.body.code]).toEqual([status, code]);
});

test("agents have their own schedules, admins all of the company, others none of it", async () => {
  const { ana, bia, admin, stranger, contactId } = await office();
  const { id } = await scheduled(ana, contactId, { body: "Da Ana" });
  await scheduled(bia, contactId, { body: "Da Bia" });
  expect(bodies(await page(ana))).toEqual(["Da Ana"]);
  expect(bodies(await page(ana, `userId=${bia.id}`))).toEqual([]);
  expect(bodies(await page(admin))).toEqual(["Da Bia", "Da Ana"]);
  expect(bodies(await page(admin, `userId=${ana.id}`))).toEqual(["Da Ana"]);
  expect(await page(stranger)).toEqual({ schedules: [], count: 0, hasMore: false });

  const path = `/schedules/${id}`;
  const valid = { body: "Outro texto", contactId, sendAt: inMinutes(90) };
  for (const user of [bia, stranger]) {
    for (const reply of [
      await app.as(user).get(path),
      await app.as(user).put(path, { ...valid, contactId }),
      await app.as(user).delete(path),
      await app.as(user).delete(`${path}/media-upload`),
    ]) {
      expect([reply.status, reply.body]).toMatchObject([404, { code: "ERR_NO_SCHEDULE_FOUND" }]);
    }
  }
  expect((await put(admin, id, valid)).body).toMatchObject({ body: "Outro texto", userId: ana.id });
  const gone = await app.as(admin).delete(path);
  expect([gone.status, gone.body]).toEqual([200, { message: "Schedule deleted" }]);
  expect((await app.as(ana).get(path)).status).toBe(404);
});

test("a contact of another company is not found", async () => {
  const { ana, stranger, contactId } = await office();
  const foreign = (await app.given.ticket({ company: { id: stranger.companyId, name: "" } }))
    .contactId;
  const { id } = await scheduled(ana, contactId);
  const body = { body: "Bom dia!", contactId: foreign, sendAt: inMinutes(60) };
  for (const reply of [await add(ana, body), await put(ana, id, body)]) {
    expect([reply.status, reply.body.code]).toEqual([404, "ERR_NO_CONTACT_FOUND"]);
  }
});

test("without the plan's flag nobody has schedules", async () => {
  const company = await app.given.company({ plan: { useSchedules: false } });
  const admin = await app.given.admin({ company });
  const { contactId } = await app.given.ticket({ company });
  for (const reply of [
    await app.as(admin).get("/schedules"),
    await add(admin, { body: "Bom dia!", contactId, sendAt: inMinutes(60) }),
  ]) {
    expect([reply.status, reply.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  }
});

test("changes and deletion are published to author and admins", async () => {
  const { company, ana, admin, contactId } = await office();
  const { id } = await scheduled(ana, contactId);
  const client = await app.live(ana);
  const name = companyEvent(company.id, "schedule");
  const changed = await put(admin, id, { body: "Mudou tudo", contactId, sendAt: inMinutes(30) });
  expect(await client.next(name)).toEqual({ action: "update", schedule: changed.body });
  await app.as(admin).delete(`/schedules/${id}`);
  expect(await client.next(name)).toEqual({ action: "delete", scheduleId: id });
});

test("a message that is sent or being sent cannot be changed, but can be removed", async () => {
  const { company, ana, contactId } = await office();
  const body = { body: "Tarde demais", contactId, sendAt: inMinutes(90) };
  const ticket = await app.given.ticket({ company });
  const messageId = await app.given.message(ticket, { fromMe: true });
  for (const values of [
    sql`status = 'ENVIADA', sent_at = now()`,
    sql`status = 'AGENDADA', message_id = ${messageId}`,
    // Given up, but somebody has sent its message again from the ticket.
    sql`status = 'ERRO', message_id = ${messageId}`,
  ]) {
    const { id } = await scheduled(ana, contactId);
    await change(id, values);
    for (const reply of [
      await put(ana, id, body),
      await app.as(ana).delete<Reply>(`/schedules/${id}/media-upload`),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([400, "ERR_SCHEDULE_SENT"]);
    }
    expect((await app.as(ana).delete(`/schedules/${id}`)).status).toBe(200);
  }
});

test("one that was given up waits again with a new time, not with its old one", async () => {
  const { ana, contactId } = await office();
  const made = await scheduled(ana, contactId);
  await change(
    made.id,
    sql`status = 'ERRO', error_code = 'ERR_FILE_MISSING', attempts = 3, send_at = now() - interval '1 hour',
        due_at = now() - interval '1 hour'`,
  );
  const { sendAt } = (await app.as(ana).get<Schedule>(`/schedules/${made.id}`)).body;
  const same = await put(ana, made.id, { body: "Mesma hora", contactId, sendAt });
  expect([same.status, same.body.code]).toEqual([400, "ERR_SCHEDULE_PAST"]);
  const later = await put(ana, made.id, { body: "Mais tarde", contactId, sendAt: inMinutes(5) });
  expect(later.body).toMatchObject({ status: "PENDENTE", errorCode: null, body: "Mais tarde" });
});

test("the text of one that waits for a connection is changed without a new time", async () => {
  const { ana, contactId } = await office();
  const made = await scheduled(ana, contactId);
  await change(
    made.id,
    sql`attempts = 4, error_code = 'ERR_NO_DEF_WAPP_FOUND', send_at = now() - interval '1 hour',
        due_at = now() + interval '5 minutes'`,
  );
  const { sendAt } = (await app.as(ana).get<Schedule>(`/schedules/${made.id}`)).body;
  const reply = await put(ana, made.id, { body: "Outro texto", contactId, sendAt });
  expect([reply.status, reply.body]).toMatchObject([
    200,
    { body: "Outro texto", status: "PENDENTE", errorCode: "ERR_NO_DEF_WAPP_FOUND", sendAt },
  ]);
});

test("pages of 20, the newest first, searched in text and contact name", async () => {
  const { company, ana, contactId } = await office();
  const other = (await app.given.ticket({ company, contactName: "Ângela" })).contactId;
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into schedules (company_id, contact_id, user_id, body, send_at, due_at, created_at)
      select ${company.id}, ${contactId}, ${ana.id}, 'Texto ' || n, now() + n * interval '1 day',
             now() + interval '1 year', now() - (100 - n) * interval '1 minute'
      from generate_series(1, 41) n`),
  );
  await scheduled(ana, other, { body: "Única coisa" });
  const first = await page(ana);
  expect(first).toMatchObject({ count: 42, hasMore: true });
  expect(bodies(first).slice(0, 3)).toEqual(["Única coisa", "Texto 41", "Texto 40"]);
  const last = await page(ana, "pageNumber=3");
  expect([last.hasMore, bodies(last)]).toEqual([false, ["Texto 2", "Texto 1"]]);
  expect(await page(ana, "pageNumber=9")).toEqual({ schedules: [], count: 42, hasMore: false });
  expect(bodies(await page(ana, "searchParam=unica"))).toEqual(["Única coisa"]);
  expect(bodies(await page(ana, "searchParam=angela"))).toEqual(["Única coisa"]);
  expect(bodies(await page(ana, `contactId=${other}`))).toEqual(["Única coisa"]);
  expect(bodies(await page(ana, "searchParam=%25"))).toEqual([]);
});

test("unsent messages come first, by their time, before any number of sent ones", async () => {
  const { company, ana, contactId } = await office();
  await scheduled(ana, contactId, { body: "Segunda", sendAt: "2040-03-02T10:00" });
  await scheduled(ana, contactId, { body: "Primeira", sendAt: "2040-03-01T10:00" });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into schedules (company_id, contact_id, user_id, body, send_at, due_at, sent_at, status, created_at)
      select ${company.id}, ${contactId}, ${ana.id}, 'Enviada ' || n, now(), now(), now(), 'ENVIADA',
             now() + n * interval '1 minute'
      from generate_series(1, 21) n`),
  );
  const unsent = await page(ana, `contactId=${contactId}&unsent=true`);
  expect([unsent.count, unsent.hasMore, bodies(unsent)]).toEqual([
    2,
    false,
    ["Primeira", "Segunda"],
  ]);
});

test("a range of days is by the company's calendar and in its order", async () => {
  const { ana, contactId } = await office({ timeZone: "America/Sao_Paulo" });
  for (const [body, sendAt] of [
    ["Dia 2, fim", "2040-03-02T23:59"],
    ["Dia 1, começo", "2040-03-01T00:00"],
    ["Dia 2, começo", "2040-03-02T00:00"],
    ["Dia 3, começo", "2040-03-03T00:00"],
    ["Fevereiro", "2040-02-29T23:59"],
  ]) {
    await scheduled(ana, contactId, { body, sendAt });
  }
  expect(bodies(await page(ana, "dateStart=2040-03-01&dateEnd=2040-03-02"))).toEqual([
    "Dia 1, começo",
    "Dia 2, começo",
    "Dia 2, fim",
  ]);
  expect(bodies(await page(ana, "dateStart=2040-03-03"))).toEqual(["Dia 3, começo"]);
  expect(bodies(await page(ana, "dateEnd=2040-02-29"))).toEqual(["Fevereiro"]);
});

test.for(["body", "contactId", "sendAt"] as const)(
  "a schedule without %s is refused, new or changed",
  async (missing) => {
    const company = await app.given.company();
    const agent = await app.given.agent({ company });
    const { contactId } = await app.given.ticket({ company });
    const sendAt = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const whole = { body: "Bom dia!", contactId, sendAt };
    const made = await app.as(agent).post<{ id: number }>("/schedules", whole);
    expect(made.status).toBe(200);
    const { [missing]: _left, ...rest } = whole;
    for (const reply of [
      await app.as(agent).post("/schedules", rest),
      await app.as(agent).put(`/schedules/${made.body.id}`, rest),
    ]) {
      expect([reply.status, reply.body]).toMatchObject([400, { code: "ERR_INVALID_REQUEST" }]);
    }
  },
);
