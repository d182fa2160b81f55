import type {
  Contact,
  ContactImport,
  ContactListItem,
  ImportSettings,
  ImportTarget,
  ReplyOf,
  ShownContactImport,
} from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { read, utils } from "@e965/xlsx";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { createContactService, keyedAddresses } from "../contacts/index.ts";
import { systemCtx } from "../../platform/context.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { sweepImportsAcrossCompanies } from "./imports.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ importBatchRows: 3 });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

async function office() {
  const company = await app.given.company();
  return {
    company,
    admin: await app.given.admin({ company }),
    agent: await app.given.agent({ company }),
    stranger: await app.given.admin({ company: await app.given.company() }),
  };
}

/** The caller names the shape of the reply; the assertions are the check. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as `app.as`
async function send<T>(
  user: GivenUser,
  path: string,
  content: string,
  fields = {},
): Promise<{ status: number; body: T }> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, String(value));
  body.append("file", new Blob([content]), "clientes.csv");
  const headers = { authorization: `Bearer ${user.token}` };
  const reply = await fetch(`${app.url}/api${path}`, { method: "POST", headers, body });
  return { status: reply.status, body: (await reply.json()) as T };
}

const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.join(";")).join("\n");

/** Numbers that are no other test's. */
let numbers = 0;
const phone = (): string => `5511${980_000_000 + (numbers += 1)}`;
const people = (count: number): string[][] =>
  Array.from({ length: count }, (_, place) => [`Pessoa ${place}`, phone()]);

const show = async (user: GivenUser, id: number) =>
  (await app.as(user).get<ShownContactImport>(`/contact-imports/${id}`)).body;

async function until(user: GivenUser, id: number, state: ContactImport["state"]) {
  await expect.poll(async () => (await show(user, id)).state).toBe(state);
  return show(user, id);
}

const counted = async (user: GivenUser, id: number) => {
  await expect.poll(async () => (await show(user, id)).trial).not.toBeNull();
  return show(user, id);
};

/** A draft whose rows were counted. */
async function draft(user: GivenUser, rows: readonly (readonly string[])[], fields = {}) {
  const { status, body } = await send<ContactImport>(user, "/contact-imports", csv(rows), fields);
  expect(status).toBe(201);
  await until(user, body.id, "draft");
  return counted(user, body.id);
}

const settingsOf = (
  { settings }: ShownContactImport,
  targets: Record<number, ImportTarget>,
  change: Partial<ImportSettings> = {},
): ImportSettings => {
  if (!settings) throw new Error("no settings");
  const columns = settings.columns.map((column, place) => ({
    ...column,
    target: targets[place] ?? column.target,
  }));
  return { ...settings, columns, ...change };
};

const put = async (user: GivenUser, id: number, settings: ImportSettings) => {
  const reply = await app.as(user).put<ShownContactImport>(`/contact-imports/${id}`, settings);
  expect(reply.status).toBe(200);
  return counted(user, id);
};

const act = (user: GivenUser, id: number, action: string) =>
  app.as(user).post<ContactImport>(`/contact-imports/${id}/${action}`);

async function imported(user: GivenUser, id: number) {
  expect((await act(user, id, "start")).status).toBe(200);
  return until(user, id, "done");
}

type Book = ReplyOf<"GET /contacts">;
const book = async (user: GivenUser, search = "") =>
  (await app.as(user).get<Book>(`/contacts?searchParam=${search}`)).body.contacts;

