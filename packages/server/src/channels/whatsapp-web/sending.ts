import type { AnyMessageContent, proto as types, WASocket } from "baileys";
import { generateWAMessage, proto } from "baileys";
import { z } from "zod";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { ProviderContext, ProviderFailure, SendCommand, SendOutcome } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { CannotSend, toSocketContent } from "./content/outbound.ts";
import { silentLog } from "./socket.ts";

export type SendingDeps = {
  context: Pick<ProviderContext, "connectionId" | "openFile">;
  sent: SentMessages;
  uploadMs: number;
  log: Logger;
};

/**
 * Hands a command to the network. The message is stored before it is sent, so a second attempt is the same message with
 * the same id. The network's answer comes as an ack event.
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
 * When the lookup of devices fails or returns none, the library assumes a person without devices and sends a message
 * without recipients. Devices found here stay in its cache for the send. A group's message is addressed to the group.
 */
async function requireRecipient(socket: WASocket, jid: string): Promise<void> {
  if (jid.endsWith("@g.us")) return;
  const devices = await socket.getUSyncDevices([jid], true, false);
  if (devices.length > 0) return;
  throw new CannotSend({ kind: "recipient-unchecked" }, "no device of the recipient is known");
}

/** The attribute that marks an edit or a deletion. */
function editMark(jid: string, content: AnyMessageContent): string | null {
  if ("edit" in content && content.edit) return "1";
  if (!("delete" in content) || !content.delete) return null;
  // In a group an admin can delete other people's messages.
  return jid.endsWith("@g.us") && !content.delete.fromMe ? "8" : "7";
}

function preparationFailure({ context, log }: SendingDeps, error: unknown): ProviderFailure {
  if (error instanceof CannotSend) return error.failure;
  if (error instanceof LeaseLost) return { kind: "lease-lost" };
  if (isClosed(error)) return { kind: "not-connected" };
  const { connectionId } = context;
  log.warn({ err: error, connectionId }, "a message could not be prepared");
  return { kind: "temporary" };
}

function failedRelay({ context, log }: SendingDeps, error: unknown): SendOutcome {
  // The socket rejects with this before it writes the message.
  if (isClosed(error)) return { result: "refused", failure: { kind: "not-connected" } };
  const { connectionId } = context;
  log.warn({ err: error, connectionId }, "a message may not have been sent");
  const kind = error instanceof LeaseLost ? "lease-lost" : "temporary";
  return { result: "unknown", failure: { kind } };
}

const closedError = z.object({ output: z.object({ statusCode: z.literal(428) }) });

/** The library's errors for a closed socket: its own error, or the code of the close. */
function isClosed(error: unknown): boolean {
  if (typeof error === "number") return true;
  return error instanceof Error && closedError.safeParse(error).success;
}

const saveSent = {
  name: "whatsapp-sent-save",
  text: `insert into whatsapp_sent (company_id, connection_id, message_id, data) values ($1, $2, $3, $4)
         on conflict do nothing`,
};
const readSent = {
  name: "whatsapp-sent-read",
  text: `select data from whatsapp_sent
          where company_id = $1 and connection_id = $2 and message_id = $3
            and created_at > now() - interval '1 day'`,
};
type SentDeps = {
  db: Database;
  seal: Seal;
  context: Pick<ProviderContext, "companyId" | "connectionId" | "transaction">;
};

/** A message as it is sent, including the location of its uploaded file. */
type SentMessage = {
  jid: string;
  message: types.IMessage;
  /** The attribute that marks an edit or a deletion. */
  edit: string | null;
};

const stored = z.object({
  jid: z.string(),
  edit: z.string().nullable(),
  message: z.base64(),
});

/**
 * Messages sent in the last day: for a second attempt with the same content and file, and for contacts whose phone asks
 * for a message again (behaviour 10.3).
 */
export class SentMessages {
  readonly #deps: SentDeps;

  constructor(deps: SentDeps) {
    this.#deps = deps;
  }

  async keep(id: string, { jid, message, edit }: SentMessage): Promise<void> {
    const { seal, context } = this.#deps;
    const bytes = Buffer.from(proto.Message.encode(message).finish());
    const text = JSON.stringify({ jid, edit, message: bytes.toString("base64") });
    const data = seal.close(Buffer.from(text), this.#purposeOf(id));
    await context.transaction((tx) =>
      tx.query(saveSent, [context.companyId, context.connectionId, id, data]),
    );
  }

  async find(id: string): Promise<SentMessage | null> {
    const { db, seal, context } = this.#deps;
    const { companyId, connectionId } = context;
    const [row] = await db.transaction(context, (tx) =>
      tx.query<{ data: Buffer }>(readSent, [companyId, connectionId, id]),
    );
    if (!row) return null;
    const text = seal.open(row.data, this.#purposeOf(id)).toString();
    const { jid, edit, message } = stored.parse(JSON.parse(text));
    return { jid, edit, message: proto.Message.decode(Buffer.from(message, "base64")) };
  }

  #purposeOf(id: string): string {
    return `whatsapp-sent:${this.#deps.context.connectionId}:${id}`;
  }
}
