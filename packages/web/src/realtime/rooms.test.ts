import { beforeEach, expect, test, vi } from "vitest";
import type { EmitToServer, Room, RoomRegistry } from "./live-connection.ts";
import { createRoomRegistry } from "./live-connection.ts";

const chat: Room = { kind: "chatBox", ticketId: 12 };
const emit = vi.fn<EmitToServer>();
let rooms: RoomRegistry;

beforeEach(() => {
  emit.mockClear();
  rooms = createRoomRegistry(emit);
});

test("each kind of room is joined and left by its event and argument", () => {
  rooms.ready();
  const ways = [
    rooms.enter(chat),
    rooms.enter({ kind: "tickets", status: "pending" }),
    rooms.enter({ kind: "notification" }),
  ];
  for (const leave of ways) leave();
  expect(emit.mock.calls).toEqual([
    ["joinChatBox", "12"],
    ["joinTickets", "pending"],
    ["joinNotification"],
    ["leaveChatBox", "12"],
    ["leaveTickets", "pending"],
    ["leaveNotification"],
  ]);
});

test("rooms are joined only after the server is ready", () => {
  rooms.enter(chat);
  expect(emit).not.toHaveBeenCalled();
  rooms.ready();
  expect(emit.mock.calls).toEqual([["joinChatBox", "12"]]);
});

test("a shared room is joined by the first user and left by the last", () => {
  rooms.ready();
  const leaveFirst = rooms.enter(chat);
  const leaveSecond = rooms.enter({ kind: "chatBox", ticketId: 12 });
  leaveFirst();
  expect(emit.mock.calls).toEqual([["joinChatBox", "12"]]);
  leaveSecond();
  expect(emit.mock.calls.at(-1)).toEqual(["leaveChatBox", "12"]);
});

test("calling the same leave function twice counts once", () => {
  rooms.ready();
  const leave = rooms.enter(chat);
  rooms.enter(chat);
  leave();
  leave();
  expect(emit.mock.calls).toEqual([["joinChatBox", "12"]]);
});

test("after a reconnect the wanted rooms are joined again, once each", () => {
  rooms.ready();
  rooms.enter(chat);
  rooms.enter(chat);
  const leaveOther = rooms.enter({ kind: "notification" });
  rooms.lost();
  emit.mockClear();
  leaveOther();
  expect(emit).not.toHaveBeenCalled();
  rooms.ready();
  expect(emit.mock.calls).toEqual([["joinChatBox", "12"]]);
});
