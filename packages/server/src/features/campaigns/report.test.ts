import type { Campaign, FileList, ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

/** A campaign that runs on a connected line: Ana read, Bia failed, Caio and Davi wait. */
async function running() {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const api = app.as(admin);
  const whatsappId = await app.given.connection({ company });
  await run(sql`update connections set status = 'CONNECTED' where id = ${whatsappId}`);
  const list = await api.post<{ id: number }>("/contact-lists", { name: "Clientes" });
  const contactListId = list.body.id;
  const body = {
    name: "Novembro",
    message1: "Oi {nome}",
    message2: "Olá",
    contactListId,
    whatsappId,
  };
  const { id } = (await api.post<Campaign>("/campaigns", body)).body;
  for (const [place, name] of ["Ana", "Bia", "Caio", "Davi"].entries()) {
    const number = `551195500010${place}`;
    await api.post("/contact-list-items", { name, number, email: "", contactListId });
    await run(sql`
      insert into campaign_recipients (company_id, campaign_id, position, name, number, message, is_known, changed_at)
      values (${company.id}, ${id}, ${place}, ${name}, ${number}, ${`Oi ${name}`}, false, now() + ${place} * interval '1 second')`);
  }
  await run(
    sql`update campaigns set status = 'EM_ANDAMENTO', started_at = now() - interval '3 hours' where id = ${id}`,
  );
  const at = sql`now() - interval '2 hours'`;
  await run(sql`
    update campaign_recipients set status = 'read', sent_at = ${at}, delivered_at = ${at}, read_at = ${at}, answered_at = ${at}
    where campaign_id = ${id} and name = 'Ana'`);
  await run(sql`
    update campaign_recipients set status = 'failed', sent_at = ${at}, error_code = 'ERR_SENDING_WAPP_MSG'
    where campaign_id = ${id} and name = 'Bia'`);
  return { company, admin, api, id, path: `/campaigns/${id}`, contactListId };
}

test("a report has the numbers of now, what was done and what is foreseen", async () => {
  const { api, path } = await running();
  const { body } = await api.get<ReplyOf<"GET /campaigns/:campaignId/report">>(`${path}/report`);
  expect(body.campaign).toMatchObject({ status: "EM_ANDAMENTO", hold: null });
  expect(body.campaign.endsAt).not.toBeNull();
  expect(body.campaign.counts).toMatchObject({
    ...{ people: 4, valid: 4, waiting: 2, delivered: 1, read: 1, failed: 1, retryable: 1 },
    ...{ answered: 1, left: 0 },
  });
  expect(body.listed).toBe(4);
  expect(body.line).toEqual({ newToday: 0, knownToday: 0, newMax: null });
  expect(body.chart.step).toBe("hour");
  const total = (of: "done" | "planned") => body.chart.bars.reduce((sum, bar) => sum + bar[of], 0);
  expect([total("done"), total("planned")]).toEqual([1, 2]);
});

test("what was done over days and weeks is counted by the day and by the week, from Monday on", async () => {
  const { api, path, id } = await running();
  const chart = async (days: number) => {
    await run(sql`
      update campaigns set status = 'FINALIZADA', completed_at = now(), started_at = now() - ${days} * interval '1 day' where id = ${id}`);
    await run(sql`
      update campaign_recipients set sent_at = now() - (position % 2) * ${days} * interval '1 day', status = 'sent' where campaign_id = ${id}`);
    const { body } = await api.get<ReplyOf<"GET /campaigns/:campaignId/report">>(`${path}/report`);
    return body.chart;
  };
  const byDay = await chart(6);
  expect(byDay.step).toBe("day");
  expect(byDay.bars.map(({ done }) => done)).toEqual([2, 0, 0, 0, 0, 0, 2]);
  const byWeek = await chart(70);
  expect(byWeek.step).toBe("week");
  expect(byWeek.bars).toHaveLength(11);
  expect([byWeek.bars[0]?.done, byWeek.bars.at(-1)?.done]).toEqual([2, 2]);
  // The time zone of the company: three hours behind UTC.
  for (const { at } of byWeek.bars) expect(new Date(at)).toSatisfy(isMondayMidnight);
});

const isMondayMidnight = (at: Date): boolean => {
  const local = new Date(at.getTime() - 3 * 3_600_000);
  return local.getUTCDay() === 1 && local.getUTCHours() === 0;
};

test("people are listed by their last change, filtered, searched and exported", async () => {
  const { api, path } = await running();
  type Page = ReplyOf<"GET /campaigns/:campaignId/recipients">;
  const names = async (query: string) => {
    const { body } = await api.get<Page>(`${path}/recipients?pageNumber=1${query}`);
    expect(body.count).toBe(body.records.length);
    return body.records.map(({ name, textNumber }) => `${name} ${textNumber}`);
  };
  expect(await names("")).toEqual(["Davi 2", "Caio 1", "Bia 2", "Ana 1"]);
  expect(await names("&status=delivered")).toEqual(["Ana 1"]);
  expect(await names("&status=failed")).toEqual(["Bia 2"]);
  expect(await names("&searchParam=caio")).toEqual(["Caio 1"]);
  expect(await names("&searchParam=5511955000103")).toEqual(["Davi 2"]);

  const wish = { format: "csv", language: "pt", status: "failed" };
  const file = await api.post<string>(`${path}/export`, wish);
  expect(file.status).toBe(200);
  expect(file.body).toContain("Bia");
  expect(file.body).toContain("ERR_SENDING_WAPP_MSG");
  expect(file.body).not.toContain("Ana");
});

test("who failed gets a new campaign with a list of its own", async () => {
  const { api, path } = await running();
  const { body } = await api.post<Campaign>(`${path}/resend`);
  expect(body).toMatchObject({
    name: "Novembro (novo envio)",
    status: "INATIVA",
    message1: "Oi {nome}",
  });
  const again = await api.get<ReplyOf<"GET /campaigns/:campaignId">>(`/campaigns/${body.id}`);
  expect(again.body.contactList?.contacts).toHaveLength(1);
  expect((await api.post(`/campaigns/${body.id}/resend`)).status).toBe(400);
});

test("a test goes to one number with the data of a person of the list, and makes no recipient", async () => {
  const { api, path, company } = await running();
  const number = "5511955000199";
  await run(sql`
    with made as (insert into contacts (company_id, name, number) values (${company.id}, 'Eu', ${number}) returning *)
    insert into contact_addresses (company_id, kind, key, value, contact_id) select company_id, 'pn', number, number, id from made`);
  const sent = await api.post(`${path}/test`, { number, position: 0 });
  expect(sent).toMatchObject({ status: 200, body: { message: "Test sent" } });
  const stored = await run<{ body: string }>(
    sql`select body from messages where company_id = ${company.id} and from_me`,
  );
  expect(stored.map(({ body }) => body)).toEqual(["Oi Ana"]);
  const { body: page } = await api.get<{ count: number }>(`${path}/recipients?pageNumber=1`);
  expect(page.count).toBe(4);

  await run(sql`
    update contacts set opted_out_at = now(), opt_out_source = 'reply' where company_id = ${company.id} and number = ${number}`);
  expect((await api.post(`${path}/test`, { number })).body).toMatchObject({
    error: "ERR_CONTACT_OPTED_OUT",
  });
});

test("a test with a list of files and an attachment sends them as a campaign does", async () => {
  const { api, path, company, admin } = await running();
  const upload = (to: string, parts: readonly [string, Blob | string, string?][]) => {
    const form = new FormData();
    for (const [name, value, fileName] of parts) {
      if (typeof value === "string") form.append(name, value);
      else form.append(name, value, fileName);
    }
    const headers = { authorization: `Bearer ${admin.token}` };
    return fetch(`${app.url}/api${to}`, { method: "POST", headers, body: form });
  };
  const text = (content: string) => new Blob([content], { type: "text/plain" });
  const { body: list } = await api.post<FileList>("/files", {
    ...{ name: "Catálogo", message: "Coleção", options: [{ name: "Capa" }, { name: "Preços" }] },
  });
  const [first, second] = list.options;
  const stored = await upload(`/files/uploadList/${list.id}`, [
    ["files", text("capa"), "capa.txt"],
    ["id", String(first?.id)],
    ["name", "Capa"],
    ["files", text("precos"), "precos.txt"],
    ["id", String(second?.id)],
    ["name", "Preços"],
    ["typeArch", "fileList"],
    ["fileId", String(list.id)],
  ]);
  expect(stored.status).toBe(200);
  await run(
    sql`update campaigns set file_list_id = ${list.id}, status = 'INATIVA' where company_id = ${company.id}`,
  );
  const attached = await upload(`${path}/media-upload`, [["file", text("convite"), "convite.txt"]]);
  expect(attached.status).toBe(200);
  const number = "5511955000188";
  await run(sql`
    with made as (insert into contacts (company_id, name, number) values (${company.id}, 'Eu', ${number}) returning *)
    insert into contact_addresses (company_id, kind, key, value, contact_id) select company_id, 'pn', number, number, id from made`);
  expect((await api.post(`${path}/test`, { number, position: 1 })).status).toBe(200);
  const sent = await run<{ body: string; file: string | null }>(sql`
    select m.body, f.name as file from messages m left join message_media f on f.company_id = m.company_id and f.message_id = m.id
    where m.company_id = ${company.id} and m.from_me order by m.seq`);
  expect(sent).toEqual([
    { body: "Olá", file: null },
    { body: "Capa", file: "capa.txt" },
    { body: "Preços", file: "precos.txt" },
    { body: "convite.txt", file: "convite.txt" },
  ]);
});

test("a list of files stays while a campaign that is planned or runs uses it, and is taken from the others", async () => {
  const { api, id } = await running();
  const { body: list } = await api.post<FileList>("/files", {
    ...{ name: "Catálogo", message: "Coleção", options: [] },
  });
  await run(sql`update campaigns set file_list_id = ${list.id} where id = ${id}`);
  const refused = await api.delete(`/files/${list.id}`);
  expect(refused).toMatchObject({ status: 400, body: { error: "ERR_IN_CAMPAIGN" } });
  expect(JSON.stringify(refused.body)).toContain("Novembro");
  await run(sql`update campaigns set status = 'CANCELADA' where id = ${id}`);
  expect((await api.delete(`/files/${list.id}`)).status).toBe(200);
  const { body: shown } = await api.get<Campaign>(`/campaigns/${id}`);
  expect(shown.fileListId).toBeNull();
});
