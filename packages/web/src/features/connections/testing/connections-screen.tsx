import type { Connection, ConnectionSession } from "@balcao/contract";
import { companyEvent } from "@balcao/contract/event-names";
import { act, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { Router } from "../../../router/index.tsx";
import { expect } from "vitest";
import { currentSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import type { FakeSocket } from "../../../testing/fake-socket.ts";
import { memorySteps } from "../../../testing/memory-steps.ts";
import { LiveSession } from "../../auth/index.ts";
import { renderOnCache } from "../../messages/testing/render-feature.tsx";
import { givenConnection, givenQueue } from "../../tickets/testing/given-choices.ts";

type Handlers = Parameters<typeof fakeServer>[0];

/** The fake server of the connection pages. */
export type ConnectionServer = {
  connections: Connection[];
  requests: SeenRequest[];
  /** Calls that change something, in order. */
  writes: () => string[];
  bodyOf: (call: string) => unknown;
};

/** Replies for these connections; `more` overrides handlers. */
export function connectionServer(connections: Connection[], more: Handlers = {}): ConnectionServer {
  const server: ConnectionServer = {
    connections,
    requests: [],
    writes: () => server.requests.map(({ call }) => call).filter((call) => !call.startsWith("GET")),
    bodyOf: (call) => server.requests.findLast((request) => request.call === call)?.body,
  };
  const done = () => ({ body: { message: "ok" } });
  const handlers: Handlers = {
    "GET /api/whatsapp": () => ({ body: server.connections }),
    "GET /api/queue": () => ({ body: [givenQueue(1, "Vendas"), givenQueue(2, "Suporte")] }),
    "POST /api/whatsapp": () => ({ body: givenConnection(9, "Nova", { status: "OPENING" }) }),
    "POST /api/whatsapp-restart": done,
  };
  for (const { id, name } of connections) {
    handlers[`PUT /api/whatsapp/${id}`] = () => ({ body: givenConnection(id, name) });
    handlers[`DELETE /api/whatsapp/${id}`] = done;
    for (const method of ["POST", "PUT", "DELETE"]) {
      handlers[`${method} /api/whatsappsession/${id}`] = done;
    }
  }
  server.requests = fakeServer({ ...handlers, ...more }).requests;
  return server;
}

/** Shows a page of the signed-in user, with the live channel open. */
export async function openConnected(
  page: ReactNode,
  sockets: readonly FakeSocket[],
  address = "/connections",
): Promise<void> {
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  renderOnCache(
    <>
      <LiveSession session={session} />
      <Router steps={memorySteps(address)}>{page}</Router>
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
}

/** Sends an event with the changes of a session. */
export function sessionEvent(
  sockets: readonly FakeSocket[],
  connection: Connection,
  changes: Partial<ConnectionSession>,
): void {
  const { id, name, status, retries, number, isDefault, closeReason, companyId } = connection;
  const { connectedAt, disconnectedAt, alarmedAt, updatedAt } = connection;
  const session = {
    ...{ id, name, status, retries, number, isDefault, closeReason, companyId },
    ...{ connectedAt, disconnectedAt, alarmedAt, updatedAt },
    ...changes,
  };
  act(() => sockets[0]?.receive(companyEvent(3, "whatsappSession"), { action: "update", session }));
}

/** Waits for the row of a connection. */
export async function rowOf(name: string): Promise<HTMLElement> {
  return await screen.findByRole("row", { name: new RegExp(name) });
}
