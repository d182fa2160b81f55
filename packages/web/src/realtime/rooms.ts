import { clientEvents } from "@balcao/contract/event-names";
import type { TicketStatus } from "@balcao/contract";

/** What a screen can listen to beyond the company's main channel (wire-contract 7.2). */
export type Room =
  | { kind: "chatBox"; ticketId: number }
  | { kind: "tickets"; status: TicketStatus }
  | { kind: "notification" };

/** Sends one client event; never acknowledged. */
export type EmitToServer = (event: string, argument?: string) => void;

export type RoomRegistry = ReturnType<typeof createRoomRegistry>;

/** Equal keys are the same room. */
export function roomKey(room: Room): string {
  if (room.kind === "chatBox") return `chatBox ${room.ticketId}`;
  if (room.kind === "tickets") return `tickets ${room.status}`;
  return room.kind;
}

/**
 * Counts who wants which room. The server is told about the first and the last only, and never before `ready`; after
 * each `ready` every wanted room is joined again.
 */
export function createRoomRegistry(emit: EmitToServer) {
  const wanted = new Map<string, { room: Room; count: number }>();
  let isReady = false;

  function leave(room: Room): void {
    const key = roomKey(room);
    const entry = wanted.get(key);
    if (!entry) return;
    entry.count -= 1;
    if (entry.count > 0) return;
    wanted.delete(key);
    if (isReady) send(emit, room, "leave");
  }

  return {
    /** Returns the way out; calling it twice counts once. */
    enter(room: Room): () => void {
      const key = roomKey(room);
      const entry = wanted.get(key);
      if (entry) {
        entry.count += 1;
      } else {
        wanted.set(key, { room, count: 1 });
        if (isReady) send(emit, room, "join");
      }
      let isInside = true;
      return () => {
        if (isInside) leave(room);
        isInside = false;
      };
    },
    ready(): void {
      isReady = true;
      for (const { room } of wanted.values()) send(emit, room, "join");
    },
    lost(): void {
      isReady = false;
    },
  };
}

function send(emit: EmitToServer, room: Room, verb: "join" | "leave"): void {
  const isJoin = verb === "join";
  switch (room.kind) {
    case "chatBox":
      emit(isJoin ? clientEvents.joinChatBox : clientEvents.leaveChatBox, String(room.ticketId));
      return;
    case "tickets":
      emit(isJoin ? clientEvents.joinTickets : clientEvents.leaveTickets, room.status);
      return;
    case "notification":
      emit(isJoin ? clientEvents.joinNotification : clientEvents.leaveNotification);
  }
}
