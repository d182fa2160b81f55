import type {
  Connection,
  ConnectionId,
  ContactListItem,
  ContactSelection,
  ListedContactList,
  ReplyOf,
  ShownContactList,
} from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { addressKey } from "../contacts/index.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ numberCheckGapMs: 0 });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

/** A line of the company, when it is on the simulated network. */
async function online(company: GivenCompany, user: GivenUser): Promise<ConnectionId> {
  const connectionId = await app.given.connection({ company });
  await expect
    .poll(async () => (await app.as(user).get<Connection>(`/whatsapp/${connectionId}`)).body.status)
    .toBe("CONNECTED");
  return connectionId;
}

async function office() {
  const company = await app.given.company();
  return {
    company,
    admin: await app.given.admin({ company }),
    agent: await app.given.agent({ company }),
    stranger: await app.given.admin({ company: await app.given.company() }),
  };
}

async function add(user: GivenUser, name: string): Promise<ListedContactList> {
  const reply = await app.as(user).post<ListedContactList>("/contact-lists", { name });
  expect(reply.status).toBe(200);
  return reply.body;
}

type Person = { name: string; number: string; email?: string };
const addPerson = (user: GivenUser, contactListId: number, person: Person) =>
  app.as(user).post<ContactListItem>("/contact-list-items", { ...person, contactListId });

const show = async (user: GivenUser, id: number) =>
  (await app.as(user).get<ShownContactList>(`/contact-lists/${id}`)).body;

type Found = ReplyOf<"GET /contact-list-items">;
async function people(user: GivenUser, id: number, more = ""): Promise<string[]> {
  const path = `/contact-list-items?contactListId=${id}${more}`;
  const { body } = await app.as(user).get<Found>(path);
  expect(body.count).toBe(body.contacts.length);
  return body.contacts.map(({ name }) => name);
}

/** Contacts of the company with numbers that begin with `5511955`. */
async function contacts(company: GivenCompany, names: readonly string[]): Promise<number[]> {
  const rows = await run<{ id: number }>(sql`
      with made as (
        insert into contacts (company_id, name, number)
        select ${company.id}, name, '5511955' || lpad(place::text, 6, '0')
        from unnest(${sql.param(names)}::text[]) with ordinality as given(name, place)
        returning *),
      linked as (
        insert into contact_addresses (company_id, kind, key, value, contact_id)
        select company_id, 'pn', number, number, id from made)
      select id from made order by id`);
  return rows.map(({ id }) => id);
}

const fill = (user: GivenUser, id: number, selection: ContactSelection, keepsFilter = false) =>
  app.as(user).post(`/contact-lists/${id}/contacts`, { selection, keepsFilter });

test("a list is created, renamed and deleted, and each change is published", async () => {
  const { admin, company } = await office();
  const client = await app.live(admin);
  const heard = () => client.next(companyEvent(company.id, "ContactList"));

  const made = await add(admin, "  Clientes ");
  expect(made).toMatchObject({ name: "Clientes", contactsCount: 0 });
  expect(await heard()).toEqual({ action: "create", record: made });

  const path = `/contact-lists/${made.id}`;
  const changed = await app.as(admin).put<ListedContactList>(path, { name: "Clientes VIP" });
  expect(changed.body).toMatchObject({ id: made.id, name: "Clientes VIP" });
  expect(await heard()).toEqual({ action: "update", record: changed.body });

  expect((await app.as(admin).delete(path)).status).toBe(200);
  expect(await heard()).toEqual({ action: "delete", id: made.id });
  expect((await app.as(admin).get(path)).body).toMatchObject({ code: "ERR_NO_CONTACTLIST_FOUND" });
});