test("a spreadsheet is read, tried, imported, and its refused rows come back as a file", async () => {
  const { admin, agent } = await office();
  const [ana, bia] = [phone(), phone()];
  const shown = await draft(agent, [
    ["nome", "celular", "e-mail", "cidade"],
    ["Ana", ana, "Ana@loja.example", "Santos"],
    ["Bia", bia.slice(2), "", ""],
    ["", "", "", "nenhum"],
    ["Caio", "987654321", "", ""],
    ["Duda", "5,51199E+12", "", ""],
    ["Outra Ana", `+${ana}`, "", ""],
    ["Edu", phone(), "edu@", ""],
  ]);
  expect(shown).toMatchObject({
    ...{ fileName: "clientes.csv", rows: 7, done: 0, errorCode: null },
    user: { id: agent.id, name: agent.name },
    settings: { titleRow: 1, country: "BR", rule: "fill" },
  });
  expect(shown.columns).toEqual([
    { title: "nome", isRecognised: true },
    { title: "celular", isRecognised: true },
    { title: "e-mail", isRecognised: true },
    { title: "cidade", isRecognised: false },
  ]);
  expect(shown.preview[1]).toMatchObject({ line: 3, name: "Bia", number: bia, problem: null });
  expect(shown.preview[5]).toMatchObject({ line: 7, problem: "repeated", sameAs: 2, number: ana });
  expect(shown.trial).toMatchObject({ added: 2, known: 0, refused: 5, newTags: [] });
  const lines = Object.fromEntries(
    shown.trial?.problems.map((one) => [one.problem, one.lines]) ?? [],
  );
  expect(lines).toEqual({
    ...{ noNumber: [4], noAreaCode: [5], lostDigits: [6], repeated: [7], badEmail: [8] },
  });

  await put(agent, shown.id, settingsOf(shown, { 3: "extra" }));
  const live = await app.live(admin);
  const done = await imported(agent, shown.id);
  expect(done).toMatchObject({ done: 7, added: 2, filled: 0, kept: 0, refused: 5 });
  const [first, ...others] = await book(agent);
  expect(others.map(({ name, number }) => [name, number])).toEqual([["Bia", bia]]);
  expect(first).toMatchObject({ name: "Ana", number: ana, email: "ana@loja.example" });
  const { body } = await app.as(agent).get<Contact>(`/contacts/${first?.id}`);
  expect(body.extraInfo).toMatchObject([{ name: "cidade", value: "Santos" }]);
  const heard = live.heard.map(({ name }) => name);
  expect(heard).toContain(companyEvent(admin.companyId, "contactImport"));
  expect(live.heard).toContainEqual({
    name: companyEvent(admin.companyId, "contact"),
    payload: { action: "reload", records: [] },
  });

  const rows = await app
    .as(agent)
    .get<ReplyOf<"GET /contact-imports/:contactImportId/rows">>(
      `/contact-imports/${shown.id}/rows?problem=lostDigits`,
    );
  expect(rows.body).toMatchObject({ count: 1, hasMore: false, rows: [{ line: 6, name: "Duda" }] });
  const headers = { authorization: `Bearer ${agent.token}` };
  const file = await fetch(`${app.url}/api/contact-imports/${shown.id}/refused`, { headers });
  const sheet = read(await file.arrayBuffer());
  const table = utils.sheet_to_json<string[]>(Object.values(sheet.Sheets)[0] ?? {}, { header: 1 });
  expect(table[0]).toEqual(["nome", "celular", "e-mail", "cidade", "Motivo"]);
  expect(table.slice(1).map((row) => row[1] || row[3])).toEqual([
    ...["nenhum", "987654321", "5,51199E+12", `+${ana}`],
    expect.any(String),
  ]);
  expect(table[4]?.at(-1)).toContain("2");
});

test("a file that is no spreadsheet, or has no numbers, says why and leaves nothing", async () => {
  const { agent } = await office();
  for (const [content, errorCode, errorData] of [
    ["MZ\u0090\u0000", "ERR_SHEET_NOT_ONE", { kind: "exe" }],
    ["nome;cidade\nAna;Santos", "ERR_SHEET_NO_NUMBERS", null],
    [" ", "ERR_SHEET_EMPTY", null],
  ] as const) {
    const { body } = await send<ContactImport>(agent, "/contact-imports", content);
    const shown = await until(agent, body.id, "unreadable");
    expect(shown).toMatchObject({ errorCode, errorData, settings: null, preview: [], columns: [] });
    expect((await act(agent, body.id, "start")).status).toBe(409);
    expect((await app.as(agent).delete(`/contact-imports/${body.id}`)).status).toBe(200);
  }
  const files = () =>
    run(sql`select from files where company_id = ${agent.companyId} union all
      select from contact_import_rows where company_id = ${agent.companyId}`);
  await expect.poll(files).toEqual([]);
});

