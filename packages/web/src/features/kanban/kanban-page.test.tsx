import type { ListedTicket } from "@balcao/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { currentSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { Router, Routes } from "../../router/index.tsx";
import { LiveSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { givenListLayout } from "../tickets/testing/given-list-layout.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { KanbanPage } from "./kanban-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const tag = (id: number, name: string) =>
  ({ id, name, color: "#2266aa" }) as ListedTicket["tags"][number];
const budget = tag(5, "Orçamento");
const payment = tag(6, "Aguardando pagamento");
const cardOf = (n: number, tags: ListedTicket["tags"] = []) =>
  givenTicket(n, { tags, status: "pending", unreadMessages: n === 2 ? 3 : 0 });

beforeEach(() => {
  givenListLayout();
});

type Wish = {
  profile?: "admin" | "user";
  at?: string;
  replies?: Replies;
  /** Waits for what is shown instead of the lanes. */
  ready?: () => Promise<void>;
};
type Replies = Parameters<typeof fakeServer>[0];

async function open({ profile = "admin", at = "/kanban", replies = {}, ready }: Wish = {}) {
  const lanes = [
    { id: null, name: "", color: "", count: 2, cards: [cardOf(2), cardOf(1)] },
    { ...budget, count: 1, cards: [cardOf(3, [budget])] },
    { ...payment, count: 0, cards: [] },
  ];
  const server = fakeServer({
    "GET /api/kanban": () => ({ body: { lanes } }),
    "GET /api/queue": () => ({ body: [] }),
    "GET /api/users/list": () => ({
      body: [
        { id: 1, name: "Ana" },
        { id: 7, name: "Rui" },
      ],
    }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({
      body: { plan: { useKanban: true, useSchedules: true } },
    }),
    "PUT /api/kanban/lanes": ({ body }) => ({
      body: {
        tags: (body as { tagIds: number[] }).tagIds.map((id) => (id === 5 ? budget : payment)),
      },
    }),
    ...replies,
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const steps = memorySteps(at);
  renderOnCache(
    <>
      <LiveSession session={session} />
      <Router steps={steps}>
        <Routes
          routes={[
            { path: "kanban/", element: <KanbanPage /> },
            { path: "*", element: <p>outra página</p> },
          ]}
        />
      </Router>
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
  await (ready?.() ?? screen.findByRole("region", { name: "Orçamento, 1 atendimento" }));
  return {
    ...server,
    address: () => steps.current().pathname + steps.current().search,
    puts: () => server.requests.filter(({ call }) => call.startsWith("PUT ")),
  };
}

const lane = (name: RegExp) => screen.getByRole("region", { name });
const names = (name: RegExp) =>
  within(lane(name))
    .queryAllByRole("article")
    .map((card) => card.querySelector("[data-card]")?.textContent);
const card = (name: string) => screen.getByRole("button", { name: new RegExp(`^${name},`) });
const hear = (subject: string, payload: unknown) =>
  act(() => sockets[0]?.receive(`company-3-${subject}`, payload));

const moved = (tags: ListedTicket["tags"]) => ({
  body: { ...cardOf(2, tags), updatedAt: "2026-11-20T11:00:00.000Z" },
});

test("lanes have exact counts and cards with number, message and a link to the ticket's page", async () => {
  await open();
  expect(screen.getByRole("heading", { name: "Kanban 3" })).toBeTruthy();
  expect(names(/^Em aberto, 2 atendimentos/)).toEqual(["Cliente 2", "Cliente 1"]);
  const first = within(within(lane(/^Em aberto/)).getAllByRole("article")[0] as HTMLElement);
  expect(first.getByText("Ticket nº 2")).toBeTruthy();
  expect(first.getByText("mensagem 2")).toBeTruthy();
  expect(first.getByRole("link", { name: "Ver Ticket 2" }).getAttribute("href")).toBe(
    "/tickets/00000000-0000-4000-8000-000000000002",
  );
  expect(card("Cliente 2").getAttribute("aria-label")).toContain("3 mensagens não lidas");
  expect(lane(/^Aguardando pagamento, 0/).textContent).toContain("Arraste um atendimento para cá");
});

test("by keyboard a card is lifted, moved and dropped; Esc puts it back; the status says where it is", async () => {
  const user = userEvent.setup();
  const { puts } = await open({ replies: { "PUT /api/kanban/cards/2": () => moved([payment]) } });
  card("Cliente 2").focus();
  await user.keyboard(" {ArrowRight}");
  const bar = screen.getByText("Cliente 2 em Orçamento, 1 de 2");
  expect(bar.closest("[role=status]")?.textContent).toContain("Esc");
  await user.keyboard("{Escape}");
  expect(screen.queryByText(/ em Orçamento/)).toBeNull();
  expect([names(/^Em aberto/)[0], puts()]).toEqual(["Cliente 2", []]);

  await user.keyboard(" {ArrowRight}{ArrowRight} ");
  await screen.findByText("Atendimento movido para Aguardando pagamento");
  expect(puts().map(({ call, body }) => [call, body])).toEqual([
    ["PUT /api/kanban/cards/2", { from: null, to: 6 }],
  ]);
  expect(names(/^Aguardando pagamento, 1 atendimento/)).toEqual(["Cliente 2"]);
  await waitFor(() => expect(document.activeElement).toBe(card("Cliente 2")));
});

test("arrows go from card to card, over empty lanes and within a lane", async () => {
  const user = userEvent.setup();
  await open();
  card("Cliente 2").focus();
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(card("Cliente 1"));
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(card("Cliente 3"));
  await user.keyboard("{ArrowRight}{ArrowLeft}");
  expect(document.activeElement).toBe(card("Cliente 2"));
});

test("a card that somebody else moved first goes where it is, and the user is told by whom", async () => {
  const user = userEvent.setup();
  let hasMoved = false;
  const board = () => ({
    body: {
      lanes: [
        {
          id: null,
          name: "",
          color: "",
          count: hasMoved ? 1 : 2,
          cards: hasMoved ? [cardOf(1)] : [cardOf(2), cardOf(1)],
        },
        { ...budget, count: 1, cards: [cardOf(3, [budget])] },
        { ...payment, count: hasMoved ? 1 : 0, cards: hasMoved ? [cardOf(2, [payment])] : [] },
      ],
    },
  });
  await open({
    replies: {
      "GET /api/kanban": board,
      "PUT /api/kanban/cards/2": () => {
        hasMoved = true;
        const data = {
          lane: { id: 6, name: payment.name },
          by: { id: 4, name: "Marina" },
          at: null,
        };
        return { status: 409, body: { error: "ERR_CARD_MOVED", code: "ERR_CARD_MOVED", data } };
      },
    },
  });
  await user.click(screen.getByRole("button", { name: "Mais opções de Cliente 2" }));
  await user.click(await screen.findByRole("menuitemradio", { name: /Orçamento/ }));
  await screen.findByText("Marina moveu este atendimento antes para Aguardando pagamento");
  await waitFor(() => expect(names(/^Aguardando pagamento/)).toEqual(["Cliente 2"]));
});

test("changes of others do not shift a lifted card, and are shown once it is dropped", async () => {
  const user = userEvent.setup();
  await open();
  card("Cliente 2").focus();
  await user.keyboard(" ");
  hear("ticket", {
    action: "update",
    ticket: { ...cardOf(9), updatedAt: "2026-11-20T12:00:00.000Z" },
  });
  await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(names(/^Em aberto/)).toEqual(["Cliente 2", "Cliente 1"]);
  await user.keyboard("{Escape}");
  await waitFor(() =>
    expect(names(/^Em aberto, 3/)).toEqual(["Cliente 9", "Cliente 2", "Cliente 1"]),
  );
});

test("a lane whose tag is deleted goes, with one notice; its cards stand in the first lane", async () => {
  let isGone = false;
  const { requests } = await open({
    replies: {
      "GET /api/kanban": () => ({
        body: {
          lanes: [
            {
              id: null,
              name: "",
              color: "",
              count: isGone ? 3 : 2,
              cards: [...(isGone ? [cardOf(3)] : []), cardOf(2), cardOf(1)],
            },
            ...(isGone ? [] : [{ ...budget, count: 1, cards: [cardOf(3, [budget])] }]),
            { ...payment, count: 0, cards: [] },
          ],
        },
      }),
    },
  });
  isGone = true;
  hear("tag", { action: "delete", tagId: 5 });
  await screen.findByText(/A coluna Orçamento saiu do quadro/);
  await waitFor(() =>
    expect(names(/^Em aberto, 3/)).toEqual(["Cliente 3", "Cliente 2", "Cliente 1"]),
  );
  expect(requests.filter(({ call }) => call.startsWith("GET /api/kanban")).length).toBeGreaterThan(
    1,
  );
});

test("columns are ordered together; agents cannot", async () => {
  const user = userEvent.setup();
  const { puts } = await open();
  await user.click(screen.getByRole("button", { name: "Ordenar colunas" }));
  screen.getByRole("button", { name: "Mover a coluna Aguardando pagamento com as setas" }).focus();
  await user.keyboard("{ArrowLeft}");
  await user.click(screen.getByRole("button", { name: "Concluir" }));
  await waitFor(() => expect(puts().map(({ body }) => body)).toEqual([{ tagIds: [6, 5] }]));
  await waitFor(() =>
    expect(
      screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent),
    ).toEqual(["Em aberto 2", "Aguardando pagamento 0", "Orçamento 1"]),
  );
});

test("an agent sees no filter by users and no ordering", async () => {
  await open({ profile: "user" });
  expect(screen.queryByRole("button", { name: "Ordenar colunas" })).toBeNull();
  expect(screen.queryByRole("button", { name: /^Atendente/ })).toBeNull();
});

test("filters stand in the address and go to the server", async () => {
  const { requests, address } = await open({ at: "/kanban?users=7" });
  expect(requests.map(({ call }) => call)).toContain("GET /api/kanban?users=%5B7%5D");
  expect(await screen.findByRole("button", { name: "Filtros (1)" })).toBeTruthy();
  expect(address()).toBe("/kanban?users=7");
});

test("a search without result names its words and can be cleared; a board without lanes offers to create one", async () => {
  const user = userEvent.setup();
  const none = [{ id: null, name: "", color: "", count: 0, cards: [] }];
  const lanes = ({ call }: { call: string }) => ({
    body: {
      lanes: call.includes("searchParam") ? none : [{ ...none[0], count: 1, cards: [cardOf(1)] }],
    },
  });
  const { address } = await open({
    ready: async () => void (await screen.findByText("Nada encontrado para “xilofone”")),
    at: "/kanban?search=xilofone",
    replies: { "GET /api/kanban": lanes },
  });
  const [, clear] = screen.getAllByRole("button", { name: "Limpar busca" });
  await user.click(clear as HTMLElement);
  await screen.findByText("Crie etiquetas de kanban para montar o quadro");
  expect([address(), names(/^Em aberto, 1 atendimento/)]).toEqual(["/kanban", ["Cliente 1"]]);
  await user.click(screen.getByRole("button", { name: "Criar etiqueta" }));
  expect(address()).toBe("/tags?new");
});

test("a card opens its conversation beside the board; Esc closes it and gives the focus back", async () => {
  const user = userEvent.setup();
  const ticket = { ...cardOf(2), status: "open", userId: 7 };
  const { address } = await open({
    replies: {
      "GET /api/tickets/u/00000000-0000-4000-8000-000000000002": () => ({ body: ticket }),
      "GET /api/messages/2": () => ({ body: { messages: [], count: 0, hasMore: false } }),
      "GET /api/settings": () => ({ body: [] }),
      "GET /api/tags/list": () => ({ body: [] }),
      "GET /api/ticket-notes/list": () => ({ body: [] }),
      "GET /api/drafts": () => ({ body: [] }),
      "PUT /api/kanban/cards/2": () => moved([payment]),
    },
  });
  await user.click(card("Cliente 2"));
  const panel = within(await screen.findByRole("complementary", { name: "Conversa" }));
  await panel.findByRole("button", { name: "Etapa: Em aberto" });
  expect(address()).toBe("/kanban?ticket=00000000-0000-4000-8000-000000000002");
  expect(card("Cliente 2").getAttribute("aria-expanded")).toBe("true");
  expect(panel.getByRole("link", { name: "Ver Ticket" }).getAttribute("href")).toContain(
    "/tickets/",
  );

  await user.click(panel.getByRole("button", { name: "Etapa: Em aberto" }));
  await user.click(await screen.findByRole("menuitemradio", { name: /Aguardando pagamento/ }));
  await screen.findByText("Atendimento movido para Aguardando pagamento");
  await panel.findByRole("button", { name: "Etapa: Aguardando pagamento" });
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("complementary", { name: "Conversa" })).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(card("Cliente 2")));
  expect(address()).toBe("/kanban");
});
