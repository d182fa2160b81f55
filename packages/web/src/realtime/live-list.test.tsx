import type { Tag } from "@balcao/contract";
import { tag } from "@balcao/contract";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../api/query-client.ts";
import { endSession, startSession } from "../api/session-store.ts";
import type { FakeSocket } from "../testing/fake-socket.ts";
import { givenToken, givenUser } from "../testing/given.ts";
import { useLiveConnection } from "./index.ts";
import { liveList, livePages } from "./live-list.ts";
import { sockets } from "../testing/sockets.ts";

vi.mock("./socket.ts", () => import("../testing/sockets.ts"));

const at = "2026-11-20T10:00:00.000Z";
const given = (id: number, name: string): Tag =>
  tag.parse({ id, name, color: "#fff", kanban: 0, companyId: 3, createdAt: at, updatedAt: at });

/** The pending replies of the server, oldest first. */
let owed: ((rows: Tag[]) => void)[] = [];
const read = (): Promise<Tag[]> => new Promise((resolve) => owed.push(resolve));

const list = liveList<Tag, number>({
  key: ["live-list-test"],
  read,
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name),
}).follow("tag", (event) =>
  event.action === "delete" ? { removedId: event.tagId } : { row: event.tag },
);

const pages = livePages<Tag>({
  key: ["live-pages-test"],
  identify: ({ id }) => id,
  read: async () => {
    const rows = await read();
    return { rows, count: rows.length, hasMore: false };
  },
}).follow("tag");

function Names({ rows }: { rows: readonly Tag[] | undefined }): ReactNode {
  return <output>{rows?.map(({ name }) => name).join(" ") ?? "…"}</output>;
}

function Whole(): ReactNode {
  useLiveConnection(3);
  return <Names rows={useQuery(list.query).data} />;
}

function Paged(): ReactNode {
  useLiveConnection(3);
  return <Names rows={pages.usePages("").rows} />;
}

async function open(screenOf: ReactNode): Promise<FakeSocket> {
  render(<QueryClientProvider client={queryClient}>{screenOf}</QueryClientProvider>);
  await waitFor(() => expect([sockets.length, owed.length]).toEqual([1, 1]));
  const [socket] = sockets;
  if (!socket) throw new Error("no socket was opened");
  return socket;
}

const answer = (rows: Tag[]): void => act(() => owed.shift()?.(rows));
const shows = (names: string) =>
  waitFor(() => expect(screen.getByRole("status").textContent).toBe(names));
const put = (socket: FakeSocket, action: "create" | "update", one: Tag): void =>
  act(() => socket.receive("company-3-tag", { action, tag: one, tags: one, tagId: one.id }));
const remove = (socket: FakeSocket, tagId: number): void =>
  act(() => socket.receive("company-3-tag", { action: "delete", tagId }));

beforeEach(() => {
  owed = [];
  startSession(givenToken("t", 3_600), givenUser());
});

afterEach(() => {
  cleanup();
  endSession("logout");
});

test("created, changed and deleted rows are shown in place, without a new read", async () => {
  const socket = await open(<Whole />);
  answer([given(1, "a"), given(3, "c")]);
  await shows("a c");
  put(socket, "create", given(2, "b"));
  put(socket, "create", given(2, "b"));
  await shows("a b c");
  put(socket, "update", given(1, "d"));
  await shows("b c d");
  remove(socket, 3);
  await shows("b d");
  list.apply({ id: 2, change: (known) => ({ ...known, name: "e" }) });
  await shows("d e");
  expect(owed).toEqual([]);
});

test("an event during a read wins over its older reply", async () => {
  const socket = await open(<Whole />);
  put(socket, "update", given(1, "new"));
  put(socket, "create", given(2, "added"));
  remove(socket, 3);
  answer([given(1, "old"), given(3, "gone")]);
  await shows("added new");
});

test("after a reconnect the list is refetched", async () => {
  const socket = await open(<Whole />);
  answer([given(1, "a")]);
  await shows("a");
  act(() => socket.receive("ready"));
  await waitFor(() => expect(owed).toHaveLength(1));
  answer([given(2, "missed")]);
  await shows("missed");
});

test("pages are refetched after an event, also during their first read", async () => {
  const socket = await open(<Paged />);
  put(socket, "create", given(2, "b"));
  answer([given(1, "a")]);
  await waitFor(() => expect(owed).toHaveLength(1));
  answer([given(1, "a"), given(2, "b")]);
  await shows("a b");
  remove(socket, 1);
  await waitFor(() => expect(owed).toHaveLength(1));
  answer([given(2, "b")]);
  await shows("b");
});
