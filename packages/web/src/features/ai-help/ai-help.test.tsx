import type { PlanFlag } from "@balcao/contract";
import { planFlags } from "@balcao/contract";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { composerServer } from "../composer/testing/composer-server.ts";
import { field, renderComposer } from "../composer/testing/render-composer.tsx";
import { MessageList } from "../messages/index.ts";
import { conversationServer } from "../messages/testing/conversation-server.ts";
import { givenLayout } from "../messages/testing/given-layout.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const call = "POST /api/tickets/1/help";
const offer = { "GET /api/aiService/offer": () => ({ body: { helps: true, transcribes: false } }) };
const proposal = (text: string, sources: object[] = []) => ({ body: { text, sources } });

let server: ReturnType<typeof composerServer>;
const plan = Object.fromEntries(planFlags.map((flag) => [flag, true])) as Record<PlanFlag, boolean>;
beforeEach(() => startSession(givenToken("t"), givenUser({ company: { plan } })));

/** The composer with a service that answers one after the other; the last answer stays. */
async function renderHelped(...answers: Help[]) {
  let next = 0;
  const help = (): Help => answers[Math.min(next++, answers.length - 1)] ?? "never";
  server = composerServer({ more: { ...offer, [call]: help } });
  renderComposer();
  await touchUntil(() => screen.getByRole("button", { name: "Ajuda da IA" }));
  return screen.getByRole("button", { name: "Ajuda da IA" });
}
/** The offer is asked for once a key was used on the page that stands. */
const touchUntil = (check: () => void): Promise<void> =>
  waitFor(() => {
    fireEvent.keyDown(document.body, { key: "Shift" });
    check();
  });
type Help = ReturnType<typeof proposal> | { status: number; body: object } | "never";

const asked = (): unknown[] =>
  server.requests.filter((request) => request.call === call).map(({ body }) => body);
const strip = () => screen.queryByRole("region", { name: "Proposta da IA" });
const choose = async (button: HTMLElement, name: string): Promise<void> => {
  await userEvent.click(button);
  await userEvent.click(await screen.findByRole("menuitem", { name }));
};
const press = (name: string): Promise<void> =>
  userEvent.click(screen.getByRole("button", { name }));

test("nothing is offered where the company's service does not help", async () => {
  const none = {
    "GET /api/aiService/offer": () => ({ body: { helps: false, transcribes: true } }),
  };
  server = composerServer({ more: none });
  renderComposer();
  await touchUntil(() =>
    expect(server.requests.map((one) => one.call)).toContain("GET /api/aiService/offer"),
  );
  expect(screen.queryByRole("button", { name: "Ajuda da IA" })).toBeNull();
});

test("a suggestion is a proposal: only a press puts it into the field, it can be undone, and nothing is sent", async () => {
  const button = await renderHelped(proposal("Temos sim, Ana.", [{ id: 4, title: "Estoque" }]));
  await userEvent.type(field(), "temos");
  await choose(button, "Sugerir resposta");
  expect(await screen.findByText("Temos sim, Ana.")).toBeTruthy();
  expect(asked()).toEqual([{ kind: "suggest", draft: "temos" }]);
  expect(screen.getByText("Estoque")).toBeTruthy();
  expect(field().value).toBe("temos");
  await press("Usar");
  expect([field().value, document.activeElement]).toEqual(["Temos sim, Ana.", field()]);
  await press("Desfazer");
  expect([field().value, strip()]).toEqual(["temos", null]);
  expect(server.sentBodies()).toEqual([]);
});

test("a suggestion goes below the draft on request, and its way back ends with the next change of the text", async () => {
  const button = await renderHelped(proposal("Um"), proposal("Dois"));
  await userEvent.type(field(), "Oi");
  await choose(button, "Sugerir resposta");
  await screen.findByText("Um");
  await press("Outra");
  await screen.findByText("Dois");
  await press("Inserir abaixo");
  expect(field().value).toBe("Oi\nDois");
  expect(strip()).not.toBeNull();
  await userEvent.type(field(), "!");
  expect([field().value, strip()]).toEqual(["Oi\nDois!", null]);
});

test("only the selected text is put in other words, wherever it stands by then", async () => {
  const button = await renderHelped(proposal("bom dia"));
  await userEvent.type(field(), "Oi, bon dia, Ana");
  field().setSelectionRange(3, 11);
  await userEvent.click(button);
  expect(await screen.findByText("Trecho selecionado")).toBeTruthy();
  await userEvent.click(screen.getByRole("menuitem", { name: "Corrigir o português" }));
  await screen.findByText("bom dia");
  expect(asked()).toEqual([{ kind: "correct", text: "bon dia" }]);
  await userEvent.type(field(), "Olá! ", { initialSelectionStart: 0, initialSelectionEnd: 0 });
  await press("Usar");
  expect(field().value).toBe("Olá! Oi, bom dia, Ana");
});

