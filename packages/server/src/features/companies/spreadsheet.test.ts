import type { CompanySheetRow, Plan, ReplyOf } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { read, utils, write } from "@e965/xlsx";
import { beforeAll, expect, test } from "vitest";
import type { Api, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let provider: GivenUser;
let api: Api;
let plan: Plan;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  provider = await app.given.admin({ company: await app.given.company(), super: true });
  api = app.as(provider);
  const body = { name: "Operação", users: 9, connections: 9, queues: 9, value: 99.9 };
  plan = (await api.post<Plan>("/plans", body)).body;
});

type Sheet = ReplyOf<"POST /companies/spreadsheet"> & { code?: string; data?: unknown };

async function upload(content: string | Uint8Array<ArrayBuffer>, user = provider) {
  const body = new FormData();
  body.append("file", new Blob([content]), "empresas.xlsx");
  const headers = { authorization: `Bearer ${user.token}` };
  const url = `${app.url}/api/companies/spreadsheet`;
  const reply = await fetch(url, { method: "POST", headers, body });
  return { status: reply.status, body: (await reply.json()) as Sheet };
}

/** A workbook; cells that begin with "=" are formulas with the value 7. */
function workbook(rows: readonly (readonly unknown[])[]): Uint8Array<ArrayBuffer> {
  const sheet = utils.aoa_to_sheet(rows.map((row) => [...row]));
  for (const [place, cell] of Object.entries(sheet)) {
    const { v } = cell as { v?: unknown };
    if (typeof v === "string" && v.startsWith("=")) sheet[place] = { t: "n", v: 7, f: v.slice(1) };
  }
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, "Empresas");
  return Uint8Array.from(write(book, { type: "buffer", bookType: "xlsx" }) as Buffer); // by `type`
}

const titles = ["Nome", "E-mail", "Telefone", "Plano", "Vencimento", "Recorrência", "Campanhas"];
const faultsOf = ({ body }: { body: Sheet }) => body.rows.map(({ faults }) => faults);
const codeOf = async (content: string | Uint8Array<ArrayBuffer>) => {
  const { status, body } = await upload(content);
  return [status, body.code];
};

let number = 0;
const wanted = () => {
  number += 1;
  return { name: `Ótica ${number}`, email: `otica${number}@otica.example`, planId: plan.id };
};
type Batch = ReplyOf<"POST /companies/batch">["results"];
const create = async (companies: object[]): Promise<Batch> => {
  const reply = await api.post<{ results: Batch }>("/companies/batch", { companies });
  expect(reply.status).toBe(200);
  return reply.body.results;
};

test.each([
  ["pt", titles, "Anual", "ANUAL"],
  [
    "en",
    ["Name", "Email", "Phone", "Plan", "Due date", "Billing period", "Campaigns"],
    ...(["Every 3 months", "TRIMESTRAL"] as const),
  ],
  [
    "es",
    ["Nombre", "Correo", "Teléfono", "Plan", "Vencimiento", "Recurrencia", "Campañas"],
    ...(["Mensual", "MENSAL"] as const),
  ],
])("the titles of the template in %s are known", async (_language, names, word, recurrence) => {
  const row = ["Loja", "loja@loja.example", "48 99812-4471", "operacao", "1/2/2099", word, "não"];
  const { body } = await upload(workbook([["Clientes de 2026"], names, row]));
  expect(body.rows).toEqual([
    {
      line: 3,
      cells: {
        ...{ name: "Loja", email: "loja@loja.example", phone: "48 99812-4471" },
        ...{ plan: "operacao", dueDate: "1/2/2099", recurrence: word, campaigns: "não" },
      },
      faults: {},
      company: {
        ...{ name: "Loja", email: "loja@loja.example", phone: "48 99812-4471", planId: plan.id },
        ...{ dueDate: "2099-02-01", recurrence, campaignsEnabled: false },
      },
    },
  ]);
});

test("faults stand at their cells, and what is left out has its default", async () => {
  const taken = wanted();
  await create([taken]);
  const rows = [
    ["nome;e-mail;plano;vencimento;recorrência;campanhas;observação"],
    ["Padaria;padaria@loja.example;Operação;;;;"],
    [`${taken.name};${taken.email.toUpperCase()};Operação;;;;`],
    ["P;nada;Ouro;31/02/2026;às vezes;talvez;"],
    ["Padaria;PADARIA@loja.example;Operação;2026-12-19;3;1;"],
    [";;;;;;Total"],
    [`${"x".repeat(limits.nameMax + 1)};;Operação;;;;`],
    ["=1+1;formula@loja.example;Operação;;;;"],
  ];
  const reply = await upload(rows.join("\n"));
  expect(faultsOf(reply)).toEqual([
    {},
    { name: "taken", email: "taken" },
    {
      ...{ name: "short", email: "invalid", plan: "unknown", dueDate: "invalid" },
      ...{ recurrence: "unknown", campaigns: "unknown" },
    },
    { name: "repeated", email: "repeated" },
    { name: "long", email: "missing" },
    {},
  ]);
  const companies = reply.body.rows.map(({ company }: CompanySheetRow) => company);
  expect(companies.slice(0, 5).filter((one) => one !== null)).toEqual([
    {
      ...{ name: "Padaria", email: "padaria@loja.example", phone: null, planId: plan.id },
      ...{ dueDate: null, recurrence: "MENSAL", campaignsEnabled: true },
    },
  ]);
  // The text of a formula is a text: nothing computes it.
  expect(companies[5]?.name).toBe("=1+1");
});

