import type { ReplyOf } from "@balcao/contract";
import { utils, read } from "@e965/xlsx";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { attendances } from "../../platform/db/schema/index.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

// That a report has the attendances of each figure is tested beside the dashboard, in same-figures.test.ts.

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

type Report = ReplyOf<"GET /reports/attendances">;

/** A company with tickets of two contacts, one attendance each, in March 2026. */
async function office() {
  const { given, database } = app;
  const company = await given.company({ timeZone: "America/Sao_Paulo" });
  const queueId = await given.queue({ company, name: "Vendas" });
  const connectionId = await given.connection({ company, name: "Loja", linked: false });
  const supervisor = await given.supervisor({ company, name: "Sara" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [queueId] });
  const made = (contactName: string, day: string) =>
    given.ticket({
      ...{ company, connectionId, contactName, status: "closed", at: new Date(`${day}T12:00:00Z`) },
      servedBy: { userId: ana.id, queueId },
    });
  const first = await made('=HYPERLINK("x")', "2026-03-10");
  const second = await made("José Ávila", "2026-03-11");
  await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`
      update attendances set rate = 2, rated = true, started_at = queued_at + interval '25 minutes',
        finished_at = queued_at + interval '1 hour', asked_at = queued_at, answered_at = queued_at + interval '90 seconds'
      where company_id = ${company.id} and ticket_id = ${first.id}`);
    await tx.query(sql`
      insert into ratings (company_id, attendance_id, ticket_id, user_id, rate, created_at)
      select company_id, id, ticket_id, user_id, 2, finished_at from attendances
      where company_id = ${company.id} and ticket_id = ${first.id}`);
  });
  return {
    company,
    supervisor,
    ana,
    queueId,
    connectionId,
    first,
    second,
    api: app.as(supervisor),
  };
}

const march = "dateFrom=2026-03-01&dateTo=2026-03-31";

test("supervisors read reports, and no dashboard; agents read neither", async () => {
  const { api, ana } = await office();
  expect((await api.get(`/reports/attendances?${march}`)).status).toBe(200);
  expect((await api.get(`/dashboard/figures?${march}`)).status).toBe(403);
  expect((await app.as(ana).get(`/reports/attendances?${march}`)).status).toBe(403);
});

test("a row tells whom it was with, who served it, and its times", async () => {
  const { api, first, ana, queueId, connectionId } = await office();
  const { body } = await api.get<Report>(`/reports/attendances?${march}&rates=[2]`);
  expect(body.attendances).toMatchObject([
    {
      ...{ ticketId: first.id, ticketUuid: first.uuid, rate: 2, isReopened: false, isNew: true },
      contact: { id: first.contactId, name: '=HYPERLINK("x")', number: first.phone },
      user: { id: ana.id, name: "Ana", isRemoved: false },
      queue: { id: queueId, name: "Vendas" },
      whatsapp: { id: connectionId, name: "Loja" },
      queuedAt: "2026-03-10T12:00:00.000Z",
      ...{ waitSeconds: 1_500, firstAnswerSeconds: 90, supportSeconds: 2_100 },
    },
  ]);
  expect(body.next).toBeNull();
});

test("contact, protocol and search find the same attendance; a deleted ticket leaves its row", async () => {
  const { api, second, company } = await office();
  const found = async (query: string) => {
    const { body } = await api.get<Report>(`/reports/attendances?${march}&${query}`);
    return body.attendances.map(({ ticketId }) => ticketId);
  };
  const [row] = (await api.get<Report>(`/reports/attendances?${march}`)).body.attendances;
  for (const query of [
    ...[`contactId=${second.contactId}`, `protocol=${second.id}`, `protocol=${row?.id}`],
    ...["searchParam=avila", `searchParam=${second.phone}`],
  ]) {
    expect([query, await found(query)]).toEqual([query, [second.id]]);
  }
  expect(await found("searchParam=ninguem")).toEqual([]);
  const admin = await app.given.admin({ company });
  expect((await app.as(admin).delete(`/tickets/${second.id}`)).status).toBe(200);
  const { body } = await api.get<Report>(`/reports/attendances?${march}`);
  expect(body.attendances[0]).toMatchObject({ id: row?.id, ticketId: null, contact: null });
});