test("a text that is too long is put in other words in parts", async () => {
  const button = await renderHelped("never");
  await userEvent.click(field());
  await userEvent.paste("a".repeat(4_001));
  await userEvent.click(button);
  expect(await screen.findByText(/selecione até 4\.000 caracteres/)).toBeTruthy();
  const item = screen.getByRole("menuitem", { name: "Mais curto" });
  expect(item.hasAttribute("data-disabled")).toBe(true);
});

test("a text is translated into a chosen language, or into the customer's", async () => {
  const button = await renderHelped(proposal("Hello"));
  await userEvent.type(field(), "Olá");
  for (const [name, language] of [
    ["Inglês", "en"],
    ["Idioma do cliente", "customer"],
  ] as const) {
    await choose(button, "Traduzir para…");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Idioma do cliente"));
    await userEvent.click(screen.getByRole("menuitem", { name }));
    await screen.findByText("Hello");
    expect(asked().at(-1)).toEqual({ kind: "translate", text: "Olá", language });
  }
});

test("Alt J opens the menu, and Escape ends the call; the typed text stays", async () => {
  await renderHelped("never");
  await userEvent.type(field(), "Oi");
  await userEvent.keyboard("{Alt>}j{/Alt}");
  await userEvent.click(await screen.findByRole("menuitem", { name: "Mais curto" }));
  expect(await screen.findByText("Escrevendo uma proposta…")).toBeTruthy();
  await userEvent.click(field());
  await userEvent.keyboard("{Escape}");
  expect([strip(), field().value, document.activeElement]).toEqual([null, "Oi", field()]);
});

test.each([
  ["ERR_PROMPT_NO_ANSWER", 400, "Sem resposta em 30 s.", true],
  ["ERR_AI_HELP_BUSY", 429, /^Duas propostas/, true],
  ["ERR_PROMPT_NO_CREDIT", 400, "A conta no provedor está sem crédito.", true],
  ["ERR_PROMPT_BUDGET_USED", 400, "O orçamento de tokens de hoje acabou.", false],
  ["ERR_AI_HELP_NOTHING", 400, /^Ainda não há texto/, false],
])(
  "%s is said in words, with a way to try again where that helps",
  async (code, status, words, isTried) => {
    const button = await renderHelped({ status, body: { error: code, code } }, proposal("Pronto"));
    await choose(button, "Sugerir resposta");
    const alert = await screen.findByRole("alert");
    expect(within(alert).getByText(words)).toBeTruthy();
    expect(within(alert).queryAllByRole("button")).toHaveLength(isTried ? 1 : 0);
    if (!isTried) return;
    await press("Tentar de novo");
    expect(await screen.findByText("Pronto")).toBeTruthy();
  },
);

describe("below a message", () => {
  async function renderList(fields: Parameters<typeof givenMessage>[1]) {
    givenLayout();
    const stored = [givenMessage(1, fields)];
    const requests: SeenRequest[] = conversationServer(() => stored, {
      ...{ ...offer, [call]: () => proposal("Tem camiseta?") },
    }).requests;
    const list = { ticketId: 1, customerName: "Helena", unread: 0, isReader: false };
    renderOnCache(<MessageList {...list} canWrite />);
    const message = await screen.findByRole("article");
    await userEvent.click(within(message).getByRole("button", { name: "Opções da mensagem" }));
    await screen.findByRole("menu");
    return { requests, message, id: stored[0]?.id };
  }

  test("what a customer writes is translated into the user's language, until that is closed", async () => {
    const { requests, message, id } = await renderList({ body: "Do you have shirts?" });
    await userEvent.click(await screen.findByRole("menuitem", { name: "Traduzir" }));
    const translation = await within(message).findByRole("note", { name: "Tradução" });
    await within(translation).findByText("Tem camiseta?");
    expect(requests.filter((one) => one.call === call).map(({ body }) => body)).toEqual([
      { kind: "translateMessage", messageId: id, language: "pt" },
    ]);
    await userEvent.click(within(translation).getByRole("button", { name: "Fechar" }));
    expect(within(message).queryByRole("note")).toBeNull();
  });

  test.each([
    ["an own message", { body: "Oi", fromMe: true }],
    ["a voice note that nobody wrote down", { body: "" }],
  ])("%s is not translated", async (_what, fields) => {
    const { requests } = await renderList(fields);
    await waitFor(() =>
      expect(requests.map((one) => one.call)).toContain("GET /api/aiService/offer"),
    );
    expect(screen.queryByRole("menuitem", { name: "Traduzir" })).toBeNull();
  });
});
