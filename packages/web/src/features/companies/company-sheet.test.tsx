import type { CompanySheetRow } from "@balcao/contract";
import { companySheetRow } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { CompaniesPanel } from "./index.ts";

const given = (line: number, faults: CompanySheetRow["faults"] = {}): CompanySheetRow =>
  companySheetRow.parse({
    ...{ line, faults },
    cells: {
      ...{ name: `Loja ${line}`, email: `loja${line}@loja.example`, phone: "", plan: "Equipe" },
      ...{ dueDate: "", recurrence: "", campaigns: "" },
    },
    company:
      Object.keys(faults).length > 0
        ? null
        : {
            ...{ name: `Loja ${line}`, email: `loja${line}@loja.example`, phone: null, planId: 2 },
            ...{ dueDate: null, recurrence: "MENSAL", campaignsEnabled: true },
          },
  });

const isNew = { companyId: 5, isNew: true, code: null };
const isThere = { companyId: 6, isNew: false, code: null };
const refused = { companyId: null, isNew: false, code: "ERR_USER_EMAIL_EXISTS" };

let uploads: ReturnType<typeof fakeUploads>["uploads"];
type Handlers = Parameters<typeof fakeServer>[0];

function open(more: Handlers = {}) {
  const totals = { all: 0, due: 0, overdue: 0, down: 0, trial: 0, suspended: 0 };
  const money = { count: 0, value: 0 };
  const server = fakeServer({
    "GET /api/companies": () => ({
      body: {
        ...{ companies: [], count: 0, hasMore: false },
        totals: {
          ...{ ...totals, connectionsDown: 0, revenue: 0, revenueBefore: 0 },
          ...{ open: money, late: money },
        },
      },
    }),
    "GET /api/plans/all": () => ({ body: [] }),
    ...more,
  });
  ({ uploads } = fakeUploads());
  renderOnCache(
    <Router steps={memorySteps("/settings?tab=companies")}>
      <Suspense fallback={null}>
        <CompaniesPanel />
      </Suspense>
    </Router>,
  );
  return {
    bodies: (call: string) =>
      server.requests.filter((one) => one.call === call).map(({ body }) => body),
  };
}

async function openDialog() {
  await userEvent.click(await screen.findByRole("button", { name: "Planilha" }));
  return within(await screen.findByRole("dialog", { name: "Criar empresas de uma planilha" }));
}

async function send(dialog: ReturnType<typeof within>, rows: readonly CompanySheetRow[]) {
  const input = await dialog.findByLabelText("Planilha");
  await userEvent.upload(input, new File(["nome"], "empresas.csv"), { applyAccept: false });
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(uploads[0]?.call).toBe("POST /api/companies/spreadsheet");
  act(() => uploads[0]?.answer(200, { rows }));
}

