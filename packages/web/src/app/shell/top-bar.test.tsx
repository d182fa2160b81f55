import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { chooseLanguage } from "../../i18n/index.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { TopBar } from "./top-bar.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const plan = {
  ...{ id: 1, name: "Básico", users: 10, connections: 2, queues: 5, value: 0 },
  ...{ useCampaigns: false, useKanban: false, useOpenAi: false, useIntegrations: false },
  ...{ useSchedules: false, useInternalChat: true, useExternalApi: false },
};

beforeEach(() => {
  const at = "2026-11-20T10:00:00.000Z";
  const company = {
    ...givenUser().company,
    ...{ id: 3, createdAt: at, plan: { ...plan, createdAt: at, updatedAt: at } },
  };
  fakeServer({ "GET /api/companies/listPlan/3": () => ({ body: company }) });
  startSession(givenToken("t", 3_600), givenUser());
  renderRoutes([{ path: "*", element: <TopBar /> }], "/tickets");
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("the reload button reloads the page", async () => {
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  await userEvent.click(await screen.findByRole("button", { name: "Recarregar" }));
  expect(reload).toHaveBeenCalledOnce();
});

test("every page has the search, volume, reload, theme, announcements, chats, unread tickets and the account, in this order", async () => {
  const bar = await screen.findByRole("banner");
  // It waits for the plan.
  await within(bar).findByRole("button", { name: "Chat interno" });
  const names = within(bar)
    .getAllByRole("button")
    .map((button) => button.getAttribute("aria-label") ?? button.textContent);
  expect(names).toEqual([
    expect.stringContaining("Buscar e executar"),
    "Volume das notificações",
    "Recarregar",
    "Usar tema escuro",
    "Avisos",
    "Chat interno",
    "Mensagens não lidas",
    expect.stringContaining("Conta de Marina Prado"),
  ]);
  expect(within(bar).queryByText("Conectando")).toBeNull();
});

test("the language is chosen in the account's menu", async () => {
  await userEvent.click(await screen.findByRole("button", { name: "Conta de Marina Prado" }));
  const portuguese = await screen.findByRole("menuitemradio", { name: "Português" });
  expect(portuguese.getAttribute("aria-checked")).toBe("true");
  await userEvent.click(screen.getByRole("menuitemradio", { name: "English" }));
  expect(await screen.findByRole("button", { name: "Reload" })).toBeTruthy();
  await chooseLanguage("pt");
});
