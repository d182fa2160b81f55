import type { WhaticketCompany, WhaticketImport, WhaticketRun } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { act, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { chooseLanguage } from "../../i18n/index.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { ImportPanel } from "./import-panel.tsx";

afterEach(() => chooseLanguage("pt"));

const at = "2026-11-27T02:00:00.000Z";
const given = (fields: Partial<WhaticketRun>): WhaticketRun => ({
  ...{ kind: "trial", state: "done", startedAt: at, seenAt: at, endedAt: at },
  ...{ progress: "", companyIds: [], report: null, error: null, ...fields },
});
const counts = { contact: { read: 1_200, added: 1_200, merged: 0, known: 0, left: 0 } };
const named = (id: string, name: string) =>
  ({
    id,
    name,
    newId: null,
    newName: name,
    state: "dry",
    counts,
    problems: [] as WhaticketCompany["problems"],
  }) as const;
const problems: WhaticketCompany["problems"] = [
  { kind: "contact", code: "numberUnreadable", count: 3, rows: ["12"] },
  {
    ...{ kind: "user", code: "emailTaken", count: 1, rows: ["3"] },
    values: { email: "ana@padaria.example", newEmail: "ana+1@padaria.example" },
  },
  {
    ...{ kind: "quick message", code: "other", count: 2, rows: [] },
    values: { text: "its file is not copied" },
  },
];
const report = {
  ...{ seconds: 2, problems: [], unread: [] },
  companies: [
    { ...named("1", "Padaria"), problems },
    { ...named("4", "Oficina"), newName: "Oficina (2)" },
  ],
};

function open(first: Partial<WhaticketImport>, next: WhaticketRun | null = null): unknown[] {
  const bodies: unknown[] = [];
  fakeServer({
    "GET /api/operation/whaticket": () => ({
      body: endpoints["GET /operation/whaticket"].reply.parse({
        ...{ isConfigured: true, hasMedia: true, run: null, ...first },
        ...(bodies.length > 0 ? { run: next } : {}),
      }),
    }),
    "POST /api/operation/whaticket": ({ body }) => {
      bodies.push(body);
      return { body: { isStarted: true } };
    },
  });
  renderRoutes([{ path: "*", element: <ImportPanel /> }], "/operation?tab=import");
  return bodies;
}

test("an installation without a source says how to name one, and has no button", async () => {
  open({ isConfigured: false });
  expect(await screen.findByText(/WHATICKET_DATABASE_URL/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("after a trial the companies are chosen, and only these are imported", async () => {
  const going = given({ kind: "import", state: "running", progress: "400 messages" });
  const bodies = open({ run: given({ report, progress: "153 files" }) }, going);
  const [first] = await screen.findAllByRole("listitem");
  expect(first?.textContent).toContain("1.200 contatos");
  expect(first?.textContent).toContain("6 problemas");
  expect(screen.queryByText("153 files")).toBeNull();
  const start = screen.getByRole("button", { name: "Importar as escolhidas" });
  expect(start.hasAttribute("disabled")).toBe(true);
  await userEvent.click(screen.getByRole("checkbox", { name: "Oficina → Oficina (2)" }));
  await userEvent.click(start);
  expect(await screen.findByText("400 messages")).toBeTruthy();
  expect(bodies).toEqual([{ kind: "import", companyIds: ["4"] }]);
  expect(screen.getByRole("button", { name: "Testar" }).hasAttribute("disabled")).toBe(true);
});

test("problems are worded in the language of the page, with the values that they name", async () => {
  open({ run: given({ report }) });
  const [first] = await screen.findAllByRole("listitem");
  const lines = () => [...(first?.querySelectorAll("details > p") ?? [])].map((p) => p.textContent);
  expect(lines()).toEqual([
    "Contato: não foi possível ler o número; fica sem número (3)",
    "Usuário: o e-mail ana@padaria.example já existe aqui; a pessoa entra com ana+1@padaria.example (1)",
    "Resposta rápida: its file is not copied (2)",
  ]);
  await act(() => chooseLanguage("es"));
  expect(lines()[0]).toBe("Contacto: no se pudo leer el número; queda sin número (3)");
});

test("an import that ended early is continued with the same companies", async () => {
  const run = given({ kind: "import", state: "failed", companyIds: ["4"], error: "ECONNREFUSED" });
  const bodies = open({ run, hasMedia: false });
  expect(await screen.findByText(/ECONNREFUSED/)).toBeTruthy();
  expect(screen.getByText(/Sem WHATICKET_MEDIA/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Continuar a importação" }));
  expect(bodies).toEqual([{ kind: "import", companyIds: ["4"] }]);
});