test("lists are by name, are searched without case and accents, and say how many people they have", async () => {
  const { admin } = await office();
  const [zebra] = [await add(admin, "Zebra"), await add(admin, "Ação"), await add(admin, "bola")];
  await addPerson(admin, zebra.id, { name: "Ana", number: "11 95555-0001" });
  const found = async (words: string) => {
    type Page = ReplyOf<"GET /contact-lists">;
    const { body } = await app.as(admin).get<Page>(`/contact-lists?searchParam=${words}`);
    return [body.count, body.records.map(({ name, contactsCount }) => [name, contactsCount])];
  };
  expect(await found("")).toEqual([
    3,
    [
      ["Ação", 0],
      ["bola", 0],
      ["Zebra", 1],
    ],
  ]);
  expect(await found("acao")).toEqual([1, [["Ação", 0]]]);
  const all = await app.as(admin).get<{ name: string }[]>("/contact-lists/list");
  expect(all.body.map(({ name }) => name)).toEqual(["Ação", "bola", "Zebra"]);
});

test("an agent reads and does not change; without campaigns in its plan a company has no lists", async () => {
  const { admin, agent, company } = await office();
  const { id } = await add(admin, "Nossa");
  const path = `/contact-lists/${id}`;
  expect((await app.as(agent).get(path)).status).toBe(200);
  expect((await app.as(agent).put(path, { name: "Dele" })).status).toBe(403);
  expect((await addPerson(agent, id, { name: "Ana", number: "11955550001" })).status).toBe(403);
  for (const name of ["", "x"]) {
    const refused = await app.as(admin).post("/contact-lists", { name });
    expect(refused.body).toMatchObject({ code: "ERR_CONTACTLIST_INVALID_NAME" });
  }
  await run(sql`update plans set use_campaigns = false
                 where id = (select plan_id from companies where id = ${company.id})`);
  expect((await app.as(admin).get(path)).status).toBe(403);
});

test("a person is on a list once, whichever way the number is written", async () => {
  const { admin, company } = await office();
  const client = await app.live(admin);
  const list = await add(admin, "Lista");
  const first = await addPerson(admin, list.id, { name: "Ana", number: "(11) 95555-0001" });
  expect(first.body).toMatchObject({ number: "5511955550001", email: "", isWhatsappValid: false });
  expect(await client.next(companyEvent(company.id, "ContactListItem"))).toEqual({
    action: "create",
    record: first.body,
  });
  // Without the ninth digit.
  const again = await addPerson(admin, list.id, { name: "Outra", number: "+55 11 5555-0001" });
  expect(again.body).toMatchObject({ number: "551155550001" });
  const same = await addPerson(admin, list.id, { name: "Outra", number: "+55 11 9555-50001" });
  expect(same.body).toEqual(first.body);
  for (const [person, code] of [
    [{ name: "A", number: "11955550001" }, "ERR_CONTACTLISTITEM_INVALID_NAME"],
    [{ name: "Ana", number: "onze nove" }, "ERR_NUMBER_FORMAT"],
  ] as const) {
    const refused = await addPerson(admin, list.id, person);
    expect([refused.status, refused.body]).toMatchObject([400, { code }]);
  }
});

test("the database's form of a number is the one by which contacts are found", async () => {
  const numbers = ["551187654321", "5521987654321", "551133334444", "14155550100", "5500987654321"];
  const { admin, company } = await office();
  const { id } = await add(admin, "Formas");
  const rows = await run<{ key: string }>(sql`
    insert into contact_list_items (company_id, contact_list_id, name, number)
    select ${company.id}, ${id}, 'x', number from unnest(${sql.param(numbers)}::text[]) as number
    returning number_normal as key`);
  expect(rows.map(({ key }) => key)).toEqual(
    numbers.map((value) => addressKey({ kind: "pn", value })),
  );
});

test("somebody on a list is changed, found by name and number, and taken off", async () => {
  const { admin, stranger } = await office();
  const list = await add(admin, "Lista");
  await addPerson(admin, list.id, { name: "Álvaro", number: "11955550001" });
  const { body: bia } = await addPerson(admin, list.id, { name: "Bia", number: "11955550002" });
  const path = `/contact-list-items/${bia.id}`;
  expect(await people(admin, list.id, "&searchParam=alva")).toEqual(["Álvaro"]);
  expect(await people(admin, list.id, "&searchParam=55550002")).toEqual(["Bia"]);

  const taken = await app.as(admin).put(path, { number: "+55 11 95555-0001" });
  expect([taken.status, taken.body]).toMatchObject([400, { code: "ERR_DUPLICATED_CONTACT" }]);
  const change = { name: "Bianca", email: "bia@example.com" };
  expect((await app.as(admin).put(path, change)).body).toMatchObject(change);
  expect((await app.as(stranger).get(path)).status).toBe(404);
  expect((await app.as(admin).delete(path)).status).toBe(200);
  expect(await people(admin, list.id)).toEqual(["Álvaro"]);
});

