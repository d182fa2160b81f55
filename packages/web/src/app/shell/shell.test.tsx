import { notifications } from "@mantine/notifications";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { lazy, Suspense } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { sendText } from "../../features/messages/index.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { MenuButton } from "../../ui/index.ts";
import { PageLoading } from "../page-states.tsx";
import { Shell } from "./shell.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const routes = [
  {
    element: <Shell />,
    children: [
      {
        path: "/tickets",
        element: (
          <h1>
            <MenuButton /> the tickets
          </h1>
        ),
      },
    ],
  },
  { path: "/login", element: <p>sign in</p> },
];

test("the content is marked as busy while a page's code loads", async () => {
  let come: (page: { default: () => ReactNode }) => void = () => undefined;
  const Late = lazy(
    () => new Promise<{ default: () => ReactNode }>((resolve) => void (come = resolve)),
  );
  const element = (
    <Suspense fallback={<PageLoading />}>
      <Late />
    </Suspense>
  );
  windowOf(1440);
  startSession(givenToken("t", 3_600), givenUser());
  renderRoutes([{ element: <Shell />, children: [{ path: "/tickets", element }] }], "/tickets");
  expect(await screen.findByRole("status", { name: "Carregando" })).toBeTruthy();
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("true");
  await act(async () => come({ default: () => <h1>the tickets</h1> }));
  expect(await screen.findByRole("heading", { name: "the tickets" })).toBeTruthy();
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBeNull();
});

beforeEach(() => {
  fakeServer({
    "DELETE /api/auth/logout": () => ({ body: { message: "ok" } }),
  });
});

afterEach(() => {
  notifications.clean();
  endSession("logout");
  vi.restoreAllMocks();
});

/** Answers media queries like a window of this width. */
function windowOf(widthPx: number): void {
  vi.spyOn(window, "matchMedia").mockImplementation((query) => {
    const [, side, limit] = /\((min|max)-width: (\d+)px\)/.exec(query) ?? [];
    const fits = side === "min" ? widthPx >= Number(limit) : widthPx <= Number(limit);
    const list = { matches: limit !== undefined && fits, media: query, onchange: null };
    const nothing = (): void => undefined;
    return Object.assign(new EventTarget(), list, {
      addListener: nothing,
      removeListener: nothing,
    });
  });
}

async function open(user = givenUser(), widthPx = 1440): Promise<void> {
  windowOf(widthPx);
  startSession(givenToken("t", 3_600), user);
  renderRoutes(routes, "/tickets");
  await screen.findByRole("heading", { level: 1 });
}

test("greets the user and names the company; an admin sees the end of the subscription", async () => {
  await open(givenUser({ profile: "admin" }));
  const banner = screen.getByRole("banner");
  expect(within(banner).getByText("Olá, Marina Prado")).toBeTruthy();
  expect(within(banner).getByText("Boutique Aurora, ativa até 18/12/2099")).toBeTruthy();
});

test("an agent sees the company without the date, and only the permitted entries", async () => {
  await open(givenUser({ profile: "user" }));
  expect(screen.getByText("Boutique Aurora")).toBeTruthy();
  const links = within(screen.getByRole("navigation")).getAllByRole("link");
  expect(links.map(({ textContent }) => textContent)).toEqual([
    "Atendimentos",
    "Respostas rápidas",
    "Contatos",
    "Etiquetas",
    "Tarefas",
    "Ajuda",
  ]);
});

test("the menu has a section of service and one of administration, each entry with its permission", async () => {
  await open(givenUser({ profile: "admin", super: true }));
  const navigation = screen.getByRole("navigation");
  const sections = within(navigation)
    .getAllByRole("list")
    .map((list) =>
      within(list)
        .getAllByRole("link")
        .map(({ textContent }) => textContent),
    );
  expect(within(navigation).getByRole("heading", { name: "Administração" })).toBeTruthy();
  expect(sections).toEqual([
    ["Atendimentos", "Respostas rápidas", "Contatos", "Etiquetas", "Tarefas", "Ajuda"],
    [
      ...["Painel", "Relatórios", "Conexões", "Filas e chatbot", "Usuários", "Arquivos"],
      ...["Saúde das conexões", "Operação", "Avisos", "Financeiro", "Configurações", "Simulador"],
    ],
  ]);
});

test("the browser's tab names the page", async () => {
  await open();
  expect(document.title).toBe("Atendimentos · Balcão");
});

