import type { AnyMessageContent, WASocket } from "baileys";
import { generateWAMessage } from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import type { ProviderContext, ProviderFailure, SendCommand, SendOutcome } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { CannotSend, toSocketContent } from "./content/outbound.ts";
import type { SentMessage, SentMessages } from "./sent-messages.ts";
import { silentLog } from "./socket-log.ts";

export type SendingDeps = {
  context: Pick<ProviderContext, "connectionId" | "openFile">;
  sent: SentMessages;
  uploadMs: number;
  log: Logger;
};

/**
 * Hands a command to the network. What goes out is stored before: the second attempt is the same message under the same
 * id. The network's answer comes as an ack event.
 */
export async function send(
  deps: SendingDeps,
  socket: WASocket,
  command: SendCommand,
): Promise<SendOutcome> {
  let message: SentMessage;
  try {
    message = await prepare(deps, socket, command);
    await requireRecipient(socket, message.jid);
  } catch (error) {
    return { result: "refused", failure: preparationFailure(deps, error) };
  }
  try {
    await socket.relayMessage(message.jid, message.message, {
      messageId: command.providerId,
      ...(message.edit === null ? {} : { additionalAttributes: { edit: message.edit } }),
    });
    return { result: "written" };
  } catch (error) {
    return failedRelay(deps, error);
  }
}

async function prepare(
  { context, sent, uploadMs }: SendingDeps,
  socket: WASocket,
  command: SendCommand,
): Promise<SentMessage> {
  const earlier = await sent.find(command.providerId);
  if (earlier) return earlier;
  const { openFile } = context;
  const { jid, content, options } = await toSocketContent(command, { openFile, uploadMs });
  const { message } = await generateWAMessage(jid, content, {
    logger: silentLog,
    userJid: socket.user?.id ?? "",
    upload: socket.waUploadToServer,
    mediaUploadTimeoutMs: uploadMs,
    ...options,
    messageId: command.providerId,
  });
  if (!message) throw new Error("the library made no message");
  const prepared = { jid, message, edit: editMark(jid, content) };
  await sent.keep(command.providerId, prepared);
  return prepared;
}

/**
 * The library takes a lookup of devices that times out, or that answers nothing, for a person without devices, and then
 * sends a message that is addressed to nobody. Devices found here stay in its cache for the send. A group's message is
 * addressed to the group.
 */
async function requireRecipient(socket: WASocket, jid: string): Promise<void> {
  if (jid.endsWith("@g.us")) return;
  const devices = await socket.getUSyncDevices([jid], true, false);
  if (devices.length > 0) return;
  throw new CannotSend({ kind: "recipient-unchecked" }, "no device of the recipient is known");
}

/** How the network tells changes of a message from messages. */
function editMark(jid: string, content: AnyMessageContent): string | null {
  if ("edit" in content && content.edit) return "1";
  if (!("delete" in content) || !content.delete) return null;
  // In a group an admin deletes what others wrote.
  return jid.endsWith("@g.us") && !content.delete.fromMe ? "8" : "7";
}

/** Nothing has gone out. */
function preparationFailure({ context, log }: SendingDeps, error: unknown): ProviderFailure {
  if (error instanceof CannotSend) return error.failure;
  if (error instanceof LeaseLost) return { kind: "lease-lost" };
  if (isClosed(error)) return { kind: "not-connected" };
  const { connectionId } = context;
  log.warn({ err: error, connectionId }, "a message could not be prepared");
  return { kind: "temporary" };
}

function failedRelay({ context, log }: SendingDeps, error: unknown): SendOutcome {
  // Said by the socket before it writes, or in the place of an answer that is needed before.
  if (isClosed(error)) return { result: "refused", failure: { kind: "not-connected" } };
  const { connectionId } = context;
  log.warn({ err: error, connectionId }, "a message may not have been sent");
  const kind = error instanceof LeaseLost ? "lease-lost" : "temporary";
  return { result: "unknown", failure: { kind } };
}

/** What the library rejects with when the socket is closed: its own error, or the code of the close. */
function isClosed(error: unknown): boolean {
  if (typeof error === "number") return true;
  if (!(error instanceof Error) || !("output" in error)) return false;
  const { output } = error;
  return (
    typeof output === "object" &&
    output !== null &&
    "statusCode" in output &&
    output.statusCode === 428
  );
}