const save = vi.fn();
// The test's browser would go to the file, and take the page away from the tests that come after.
beforeEach(() => {
  save.mockReset();
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(save);
});
beforeEach(() => startSession(givenToken("t", 3_600), givenUser({ super: true })));
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("the rows are shown with what is wrong in their cells; the others are created, and the result says what was refused", async () => {
  const rows = [
    ...[given(2), given(3), given(4, { plan: "unknown" }), given(5), given(6), given(7)],
    ...[given(8, { email: "invalid", name: "repeated" })],
  ];
  const { bodies } = open({
    "POST /api/companies/batch": () => ({
      body: { results: [isNew, refused, isThere, isNew, isNew] },
    }),
    "POST /api/companies/spreadsheet/file": () => ({ body: "" }),
  });
  const dialog = await openDialog();
  await send(dialog, rows);
  expect(await dialog.findByText("5 empresas prontas para criar.", { exact: false })).toBeTruthy();
  expect(dialog.getByText("2 linhas com erro ficam de fora.")).toBeTruthy();
  const shown = within(dialog.getByRole("table")).getAllByRole("row").slice(1);
  // The first five, and all with errors.
  expect(shown.map((one) => within(one).getByRole("rowheader").textContent)).toEqual([
    ...["2", "3", "4", "5", "6", "8"],
  ]);
  expect(shown[2]?.textContent).toContain("Equipenão reconhecido");
  expect(shown[5]?.querySelectorAll("[data-bad]")).toHaveLength(2);

  await userEvent.click(dialog.getByRole("button", { name: "Criar 5 empresas" }));
  expect(await dialog.findByText("3 empresas criadas.")).toBeTruthy();
  expect(dialog.getByText(/1 já existia\./)).toBeTruthy();
  expect(bodies("POST /api/companies/batch")).toEqual([
    { language: "pt", companies: [2, 3, 5, 6, 7].map((line) => given(line).company) },
  ]);
  const reasons = dialog.getAllByRole("listitem").map((one) => one.textContent);
  expect(reasons).toEqual([
    "Linha 3Loja 3Outra pessoa já usa este e-mail.",
    "Linha 4Loja 4Plano: não reconhecido",
    "Linha 8Loja 8Nome: repetido na planilha; E-mail: inválido",
  ]);
  await userEvent.click(dialog.getByRole("button", { name: "Baixar recusadas" }));
  await waitFor(() => expect(save).toHaveBeenCalledOnce());
  expect(bodies("POST /api/companies/spreadsheet/file")).toHaveLength(1);
  const [file] = bodies("POST /api/companies/spreadsheet/file") as { rows: string[][] }[];
  expect(file?.rows.map((one) => [one[0], one.at(-1)])).toEqual([
    ["Nome", "Motivo"],
    ["Loja 3", "Outra pessoa já usa este e-mail."],
    ["Loja 4", "Plano: não reconhecido"],
    ["Loja 8", "Nome: repetido na planilha; E-mail: inválido"],
  ]);
});

test("many are created in portions; one that gets no answer is sent again", async () => {
  const count = 2 * limits.companyBatchMax + 1;
  let calls = 0;
  const { bodies } = open({
    "POST /api/companies/batch": ({ body }) => {
      calls += 1;
      if (calls === 2) return "unreachable";
      const { companies } = body as { companies: object[] };
      return { body: { results: companies.map(() => isNew) } };
    },
  });
  const dialog = await openDialog();
  await send(
    dialog,
    Array.from({ length: count }, (_, place) => given(place + 2)),
  );
  await userEvent.click(await dialog.findByRole("button", { name: `Criar ${count} empresas` }));
  await userEvent.click(await dialog.findByRole("button", { name: "Continuar" }));
  expect(await dialog.findByText(`${count} empresas criadas.`)).toBeTruthy();
  const sent = bodies("POST /api/companies/batch").map(
    (body) => (body as { companies: object[] }).companies.length,
  );
  const whole = limits.companyBatchMax;
  expect(sent).toEqual([whole, whole, whole, 1]);
  expect(dialog.queryByRole("button", { name: "Baixar recusadas" })).toBeNull();
});

test("a file that is none says why, and the template has the columns and an example", async () => {
  const { bodies } = open({ "POST /api/companies/spreadsheet/file": () => ({ body: "" }) });
  const dialog = await openDialog();
  await userEvent.click(await dialog.findByRole("button", { name: "Baixar um exemplo" }));
  await waitFor(() => expect(save).toHaveBeenCalledOnce());
  expect(bodies("POST /api/companies/spreadsheet/file")).toHaveLength(1);
  const [template] = bodies("POST /api/companies/spreadsheet/file");
  expect(template).toEqual({
    name: "modelo de empresas",
    rows: [
      ["Nome", "E-mail", "Telefone", "Plano", "Vencimento", "Recorrência", "Campanhas"],
      [
        ...["Padaria Bom Dia", "contato@exemplo.com.br", "(48) 99812-4471", expect.any(String)],
        ...[expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/), "Mensal", "Sim"],
      ],
    ],
  });
  const input = dialog.getByLabelText("Planilha");
  await userEvent.upload(input, new File(["%PDF"], "a.csv"), { applyAccept: false });
  await waitFor(() => expect(uploads).toHaveLength(1));
  act(() => uploads[0]?.answer(400, { code: "ERR_SHEET_NOT_ONE", data: { kind: "pdf" } }));
  expect(await dialog.findByText("Isto não é uma planilha (é um PDF)")).toBeTruthy();
});
