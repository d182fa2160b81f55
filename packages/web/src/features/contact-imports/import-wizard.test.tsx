import type { ContactImport, ImportSettings, ShownContactImport } from "@balcao/contract";
import { contactImport, shownContactImport } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { endSession, startSession } from "../../api/session-store.ts";
import { useLiveConnection } from "../../realtime/index.ts";
import { useParams } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { sockets } from "../../testing/sockets.ts";
import { ownImport } from "./import-mark.tsx";
import { ImportNews } from "./import-news.tsx";
import { ImportWizard } from "./import-wizard.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T10:00:00.000Z";
const progress = (fields: Partial<Record<keyof ContactImport, unknown>> = {}) =>
  contactImport.parse({
    ...{
      id: 5,
      companyId: 3,
      contactListId: null,
      fileName: "clientes.xlsx",
      fileBytes: 3_250_000,
    },
    ...{ state: "draft", errorCode: null, errorData: null, rows: 1000, done: 0 },
    ...{ added: 0, filled: 0, kept: 0, refused: 0, user: { id: 7, name: "Marina Prado" } },
    ...{ createdAt: at, startedAt: null, finishedAt: null, ...fields },
  });

const titles = ["Nome completo", "Celular", "Perfil", "Data nasc.", "Aceita promoções"];
const settings: ImportSettings = {
  titleRow: 1,
  columns: (["name", "number", "tag", "extra", "accepts"] as const).map((target) => ({
    ...{ target, extraName: target === "extra" ? "Aniversário" : "" },
  })),
  country: "BR",
  rule: "fill",
};
const row = (line: number, fields: object) => ({
  ...{ line, cells: [`Pessoa ${line}`, "1198233-1047", "VIP", "14/03/1988", "Sim"] },
  ...{ name: `Pessoa ${line}`, writtenNumber: "1198233-1047", number: "5511982331047" },
  ...{ isOptedOut: false, problem: null, sameAs: null, ...fields },
});
const wrong = row(4, {
  cells: ["Ana", "8877-4102", "", "", "Não"],
  ...{ writtenNumber: "8877-4102", number: null, problem: "noAreaCode", isOptedOut: true },
});
const trial = {
  ...{ added: 900, known: 57, refused: 43, newTags: ["Revenda"] },
  problems: [
    { problem: "noAreaCode", count: 40, lines: [4, 41, 57] },
    { problem: "repeated", count: 3, lines: [9, 10, 11] },
  ],
};
const shown = (fields: Partial<Record<keyof ShownContactImport, unknown>> = {}) =>
  shownContactImport.parse({
    ...progress(),
    ...{ sheetName: "Clientes", settings, preview: [row(2, {}), wrong], trial },
    columns: titles.map((title, index) => ({ title, isRecognised: index < 2 })),
    ...fields,
  });

/** What the server has; the tests change it. */
let one: ShownContactImport;
let list: ContactImport[];
let uploads: ReturnType<typeof fakeUploads>["uploads"];

function Shown(): ReactNode {
  useLiveConnection(3);
  const { listId, item } = useParams();
  const isList = listId !== undefined;
  return (
    <QueryClientProvider client={queryClient}>
      <ImportNews />
      <ImportWizard
        contactListId={isList ? Number(listId) : null}
        importId={item}
        {...(isList ? { listName: "VIP" } : {})}
      />
    </QueryClientProvider>
  );
}

