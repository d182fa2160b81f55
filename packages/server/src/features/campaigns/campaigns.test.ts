import type { Campaign, CampaignLine, CampaignSettingRow, ReplyOf } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

/** A company with a connection and a list of three people. */
async function office() {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const agent = await app.given.agent({ company });
  const stranger = await app.given.admin({ company: await app.given.company() });
  const connectionId = await app.given.connection({ company });
  const api = app.as(admin);
  const made = await api.post<{ id: number }>("/contact-lists", { name: "Clientes" });
  const contactListId = made.body.id;
  for (const [place, name] of ["Ana", "Bia", "Caio"].entries()) {
    const number = `551195500000${place}`;
    await api.post("/contact-list-items", { name, number, email: "", contactListId });
  }
  const body = {
    ...{ name: "Novembro", message1: "Oi {nome}", contactListId, whatsappId: connectionId },
  };
  return { company, admin, agent, stranger, api, connectionId, contactListId, body };
}

const inHours = (hours: number): string =>
  new Date(app.clock.now().getTime() + hours * 3_600_000).toISOString();

/** As the sender starts it. */
const begin = (id: number, status = "EM_ANDAMENTO") =>
  run(
    sql`update campaigns set status = ${status}, started_at = now(), run = run + 1 where id = ${id}`,
  );

async function make(api: ReturnType<TestApp["as"]>, body: object): Promise<Campaign> {
  const made = await api.post<Campaign>("/campaigns", body);
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 200 });
  return made.body;
}

const show = async (api: ReturnType<TestApp["as"]>, id: number) =>
  (await api.get<ReplyOf<"GET /campaigns/:campaignId">>(`/campaigns/${id}`)).body;

async function contact(company: GivenCompany, name: string, number: string): Promise<number> {
  const rows = await run<{ id: number }>(sql`
    with made as (insert into contacts (company_id, name, number) values (${company.id}, ${name}, ${number}) returning *),
    linked as (
      insert into contact_addresses (company_id, kind, key, value, contact_id) select company_id, 'pn', number, number, id from made)
    select id from made`);
  return rows[0]?.id ?? 0;
}

test("a campaign is made, planned, changed and removed, and each change is published", async () => {
  const { api, admin, agent, stranger, body, company, contactListId } = await office();
  const client = await app.live(admin);
  const heard = () => client.next(companyEvent(company.id, "campaign"));

  const made = await make(api, { ...body, tagListId: "Nenhuma", fileListId: "", companyId: 1 });
  expect(made).toMatchObject({
    ...{ name: "Novembro", status: "INATIVA", message1: "Oi {nome}", message2: "" },
    ...{ contactList: { id: contactListId, name: "Clientes" }, tagListId: null, isEditable: true },
    ...{ createdBy: { id: admin.id }, hold: null, endsAt: null, companyId: company.id },
  });
  expect(await heard()).toMatchObject({ action: "create", record: { id: made.id } });

  const path = `/campaigns/${made.id}`;
  const scheduledAt = inHours(48);
  const planned = await api.put<Campaign>(path, { ...made, scheduledAt });
  expect(planned.body).toMatchObject({ status: "PROGRAMADA", scheduledAt, isEditable: true });
  expect(await heard()).toMatchObject({ action: "update", record: { status: "PROGRAMADA" } });
  const draft = await api.put<Campaign>(path, { ...made, scheduledAt, isDraft: true });
  expect(draft.body.status).toBe("INATIVA");
  expect((await api.put<Campaign>(path, { ...made, scheduledAt: "" })).body.status).toBe("INATIVA");

  const local = { ...made, scheduledAt: "2031-03-04 09:00:00" };
  const atNine = await api.put<Campaign>(path, local);
  expect(atNine.body.scheduledAt).toBe("2031-03-04T12:00:00.000Z");

  expect((await app.as(agent).get(path)).status).toBe(200);
  expect((await app.as(agent).post("/campaigns", body)).status).toBe(403);
  expect((await app.as(stranger).get(path)).status).toBe(404);
  expect((await app.as(stranger).delete(path)).body).toMatchObject({
    error: "ERR_NO_CAMPAIGN_FOUND",
  });
  expect((await api.delete(path)).body).toEqual({ message: "Campaign deleted" });
  expect((await api.get(path)).status).toBe(404);
});

