import type { FakeSocket } from "./fake-socket.ts";
import { createFakeSocket } from "./fake-socket.ts";

/** The sockets that the code under test opened, in order. Setup empties the list before each test. */
export const sockets: FakeSocket[] = [];

/** Stands in for `realtime/socket.ts`: `vi.mock("…/realtime/socket.ts", () => import("…/testing/sockets.ts"))`. @public */
export function openSocket(): FakeSocket {
  const socket = createFakeSocket();
  sockets.push(socket);
  return socket;
}