async function open(path: string) {
  const refused = {
    rows: [wrong, row(9, { problem: "repeated", number: null, sameAs: 2 })],
    ...{ count: 2, hasMore: false },
  };
  const changed = (state: ContactImport["state"]) => () => {
    one = { ...one, state };
    return { body: progress({ ...one, state }) };
  };
  const server = fakeServer({
    "GET /api/contact-imports": () => ({
      body: { records: list, count: list.length, hasMore: false },
    }),
    "GET /api/contact-imports/5": () => ({ body: one }),
    "PUT /api/contact-imports/5": ({ body }) => {
      one = { ...one, settings: body as ImportSettings, trial: null };
      return { body: one };
    },
    "GET /api/contact-imports/5/rows": ({ call }) => ({
      body: call.includes("noAreaCode") ? { rows: [wrong], count: 1, hasMore: false } : refused,
    }),
    "DELETE /api/contact-imports/5": () => ({ body: { message: "ok" } }),
    "DELETE /api/contact-imports/6": () => {
      list = list.filter(({ id }) => id !== 6);
      return { body: { message: "ok" } };
    },
    "POST /api/contact-imports/5/start": changed("running"),
    "POST /api/contact-imports/5/pause": changed("paused"),
    "POST /api/contact-imports/5/resume": changed("running"),
    "POST /api/contact-imports/5/stop": changed("stopped"),
  });
  startSession(givenToken("t", 3_600), givenUser());
  const paths = ["contacts/:part?/:item?", "contact-lists/:listId/:part?/:item?"];
  const rendered = renderRoutes(
    paths.map((one) => ({ path: one, element: <Shown /> })),
    path,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  return { ...server, ...rendered };
}

/** Tells the page what the server has now. */
const tell = (record: ContactImport): void =>
  act(() =>
    sockets.at(-1)?.receive("company-3-contactImport", {
      action: "update",
      record: contactImport.parse(record),
    }),
  );

beforeEach(() => {
  one = shown();
  list = [];
  ({ uploads } = fakeUploads());
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const file = (name: string, size = 20) => {
  const made = new File(["a;b"], name);
  Object.defineProperty(made, "size", { value: size });
  return made;
};

test("a dropped file is sent with its progress, read, and then its columns are shown", async () => {
  one = shown({ state: "reading", settings: null, preview: [], trial: null, columns: [] });
  const { address } = await open("/contacts/import");
  const area = (await screen.findByText(/Solte a planilha aqui ou/)).closest("section");
  fireEvent.drop(area!, { dataTransfer: { files: [file("clientes.xlsx", 2_097_152)] } });
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(uploads[0]?.call).toBe("POST /api/contact-imports");
  act(() => uploads[0]?.progress(0.5));
  expect(await screen.findByText("1 MB de 2 MB")).toBeTruthy();
  act(() => uploads[0]?.answer(201, progress({ state: "reading" })));
  expect(await screen.findByText("Lendo a planilha")).toBeTruthy();
  expect(address()).toBe("/contacts/import/5");
  one = shown();
  tell(progress());
  expect(await screen.findByRole("table", { name: "Colunas da planilha" })).toBeTruthy();
});

test.each([
  ["ERR_SHEET_NOT_ONE", { kind: "exe" }, "Isto não é uma planilha (é um programa .exe)"],
  ["ERR_SHEET_NOT_ONE", { kind: "psd" }, "Isto não é uma planilha (é um arquivo .psd)"],
  ["ERR_SHEET_NOT_ONE", { kind: "" }, "Isto não é uma planilha."],
  [
    "ERR_SHEET_TOO_LARGE",
    { maxBytes: limits.sheetOpenedMaxBytes },
    "Arquivo grande demais ao abrir (mais de 120 MB)",
  ],
  [
    "ERR_SHEET_TOO_MANY_ROWS",
    { rows: 112_400, max: 100_000 },
    "São 112.400 linhas; o limite é 100.000",
  ],
  ["ERR_SHEET_ENCRYPTED", null, "A planilha tem senha: abra, salve sem senha e envie de novo."],
])("%s with %j is said below the area", async (errorCode, errorData, text) => {
  const fields = { state: "unreadable", settings: null, preview: [], trial: null, columns: [] };
  one = shown({ ...fields, errorCode, errorData });
  await open("/contacts/import/5");
  expect((await screen.findByRole("alert")).textContent).toBe(text);
  expect(screen.getByRole("button", { name: "escolha um arquivo" })).toBeTruthy();
});

test("a file that is too large is not sent at all; a new one takes the place of one that could not be read", async () => {
  one = shown({
    ...{ state: "unreadable", settings: null, preview: [], trial: null, columns: [] },
  });
  const { requests } = await open("/contacts/import/5");
  const input = await screen.findByLabelText("Planilha");
  await userEvent.upload(input, file("grande.csv", limits.sheetMaxBytes * 2));
  expect(await screen.findByText("O arquivo tem 50 MB; o limite é 25 MB")).toBeTruthy();
  expect(uploads).toHaveLength(0);
  await userEvent.upload(input, file("boa.csv"));
  await waitFor(() => expect(uploads).toHaveLength(1));
  act(() => uploads[0]?.answer(201, progress({ id: 8, state: "reading" })));
  await waitFor(() =>
    expect(requests.map(({ call }) => call)).toContain("DELETE /api/contact-imports/5"),
  );
});

const select = (column: string) => screen.getByRole("combobox", { name: new RegExp(column) });

test("changes of the mapping are sent together; the numbers stay until the new ones are there", async () => {
  const { requests } = await open("/contacts/import/5");
  const start = await screen.findByRole("button", { name: "Importar 957 contatos" });
  const column = select("Coluna C, Perfil");
  const keep = screen.getByRole("radio", { name: "Manter como estão" });
  const country = screen.getByLabelText("País dos números sem código");
  // Without a pause in which the first would be sent alone on a slow machine.
  fireEvent.change(column, { target: { value: "none" } });
  fireEvent.click(keep);
  fireEvent.change(country, { target: { value: "PT" } });
  expect(start).toHaveProperty("disabled", true);
  expect(screen.getByText("900")).toBeTruthy();
  await waitFor(() =>
    expect(requests.filter(({ call }) => call.startsWith("PUT"))).toHaveLength(1),
  );
  const sent = requests.find(({ call }) => call.startsWith("PUT"))?.body;
  expect(sent).toMatchObject({ country: "PT", rule: "keep", titleRow: 1 });
  expect((sent as ImportSettings).columns.map(({ target }) => target)).toEqual([
    ...["name", "number", "none", "extra", "accepts"],
  ]);
  expect(await screen.findByText("Calculando")).toBeTruthy();
  expect(screen.getByText("900")).toBeTruthy();
  one = { ...one, trial: { ...shown().trial!, added: 800 } };
  tell(progress());
  const next = await screen.findByRole("button", { name: "Importar 800 contatos" });
  await waitFor(() => expect(next).toHaveProperty("disabled", false));
  await userEvent.click(next);
  expect(await screen.findByRole("heading", { name: "Importando clientes.xlsx" })).toBeTruthy();
});

test("a target used twice is reported at both columns, and without a number nothing can start", async () => {
  await open("/contacts/import/5");
  await screen.findByRole("button", { name: "Importar 957 contatos" });
  await userEvent.selectOptions(select("Coluna C, Perfil"), "number");
  expect(screen.getAllByText("Já usada em outra coluna")).toHaveLength(2);
  expect(select("Coluna B, Celular").getAttribute("aria-invalid")).toBe("true");
  expect(select("Coluna C, Perfil").getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByRole("button", { name: /^Importar 957/ })).toHaveProperty("disabled", true);
  await userEvent.selectOptions(select("Coluna B, Celular"), "none");
  await userEvent.selectOptions(select("Coluna C, Perfil"), "none");
  expect(screen.queryByText("Já usada em outra coluna")).toBeNull();
  expect(screen.getByText("Escolha a coluna que tem o número.")).toBeTruthy();
});

test("extra information can be renamed; a wrong number says why, and opting out is marked", async () => {
  const { requests } = await open("/contacts/import/5");
  const name = await screen.findByRole("textbox", { name: /^Nome da informação extra, coluna D/ });
  expect(name).toHaveProperty("value", "Aniversário");
  await userEvent.clear(name);
  await userEvent.type(name, "Nascimento");
  await waitFor(() =>
    expect(requests.findLast(({ call }) => call.startsWith("PUT"))?.body).toMatchObject({
      columns: [{}, {}, {}, { target: "extra", extraName: "Nascimento" }, {}],
    }),
  );
  const table = within(screen.getByRole("table", { name: "Colunas da planilha" }));
  expect(table.getByText("+55 11 98233-1047")).toBeTruthy();
  const bad = table.getByText("Falta o DDD").closest("td");
  expect(bad?.textContent).toBe("8877-4102Falta o DDD");
  expect(table.getByText("não enviar").closest("td")?.textContent).toContain("Não");
});

test("a reason shows its rows in the preview, and stands in the address", async () => {
  const { address } = await open("/contacts/import/5");
  const table = within(await screen.findByRole("table", { name: "Colunas da planilha" }));
  expect(table.getAllByRole("row")).toHaveLength(4);
  expect(screen.getByText("linhas 4, 41, 57 e mais 37")).toBeTruthy();
  await userEvent.click(screen.getByRole("link", { name: "Falta o DDD" }));
  expect(address()).toBe("/contacts/import/5?problem=noAreaCode");
  await waitFor(() => expect(table.getAllByRole("row")).toHaveLength(3));
  await userEvent.click(screen.getByRole("button", { name: "Ver as primeiras linhas" }));
  expect(table.getAllByRole("row")).toHaveLength(4);
});

test("a list takes neither tags nor extra information, and people who are kept", async () => {
  const columns = settings.columns.slice(0, 2);
  const ofList = { contactListId: 4, columns: [{ title: "Nome", isRecognised: true }] };
  one = shown({ ...ofList, settings: { ...settings, rule: "keep", columns } });
  await open("/contact-lists/4/import/5");
  expect(await screen.findByRole("heading", { level: 1, name: "Importar para VIP" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "VIP" }).getAttribute("href")).toBe(
    "/contact-lists/4/contacts",
  );
  const offered = within(select("Coluna A, Nome")).getAllByRole("option");
  expect(offered.map(({ textContent }) => textContent)).toEqual([
    ...["Nome", "Número", "E-mail", "Aceita mensagens", "Não importar"],
  ]);
  expect(screen.getByRole("button", { name: "Importar 957 contatos" })).toBeTruthy();
});

const running = { state: "running", startedAt: at, done: 610, added: 500, filled: 90, refused: 20 };

test("an import that runs shows its progress, is paused, goes on and is stopped after a question", async () => {
  one = shown(running);
  const { requests } = await open("/contacts/import/5");
  await screen.findByRole("heading", { name: "Importando clientes.xlsx" });
  const bar = screen.getByRole("progressbar");
  expect(bar.getAttribute("aria-valuenow")).toBe("61");
  expect(screen.getByText("60 % importado")).toBeTruthy();
  tell(progress({ ...running, done: 652, added: 540 }));
  await waitFor(() => expect(bar.getAttribute("aria-valuenow")).toBe("65"));
  expect(screen.getByText("60 % importado")).toBeTruthy();
  expect(ownImport.get()).toBe(65);
  const pause = screen.getByRole("button", { name: "Pausar" });
  await userEvent.click(pause);
  await waitFor(() => expect(pause.textContent).toBe("Continuar"));
  expect(screen.getByRole("heading", { name: "Importação de clientes.xlsx pausada" })).toBeTruthy();
  await userEvent.click(pause);
  await waitFor(() => expect(pause.textContent).toBe("Pausar"));
  await userEvent.click(screen.getByRole("button", { name: "Parar" }));
  const question = within(await screen.findByRole("dialog"));
  expect(question.getByText("O que já entrou fica.")).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Parar" }));
  expect(
    await screen.findByRole("heading", { name: "Importação de clientes.xlsx parada" }),
  ).toBeTruthy();
  expect(requests.filter(({ call }) => call.startsWith("POST")).map(({ call }) => call)).toEqual([
    "POST /api/contact-imports/5/pause",
    "POST /api/contact-imports/5/resume",
    "POST /api/contact-imports/5/stop",
  ]);
});

test("refused rows say what to do, follow the import and are narrowed by reason", async () => {
  one = shown(running);
  const { requests, address } = await open("/contacts/import/5");
  const table = await screen.findByRole("table", { name: "Linhas recusadas" });
  expect(within(table).getByText("Escreva com o DDD")).toBeTruthy();
  expect(within(table).getByText("Igual à linha 2")).toBeTruthy();
  const reads = () => requests.filter(({ call }) => call.includes("/5/rows")).length;
  tell(progress({ ...running, refused: 20 }));
  await waitFor(() => expect(reads()).toBeGreaterThan(0));
  const before = reads();
  tell(progress({ ...running, refused: 21 }));
  await waitFor(() => expect(reads()).toBe(before + 1));
  await userEvent.click(screen.getByRole("button", { name: "Falta o DDD" }));
  expect(address()).toBe("/contacts/import/5?problem=noAreaCode");
  await waitFor(() => expect(screen.queryByText("Igual à linha 2")).toBeNull());
});

test("the end says how many in which time; somebody else's page has the message", async () => {
  one = shown({ ...running, state: "done", done: 1000, finishedAt: "2026-11-20T10:00:41.000Z" });
  await open("/contacts/import/5");
  expect(
    await screen.findByRole("heading", { name: "590 contatos importados em 41 s" }),
  ).toBeTruthy();
  expect(screen.getByRole("button", { name: "Baixar as 20 linhas" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Ver os contatos" }).getAttribute("href")).toBe(
    "/contacts",
  );
  cleanup();
  sockets.length = 0;
  await open("/contacts/import");
  await screen.findByText(/Solte a planilha aqui/);
  const other = { ...running, id: 6, user: { id: 8, name: "Caio Nunes" } };
  tell(progress(other));
  expect(ownImport.get()).toBeNull();
  tell(progress({ ...running, id: 6 }));
  expect(ownImport.get()).toBe(61);
  tell(progress({ ...running, id: 6, state: "done" }));
  expect(await screen.findByText("clientes.xlsx: 590 contatos importados")).toBeTruthy();
  expect(ownImport.get()).toBeNull();
});

test("the imports stand beside it: one is opened, why one waits is said, and an old one is deleted", async () => {
  one = shown(running);
  list = [
    progress(running),
    progress({ id: 9, fileName: "atacado.csv", state: "waiting", rows: 2140 }),
    progress({ id: 6, fileName: "feira.xls", state: "done", added: 1100, filled: 2, refused: 8 }),
  ];
  const { requests } = await open("/contacts/import/5");
  const items = within(await screen.findByRole("complementary", { name: "Importações" }));
  expect(items.getByText(/Começa depois de clientes\.xlsx\.$/)).toBeTruthy();
  expect(items.getByText(/1\.102 contatos, 8 recusadas$/)).toBeTruthy();
  tell(progress(running));
  tell(progress({ ...running, done: 650 }));
  const reads = () => requests.filter(({ call }) => call.includes("imports?")).length;
  const before = reads();
  tell(progress({ ...running, done: 700 }));
  expect(await items.findByText("70 %")).toBeTruthy();
  expect(reads()).toBe(before);
  expect(items.queryByRole("button", { name: "Excluir clientes.xlsx" })).toBeNull();
  await userEvent.click(items.getByRole("button", { name: "Excluir feira.xls" }));
  const question = within(await screen.findByRole("dialog"));
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(items.queryByText("feira.xls")).toBeNull());
});