test.each<[string, object]>([
  ["ERR_CAMPAIGN_REQUIRED", { name: "" }],
  ["ERR_CAMPAIGN_INVALID_NAME", { name: "A" }],
  ["ERR_CAMPAIGN_INVALID_NAME", { name: "A".repeat(51) }],
  ["ERR_CAMPAIGN_PAST", { scheduledAt: "2020-01-01 10:00:00" }],
  ["ERR_CAMPAIGN_NO_LIST", { scheduledAt: "2031-01-01 10:00:00", contactListId: null }],
  ["ERR_CAMPAIGN_NO_TEXT", { scheduledAt: "2031-01-01 10:00:00", message1: " " }],
  ["ERR_CAMPAIGN_NO_TEXT", { scheduledAt: "2031-01-01 10:00:00", confirmation: true }],
  ["ERR_CAMPAIGN_VARIABLE", { scheduledAt: "2031-01-01 10:00:00", message2: "{cupon}" }],
  [
    "ERR_CAMPAIGN_TEMPLATE",
    { scheduledAt: "2031-01-01 10:00:00", template: { name: "a", language: "pt" } },
  ],
  ["ERR_NO_WAPP_FOUND", { whatsappId: 999_999 }],
  ["ERR_NO_CONTACTLIST_FOUND", { contactListId: 999_999 }],
  ["ERR_NO_TAG_FOUND", { tagListId: 999_999 }],
  ["ERR_QUEUE_NOT_FOUND", { answerQueueId: 999_999 }],
  ["ERR_NO_FILE_FOUND", { fileListId: 999_999 }],
  ["ERR_INVALID_REQUEST", { scheduledAt: "2031-02-30 10:00:00" }],
])("%s: %j", async (code, change) => {
  const { api, body } = await office();
  const { body: reply } = await api.post("/campaigns", { ...body, ...change });
  expect(JSON.stringify(reply)).toContain(code);
});

test("what runs, is over or is planned within the hour is not changed", async () => {
  const { api, body } = await office();
  const { id } = await make(api, { ...body, scheduledAt: inHours(0.5) });
  const path = `/campaigns/${id}`;
  const locked = "Só é permitido alterar campanha Inativa e Programada";
  expect((await api.put(path, body)).body).toMatchObject({ error: locked });
  await begin(id);
  expect((await api.put(path, body)).body).toMatchObject({ error: locked });
  expect((await api.delete(path)).body).toMatchObject({
    error: "Não é permitido excluir campanha em andamento",
  });
  expect((await api.delete(`${path}/media-upload`)).status).toBe(400);
  await begin(id, "FINALIZADA");
  expect((await api.put(path, body)).status).toBe(400);
  expect((await api.post(`${path}/cancel`)).body).toMatchObject({ error: "ERR_CAMPAIGN_STATE" });
  expect((await api.post(`${path}/start`)).status).toBe(409);
});

test("started, cancelled and restarted; each of them pressed twice is as once", async () => {
  const { api, admin, body, contactListId } = await office();
  const { id } = await make(api, body);
  const path = `/campaigns/${id}`;
  expect((await api.post(`${path}/cancel`)).status).toBe(409);
  expect((await api.post(`${path}/restart`)).status).toBe(409);
  expect((await api.post(`${path}/start`)).status).toBe(204);
  expect(await show(api, id)).toMatchObject({ status: "PROGRAMADA" });
  await begin(id);
  expect((await api.post(`${path}/start`)).status).toBe(204);

  expect((await api.post(`${path}/cancel`)).status).toBe(204);
  expect((await api.post(`${path}/cancel`)).status).toBe(204);
  const cancelled = await show(api, id);
  expect(cancelled).toMatchObject({ status: "CANCELADA", cancelledBy: { id: admin.id } });

  expect((await api.post(`${path}/restart`)).status).toBe(204);
  expect((await api.post(`${path}/restart`)).status).toBe(204);
  const running = await show(api, id);
  expect(running).toMatchObject({ status: "EM_ANDAMENTO", cancelledBy: null });
  expect(running.counts).toMatchObject({ people: 3, waiting: 3 });
  expect(running.shipping.map(({ message }) => message)).toEqual(["Oi Ana", "Oi Bia", "Oi Caio"]);
  expect(running.contactList?.contacts).toHaveLength(3);

  const used = await api.delete(`/contact-lists/${contactListId}`);
  expect(used).toMatchObject({ status: 400, body: { error: "ERR_IN_CAMPAIGN" } });
  await api.post(`${path}/cancel`);
  expect((await api.delete(`/contact-lists/${contactListId}`)).status).toBe(200);
  expect((await api.post(`${path}/restart`)).body).toMatchObject({
    error: "Selecione uma lista de contatos ou tag",
  });
});

