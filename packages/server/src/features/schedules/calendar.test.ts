import type { CalendarEntry } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

type Calendar = {
  schedules: CalendarEntry[];
  days: { day: string; counts: Record<string, number> }[];
};

const read = async (user: GivenUser, query: string): Promise<Calendar> => {
  const reply = await app.as(user).get<Calendar>(`/schedules/calendar?${query}`);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
};
const march = "dateStart=2040-03-01&dateEnd=2040-03-31";
const bodies = ({ schedules }: Calendar) => schedules.map(({ body }) => body);

async function office() {
  const { given } = app;
  const company = await given.company({ timeZone: "America/Sao_Paulo" });
  const connectionId = await given.connection({ company, name: "Loja" });
  const ticket = await given.ticket({ company, connectionId, contactName: "Bia" });
  return {
    ...{ company, connectionId, contactId: ticket.contactId },
    admin: await given.admin({ company }),
    ana: await given.agent({ company, name: "Ana" }),
  };
}

type Office = Awaited<ReturnType<typeof office>>;

/** `send_at` is a local time of São Paulo (UTC-3). */
async function add(
  { company, contactId, ana }: Office,
  rows: readonly [body: string, local: string, status?: string][],
  of: { contactId?: number; userId?: number } = {},
): Promise<void> {
  for (const [body, local, status = "PENDENTE"] of rows) {
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into schedules (company_id, contact_id, user_id, body, send_at, due_at, status)
        values (${company.id}, ${of.contactId ?? contactId}, ${of.userId ?? ana.id}, ${body},
          ${local}::timestamp at time zone 'America/Sao_Paulo', now() + interval '9 years', ${status})`),
    );
  }
}

test("a range has the first messages of each of its days, and the counts of all by day and state", async () => {
  const here = await office();
  await add(here, [
    ["a", "2040-03-01T00:00"],
    ["b", "2040-03-01T09:00", "ENVIADA"],
    ["c", "2040-03-01T09:00", "ERRO"],
    ["d", "2040-03-01T23:59", "AGENDADA"],
    ["e", "2040-03-31T23:59"],
    ["before", "2040-02-29T23:59"],
    ["after", "2040-04-01T00:00"],
  ]);
  const calendar = await read(here.ana, `${march}&perDay=3`);
  expect(bodies(calendar)).toEqual(["a", "b", "c", "e"]);
  expect(calendar.days).toEqual([
    { day: "2040-03-01", counts: { waiting: 2, sent: 1, failed: 1, optedOut: 0 } },
    { day: "2040-03-31", counts: { waiting: 1, sent: 0, failed: 0, optedOut: 0 } },
  ]);
  expect(calendar.schedules[0]).toMatchObject({
    contact: { name: "Bia" },
    connection: { id: here.connectionId, name: "Loja" },
    series: null,
  });
});

test("it is narrowed by state, user, contact and connection; states do not change the counts", async () => {
  const here = await office();
  const { company } = here;
  const other = await app.given.connection({ company, name: "Atacado" });
  const caio = await app.given.ticket({ company, connectionId: other, contactName: "Caio" });
  await add(here, [
    ["waits", "2040-03-02T09:00"],
    ["sent", "2040-03-02T10:00", "ENVIADA"],
  ]);
  await add(here, [["to Caio", "2040-03-02T11:00"]], { contactId: caio.contactId });
  await add(here, [["by the admin", "2040-03-02T12:00"]], { userId: here.admin.id });

  const sent = await read(here.admin, `${march}&states=["sent"]`);
  expect(bodies(sent)).toEqual(["sent"]);
  expect(sent.days[0]?.counts).toMatchObject({ waiting: 3, sent: 1 });
  expect(bodies(await read(here.admin, `${march}&states=[]`))).toEqual([]);
  expect(bodies(await read(here.admin, `${march}&userId=${here.admin.id}`))).toEqual([
    "by the admin",
  ]);
  expect(bodies(await read(here.admin, `${march}&contactId=${caio.contactId}`))).toEqual([
    "to Caio",
  ]);
  expect(bodies(await read(here.admin, `${march}&whatsappId=${other}`))).toEqual(["to Caio"]);
  // Agents see their own, whatever they ask for.
  expect(bodies(await read(here.ana, `${march}&userId=${here.admin.id}`))).toEqual([]);
  expect(bodies(await read(here.ana, march))).toEqual(["waits", "sent", "to Caio"]);

  const list = async (query: string): Promise<string[]> => {
    const { body } = await app.as(here.admin).get<Calendar>(`/schedules?${query}`);
    return bodies(body);
  };
  expect(await list(`whatsappId=${other}`)).toEqual(["to Caio"]);
  expect(await list(`states=["sent"]`)).toEqual(["sent"]);
  expect(await list("latestFirst=true")).toEqual(["by the admin", "to Caio", "sent", "waits"]);
});

test("messages to a contact that opted out are counted apart while they wait", async () => {
  const here = await office();
  await add(here, [
    ["waits", "2040-03-02T09:00"],
    ["sent", "2040-03-02T10:00", "ENVIADA"],
  ]);
  await app.as(here.ana).put(`/contacts/${here.contactId}/opt-out`, {});
  const { days, schedules } = await read(here.ana, `${march}&states=["optedOut"]`);
  expect(days[0]?.counts).toEqual({ waiting: 0, sent: 1, failed: 0, optedOut: 1 });
  expect(schedules.map(({ body }) => body)).toEqual(["waits"]);
});

test.for([
  "dateStart=2040-03-01&dateEnd=2040-02-01",
  "dateStart=2040-03-01&dateEnd=2040-05-02",
  "dateStart=2040-03-01",
  "dateStart=amanha&dateEnd=2040-03-31",
  `${march}&perDay=201`,
  `${march}&perDay=0`,
  `${march}&states=["gone"]`,
])("the range %s is refused", async (query) => {
  const { ana } = await office();
  const reply = await app.as(ana).get(`/schedules/calendar?${query}`);
  expect([reply.status, reply.body]).toMatchObject([400, { code: "ERR_INVALID_REQUEST" }]);
});

test("without the plan's flag nobody has a calendar", async () => {
  const company = await app.given.company({ plan: { useSchedules: false } });
  const reply = await app
    .as(await app.given.admin({ company }))
    .get(`/schedules/calendar?${march}`);
  expect([reply.status, reply.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
});

test("the month of a company with 50,000 schedules takes two statements, also with a day of thousands", async () => {
  const here = await office();
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into schedules (company_id, contact_id, user_id, body, send_at, due_at)
      select ${here.company.id}, ${here.contactId}, ${here.ana.id}, 'Texto ' || n,
        case when n <= 3000 then timestamptz '2040-03-15T12:00Z' + n * interval '1 second'
          else timestamptz '2040-01-01T12:00Z' + (n % 365) * interval '1 day' end,
        now() + interval '9 years'
      from generate_series(1, 50000) n`),
  );
  await read(here.admin, `${march}&perDay=3`);
  app.statements.take();
  const calendar = await read(here.admin, `${march}&perDay=3`);
  const work = app.statements.take().filter((text) => !text.includes("token_version"));
  expect(work).toHaveLength(2);
  expect(calendar.schedules).toHaveLength(3 * 31);
  expect(calendar.days.find(({ day }) => day === "2040-03-15")?.counts["waiting"]).toBeGreaterThan(
    3_000,
  );
});
