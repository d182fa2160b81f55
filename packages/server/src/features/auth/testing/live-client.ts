import type { Socket } from "socket.io-client";
import { io } from "socket.io-client";
import { vi } from "vitest";
import { atEndOfFile } from "../../../testing/end-of-file.ts";

type LiveEvent = { name: string; payload: unknown };

/** A connected client that remembers all it hears. */
export type LiveClient = {
  socket: Socket;
  /** Everything heard since the connection, `ready` included. */
  heard: LiveEvent[];
  /** How it ended: the refusal's code, or the reason of the disconnect; null while it is open. */
  ending: () => string | null;
  /** Resolves with the next event of this name that was not taken before. */
  next(name: string): Promise<unknown>;
};

const often = { interval: 10 };

/** Connects as a client of the family does and waits until it is ready or refused. */
export async function connectLive(
  url: string,
  token: string,
  { namespace = "/", inQuery = false }: { namespace?: string; inQuery?: boolean },
): Promise<LiveClient> {
  const socket = io(`${url}${namespace}`, {
    transports: ["websocket"],
    reconnection: false,
    forceNew: true,
    ...(inQuery ? { query: { token } } : { auth: { token } }),
  });
  atEndOfFile(async () => {
    socket.disconnect();
  });
  const heard: LiveEvent[] = [];
  const taken = new Set<LiveEvent>();
  let ending: string | null = null;
  socket.onAny((name: string, payload: unknown) => heard.push({ name, payload }));
  socket.on("connect_error", (error) => {
    ending = error.message;
  });
  socket.on("disconnect", (reason) => {
    ending = reason;
  });
  await vi.waitFor(() => {
    if (ending === null && !heard.some(({ name }) => name === "ready"))
      throw new Error("not ready");
  }, often);
  return {
    socket,
    heard,
    ending: () => ending,
    next: (name) =>
      vi.waitFor(() => {
        const event = heard.find((candidate) => candidate.name === name && !taken.has(candidate));
        if (!event) throw new Error(`${name} was not heard`);
        taken.add(event);
        return event.payload;
      }, often),
  };
}