test("files that are no spreadsheet of companies are refused with what is wrong", async () => {
  const row = ["Loja", "a@b.example", "", "Operação"];
  const many = Array.from({ length: limits.companySheetRowsMax + 1 }, () => row);
  const wide = Array.from({ length: 10_000 }, (_, place) => titles[place] ?? `c${place}`);
  const zip = workbook([titles, row]);
  expect(await codeOf("")).toEqual([400, "ERR_SHEET_EMPTY"]);
  expect(await codeOf(titles.join(";"))).toEqual([400, "ERR_SHEET_EMPTY"]);
  expect(await codeOf("nome;numero\nAna;5511977770001")).toEqual([400, "ERR_SHEET_NO_COMPANIES"]);
  expect(await codeOf("%PDF-1.7 um contrato")).toEqual([400, "ERR_SHEET_NOT_ONE"]);
  expect(await codeOf(zip.slice(0, zip.length / 2))).toEqual([400, "ERR_SHEET_DAMAGED"]);
  expect(await codeOf(workbook([wide, row]))).toEqual([400, "ERR_SHEET_TOO_WIDE"]);
  expect(await codeOf(workbook([titles, ...many]))).toEqual([400, "ERR_SHEET_TOO_MANY_ROWS"]);
  const large = "x".repeat(limits.companySheetMaxBytes + 1);
  expect(await codeOf(large)).toEqual([413, "ERR_FILE_TOO_LARGE"]);
  // A formula counts as the value that its program has stored.
  const { body } = await upload(workbook([titles, ["=CMD()", "a@b.example", "", "Operação"]]));
  expect(body.rows[0]?.cells.name).toBe("7");
  const admin = await app.given.admin({ company: await app.given.company() });
  expect((await upload(titles.join(";"), admin)).status).toBe(403);
});

test("a user's second spreadsheet waits until the first is read", async () => {
  const both = await Promise.all([upload(titles.join(";")), upload(titles.join(";"))]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([400, 429]);
});

test("companies are created each by itself, their admins are invited, and a repeated call creates none twice", async () => {
  const [first, second, third] = [wanted(), wanted(), wanted()];
  const companies = [
    { ...first, recurrence: "ANUAL", dueDate: "2099-12-19", campaignsEnabled: false },
    { ...second, name: first.name },
    { ...second, planId: 2_000_000_000 },
    third,
  ];
  const results = await create(companies);
  const id = expect.any(Number);
  expect(results).toEqual([
    { companyId: id, isNew: true, code: null },
    { companyId: null, isNew: false, code: "ERR_COMPANY_NAME_ALREADY_EXISTS" },
    { companyId: null, isNew: false, code: "ERR_NO_PLAN_FOUND" },
    { companyId: id, isNew: true, code: null },
  ]);
  const [one, , , last] = results;
  expect(await create(companies)).toEqual([
    { ...one, isNew: false },
    ...results.slice(1, 3),
    { ...last, isNew: false },
  ]);
  const both = wanted();
  const twice = (await Promise.all([create([both]), create([both])])).flat();
  expect(twice.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(twice.map(({ companyId }) => companyId)).size).toBe(1);

  const { mails } = (await api.get<ReplyOf<"GET /mails">>(`/mails?searchParam=${first.email}`))
    .body;
  expect(mails).toMatchObject([{ kind: "invitation", address: first.email, name: first.name }]);
  const path = `/companies?searchParam=${first.email}`;
  const listed = (await api.get<ReplyOf<"GET /companies">>(path)).body.companies;
  expect(listed).toMatchObject([
    { recurrence: "ANUAL", dueDate: "2099-12-20T02:59:59.999Z", campaignsEnabled: false },
  ]);
  const tooMany = Array.from({ length: limits.companyBatchMax + 1 }, wanted);
  expect((await api.post("/companies/batch", { companies: tooMany })).status).toBe(400);
});

test("the caller's rows come as a spreadsheet of texts", async () => {
  const rows = [
    [...titles, "Motivo"],
    ["=1+1", "a@b.example", "", "", "", "", "", "Já existe"],
  ];
  const reply = await fetch(`${app.url}/api/companies/spreadsheet/file`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${provider.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ name: "recusadas", rows }),
  });
  expect(reply.headers.get("content-disposition")).toContain("recusadas.xlsx");
  const book = read(await reply.arrayBuffer());
  const sheet = book.Sheets[book.SheetNames[0] ?? ""] ?? {};
  expect(utils.sheet_to_json(sheet, { header: 1, defval: "" })).toEqual(rows);
  expect(sheet["A2"]).toMatchObject({ t: "s", v: "=1+1" });
});
