import type { MessageTemplate } from "@balcao/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { TemplateDialog } from "./template-dialog.tsx";

const order: MessageTemplate = {
  name: "pedido_saiu",
  language: "pt_BR",
  category: "UTILITY",
  header: null,
  body: "Olá {{1}}, seu pedido sai {{2}}.",
  bodyParameters: 2,
  footer: "Loja Paulista",
  buttons: [{ type: "URL", text: "Acompanhar", parameters: 1 }],
};
const greeting: MessageTemplate = {
  ...{ name: "boas_vindas", language: "pt_BR", category: "MARKETING", header: null },
  ...{ body: "Seja bem-vindo!", bodyParameters: 0, footer: null, buttons: [] },
};

function open(answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    "GET /api/whatsapp/3/templates": () => ({ body: { templates: [greeting, order] } }),
    "POST /api/messages/1/template": () => ({ body: givenMessage(50, { fromMe: true }) }),
    ...answers,
  });
  const onClose = vi.fn<() => void>();
  renderOnCache(
    <TemplateDialog ticketId={1} connectionId={3} customerName="Helena" onClose={onClose} />,
  );
  const sent = (): unknown[] =>
    server.requests.filter(({ call }) => call.startsWith("POST")).map(({ body }) => body);
  return { onClose, sent };
}

test("a template is searched, chosen, filled with a preview, and sent", async () => {
  const { onClose, sent } = open();
  await userEvent.type(await screen.findByRole("searchbox", { name: "Buscar modelo" }), "pedido");
  expect(screen.queryByText("boas_vindas")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: /^pedido_saiu/ }));
  const preview = within(screen.getByRole("region", { name: "Prévia da mensagem" }));
  await userEvent.type(screen.getByLabelText("Valor de 1"), "Ana");
  expect(preview.getByText("Olá Ana, seu pedido sai {{2}}.")).toBeTruthy();
  expect(preview.getByText("Loja Paulista")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Enviar" }));
  expect(await screen.findAllByText("Obrigatório")).toHaveLength(2);
  expect(document.activeElement).toBe(screen.getByLabelText("Valor de 2"));
  expect(sent()).toEqual([]);
  await userEvent.type(screen.getByLabelText("Valor de 2"), "hoje");
  await userEvent.type(screen.getByLabelText("Valor do botão Acompanhar"), "p-7");
  await userEvent.click(screen.getByRole("button", { name: "Enviar" }));
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(sent()).toMatchObject([
    {
      name: "pedido_saiu",
      language: "pt_BR",
      headerParameters: [],
      bodyParameters: ["Ana", "hoje"],
      buttonParameters: ["p-7"],
    },
  ]);
});

test("a template without parameters is sent at once; a retry after a refusal is the same message", async () => {
  let isRefused = true;
  const { onClose, sent } = open({
    "POST /api/messages/1/template": () =>
      isRefused
        ? { status: 400, body: { error: "ERR_WAPP_TEMPLATE" } }
        : { body: givenMessage(50, { fromMe: true }) },
  });
  await userEvent.click(await screen.findByRole("button", { name: /^boas_vindas/ }));
  const send = screen.getByRole("button", { name: "Enviar" });
  await userEvent.click(send);
  expect((await screen.findByRole("alert")).textContent).toBe(
    "O modelo não existe, não está aprovado ou faltam valores.",
  );
  expect(onClose).not.toHaveBeenCalled();
  isRefused = false;
  await userEvent.click(send);
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  const [first, second] = sent();
  expect(first).toEqual(second);
});

test("the back button returns to the list to choose another", async () => {
  open();
  await userEvent.click(await screen.findByRole("button", { name: /^boas_vindas/ }));
  await userEvent.click(screen.getByRole("button", { name: "Trocar modelo" }));
  expect(await screen.findByRole("button", { name: /^pedido_saiu/ })).toBeTruthy();
});

test("a failed load shows the error and a retry; an empty list is explained", async () => {
  let answer: { status?: number; body: unknown } = {
    status: 400,
    body: { error: "ERR_WAPP_TEMPLATES_UNAVAILABLE" },
  };
  open({ "GET /api/whatsapp/3/templates": () => answer });
  expect(
    await screen.findByText("Não foi possível buscar os modelos. Tente de novo em instantes."),
  ).toBeTruthy();
  answer = { body: { templates: [] } };
  await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
  expect(await screen.findByText("Nenhum modelo aprovado")).toBeTruthy();
});
