import { act, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { createMemoryRouter, Outlet } from "react-router";
import { RouterProvider } from "react-router/dom";
import { expect } from "vitest";
import { currentSession } from "../../../api/session-store.ts";
import type { FakeSocket } from "../../../testing/fake-socket.ts";
import { LiveSession } from "../../auth/index.ts";
import { renderOnCache } from "../../messages/testing/render-feature.tsx";
import { LiveSettings } from "../../settings/index.ts";
import { NewTicketHost } from "../new-ticket-host.tsx";
import { TicketsPage } from "../tickets-page.tsx";

/** Where one is; `pathname` and `search` of the address. */
export type Address = () => string;

/**
 * The tickets screen of the signed-in user at an address, connected through the first of `sockets`; it is there when
 * this returns.
 */
export async function openTicketsScreen(
  sockets: readonly FakeSocket[],
  at: string | { pathname: string; state: unknown } = "/tickets",
): Promise<Address> {
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const page = { path: "tickets/:ticketUuid?", Component: TicketsPage };
  const routes = [{ Component: Frame, children: [page] }];
  const router = createMemoryRouter(routes, { initialEntries: [at] });
  renderOnCache(
    <>
      <LiveSession session={session} />
      <LiveSettings />
      <RouterProvider router={router} />
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
  await screen.findByRole("tab", { name: "Abertos" });
  return () => router.state.location.pathname + router.state.location.search;
}

/** What of the frame of signed-in pages belongs to tickets. */
function Frame(): ReactNode {
  return (
    <>
      <NewTicketHost />
      <Outlet />
    </>
  );
}

/** Names on the cards, in their order: the first words beside the avatar. */
export function cardNames(): (string | undefined)[] {
  return screen
    .queryAllByRole("listitem")
    .map(
      (item) => item.querySelector("article > div > div > :first-child")?.textContent ?? undefined,
    );
}

/** Atendendo or Aguardando. */
export function chip(name: string): HTMLElement {
  return screen.getByRole("button", { name: new RegExp(`^${name}`) });
}

export function contactNamed(id: number, name: string) {
  return { id, name, number: "5511984562210", email: "", profilePicUrl: "" };
}
