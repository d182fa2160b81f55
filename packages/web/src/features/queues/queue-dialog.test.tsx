import { integrationId, promptId } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { QueueDialog } from "./queue-dialog.tsx";
import { givenQueue, queuesServer } from "./testing/queues-server.ts";

const sales = givenQueue(1, "Vendas", { color: "#328bd6", greetingMessage: "Olá" });
const support = givenQueue(2, "Suporte", { color: "#da534f" });
const onClose = vi.fn();

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
  onClose.mockReset();
});

async function open(queue: typeof sales | null): Promise<ReturnType<typeof within>> {
  renderOnCache(<QueueDialog queue={queue} queues={[sales, support]} onClose={onClose} />);
  return within(await screen.findByRole("dialog"));
}

const swatch = (name: RegExp): HTMLElement => screen.getByRole("radio", { name });
const save = (): Promise<void> => userEvent.click(screen.getByRole("button", { name: "Salvar" }));

test("the palette has fifty named colours, and a new queue starts with a free one", async () => {
  queuesServer({ queues: [sales, support] });
  const dialog = await open(null);
  const palette = within(dialog.getByRole("radiogroup", { name: "Cores prontas" }));
  expect(palette.getAllByRole("radio")).toHaveLength(50);
  const chosen = palette.getAllByRole("radio", { checked: true });
  expect(chosen.map((one: HTMLElement) => one.getAttribute("aria-label"))).toEqual([
    "Laranja médio, #ca6719",
  ]);
});