test("settings are counted anew; what cannot start is refused", async () => {
  const { agent } = await office();
  const [ana, bia] = [phone(), phone()];
  const shown = await draft(agent, [
    ["Clientes", ""],
    ["nome", "telefone"],
    ["Ana", ana.slice(2)],
    ["Bia", bia],
  ]);
  expect(shown).toMatchObject({ rows: 2, settings: { titleRow: 2 }, trial: { added: 2 } });
  const none = await put(agent, shown.id, settingsOf(shown, { 1: "none" }));
  expect(none.trial).toMatchObject({ added: 0, refused: 2 });
  const refused = await act(agent, shown.id, "start");
  expect(refused).toMatchObject({ status: 400, body: { code: "ERR_IMPORT_SETTINGS" } });
  const whole = await put(agent, shown.id, settingsOf(shown, {}, { titleRow: 0, country: "PT" }));
  expect(whole).toMatchObject({ rows: 4, trial: { added: 1, refused: 3 } });
  expect(whole.preview[0]).toMatchObject({ line: 1, problem: "noNumber" });
  await imported(agent, shown.id);
  expect((await book(agent)).map(({ number }) => number)).toEqual([bia]);
  for (const path of ["start", "pause", "resume", "stop"]) {
    expect((await act(agent, shown.id, path)).status).toBe(409);
  }
});

test.each([
  ["keep", ["5511", "", "Santos"], 0, 3],
  ["fill", ["Ana", "ana@loja.example", "Santos"], 1, 2],
  ["replace", ["Ana", "ana@loja.example", "Rio"], 2, 1],
] as const)(
  "known contacts are found in either form and follow the rule: %s",
  async (rule, card, filled, kept) => {
    const { agent, company } = await office();
    const short = `55118${String(8_000_000 + (numbers += 1)).slice(0, 7)}`;
    const long = short.replace("5511", "55119");
    const [named, alike] = [phone(), phone()];
    const at = app.clock.now();
    const known = [
      { name: "5511", number: short },
      { name: "Zé", number: named },
      { name: "Igual", number: alike },
    ];
    const ids: number[] = [];
    for (const { name, number } of known) {
      const rows = await run<{ id: number }>(sql`
      with made as (
        insert into contacts (company_id, name, number, created_at) values (${company.id}, ${name}, ${number}, ${at})
        returning id)
      insert into contact_addresses (company_id, kind, key, value, contact_id)
      select ${company.id}, 'pn', ${number === short ? long : number}, ${number}, id from made returning contact_id as id`);
      ids.push(...rows.map(({ id }) => id));
    }
    await run(sql`insert into contact_extra_info (company_id, contact_id, name, value)
    values (${company.id}, ${ids[0]}, 'cidade', 'Santos')`);
    const shown = await draft(agent, [
      ["nome", "numero", "email", "cidade"],
      ["Ana", long, "ana@loja.example", "Rio"],
      ["José", named, "", ""],
      ["Igual", alike, "", ""],
    ]);
    expect(shown.trial).toMatchObject({ added: 0, known: 3 });
    await put(agent, shown.id, settingsOf(shown, { 3: "extra" }, { rule }));
    expect(await imported(agent, shown.id)).toMatchObject({ added: 0, filled, kept, refused: 0 });
    const { body } = await app.as(agent).get<Contact>(`/contacts/${ids[0]}`);
    expect([body.name, body.email, body.extraInfo?.[0]?.value]).toEqual(card);
    expect(body).toMatchObject({ number: short, extraInfo: [{ name: "cidade" }] });
    const other = await app.as(agent).get<Contact>(`/contacts/${ids[1]}`);
    expect(other.body.name).toBe(rule === "replace" ? "José" : "Zé");
  },
);

