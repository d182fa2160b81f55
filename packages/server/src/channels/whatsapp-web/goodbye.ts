import type { WASocket } from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import { within } from "../runtime/within.ts";
import type { WhatsAppWebSettings } from "./settings.ts";
import { endSocket } from "./socket.ts";

/** Tells the service that we unlink, if it can be reached in time; the connection is closed afterwards. */
export async function sayGoodbye(
  socket: WASocket,
  { logoutMs, endMs }: WhatsAppWebSettings,
  log: Logger,
): Promise<void> {
  try {
    await within(
      logoutMs,
      untilOpen(socket).then(() => socket.logout()),
    );
  } catch (error) {
    // The phone still shows the link, and can take it away.
    log.warn({ err: error }, "the service was not told of an unlinking");
  } finally {
    await endSocket(socket, endMs);
  }
}

/** Rejects when the connection closes instead. */
function untilOpen(socket: WASocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.ev.on("connection.update", ({ connection, lastDisconnect }) => {
      if (connection === "open") resolve();
      if (connection === "close") reject(lastDisconnect?.error ?? new Error("closed"));
    });
  });
}