test("the menu marks the current page and shows the version", async () => {
  await open();
  const menu = screen.getByRole("navigation", { name: "Menu principal" });
  expect(within(menu).getByRole("link", { current: "page" }).textContent).toBe("Atendimentos");
  expect(within(menu).getByRole("link", { name: "Simulador" })).toBeTruthy();
  expect(within(menu).getByText(/^Versão \d/)).toBeTruthy();
});

describe("the drawer", () => {
  const form = (): string | undefined => screen.queryByRole("navigation")?.dataset["form"];

  test("folds to a rail on wide screens, and the choice is stored", async () => {
    await open();
    expect(form()).toBe("open");
    await userEvent.click(screen.getByRole("button", { name: "Recolher menu" }));
    expect(form()).toBe("rail");
    expect(localStorage.getItem("balcao.drawer")).toBe("rail");
  });

  test("is a rail on medium screens that opens over the page and closes with Escape", async () => {
    await open(givenUser(), 1024);
    expect(form()).toBe("rail");
    const opener = screen.getByRole("button", { name: "Expandir menu" });
    await userEvent.click(opener);
    expect(form()).toBe("over");
    await userEvent.keyboard("{Escape}");
    expect(form()).toBe("rail");
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  test("opens by a button on narrow screens and contains the top bar", async () => {
    await open(givenUser(), 390);
    expect(form()).toBeUndefined();
    expect(screen.queryByRole("banner")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Abrir menu" }));
    expect(form()).toBe("over");
    expect(await screen.findByText("marina@aurora.com.br")).toBeTruthy();
    await userEvent.click(screen.getByRole("link", { name: "Atendimentos" }));
    expect(form()).toBeUndefined();
  });
});

test("the account menu names the user and signs out", async () => {
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Conta de Marina Prado" }));
  expect(await screen.findByText("marina@aurora.com.br")).toBeTruthy();
  await userEvent.click(screen.getByRole("menuitem", { name: "Sair" }));
  expect(await screen.findByText("sign in")).toBeTruthy();
  expect(currentSession()).toBeNull();
});

test("the account menu begins with the own availability, which the account's dot shows", async () => {
  const { requests } = fakeServer({
    "PUT /api/users/availability": ({ body }) => ({
      body: { ...givenUser(), pauseReason: null, ...(body as object) },
    }),
  });
  await open();
  const account = () => screen.findByRole("button", { name: "Conta de Marina Prado" });
  expect((await account()).title).toBe("Disponível");
  await userEvent.click(await account());
  const [first] = await screen.findAllByRole("menuitemradio");
  expect([first?.textContent, first?.getAttribute("aria-checked")]).toEqual(["Disponível", "true"]);
  await userEvent.click(screen.getByRole("menuitemradio", { name: "Almoço" }));
  await waitFor(async () => expect((await account()).title).toBe("Em pausa"));
  expect(requests.find(({ call }) => call === "PUT /api/users/availability")?.body).toEqual({
    availability: "paused",
    pauseReason: "Almoço",
  });
});

test("signing out works while the server cannot be reached", async () => {
  fakeServer({ "DELETE /api/auth/logout": () => "unreachable" });
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Conta de Marina Prado" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Sair" }));
  expect(await screen.findByText("sign in")).toBeTruthy();
});

test("signing out asks first while messages have not left this browser, and then takes them along", async () => {
  await open();
  act(() => sendText(1, "Bom dia"));
  await userEvent.click(await screen.findByRole("button", { name: "Conta de Marina Prado" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Sair" }));
  const question = within(await screen.findByRole("dialog"));
  expect(question.getByText(/^1 mensagem ainda não foi enviada/)).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Cancelar" }));
  expect(currentSession()).not.toBeNull();
  await userEvent.click(await screen.findByRole("button", { name: "Conta de Marina Prado" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Sair" }));
  await userEvent.click(await screen.findByRole("button", { name: "Sair e descartar" }));
  expect(await screen.findByText("sign in")).toBeTruthy();
  expect(Object.keys(localStorage).filter((key) => key.includes("unsent"))).toEqual([]);
});

test("a subscription that ends soon shows a warning", async () => {
  const dueDate = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await open(givenUser({ company: { dueDate } }));
  expect(await screen.findByText("Sua assinatura vence em 3 dias")).toBeTruthy();
});

test("the first links of the page lead to the content and to the menu", async () => {
  await open();
  await userEvent.tab();
  expect(document.activeElement?.textContent).toBe("Ir para o conteúdo");
  await userEvent.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("main"));
});