test("tags belong to the contact, opt-outs have their source, and a cell holds several tags", async () => {
  const { agent, company } = await office();
  const [ana, bia] = [phone(), phone()];
  await run(sql`insert into tags (company_id, name) values (${company.id}, 'Vip')`);
  const shown = await draft(agent, [
    ["nome", "numero", "etiquetas", "aceita mensagens"],
    ["Ana", ana, '"VIP; Novo"', "Não"],
    ["Bia", bia, "novo", "sim"],
  ]);
  expect(shown.trial).toMatchObject({ added: 2, newTags: ["Novo"] });
  await imported(agent, shown.id);
  const [first, second] = await book(agent);
  expect(first?.tags.map(({ name }) => name)).toEqual(["Vip", "Novo"]);
  expect(second?.tags.map(({ name }) => name)).toEqual(["Novo"]);
  expect(first?.optOut).toMatchObject({ source: "import", user: { id: agent.id } });
  expect(second?.optOut).toBeNull();
  const vip = first?.tags[0]?.id;
  const tagged = await app.as(agent).get<Book>(`/contacts?tags=[${vip}]`);
  expect(tagged.body.contacts.map(({ name }) => name)).toEqual(["Ana"]);
  // The opt-out of a known contact is stored whatever the rule is; an earlier one stays as it is.
  const again = await draft(agent, [
    ["numero", "aceita"],
    [ana, "sair"],
    [bia, "0"],
  ]);
  await put(agent, again.id, settingsOf(again, {}, { rule: "keep" }));
  expect(await imported(agent, again.id)).toMatchObject({ filled: 1, kept: 1 });
  expect((await book(agent)).map(({ optOut }) => optOut?.source)).toEqual(["import", "import"]);
});

test("a column with too many new tags is none of tags", async () => {
  const { agent } = await office();
  const rows = people(limits.importNewTagsMax + 1).map(([name = "", number = ""], place) => [
    ...[name, number, `Etiqueta ${place}`],
  ]);
  const shown = await draft(agent, [["nome", "numero", "tag"], ...rows]);
  expect(shown.trial?.newTags).toHaveLength(limits.importNewTagsMax + 1);
  expect(await act(agent, shown.id, "start")).toMatchObject({ status: 400 });
});

test("people go to a list, who opted out becomes a contact, and members are kept once", async () => {
  const { admin, agent } = await office();
  const list = await app.as(admin).post<{ id: number }>("/contact-lists", { name: "Campanha" });
  const contactListId = list.body.id;
  const [ana, bia] = [phone(), phone()];
  await app.as(admin).post("/contact-list-items", { name: "Ana", number: ana, contactListId });
  const table = [
    ["nome", "numero", "aceita"],
    ["Ana Souza", ana, ""],
    ["Bia", bia, "n"],
  ];
  const forbidden = await send(agent, "/contact-imports", csv(table), { contactListId });
  expect(forbidden.status).toBe(403);
  const { stranger } = await office();
  const foreign = await send(stranger, "/contact-imports", csv(table), { contactListId });
  expect(foreign).toMatchObject({ status: 404, body: { code: "ERR_NO_CONTACTLIST_FOUND" } });
  const shown = await draft(admin, table, { contactListId });
  expect(shown).toMatchObject({ contactListId, trial: { added: 1, known: 1 } });
  expect((await app.as(agent).get(`/contact-imports/${shown.id}`)).status).toBe(403);
  type Page = ReplyOf<"GET /contact-imports">;
  expect((await app.as(agent).get<Page>("/contact-imports")).body.records).toEqual([]);
  const ofList = await app.as(admin).get<Page>(`/contact-imports?contactListId=${contactListId}`);
  expect(ofList.body.records.map(({ id }) => id)).toEqual([shown.id]);
  expect(await imported(admin, shown.id)).toMatchObject({ added: 1, kept: 1 });
  const path = `/contact-list-items?contactListId=${contactListId}`;
  const members = await app.as(admin).get<ReplyOf<"GET /contact-list-items">>(path);
  expect(members.body.contacts.map(({ name, isOptedOut }) => [name, isOptedOut])).toEqual([
    ["Ana", false],
    ["Bia", true],
  ]);
  expect((await book(admin)).map(({ name }) => name)).toEqual(["Bia"]);
});

