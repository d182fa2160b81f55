import { setTimeout as delay } from "node:timers/promises";
import { clientEvents, companyEvent, READY_EVENT } from "@balcao/contract";
import type { Socket } from "socket.io-client";
import { io } from "socket.io-client";
import { sharedClockMs } from "./clock.ts";

export type Agent = { companyId: number; token: string };
/** Connect these agents; or say what all of them heard since the last question, once nothing more arrives. */
export type AgentsWish = { kind: "connect"; url: string; agents: Agent[] } | { kind: "collect" };
export type AgentsAnswer = { heard: Heard[] } | { error: string };
type Heard = { text: string; atMs: number };

const CONNECTING_AT_ONCE = 20;
const QUIET_MS = 500;

const sockets: Socket[] = [];
let heard: Heard[] = [];

/** A process of its own: hundreds of clients would otherwise be measured together with the product. */
process.on("message", (wish: AgentsWish) => {
  void obey(wish)
    .catch((error: unknown): AgentsAnswer => ({ error: String(error) }))
    .then((answer) => process.send?.(answer));
});
// The benchmark ended, or broke.
process.on("disconnect", () => process.exit());

async function obey(wish: AgentsWish): Promise<AgentsAnswer> {
  if (wish.kind === "collect") return { heard: await collect() };
  const waiting = [...wish.agents];
  const connector = async (): Promise<void> => {
    for (let agent = waiting.pop(); agent; agent = waiting.pop()) await connect(wish.url, agent);
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connector));
  return { heard: [] };
}

/** As the web page does it: waits until the server is ready, then listens to what waits and to notifications. */
function connect(url: string, { companyId, token }: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { token } });
    sockets.push(socket);
    socket.once("connect_error", reject);
    socket.once("disconnect", (reason) =>
      reject(new Error(`an agent was disconnected: ${reason}`)),
    );
    socket.once(READY_EVENT, () => {
      socket.emit(clientEvents.joinNotification);
      socket.emit(clientEvents.joinTickets, "pending");
      resolve();
    });
    socket.on(companyEvent(companyId, "appMessage"), (payload: { message: { body: string } }) => {
      heard.push({ text: payload.message.body, atMs: sharedClockMs() });
    });
    socket.on(companyEvent(companyId, "chat"), (payload: { newMessage?: { message: string } }) => {
      if (payload.newMessage)
        heard.push({ text: payload.newMessage.message, atMs: sharedClockMs() });
    });
  });
}

async function collect(): Promise<Heard[]> {
  for (let known = -1; known !== heard.length;) {
    known = heard.length;
    await delay(QUIET_MS);
  }
  if (sockets.some(({ connected }) => !connected)) throw new Error("an agent lost his connection");
  const taken = heard;
  heard = [];
  return taken;
}