test("chosen contacts are put on a list; those who are on it and those without a number are not added", async () => {
  const { admin, company, stranger } = await office();
  const ids = await contacts(company, ["Ana", "Bia", "Caio"]);
  await run(sql`insert into contacts (company_id, name) values (${company.id}, 'Sem número')`);
  const list = await add(admin, "Lista");
  expect((await fill(admin, list.id, { ids: ids.slice(0, 2) as never[] })).body).toEqual({
    added: 2,
    chosen: 2,
  });
  const all: ContactSelection = { filter: {}, except: [ids[2] as never] };
  expect((await fill(admin, list.id, all)).body).toEqual({ added: 0, chosen: 3 });
  expect(await people(admin, list.id)).toEqual(["Ana", "Bia"]);
  expect((await fill(stranger, list.id, all)).status).toBe(404);
});

test("a list that was filled from a filter says how many fit by now, and takes them; nobody is removed", async () => {
  const { admin, company } = await office();
  const [ana] = await contacts(company, ["Ana", "Bia"]);
  const list = await add(admin, "Últimos dias");
  const filter = { createdWithin: 7, optedOut: false };
  expect((await fill(admin, list.id, { filter, except: [ana as never] }, true)).body).toEqual({
    added: 1,
    chosen: 1,
  });
  expect(await show(admin, list.id)).toMatchObject({ filter, fitting: 1, contactsCount: 1 });
  const refreshed = await app.as(admin).post(`/contact-lists/${list.id}/refresh`, undefined);
  expect(refreshed.body).toEqual({ added: 1, chosen: 2 });
  expect(await show(admin, list.id)).toMatchObject({ fitting: 0, contactsCount: 2 });

  await app.as(admin).put(`/contacts/${ana}/opt-out`, undefined);
  expect(await show(admin, list.id)).toMatchObject({ fitting: 0, counts: { optedOut: 1 } });
  expect(await people(admin, list.id, "&validity=optedOut")).toEqual(["Ana"]);
});

test("a list is sent as a spreadsheet, with what is known of its numbers", async () => {
  const { company, admin, agent, stranger } = await office();
  const { id } = await add(admin, "Natal / VIP's");
  await addPerson(admin, id, { name: "Bia", number: "5511987651111", email: "b@loja.com" });
  await addPerson(admin, id, { name: "Ana", number: "5511987652222" });
  await run(sql`
    update contact_list_items set is_valid = name = 'Ana', checked_at = '2026-11-20T13:05:00Z' where company_id = ${company.id}`);
  const send = (user: GivenUser, body: object) =>
    app.as(user).post<string>(`/contact-lists/${id}/export`, { format: "csv", ...body });
  const all = await send(agent, {});
  expect(all.headers.get("content-disposition")).toBe(
    "attachment; filename*=UTF-8''Natal%20%2F%20VIP%27s.csv",
  );
  expect(all.body.split("\r\n")).toEqual([
    "nome;número;e-mail;WhatsApp;conferido em",
    "Ana;5511987652222;;sim;20/11/2026 10:05",
    "Bia;5511987651111;b@loja.com;não;20/11/2026 10:05",
    "",
  ]);
  const invalid = await send(agent, { validity: "invalid", language: "en" });
  expect(invalid.body.split("\r\n").map((line) => line.split(";")[0])).toEqual(["name", "Bia", ""]);
  expect((await send(stranger, {})).status).toBe(404);
});