test("imports of a company take turns, and are paused, resumed and stopped between two batches", async () => {
  const { agent } = await office();
  const first = await draft(agent, [["nome", "numero"], ...people(30)]);
  const second = await draft(agent, [["nome", "numero"], ...people(2)]);
  expect((await act(agent, first.id, "start")).body.state).toBe("running");
  expect((await act(agent, second.id, "start")).body.state).toBe("waiting");
  const paused = await act(agent, first.id, "pause");
  expect(paused.body.state).toBe("paused");
  await until(agent, second.id, "done");
  const at = await show(agent, first.id);
  expect(at.done % 3).toBe(0);
  expect(await book(agent)).toHaveLength(Math.min(at.done + 2, 30));
  expect((await act(agent, first.id, "resume")).body.state).toBe("running");
  expect(await until(agent, first.id, "done")).toMatchObject({ added: 30, done: 30 });

  const third = await draft(agent, [["nome", "numero"], ...people(9)]);
  await act(agent, third.id, "start");
  const stopped = await act(agent, third.id, "stop");
  expect(stopped.body).toMatchObject({ state: "stopped", finishedAt: expect.any(String) });
  const after = await show(agent, third.id);
  const [count] = await run<{ count: number }>(
    sql`select count(*)::int as count from contacts where company_id = ${agent.companyId}`,
  );
  expect(count?.count).toBe(32 + after.added);
  expect((await app.as(agent).delete(`/contact-imports/${third.id}`)).status).toBe(200);
});

test("an import that another process left in the middle is finished without anybody twice", async () => {
  // It reads the same files.
  const environment = { BALCAO_DATA: app.dataDir };
  const other = await testApp({ database: app.database, environment, importBatchRows: 2 });
  const { agent } = await office();
  const rows = people(20);
  const shown = await draft(agent, [["nome", "numero"], ...rows]);
  await act(agent, shown.id, "start");
  // Two processes work on it at once, and one of them goes.
  await other.close();
  expect(await until(agent, shown.id, "done")).toMatchObject({ added: 20, done: 20, refused: 0 });
  const [count] = await run<{ count: number }>(
    sql`select count(*)::int as count from contacts where company_id = ${agent.companyId}`,
  );
  expect(count?.count).toBe(20);
});

test("a file whose reader is gone is read again from its beginning", async () => {
  const { agent } = await office();
  const { body } = await send<ContactImport>(agent, "/contact-imports", "x");
  await until(agent, body.id, "unreadable");
  const next = await send<ContactImport>(agent, "/contact-imports", csv([["numero"], [phone()]]));
  await run(sql`
    update contact_imports set state = 'reading', reader = gen_random_uuid(), due_at = now() + interval '1 hour'
    where id = ${next.body.id} and state = 'reading'`);
  // The lost reader has stored some rows.
  await run(sql`
    insert into contact_import_rows (company_id, contact_import_id, line, cells)
    values (${agent.companyId}, ${next.body.id}, 77, '["velha"]') on conflict do nothing`);
  await run(
    sql`update contact_imports set due_at = now() where id = ${next.body.id} and state = 'reading'`,
  );
  const wake = await send<ContactImport>(agent, "/contact-imports", "y");
  await until(agent, wake.body.id, "unreadable");
  const shown = await until(agent, next.body.id, "draft");
  expect(shown.rows).toBe(shown.preview.length);
});

