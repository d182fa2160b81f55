import { IconCheck, IconMessages } from "@tabler/icons-react";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { useMemo } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { useOfferCommands } from "../../ui/commands.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { closePalette, PaletteHost } from "./palette-host.tsx";

const resolve = vi.fn();
const go = vi.fn();
const hit = {
  messageId: "00000000-0000-7000-8000-000000000009",
  fromMe: false,
  createdAt: "2026-11-20T10:00:00.000Z",
  before: "a nota ",
  match: "fiscal",
  after: " chegou",
};
const found = givenTicket(3, { hit });
const waiting = givenTicket(4, { status: "pending" });

function Screen(): ReactNode {
  useOfferCommands(
    useMemo(
      () => [{ id: "resolve", label: "Resolver", icon: IconCheck, keys: "Alt R", run: resolve }],
      [],
    ),
  );
  const pages = [{ id: "page", label: "Atendimentos", icon: IconMessages, run: go }];
  return (
    <>
      <input aria-label="campo" />
      <PaletteHost pages={pages} />
    </>
  );
}

function open(): { address: () => string; requests: { call: string }[] } {
  startSession(givenToken("t", 3_600), givenUser());
  const { requests } = fakeServer({
    "GET /api/tickets": () => ({
      body: { tickets: [found, waiting], count: 2, hasMore: false },
    }),
    "GET /api/contacts/list": () => ({ body: [{ ...found.contact, name: "Fiscal Ltda" }] }),
  });
  const routes = [{ path: "*", element: <Screen /> }];
  return { ...renderRoutes(routes, "/x"), requests };
}

const field = () => screen.findByRole("combobox", { name: "Buscar e executar" });
const options = () =>
  within(screen.getByRole("dialog"))
    .getAllByRole("option")
    .map(({ textContent }) => textContent);

// The store keeps the palette open after the screen is unmounted.
afterEach(closePalette);

beforeEach(() => {
  resolve.mockReset();
  go.mockReset();
});

test("Ctrl K lists commands and pages; words filter them, Enter runs the marked one", async () => {
  open();
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await field(), "RESÓLV");
  expect(options()).toEqual(["ResolverAlt R"]);
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(resolve).toHaveBeenCalledOnce());
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("arrows choose among all groups", async () => {
  open();
  await userEvent.keyboard("{Control>}k{/Control}");
  await field();
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(go).toHaveBeenCalledOnce());
  expect(resolve).not.toHaveBeenCalled();
});

test("three letters search tickets and contacts; a found message opens in its conversation", async () => {
  const { address, requests } = open();
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await field(), "fis");
  expect(await screen.findByText("a nota fiscal chegou")).toBeTruthy();
  expect(screen.getByText("Fiscal Ltda")).toBeTruthy();
  expect(requests.filter(({ call }) => call.startsWith("GET /api/tickets"))).toHaveLength(1);
  await userEvent.click(screen.getByText("a nota fiscal chegou"));
  await waitFor(() => expect(address()).toBe(`/tickets/${found.uuid}?message=${hit.messageId}`));
});

test("two letters send no request, and an empty result is shown", async () => {
  const { requests } = open();
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await field(), "zq");
  expect(await screen.findByText("Nada encontrado para “zq”")).toBeTruthy();
  expect(requests).toEqual([]);
});

test("? lists the shortcuts, but not in a text field", async () => {
  open();
  await userEvent.type(screen.getByRole("textbox", { name: "campo" }), "?");
  expect(screen.queryByRole("dialog")).toBeNull();
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard("?");
  const sheet = await screen.findByRole("dialog", { name: "Atalhos do teclado" });
  expect(within(sheet).getByText("Resolver").closest("div")?.textContent).toBe("Alt RResolver");
});
