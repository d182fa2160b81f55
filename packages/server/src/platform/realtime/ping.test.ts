import { expect, test } from "vitest";
import { signInApp } from "../../features/auth/testing/sign-in-app.ts";

test("a client is pinged every 18 seconds, and disconnected 18 seconds after a lost ping", async () => {
  const app = await signInApp();
  const address = new URL("/socket.io/?EIO=4&transport=websocket", app.url);
  address.protocol = "ws:";
  const socket = new WebSocket(address);
  const opening = await new Promise<string>((resolve, reject) => {
    socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
    socket.addEventListener("error", () => reject(new Error("there is no socket")), { once: true });
  });
  socket.close();
  // The packet that opens a connection of the protocol.
  expect(opening[0]).toBe("0");
  expect(JSON.parse(opening.slice(1))).toMatchObject({ pingInterval: 18_000, pingTimeout: 18_000 });
});
