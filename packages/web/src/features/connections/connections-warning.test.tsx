import { notifications } from "@mantine/notifications";
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { ConnectionAlarms, ConnectionsWarning } from "./index.ts";
import { connectionServer, openConnected, sessionEvent } from "./testing/connections-screen.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const shop = givenConnection(1, "Loja Paulista");
const branch = givenConnection(2, "Filial Santos");
const warning = "há uma conexão com problema";
const alarmOf = (name: string): string => `A conexão ${name} está fora do ar há mais de um minuto.`;

beforeEach(() => {
  notifications.clean();
  startSession(givenToken("t", 3_600), givenUser());
});

test("the menu warns after two seconds of any lost connection, until all are back", async () => {
  connectionServer([shop, branch]);
  await openConnected(<ConnectionsWarning />, sockets);
  sessionEvent(sockets, branch, { status: "TIMEOUT" });
  expect(screen.queryByText(warning)).toBeNull();
  expect(await screen.findByText(warning)).toBeTruthy();
  sessionEvent(sockets, branch, { status: "CONNECTED" });
  await waitFor(() => expect(screen.queryByText(warning)).toBeNull());
});

test("an admin gets one toast when a connection is lost for a minute, none for old losses", async () => {
  const old = givenConnection(3, "Quiosque", { alarmedAt: "2026-11-01T10:00:00.000Z" });
  const server = connectionServer([shop, branch, old]);
  await openConnected(<ConnectionAlarms />, sockets);
  const alarmedAt = new Date().toISOString();
  await waitFor(() => expect(server.requests.length).toBeGreaterThan(0));
  await waitFor(() => {
    sessionEvent(sockets, shop, { status: "TIMEOUT", alarmedAt });
    expect(screen.getByText(alarmOf("Loja Paulista"))).toBeTruthy();
  });
  act(() => notifications.clean());
  await waitFor(() => expect(screen.queryByText(alarmOf("Loja Paulista"))).toBeNull());
  sessionEvent(sockets, shop, { status: "OPENING", alarmedAt });
  sessionEvent(sockets, branch, { status: "TIMEOUT", alarmedAt });
  expect(await screen.findByText(alarmOf("Filial Santos"))).toBeTruthy();
  expect(screen.queryByText(alarmOf("Loja Paulista"))).toBeNull();
  expect(screen.queryByText(alarmOf("Quiosque"))).toBeNull();
});

test("an agent gets no alarm and does not request the connections", async () => {
  startSession(givenToken("t", 3_600), givenUser({ profile: "user" }));
  const server = connectionServer([shop]);
  await openConnected(<ConnectionAlarms />, sockets);
  await waitFor(() => expect(server.requests.length).toBeGreaterThan(0));
  expect(server.requests.map(({ call }) => call)).not.toContain("GET /api/whatsapp");
});
