import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../api/query-client.ts";
import { endSession, startSession } from "../api/session-store.ts";
import type { FakeSocket } from "../testing/fake-socket.ts";
import { fakeServer } from "../testing/fake-server.ts";
import { givenToken, givenUser } from "../testing/given.ts";
import {
  expectLiveChannel,
  LiveNotice,
  onceLive,
  useCompanyEvent,
  useLiveConnection,
  useRoom,
} from "./index.ts";
import { sockets } from "../testing/sockets.ts";

vi.mock("./socket.ts", () => import("../testing/sockets.ts"));

function Connected({ children }: { children?: ReactNode }): ReactNode {
  useLiveConnection(3);
  return (
    <>
      <LiveNotice />
      {children}
    </>
  );
}

function Chat({ ticketId }: { ticketId: number | null }): null {
  useRoom(ticketId === null ? null : { kind: "chatBox", ticketId });
  return null;
}

async function newSocket(count: number): Promise<FakeSocket> {
  await waitFor(() => expect(sockets).toHaveLength(count));
  const socket = sockets.at(-1);
  if (!socket) throw new Error("no socket was opened");
  return socket;
}

/** Renders a query on the live channel. */
function renderCount(queryKey: readonly string[], queryFn: () => Promise<number>): void {
  function Count(): ReactNode {
    const { data } = useQuery({ queryKey, queryFn });
    return <output>{data}</output>;
  }
  render(
    <QueryClientProvider client={queryClient}>
      <Connected>
        <Count />
      </Connected>
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  fakeServer({});
  startSession(givenToken("t", 3_600), givenUser());
});

afterEach(() => {
  cleanup();
  endSession("logout");
});

test("two screens of one ticket share its room, and the last one leaves it", async () => {
  const shown = (left: number | null, right: number | null): ReactNode => (
    <Connected>
      <Chat ticketId={left} />
      <Chat ticketId={right} />
    </Connected>
  );
  const view = render(shown(12, 12));
  const socket = await newSocket(1);
  act(() => socket.receive("ready"));
  const rooms = (): unknown[] => socket.sent.filter(([event]) => String(event).includes("ChatBox"));
  expect(rooms()).toEqual([["joinChatBox", "12"]]);
  view.rerender(shown(null, 12));
  expect(rooms()).toEqual([["joinChatBox", "12"]]);
  view.rerender(shown(null, null));
  expect(rooms()).toEqual([
    ["joinChatBox", "12"],
    ["leaveChatBox", "12"],
  ]);
});

test("a lost connection is shown with the seconds to the next attempt, and so is its return", async () => {
  render(<Connected />);
  const first = await newSocket(1);
  act(() => first.receive("ready"));
  expect(screen.queryByRole("status")).toBeNull();
  act(() => first.receive("disconnect", "transport close"));
  expect(screen.getByRole("status").textContent).toMatch(
    /^Sem conexão\. Tentando de novo em [12] s\.$/,
  );
  act(() => screen.getByRole("button", { name: "Tentar de novo" }).click());
  const second = await newSocket(2);
  act(() => second.receive("ready"));
  expect(screen.getByRole("status").textContent).toMatch(/^Conexão restabelecida\./);
});

test("visible data is refetched when the channel is ready, except data that no event changes", async () => {
  const read = vi.fn(() => Promise.resolve(1));
  const readOnce = vi.fn(() => Promise.resolve(1));
  render(<Connected />);
  await queryClient.query({ queryKey: ["live"], queryFn: read });
  await queryClient.query({ queryKey: ["fixed"], queryFn: readOnce, meta: { live: false } });
  const socket = await newSocket(1);
  act(() => socket.receive("ready"));
  await waitFor(() => expect(queryClient.getQueryState(["live"])?.isInvalidated).toBe(true));
  expect(queryClient.getQueryState(["fixed"])?.isInvalidated).toBe(false);
});

test("a first read that is running then is repeated: its reply may be older", async () => {
  const answers: ((count: number) => void)[] = [];
  renderCount(["count"], () => new Promise<number>((resolve) => answers.push(resolve)));
  const socket = await newSocket(1);
  await waitFor(() => expect(answers).toHaveLength(1));
  act(() => socket.receive("ready"));
  act(() => answers[0]?.(59));
  await waitFor(() => expect(answers).toHaveLength(2));
  act(() => answers[1]?.(60));
  await waitFor(() => expect(screen.getByText("60")).toBeTruthy());
});

test("data that waits for the channel is read once, when the channel is ready", async () => {
  const read = vi.fn(() => Promise.resolve(60));
  expectLiveChannel();
  renderCount(["waits"], () => onceLive(["waits"], read));
  const socket = await newSocket(1);
  expect(read).not.toHaveBeenCalled();
  act(() => socket.receive("ready"));
  await waitFor(() => expect(screen.getByText("60")).toBeTruthy());
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(read).toHaveBeenCalledTimes(1);
});

test("an event reaches the newest handler of a screen", async () => {
  const seen: string[] = [];
  function Listener({ name }: { name: string }): null {
    useCompanyEvent("simulator", () => seen.push(name));
    return null;
  }
  const view = render(
    <Connected>
      <Listener name="old" />
    </Connected>,
  );
  const socket = await newSocket(1);
  view.rerender(
    <Connected>
      <Listener name="new" />
    </Connected>,
  );
  act(() => socket.receive("company-3-simulator", { connectionId: 1, phone: null }));
  expect(seen).toEqual(["new"]);
});