test("the arrow keys move through the palette in their direction", async () => {
  queuesServer({ queues: [] });
  const dialog = await open(null);
  swatch(/#ca6719/).focus();
  await userEvent.keyboard("{ArrowDown}");
  expect(dialog.getByLabelText("Cor")).toHaveProperty("value", "#a14f09");
  await userEvent.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(swatch(/^Amarelo escuro, #826404/));
  await userEvent.keyboard("{ArrowUp}{ArrowLeft}");
  expect(swatch(/#ca6719/)).toHaveProperty("checked", true);
});

test("a colour of another queue is marked and refused at the field", async () => {
  const server = queuesServer({ queues: [sales, support] });
  const dialog = await open(null);
  await userEvent.type(dialog.getByLabelText("Nome"), "Trocas");
  await userEvent.click(swatch(/^Azul médio, #328bd6, já usada pela fila Vendas/));
  expect(await dialog.findByText("Esta cor já é usada pela fila Vendas")).toBeTruthy();
  await save();
  expect(server.writes()).toEqual([]);
  await userEvent.clear(dialog.getByLabelText("Cor"));
  await userEvent.type(dialog.getByLabelText("Cor"), "#0AF");
  await save();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(server.bodyOf("POST /api/queue")).toMatchObject({ name: "Trocas", color: "#00aaff" });
});

test("a queue can keep its own colour, and assign its tickets in another way", async () => {
  const server = queuesServer({ queues: [sales, support] });
  const dialog = await open(sales);
  const assignment = within(dialog.getByRole("radiogroup", { name: "Distribuição" }));
  expect(assignment.getAllByRole("radio")[0]).toHaveProperty("checked", true);
  await userEvent.click(assignment.getByRole("radio", { name: "Em turnos" }));
  expect(dialog.getByText(/^Cada atendimento vai à próxima pessoa/)).toBeTruthy();
  await save();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(server.bodyOf("PUT /api/queue/1")).toEqual({
    name: "Vendas",
    color: "#328bd6",
    orderQueue: "1",
    assignment: "turns",
    ...{ firstAnswerMinutes: "", nextAnswerMinutes: "", promptId: null, integrationId: null },
  });
});

test("a refused name shows the error at the focused field and keeps the input", async () => {
  queuesServer(
    { queues: [sales] },
    {
      "POST /api/queue": () => ({ status: 400, body: { error: "ERR_QUEUE_NAME_ALREADY_EXISTS" } }),
    },
  );
  const dialog = await open(null);
  const name = dialog.getByLabelText("Nome");
  await userEvent.type(name, "Vendas");
  await userEvent.type(dialog.getByLabelText("Saudação"), "Bem-vindo");
  await save();
  await waitFor(() => expect(name.getAttribute("aria-invalid")).toBe("true"));
  expect(document.activeElement).toBe(name);
  expect(dialog.getByLabelText("Saudação")).toHaveProperty("value", "Bem-vindo");
  expect(onClose).not.toHaveBeenCalled();
});

test("a retry after a refused file creates no second queue", async () => {
  const server = queuesServer(
    { queues: [] },
    { "PUT /api/queue/9": () => ({ body: givenQueue(9, "Nova") }) },
  );
  const { uploads } = fakeUploads();
  const dialog = await open(null);
  await userEvent.type(dialog.getByLabelText("Nome"), "Nova");
  await userEvent.upload(dialog.getByLabelText("Anexar arquivo"), new File(["x"], "tabela.pdf"));
  await save();
  await waitFor(() => expect(uploads).toHaveLength(1));
  uploads[0]?.answer(400, { error: "ERR_FILE_DAMAGED" });
  expect(await dialog.findByRole("alert")).toBeTruthy();
  await save();
  await waitFor(() => expect(uploads).toHaveLength(2));
  expect(server.writes()).toEqual(["POST /api/queue", "PUT /api/queue/9"]);
});

test("the chatbot tab of a new queue saves it first and then opens the editor", async () => {
  queuesServer({ queues: [] });
  const dialog = await open(null);
  await userEvent.type(dialog.getByLabelText("Nome"), "Nova");
  await userEvent.click(dialog.getByRole("tab", { name: "Chatbot" }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar e continuar" }));
  expect(await dialog.findByRole("button", { name: "Adicionar opção" })).toBeTruthy();
  expect(screen.getByRole("dialog", { name: "Editar Nova" })).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});

test("targets for answers are minutes up to a day, or empty", async () => {
  const server = queuesServer({ queues: [sales] });
  const dialog = await open(sales);
  const first = dialog.getByLabelText("Primeira resposta");
  await userEvent.type(first, "1441");
  await save();
  expect(await dialog.findByText("Use um número de 1 a 1440")).toBeTruthy();
  await userEvent.clear(first);
  await userEvent.type(first, "30");
  await save();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(server.bodyOf("PUT /api/queue/1")).toMatchObject({
    firstAnswerMinutes: "30",
    nextAnswerMinutes: "",
  });
});

test("the hours tab exists only if queues have their own hours", async () => {
  queuesServer({ queues: [] });
  const dialog = await open(sales);
  expect(await dialog.findByLabelText("Nome")).toBeTruthy();
  expect(dialog.queryByRole("tab", { name: "Horários" })).toBeNull();
  cleanup();
  const server = queuesServer(
    { queues: [sales] },
    { "GET /api/settings": () => ({ body: [{ key: "scheduleType", value: "queue" }] }) },
  );
  const again = await open(sales);
  await userEvent.click(await again.findByRole("tab", { name: "Horários" }));
  await userEvent.type(again.getByLabelText("Mensagem fora do horário"), "Voltamos amanhã");
  await save();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(server.bodyOf("PUT /api/queue/1")).toMatchObject({
    outOfHoursMessage: "Voltamos amanhã",
    schedules: expect.arrayContaining([expect.objectContaining({ weekdayEn: "monday" })]),
  });
});

test("an AI agent or an integration answers first; without them in the plan there is no choice", async () => {
  const plan = { useOpenAi: true, useIntegrations: true };
  const server = queuesServer(
    { queues: [sales] },
    {
      "GET /api/companies/listPlan/3": () => ({ body: { plan } }),
      "GET /api/prompt": () => ({ body: { prompts: [{ id: 4, name: "Trocas" }], hasMore: false } }),
      "GET /api/queueIntegration": () => ({
        body: { queueIntegrations: [{ id: 6, name: "Fluxo" }], hasMore: false },
      }),
    },
  );
  await open({ ...sales, promptId: promptId.parse(4) });
  const first = await screen.findByLabelText<HTMLSelectElement>("Quem responde primeiro");
  await waitFor(() => expect(first.selectedOptions[0]?.textContent).toBe("Trocas"));
  await userEvent.selectOptions(first, "Fluxo");
  await save();
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(server.bodyOf("PUT /api/queue/1")).toMatchObject({ promptId: null, integrationId: 6 });
  cleanup();
  queuesServer(
    { queues: [sales] },
    { "GET /api/companies/listPlan/3": () => ({ body: { plan: {} } }) },
  );
  const without = await open(sales);
  await without.findByLabelText("Nome");
  expect(without.queryByLabelText("Quem responde primeiro")).toBeNull();
  cleanup();
  await open({ ...sales, integrationId: integrationId.parse(6) });
  const chosen = screen.getByLabelText<HTMLSelectElement>("Quem responde primeiro");
  expect(chosen.selectedOptions[0]?.textContent).toBe("Escolhido antes");
});