test("the numbers of a small list are looked up by themselves, and stay as the network writes them", async () => {
  const { admin, company } = await office();
  const connectionId = await online(company, admin);
  // The network knows the number without the ninth digit.
  await run(sql`insert into simulator_customers (company_id, connection_id, phone, name)
                values (${company.id}, ${connectionId}, '551188887777', 'Com')`);
  const list = await add(admin, "Lista");
  await addPerson(admin, list.id, { name: "Com", number: "11 98888-7777" });
  await addPerson(admin, list.id, { name: "Sem", number: "11 3333-0000" });
  await expect
    .poll(async () => (await show(admin, list.id)).counts)
    .toEqual({ valid: 1, invalid: 1, unchecked: 0, optedOut: 0 });
  expect(await people(admin, list.id, "&validity=valid")).toEqual(["Com"]);
  expect(await people(admin, list.id, "&validity=invalid")).toEqual(["Sem"]);
  const { body } = await app.as(admin).get<Found>(`/contact-list-items?contactListId=${list.id}`);
  expect(body.contacts).toMatchObject([
    { name: "Com", number: "551188887777", isWhatsappValid: true },
    { name: "Sem", number: "551133330000", isWhatsappValid: false },
  ]);
  expect((await show(admin, list.id)).check).toMatchObject({ state: "idle" });
});

test("without a connection the check says that it is stopped, and goes on by itself", async () => {
  const { admin, company } = await office();
  const list = await add(admin, "Lista");
  await addPerson(admin, list.id, { name: "Ana", number: "11 98888-7777" });
  await expect.poll(async () => (await show(admin, list.id)).check.state).toBe("stopped");
  await online(company, admin);
  await run(sql`update contact_lists set check_due_at = now() where id = ${list.id}`);
  // Asking for the check wakes the worker.
  await app.as(admin).post(`/contact-lists/${list.id}/check`, undefined);
  await expect.poll(async () => (await show(admin, list.id)).counts.valid).toBe(1);
  expect((await show(admin, list.id)).check.state).toBe("idle");
});

test("a large list is looked up when somebody asks for it", async () => {
  const { admin, company } = await office();
  const list = await add(admin, "Grande");
  await run(sql`
    insert into contact_list_items (company_id, contact_list_id, name, number)
    select ${company.id}, ${list.id}, 'x', '5511' || (900000000 + n)
    from generate_series(1, ${limits.contactListCheckedMax}::int) n`);
  await addPerson(admin, list.id, { name: "Mais um", number: "11 3333-4444" });
  expect((await show(admin, list.id)).check.state).toBe("idle");
  await app.as(admin).post(`/contact-lists/${list.id}/check`, undefined);
  expect((await show(admin, list.id)).check.state).not.toBe("idle");
});

test("while no number is to be checked, nobody looks for one all the time", async () => {
  await expect
    .poll(async () =>
      run(sql`select 1 from contact_lists where check_due_at <= now() + interval '1 s'`),
    )
    .toEqual([]);
  app.statements.take();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const looks = app.statements.take().filter((text) => text.includes("update contact_lists l"));
  expect(looks.length).toBeLessThan(5);
});

test("what was found out about a number is taken over without a question, as the network writes it", async () => {
  const { admin, company } = await office();
  await run(sql`insert into known_numbers (company_id, key, number, checked_at)
    values (${company.id}, '5511988887777', '551188887777', now()), (${company.id}, '5215512345678', '525512345678', now())`);
  const list = await add(admin, "Lista");
  await addPerson(admin, list.id, { name: "Ana", number: "11 98888-7777" });
  await addPerson(admin, list.id, { name: "Luz", number: "+52 55 1234 5678" });
  await addPerson(admin, list.id, { name: "Luz de novo", number: "+52 1 55 1234 5678" });
  await expect
    .poll(async () => (await show(admin, list.id)).counts)
    .toMatchObject({ valid: 2, unchecked: 1 });
  const { body } = await app.as(admin).get<Found>(`/contact-list-items?contactListId=${list.id}`);
  expect(body.contacts.map(({ number }) => number)).toEqual([
    "551188887777",
    "525512345678",
    "5215512345678",
  ]);
});