test("companies take turns: a small import does not wait for a large one of another company", async () => {
  const [large, small] = [await office(), await office()];
  const long = await draft(large.agent, [["nome", "numero"], ...people(150)]);
  const short = await draft(small.agent, [["nome", "numero"], ...people(3)]);
  await act(large.agent, long.id, "start");
  await act(small.agent, short.id, "start");
  await until(small.agent, short.id, "done");
  expect((await show(large.agent, long.id)).state).toBe("running");
  await until(large.agent, long.id, "done");
});

test("two numbers of one contact are two rows, and the first one's values count", async () => {
  const { agent, company } = await office();
  const [ana, bia] = [phone(), phone()];
  await run(sql`
    with made as (
      insert into contacts (company_id, name, number) values (${company.id}, ${ana}, ${ana}) returning id)
    insert into contact_addresses (company_id, kind, key, value, contact_id)
    select ${company.id}, 'pn', number, number, id from made, (values (${ana}), (${bia})) as n(number)`);
  const shown = await draft(agent, [
    ["nome", "numero", "cidade"],
    ["Ana", ana, "Santos"],
    ["Ana Lima", bia, "Recife"],
  ]);
  await put(agent, shown.id, settingsOf(shown, { 2: "extra" }));
  expect(await imported(agent, shown.id)).toMatchObject({ added: 0, filled: 2, kept: 0, done: 2 });
  const [only, ...others] = await book(agent);
  expect(others).toEqual([]);
  const { body } = await app.as(agent).get<Contact>(`/contacts/${only?.id}`);
  expect(body).toMatchObject({ name: "Ana", number: ana });
  expect(body.extraInfo).toMatchObject([{ name: "cidade", value: "Santos" }]);
});

test("the history of a contact has what an import changed, and who began it", async () => {
  const { agent } = await office();
  const [ana, bia] = [phone(), phone()];
  const head = ["nome", "numero", "e-mail", "cidade", "aceita mensagens"];
  const first = await draft(agent, [
    head,
    ["", ana, "", "Santos", ""],
    ["Bia", bia, "", "", "não"],
  ]);
  await put(agent, first.id, settingsOf(first, { 3: "extra" }));
  await imported(agent, first.id);
  const again = [
    ["Ana", ana, "ana@loja.example", "Recife", "não"],
    ["Bia", bia, "", "", "não"],
  ];
  const second = await draft(agent, [head, ...again]);
  await put(agent, second.id, settingsOf(second, { 3: "extra" }, { rule: "replace" }));
  expect(await imported(agent, second.id)).toMatchObject({ filled: 1, kept: 1 });
  type History = ReplyOf<"GET /contacts/:contactId/history">;
  const historyOf = async (number: string) => {
    const [contact] = await book(agent, number);
    const { body } = await app.as(agent).get<History>(`/contacts/${contact?.id}/history`);
    return body.events.map(({ change, user }) => ({ ...change, userId: user?.id }));
  };
  const optedOut = { kind: "optedOut", source: "import", userId: agent.id };
  expect(await historyOf(bia)).toEqual([optedOut]);
  const ofAna = await historyOf(ana);
  expect(ofAna).toHaveLength(2);
  expect(ofAna).toContainEqual(optedOut);
  const fields = [
    { field: "name", label: "", from: ana, to: "Ana" },
    { field: "email", label: "", from: "", to: "ana@loja.example" },
    { field: "extraInfo", label: "cidade", from: "Santos", to: "Recife" },
  ];
  expect(ofAna).toContainEqual({
    ...{ kind: "edited", userId: agent.id },
    fields: expect.toSatisfy(
      (found: unknown[]) =>
        found.length === fields.length &&
        fields.every((one) => JSON.stringify(found).includes(one.to)),
    ),
  });
});