test("pages neither skip nor repeat an attendance, also when others begin meanwhile", async () => {
  const { api, company } = await office();
  const at = new Date("2026-03-20T12:00:00Z");
  const many = (count: number) =>
    app.database.db.acrossCompanies((tx) =>
      tx.orm.insert(attendances).values(
        Array.from({ length: count }, () => ({
          companyId: company.id,
          queuedAt: at,
          createdAt: at,
        })),
      ),
    );
  await many(120);
  const first = await api.get<Report>(`/reports/attendances?${march}`);
  expect(first.body.sums?.attendances).toBe(122);
  await many(3);
  const ids = first.body.attendances.map(({ id }) => id);
  let { next } = first.body;
  while (next !== null) {
    const { body } = await api.get<Report>(`/reports/attendances?${march}&after=${next}`);
    expect(body.sums).toBeNull();
    ids.push(...body.attendances.map(({ id }) => id));
    next = body.next;
  }
  expect([ids.length, new Set(ids).size]).toEqual([122, 122]);
});

async function download(user: GivenUser, query: string): Promise<Buffer> {
  const reply = await fetch(`${app.url}/api/reports/export?${query}`, {
    headers: { authorization: `Bearer ${user.token}` },
  });
  expect(reply.status).toBe(200);
  return Buffer.from(await reply.arrayBuffer());
}

test("the CSV has a byte order mark, the filter in its first lines, and no formula; in XLSX times are numbers", async () => {
  const { supervisor, queueId } = await office();
  const query = `${march}&queueIds=[${queueId},null]&state=resolved`;
  const csv = (await download(supervisor, `${query}&format=csv`)).toString();
  const lines = csv.split("\r\n");
  expect(lines.slice(0, 8)).toEqual([
    ...["\uFEFFAtendimentos", "Período;01/03/2026 a 31/03/2026", "Fuso horário;America/Sao_Paulo"],
    ...["Fila;Vendas, (nenhuma)", "Atendente;todas", "Etiqueta;todas", "Conexão;todas"],
    "Data;entrada na fila",
  ]);
  expect(csv).toContain("Situação;finalizados");
  expect(lines.some((line) => line.includes(`;"'=HYPERLINK(""x"")";`))).toBe(true);
  expect(lines.some((line) => line.includes("10/03/2026 09:00;10/03/2026 09:25"))).toBe(true);

  const book = read(await download(supervisor, `${query}&format=xlsx&language=en`));
  const sheet = book.Sheets[book.SheetNames[0] ?? ""];
  const rows = utils.sheet_to_json<unknown[]>(sheet ?? {}, { header: 1 });
  const titles = rows.find(([title]) => title === "Protocol") ?? [];
  const row = rows.find((cells) => cells[2] === '=HYPERLINK("x")') ?? [];
  expect(row[titles.indexOf("Wait (s)")]).toBe(1_500);
});

test("the calls of other clients answer in their shapes", async () => {
  const { api, first, second, queueId, ana, connectionId } = await office();
  const query = [
    ...[`users=[${ana.id}]`, `queueIds=[${queueId}]`, `whatsappId=[${connectionId}]`],
    ...['status=["closed"]', "dateFrom=2026-03-01", "dateTo=2026-03-31", "page=1", "pageSize=1"],
  ].join("&");
  const page = await api.get<ReplyOf<"GET /ticket/reports">>(`/ticket/reports?${query}`);
  expect(page.body).toEqual({
    totalTickets: { total: 2 },
    tickets: [
      {
        ...{ id: second.id, uuid: second.uuid, whatsappName: "Loja", contactName: "José Ávila" },
        ...{ userName: "Ana", queueName: "Vendas", status: "closed", lastMessage: "" },
        ...{ createdAt: "2026-03-11T12:00:00.000Z", closedAt: "2026-03-11T12:00:00.000Z" },
      },
    ],
  });
  const found = await api.get<ReplyOf<"GET /ticket/reports">>(
    `/ticket/reports?ticketId=${first.id}`,
  );
  expect(found.body.tickets.map(({ id }) => id)).toEqual([first.id]);

  const dates = "initialDate=2026-03-01&finalDate=2026-03-31&companyId=1";
  expect((await api.get(`/reports/appointmentsAtendent?${dates}`)).body).toEqual({
    appointmentsByAttendents: [
      { user_name: "Sara", total_tickets: 0 },
      { user_name: "Ana", total_tickets: 2 },
    ],
    ticketsByQueues: [{ name: "Vendas", total_tickets: 2 }],
  });
  await app.given.message(first, { at: new Date("2026-03-10T12:30:00Z") });
  await app.given.message(second, { at: new Date("2026-03-11T12:45:00Z"), fromMe: true });
  expect((await api.get(`/reports/rushHour?${dates}`)).body).toEqual([
    { message_hour: 9, message_count: 2 },
  ]);
  expect((await api.get(`/reports/departamentRatings?${dates}`)).body).toEqual([
    { name: "Vendas", total_rate: 2 },
  ]);
  for (const path of ["appointmentsAtendent", "rushHour", "departamentRatings"]) {
    expect((await api.get(`/reports/${path}`)).status).toBe(200);
  }
});
