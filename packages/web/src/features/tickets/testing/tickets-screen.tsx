import { act, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { Outlet, Router, Routes } from "../../../router/index.tsx";
import { expect } from "vitest";
import { currentSession } from "../../../api/session-store.ts";
import type { FakeSocket } from "../../../testing/fake-socket.ts";
import { memorySteps } from "../../../testing/memory-steps.ts";
import { LiveSession } from "../../auth/index.ts";
import { renderOnCache } from "../../messages/testing/render-feature.tsx";
import { UndoPlace } from "../../../ui/undo.tsx";
import { NewTicketHost } from "../new-ticket/new-ticket.tsx";
import { TicketsPage } from "../tickets-page.tsx";

/** Returns `pathname` and `search` of the current address. */
export type Address = () => string;

/**
 * Renders the tickets screen of the signed-in user at an address, connected through the first of `sockets`, and waits
 * for it.
 */
export async function openTicketsScreen(
  sockets: readonly FakeSocket[],
  at: string | { pathname: string; state: unknown } = "/tickets",
): Promise<Address> {
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const page = { path: "tickets/:ticketUuid?", element: <TicketsPage /> };
  const routes = [{ element: <Frame />, children: [page] }];
  const steps = memorySteps(at);
  renderOnCache(
    <>
      <LiveSession session={session} />
      <Router steps={steps}>
        <Routes routes={routes} />
      </Router>
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
  await screen.findByRole("tab", { name: "Abertos" });
  return () => steps.current().pathname + steps.current().search;
}

/** The ticket parts of the frame of the signed-in pages. */
function Frame(): ReactNode {
  return (
    <>
      <NewTicketHost />
      <Outlet />
      <UndoPlace />
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
  return { id, name, number: "5511984562210", email: "", profilePicUrl: "", optedOut: false };
}