test("an import that would make a list too large is refused before it begins", async () => {
  const { admin, company } = await office();
  const list = await app.as(admin).post<{ id: number }>("/contact-lists", { name: "Grande" });
  const contactListId = list.body.id;
  await run(sql`
    insert into contact_list_items (company_id, contact_list_id, name, number)
    select ${company.id}, ${contactListId}, 'Cliente', (5521900000000 + n)::text
    from generate_series(1, ${limits.contactListMax - 1}) as n`);
  const shown = await draft(admin, [["nome", "numero"], ...people(2)], { contactListId });
  const full = { status: 400, body: { code: "ERR_CONTACTLIST_FULL" } };
  expect(await act(admin, shown.id, "start")).toMatchObject(full);
  const one = await draft(admin, [["nome", "numero"], ...people(1)], { contactListId });
  expect((await act(admin, one.id, "start")).status).toBe(200);
  expect(await until(admin, one.id, "done")).toMatchObject({ added: 1 });
  const again = await draft(admin, [["nome", "numero"], ...people(1)], { contactListId });
  expect(await act(admin, again.id, "start")).toMatchObject(full);
});

test("somebody who writes while an import runs is one contact", async () => {
  const { agent, company } = await office();
  const rows = people(60);
  const shown = await draft(agent, [["nome", "numero"], ...rows]);
  const service = createContactService({
    clock: app.clock,
    realtime: { publish: () => undefined },
    domainEvents: { publish: async () => undefined, subscribe: () => undefined } as never,
    sign: () => "",
    joinTickets: async () => [],
  });
  const ctx = systemCtx(company.id, "test", "test");
  await act(agent, shown.id, "start");
  for (const [, number = ""] of rows.toReversed()) {
    const addresses = keyedAddresses([
      { kind: "pn", value: number },
      { kind: "lid", value: `${number}1` },
    ]);
    await app.database.db.transaction(ctx, (tx) =>
      service.findOrCreate(ctx, tx, { addresses, isGroup: false, pushName: "Quem escreve" }),
    );
  }
  const done = await until(agent, shown.id, "done");
  expect(done.added + done.filled + done.kept).toBe(60);
  const [count] = await run<{ count: number; owners: number }>(sql`
    select (select count(*)::int from contacts where company_id = ${company.id}) as count,
      (select count(distinct contact_id)::int from contact_addresses where company_id = ${company.id}) as owners`);
  expect(count).toEqual({ count: 60, owners: 60 });
});

test("the plain calls answer the new ones by the titles of 6.1", async () => {
  const { admin, agent, company } = await office();
  const [ana, bia] = [phone(), phone()];
  const table = csv([
    ["NOME", "Número", "E-mail"],
    ["Ana", `(11) ${ana.slice(4)}`, "ana@loja.example"],
    ["", bia, ""],
    ["Sem", "", ""],
  ]);
  const added = await send<Contact[]>(agent, "/contacts/upload", table);
  expect(added.status).toBe(200);
  expect(added.body.map(({ name, number }) => [name, number])).toEqual([
    ["Ana", ana],
    [bia, bia],
  ]);
  const again = csv([
    ["nome", "numero"],
    ["Outra", ana],
    ["Caio", phone()],
  ]);
  const second = await send<Contact[]>(agent, "/contacts/upload", again);
  expect(second.body.map(({ name }) => name)).toEqual(["Caio"]);
  expect((await book(agent, "Ana")).map(({ name }) => name)).toEqual(["Ana"]);
  const list = await app.as(admin).post<{ id: number }>("/contact-lists", { name: "Lista" });
  const path = `/contact-lists/${list.body.id}/upload`;
  const members = await send<ContactListItem[]>(admin, path, table);
  expect(members.body.map(({ name }) => name)).toEqual(["Ana", bia]);
  expect((await send(agent, path, table)).status).toBe(403);
  expect((await send(admin, "/contact-lists/999999/upload", table)).status).toBe(404);
  const bad = await send(agent, "/contacts/upload", "telefone\n11987654321");
  expect(bad).toMatchObject({
    ...{ status: 400 },
    body: { code: "ERR_SHEET_NO_NUMBERS", error: expect.stringContaining("números") },
  });
  const large = `nome;numero\n${"x".repeat(limits.smallSheetMaxBytes)}`;
  expect((await send(agent, "/contacts/upload", large)).status).toBe(413);
  // They stand in no list of imports, and leave nothing behind.
  expect(await run(sql`select from contact_imports where company_id = ${company.id}`)).toEqual([]);
});