test("a tag becomes a list of its contacts, which each save brings up to date", async () => {
  const { api, company, body } = await office();
  const [tag] = await run<{ id: number }>(
    sql`insert into tags (company_id, name, color) values (${company.id}, 'VIP', '#112233') returning id`,
  );
  const tagId = tag?.id ?? 0;
  const own = await contact(company, "Own", "5511955000041");
  const ofTicket = await contact(company, "Of ticket", "5511955000042");
  await run(
    sql`insert into contact_tags (company_id, contact_id, tag_id) values (${company.id}, ${own}, ${tagId})`,
  );
  for (const _ of [1, 2]) {
    await run(sql`
      with made as (
        insert into tickets (company_id, uuid, contact_id, status) values (${company.id}, gen_random_uuid(), ${ofTicket}, 'closed') returning id)
      insert into ticket_tags (company_id, ticket_id, tag_id) select ${company.id}, id, ${tagId} from made`);
  }
  const estimate = await api.post<ReplyOf<"POST /campaigns/estimate">>("/campaigns/estimate", {
    tagListId: tagId,
  });
  expect(estimate.body.people).toMatchObject({ listed: 2, total: 2, unchecked: 2 });

  const made = await make(api, { ...body, tagListId: tagId });
  expect(made.tagListId).toBe(tagId);
  expect(made.contactList?.name).toMatch(new RegExp(`^Novembro \\| TAG: ${tagId} - \\d{4}-`));
  expect(made.contactListId).not.toBe(body.contactListId);
  expect((await show(api, made.id)).contactList?.contacts).toHaveLength(2);

  await run(sql`delete from contact_tags where contact_id = ${own}`);
  const saved = await api.put<Campaign>(`/campaigns/${made.id}`, { ...made, name: "Outra" });
  expect(saved.body.contactListId).toBe(made.contactListId);
  expect(saved.body.contactList?.name).toMatch(/^Outra \| TAG/);
  expect((await show(api, made.id)).contactList?.contacts).toHaveLength(1);

  const copy = await api.post<Campaign>(`/campaigns/${made.id}/duplicate`);
  expect(copy.body).toMatchObject({ name: "Outra (cópia)", status: "INATIVA", tagListId: tagId });
  expect(copy.body.contactListId).not.toBe(made.contactListId);
});

test("lists show running ones first, then planned ones by date, and count each status", async () => {
  const { api, body } = await office();
  const make1 = async (name: string, more: object = {}) => make(api, { ...body, name, ...more });
  const late = await make1("Tarde", { scheduledAt: inHours(72) });
  const ended = await make1("Antiga");
  await begin(ended.id, "FINALIZADA");
  const inactive = await make1("Rascunho");
  const soon = await make1("Cedo", { scheduledAt: inHours(24) });
  const running = await make1("Correndo");
  await begin(running.id);

  const list = async (query = "") =>
    (await api.get<ReplyOf<"GET /campaigns">>(`/campaigns?pageNumber=1${query}`)).body;
  const all = await list();
  expect(all.records.map(({ name }) => name)).toEqual([
    ...[running.name, soon.name, late.name, inactive.name, ended.name],
  ]);
  expect(all).toMatchObject({ count: 5, hasMore: false });
  expect(all.statusCounts).toEqual({
    ...{ EM_ANDAMENTO: 1, PROGRAMADA: 2, INATIVA: 1, CANCELADA: 0, FINALIZADA: 1 },
  });
  // The test application has no channels: its connection is down.
  expect(all.records[0]?.hold?.reason).toBe("disconnected");
  expect((await list("&searchParam=CED")).records.map(({ id }) => id)).toEqual([soon.id]);
  expect((await list("&status=PROGRAMADA")).records).toHaveLength(2);

  const lines = await api.get<CampaignLine[]>("/campaign-lines");
  expect(lines.body[0]).toMatchObject({ running: 1, planned: 2, newMax: null, newToday: 0 });
});

test("settings have their defaults, keep what is not sent and refuse a shortcut that is taken", async () => {
  const { api, agent, admin, company } = await office();
  const valueOf = (rows: CampaignSettingRow[], key: string): unknown =>
    JSON.parse(rows.find((row) => row.key === key)?.value ?? "null");
  const before = (await api.get<CampaignSettingRow[]>("/campaign-settings")).body;
  expect(valueOf(before, "messageInterval")).toBe(20);
  expect(valueOf(before, "optOutWords")).toContain("SAIR");

  const client = await app.live(admin);
  const variables = [{ key: "loja", value: "Centro" }];
  const settings = { messageInterval: "5", variables };
  const saved = await api.post<CampaignSettingRow[]>("/campaign-settings", { settings });
  expect(valueOf(saved.body, "messageInterval")).toBe(5);
  expect(valueOf(saved.body, "greaterInterval")).toBe(60);
  expect(valueOf(saved.body, "variables")).toEqual(variables);
  const heard = await client.next(companyEvent(company.id, "campaignSettings"));
  expect(heard).toMatchObject({ action: "create" });

  for (const keys of [["nome"], ["a", "a"]]) {
    const given = { variables: keys.map((key) => ({ key, value: "" })) };
    const refused = await api.post("/campaign-settings", { settings: given });
    expect(refused.body).toMatchObject({ error: "ERR_CAMPAIGN_VARIABLE" });
  }
  expect((await app.as(agent).post("/campaign-settings", { settings })).status).toBe(403);
});

