import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenColleague, givenQueue, givenTag } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { clearSelection } from "./selection.ts";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const names = ["Ana Lima", "Bia Souza", "Caio Reis", "Davi Melo"];
const mine = names.map((name, index) =>
  givenTicket(index + 1, { ...ME, contact: contactNamed(index + 1, name) }),
);

let server: TicketServer;

beforeEach(() => {
  clearSelection();
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer(mine);
  server.queues = [givenQueue(1, "Suporte"), givenQueue(2, "Vendas")];
  server.tags = [givenTag(5, "Cliente VIP")];
  server.colleagues = [givenColleague(8, "Caio Nunes", [])];
});

afterEach(() => vi.restoreAllMocks());

const box = (name: string) =>
  screen.getByRole("checkbox", { name: `Selecionar o atendimento de ${name}` });
const chosen = () =>
  screen
    .queryAllByRole("checkbox", { checked: true })
    .map((one) => one.getAttribute("aria-label")?.replace("Selecionar o atendimento de ", ""));
const bar = () => screen.findByRole("toolbar", { name: "Ações para os atendimentos selecionados" });
const change = () => server.bodiesOf("POST /tickets/bulk");

async function openScreen(): Promise<void> {
  await openTicketsScreen(sockets);
  await waitFor(() => expect(cardNames()).toEqual(names.toReversed()));
}

describe("tickets are chosen", () => {
  test("one by one, a range with Shift, and none again", async () => {
    await openScreen();
    const user = userEvent.setup();
    await user.click(box("Davi Melo"));
    expect(within(await bar()).getByText("1 selecionado")).toBeTruthy();
    await user.keyboard("{Shift>}");
    await user.click(box("Bia Souza"));
    await user.keyboard("{/Shift}");
    expect(chosen()).toEqual(["Davi Melo", "Caio Reis", "Bia Souza"]);
    await user.click(box("Caio Reis"));
    expect(chosen()).toEqual(["Davi Melo", "Bia Souza"]);
    await user.click(screen.getByRole("button", { name: "Limpar a seleção" }));
    expect(chosen()).toEqual([]);
    await waitFor(() => expect(screen.queryByRole("toolbar")).toBeNull());
  });

  test("by keys", async () => {
    await openScreen();
    screen.getByRole("link", { name: /^Davi Melo/ }).focus();
    await userEvent.keyboard("x");
    expect(chosen()).toEqual(["Davi Melo"]);
    await userEvent.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
    expect(chosen()).toEqual(["Davi Melo", "Caio Reis", "Bia Souza"]);
    await userEvent.keyboard("{Escape}");
    expect(chosen()).toEqual([]);
    await userEvent.click(box("Davi Melo"));
    within(await bar())
      .getByRole("button", { name: "Transferir" })
      .focus();
    await userEvent.keyboard("{Escape}");
    expect(chosen()).toEqual([]);
  });

  test("by a long press of a finger, whose click opens nothing", async () => {
    await openScreen();
    const link = screen.getByRole("link", { name: /^Caio Reis/ });
    fireEvent.pointerDown(link, { pointerType: "touch" });
    await waitFor(() => expect(chosen()).toEqual(["Caio Reis"]));
    fireEvent.pointerUp(link, { pointerType: "touch" });
    fireEvent.click(link);
    expect(screen.queryByRole("link", { current: "page" })).toBeNull();
  });

  test("in one list: another one begins without", async () => {
    await openScreen();
    await userEvent.click(box("Ana Lima"));
    await bar();
    await userEvent.click(chip("Aguardando"));
    await waitFor(() => expect(screen.queryByRole("toolbar")).toBeNull());
    await userEvent.click(chip("Atendendo"));
    await waitFor(() => expect(cardNames()).toHaveLength(4));
    expect(chosen()).toEqual([]);
  });
});

describe("the chosen tickets are changed together", () => {
  async function ask(action: string, question: RegExp): Promise<HTMLElement> {
    await openScreen();
    await userEvent.click(box("Ana Lima"));
    await userEvent.click(box("Caio Reis"));
    await userEvent.click(within(await bar()).getByRole("button", { name: action }));
    return screen.findByRole("dialog", { name: question });
  }

  async function pick(dialog: HTMLElement, field: RegExp, option: string): Promise<void> {
    await userEvent.click(within(dialog).getByRole("combobox", { name: field }));
    await userEvent.click(await screen.findByRole("option", { name: option }));
  }

  test("resolved, and all undone by one press", async () => {
    const dialog = await ask("Resolver", /^Resolver 2 atendimentos/);
    await userEvent.click(within(dialog).getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(cardNames()).toEqual(["Davi Melo", "Bia Souza"]));
    const resolve = { action: "resolve", reasonId: null };
    expect(change()).toEqual([{ ticketIds: [3, 1], change: resolve, undoSeconds: 7 }]);
    expect(await screen.findByText(/^2 atendimentos resolvidos\./)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Desfazer" }));
    await waitFor(() => expect(cardNames()).toHaveLength(4));
  });

  test("transferred: a queue is required", async () => {
    const dialog = await ask("Transferir", /^Transferir 2 atendimentos/);
    const confirm = within(dialog).getByRole("button", { name: "Transferir" });
    await userEvent.click(confirm);
    expect(await within(dialog).findByText("Selecione uma fila")).toBeTruthy();
    await pick(dialog, /^Fila/, "Vendas");
    await userEvent.click(confirm);
    await waitFor(() =>
      expect(change()).toMatchObject([
        { change: { action: "transfer", queueId: "2", userId: null } },
      ]),
    );
  });

  test.each([
    ["Atribuir", /^Atendente/, "Caio Nunes", { action: "assign", userId: "8" }],
    ["Adicionar etiqueta", /^Etiqueta/, "Cliente VIP", { action: "tag", tagIds: ["5"] }],
  ] as const)("%s", async (action, field, option, wanted) => {
    const dialog = await ask(action, /2 atendimentos/);
    await pick(dialog, field, option);
    await userEvent.click(within(dialog).getByRole("button", { name: action }));
    await waitFor(() => expect(change()).toMatchObject([{ change: wanted }]));
    await waitFor(() => expect(screen.queryByRole("toolbar")).toBeNull());
  });

  test("refused ones stay chosen, and the reason is said", async () => {
    const refused = givenTicket(1, { ...ME, contact: contactNamed(1, "Ana recusado") });
    server.tickets = [refused, ...mine.slice(1)];
    await openTicketsScreen(sockets);
    await screen.findByText("Ana recusado");
    await userEvent.click(box("Ana recusado"));
    await userEvent.click(box("Bia Souza"));
    await userEvent.click(within(await bar()).getByRole("button", { name: "Resolver" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(chosen()).toEqual(["Ana recusado"]));
    expect(await screen.findByText(/^1 atendimento resolvido\./)).toBeTruthy();
  });
});