test("a phone's address book is imported: digits give way to its names, others stay, and nothing is told before it is there", async () => {
  const { company, agent } = await office();
  const ask = () => app.as(agent).post<{ contactImportId: number | null }>("/contacts/import", {});
  expect((await ask()).body).toMatchObject({ code: "ERR_NO_DEF_WAPP_FOUND" });
  const connectionId = await app.given.connection({ company });
  await expect
    .poll(async () => (await ask()).body)
    .toEqual({ message: "contacts imported", contactImportId: null });
  const [named, digits, unknown] = [phone(), phone(), phone()];
  await run(sql`
    insert into phone_book_entries (company_id, connection_id, number_normal, number, name, updated_at)
    select ${company.id}, ${connectionId}, number, number, name, now() from (values
      (${named}, 'Apelido'), (${digits}, 'Bia'), (${unknown}, 'Caio')) as e(number, name)`);
  for (const [name, number] of [
    ["Dona Ana", named],
    [digits, digits],
  ]) {
    await run(sql`
      with made as (
        insert into contacts (company_id, name, number) values (${company.id}, ${name}, ${number}) returning id)
      insert into contact_addresses (company_id, kind, key, value, contact_id)
      select ${company.id}, 'pn', ${number}, ${number}, id from made`);
  }
  const { contactImportId } = (await ask()).body;
  const done = await until(agent, contactImportId ?? 0, "done");
  expect([done.rows, done.added, done.filled, done.kept, done.refused]).toEqual([3, 1, 1, 1, 0]);
  expect(
    await run(
      sql`select name, number from contacts where company_id = ${company.id} order by name`,
    ),
  ).toEqual([
    { name: "Bia", number: digits },
    { name: "Caio", number: unknown },
    { name: "Dona Ana", number: named },
  ]);
});

test("another company finds nothing", async () => {
  const { agent, stranger } = await office();
  const shown = await draft(agent, [["numero"], [phone()]]);
  const path = `/contact-imports/${shown.id}`;
  for (const call of [
    ...["", "/rows", "/refused"].map((one) => app.as(stranger).get(`${path}${one}`)),
    ...["start", "pause", "resume", "stop"].map((one) => act(stranger, shown.id, one)),
    app.as(stranger).delete(path),
    app.as(stranger).put(path, settingsOf(shown, {})),
  ]) {
    expect(await call).toMatchObject({ status: 404, body: { code: "ERR_NO_IMPORT_FOUND" } });
  }
});

test("imports are removed when nobody needs them any more", async () => {
  const { agent, company } = await office();
  const ages = [
    ["draft", 2],
    ["draft", 4],
    ["unreadable", 4],
    ["done", 4],
    ["done", 31],
    ["running", 31],
  ] as const;
  for (const [state, days] of ages) {
    await run(sql`
      insert into contact_imports (company_id, user_id, file_name, file_bytes, state, due_at, updated_at)
      values (${company.id}, ${agent.id}, ${`${state} ${days}`}, 1, ${state},
        ${state === "running" ? new Date("2999-01-01") : null}, now() - make_interval(days => ${days}))`);
  }
  await sweepImportsAcrossCompanies(app.database.db, new AbortController().signal);
  const left = await run<{ name: string }>(
    sql`select file_name as name from contact_imports where company_id = ${company.id} order by id`,
  );
  expect(left.map(({ name }) => name)).toEqual(["draft 2", "done 4", "running 31"]);
});

test("a company of its own has the example in the language of the request", async () => {
  const { agent } = await office();
  const headers = { authorization: `Bearer ${agent.token}`, "accept-language": "es-AR" };
  const file = await fetch(`${app.url}/api/contact-imports/example`, { headers });
  const sheet = Object.values(read(await file.arrayBuffer()).Sheets)[0] ?? {};
  expect(utils.sheet_to_json<string[]>(sheet, { header: 1 })[0]?.[0]).toBe("nombre");
});