test("a line tells its limit, which grows with the days since which a number is in use", async () => {
  const { api, connectionId, stranger } = await office();
  const path = `/campaign-lines/${connectionId}`;
  await api.post("/campaign-settings", { settings: { limitsByDay: true } });
  const since = (days: number) => inHours(-24 * days).slice(0, 10);
  const put = async (body: object) => (await api.put<CampaignLine>(path, body)).body;
  expect(await put({ inUseSince: since(10) })).toMatchObject({ newMax: 100, knownMax: 500 });
  expect(await put({ fixedLimit: 30 })).toMatchObject({ newMax: 30, inUseSince: since(10) });
  expect(await put({ fixedLimit: null })).toMatchObject({ newMax: 100, fixedLimit: null });
  // The official API: nine tenths of Meta's, which is set by hand.
  await run(sql`update connections set channel = 'cloud-api' where id = ${connectionId}`);
  expect(await put({})).toMatchObject({ isOfficial: true, newMax: null });
  expect(await put({ fixedLimit: 250 })).toMatchObject({ newMax: 225, knownMax: null });
  await run(sql`update connections set channel = 'simulator' where id = ${connectionId}`);
  expect(await put({ inUseSince: since(-3) })).toMatchObject({
    error: "ERR_CAMPAIGN_IN_USE_SINCE",
  });
  expect((await app.as(stranger).put(path, {})).body).toMatchObject({ error: "ERR_NO_WAPP_FOUND" });
});

test("the estimate says who gets it, when it ends and what takes the time", async () => {
  const { api, body, connectionId } = await office();
  await api.post("/campaign-settings", { settings: { limitsByDay: true, messageInterval: 0 } });
  await api.put(`/campaign-lines/${connectionId}`, { fixedLimit: 1 });
  const asked = { ...body, scheduledAt: "2031-03-04 09:00:00" };
  const { body: found } = await api.post<ReplyOf<"POST /campaigns/estimate">>(
    "/campaigns/estimate",
    asked,
  );
  expect(found.people).toMatchObject({ listed: 3, total: 3, known: 0, unchecked: 3, unnamed: 0 });
  expect(found.startsAt).toBe("2031-03-04T12:00:00.000Z");
  expect(found.days.map(({ day, count }) => [day, count])).toEqual([
    ["2031-03-04", 1],
    ["2031-03-05", 1],
    ["2031-03-06", 1],
  ]);
  expect(found.endsAt).toBe("2031-03-06T03:00:00.000Z");
  expect(found.limits).toEqual([{ kind: "limit", costsHours: 39 }]);
  expect(found.limit).toEqual({ perDay: 1, inUseDays: null, next: null });
});

test("the preview shows the texts of each person in turn, or of a sample person", async () => {
  const { api, body } = await office();
  const draft = {
    ...body,
    message3: "Tchau {nome}",
    confirmation: true,
    confirmationMessage1: "Posso, {nome}?",
  };
  const preview = async (change: object) =>
    (
      await api.post<ReplyOf<"POST /campaigns/preview">>("/campaigns/preview", {
        ...draft,
        ...change,
      })
    ).body;
  expect(await preview({ position: 0 })).toMatchObject({
    ...{ position: 0, total: 3, textNumber: 1, message: "Oi Ana", confirmation: "Posso, Ana?" },
  });
  expect(await preview({ position: 4 })).toMatchObject({
    ...{ position: 1, textNumber: 2, message: "Tchau Bia", person: { name: "Bia" } },
  });
  expect(await preview({ contactListId: null })).toMatchObject({ person: null, total: 0 });
  const template = {
    ...{ name: "saiu", language: "pt_BR", headerParameters: [], buttonParameters: [] },
    bodyParameters: ["{nome}", "amanhã"],
  };
  const filled = await preview({ position: 0, template });
  expect(filled.template?.bodyParameters).toEqual([filled.person?.name, "amanhã"]);
});
