import type { ListedPlan } from "@balcao/contract";
import { listedPlan } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { PlansPanel } from "./index.ts";

const everything = {
  ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
  ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
};

const given = (id: number, fields: Partial<ListedPlan>): ListedPlan =>
  listedPlan.parse({
    ...{ id, name: `Plano ${id}`, users: 10, connections: 3, queues: 10, value: 1_199.9 },
    ...{ ...everything, useInternal: true, companies: 0, ...fields },
  });

const refused = (code: string) => ({ status: 400, body: { error: code, code } });

function open(rows: ListedPlan[], more: Parameters<typeof fakeServer>[0] = {}) {
  const { requests } = fakeServer({
    "GET /api/plans": () => ({ body: { plans: rows, count: rows.length, hasMore: false } }),
    "POST /api/plans": () => ({ body: given(9, {}) }),
    ...more,
  });
  const steps = memorySteps("/settings?tab=plans");
  renderOnCache(
    <Router steps={steps}>
      <Suspense fallback={null}>
        <PlansPanel />
      </Suspense>
    </Router>,
  );
  const sent = (call: string): unknown[] =>
    requests.filter((one) => one.call.split("?")[0] === call).map(({ body }) => body);
  return { requests, sent, address: () => steps.current().search };
}

const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

beforeEach(() => startSession(givenToken("t", 3_600), givenUser({ super: true })));
afterEach(() => {
  cleanup();
  endSession("logout");
});

test("the table says what a plan has; the search stands in the address and is asked of the server", async () => {
  const { requests, address } = open([
    given(1, { companies: 12 }),
    given(2, { ...everything, useOpenAi: false, useExternalApi: false, useInternal: false }),
  ]);
  const [, all, some] = await screen.findAllByRole("row");
  expect(all?.textContent).toMatch(/No cadastro.*R\$\s1\.199,90.*Tudo.*12/);
  expect(some?.textContent).not.toMatch(/No cadastro/);
  expect(some?.textContent).toMatch(
    /Campanhas, Kanban, Integrações, Agendamentos, Chat interno(?!,)/,
  );
  await userEvent.type(screen.getByRole("searchbox"), "equipe");
  await waitFor(() => expect(address()).toBe("?tab=plans&search=equipe"));
  await waitFor(() =>
    expect(requests.at(-1)?.call).toBe("GET /api/plans?searchParam=equipe&pageNumber=1"),
  );
});

test("the form sends numbers, and shows what is wrong at its field", async () => {
  const refusals = ["ERR_PLAN_NAME_ALREADY_EXISTS"];
  const { sent } = open([], {
    "POST /api/plans": () => {
      const code = refusals.shift();
      return code === undefined ? { body: given(9, {}) } : refused(code);
    },
  });
  await userEvent.click((await screen.findAllByRole("button", { name: "Novo plano" }))[0]!);
  const form = await dialog("Novo plano");
  const type = async (label: string, text: string) => {
    await userEvent.clear(form.getByLabelText(label));
    await userEvent.type(form.getByLabelText(label), text);
  };
  const save = () => userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await type("Nome", "E");
  await type("Usuários", "dez");
  await type("Valor por mês", "1,2,3");
  await save();
  expect(await form.findByText("O nome precisa ter pelo menos 2 letras")).toBeTruthy();
  expect(form.getAllByText("Use um número inteiro de 0 a 100.000")).toHaveLength(3);
  expect(form.getByText("Informe um valor como 199,90")).toBeTruthy();
  expect(sent("POST /api/plans")).toEqual([]);
  await type("Nome", " Equipe ");
  await type("Usuários", "10");
  await type("Conexões", "3");
  await type("Filas", "0");
  await type("Valor por mês", "1.199,90");
  await userEvent.click(form.getByRole("switch", { name: "Quadro kanban" }));
  await userEvent.click(form.getByRole("switch", { name: /^Oferecer no cadastro/ }));
  await save();
  expect(await form.findByText("Já existe um plano com este nome")).toBeTruthy();
  expect(document.activeElement).toBe(form.getByLabelText("Nome"));
  await save();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent("POST /api/plans").at(-1)).toEqual({
    ...{ name: "Equipe", users: 10, connections: 3, queues: 0, value: 1_199.9 },
    ...{ ...everything, useKanban: false, useInternal: false },
  });
});

test("a plan is changed, and deleted only while no company has it", async () => {
  const { sent } = open([given(1, { companies: 2 }), given(2, {})], {
    "PUT /api/plans/1": () => ({ body: given(1, {}) }),
    "DELETE /api/plans/2": () => refused("ERR_PLAN_IN_USE"),
  });
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Plano 1" }));
  expect(
    await screen.findByText(
      "2 empresas usam o plano Plano 1. Mude o plano delas antes de excluir.",
    ),
  ).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Excluir Plano 2" }));
  const question = await dialog("Excluir o plano Plano 2?");
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  // Another super user has given it to a company meanwhile.
  expect(
    await question.findByText("Há empresas com este plano. Mude o plano delas antes de excluir."),
  ).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Cancelar" }));
  await userEvent.click(screen.getByRole("button", { name: "Editar Plano 1" }));
  const form = await dialog("Editar Plano 1");
  const value = form.getByLabelText<HTMLInputElement>("Valor por mês");
  expect(value.value).toBe("1199,90");
  await userEvent.clear(value);
  await userEvent.type(value, "99.5");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(sent("PUT /api/plans/1")).toMatchObject([{ value: 99.5, users: 10 }]));
});
