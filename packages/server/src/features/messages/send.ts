import type {
  Message,
  MessageId,
  SendMediaFields,
  SendMessageBody,
  TicketId,
} from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { IncomingFile, StoredFile } from "../media/index.ts";
import type { TicketRow } from "../tickets/index.ts";
import { lockTicket, requireVisible } from "../tickets/index.ts";
import type { MessagesDeps } from "./deps.ts";
import { toMessageDto } from "./events.ts";
import type { MessageRow } from "./message.ts";
import { messageColumns, messageJoins, quotedColumn } from "./message.ts";
import type { AgentDestination, OutgoingMessage } from "./outgoing.ts";
import { findDestination, requireOpenWindow, sendMessage } from "./outgoing.ts";
import { markRead } from "./page.ts";

// A closed ticket takes no message of an agent: it is reopened first. Sending does not change the state.

/** Sends a text: stores it and queues it for the connection before the reply. */
export async function sendText(
  deps: MessagesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  body: SendMessageBody,
): Promise<Message> {
  if (body.body.trim() === "") throw new DomainError("ERR_MESSAGE_EMPTY");
  const { quotedMsg: quoted, clientId, undoSeconds } = body;
  return sendAsAgent(deps, ctx, ticketId, {
    text: body.body,
    quoted,
    clientId: clientId ?? null,
    delaySeconds: undoSeconds,
    canBeUndone: true,
  });
}

/** Sends a prepared message from an agent; a repeated client id is the same message. */
export async function sendAsAgent(
  deps: MessagesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  message: OutgoingMessage,
): Promise<Message> {
  return deps.db.transaction(ctx, async (tx) => {
    // Read before the ticket is locked: the message goes to the number for which it was written, although a change of
    // the contact's number may hold the lock.
    const destination = await findDestination(ctx, tx, ticketId);
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    return sendOnce(deps, ctx, tx, ticket, message, destination);
  });
}

/** Sends a prepared message from an agent to a locked ticket that the agent may see. */
export async function sendWithin(
  deps: MessagesDeps,
  ctx: UserCtx,
  tx: Tx,
  ticket: TicketRow,
  message: Omit<OutgoingMessage, "clientId">,
): Promise<MessageId> {
  const destination = await findDestination(ctx, tx, ticket.id);
  const sent = await sendInOrder(deps, ctx, tx, ticket, [message], destination);
  if (!sent) throw new Error("a message without a client id is no repetition");
  return sent.messageId;
}

/**
 * Sends unless an earlier request with the client id did. A repetition returns that message even if it could not be
 * sent now, because the window has closed or the quoted message is deleted.
 */
async function sendOnce(
  deps: MessagesDeps,
  ctx: UserCtx,
  tx: Tx,
  ticket: TicketRow,
  message: OutgoingMessage,
  destination: AgentDestination | null,
): Promise<Message> {
  let refusal: DomainError | null = null;
  let sent: MessageRow | null = null;
  try {
    sent = await sendInOrder(deps, ctx, tx, ticket, [message], destination);
  } catch (error) {
    // Refusals come before anything is written.
    if (!(error instanceof DomainError)) throw error;
    refusal = error;
  }
  const clientIds = message.clientId ? [message.clientId] : [];
  const stored = sent ?? (await findRepeated(ctx, tx, ticket.id, clientIds));
  if (stored) return toMessageDto(deps, stored);
  throw refusal ?? new DomainError("ERR_CREATING_MESSAGE");
}

/** A multipart request while it arrives. */
type MediaUpload = {
  fields(): Promise<SendMediaFields>;
  files(): AsyncIterable<IncomingFile>;
};

/**
 * Sends files, one message each, in their order: all of them or none. They are stored before the transaction that sends
 * them, and removed if it fails. Their destination is the contact's address at the start of the request, however long
 * the upload takes. Client ids that precede the files find a repetition before anything is stored. Returns the last message.
 */
export async function sendFiles(
  deps: MessagesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  upload: MediaUpload,
): Promise<Message> {
  const { db, sources, media } = deps;
  const early = await upload.fields();
  const { repeated, destination } = await db.transaction(ctx, async (tx) => {
    const destination = await findDestination(ctx, tx, ticketId);
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    const repeated = await findRepeated(ctx, tx, ticketId, [early.clientId].flat());
    if (!repeated) {
      requireSendable(ticket, destination);
      if (ticket.connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
      requireOpenWindow(ticket, sources.clock.now());
    }
    return { repeated, destination };
  });
  if (repeated) {
    for await (const file of upload.files()) void file;
    return toMessageDto(deps, repeated);
  }

  const names: string[] = [];
  const files = await media.storeFiles(ctx.companyId, noteNames(upload.files(), names), {
    accept: "any",
  });
  let isSent = false;
  try {
    const { body, clientId, quotedMsgId } = await upload.fields();
    const [captions, clientIds] = [[body].flat(), [clientId].flat()];
    if (new Set(clientIds).size < clientIds.length) throw foreignClientId();
    const { message, isNew } = await db.transaction(ctx, (tx) =>
      sendStored(deps, ctx, tx, ticketId, {
        ...{ files, names, captions, clientIds, quotedMsgId, destination },
      }),
    );
    isSent = isNew;
    return toMessageDto(deps, message);
  } finally {
    if (!isSent) await media.removeUnused(ctx.companyId, keysOf(files));
  }
}

type StoredUpload = {
  files: readonly StoredFile[];
  /** Their original names. */
  names: readonly string[];
  captions: readonly string[];
  clientIds: readonly string[];
  quotedMsgId: MessageId | undefined;
  destination: AgentDestination | null;
};

async function sendStored(
  deps: MessagesDeps,
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  { files, names, captions, clientIds, quotedMsgId, destination }: StoredUpload,
): Promise<{ message: MessageRow; isNew: boolean }> {
  const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
  // A repeated request may have finished during the upload.
  const repeated = await findRepeated(ctx, tx, ticketId, clientIds);
  if (repeated) return { message: repeated, isNew: false };
  const messages = files.map((file, index) => ({
    file,
    text: captionFor(captions, index, [names[index], file.name]),
    quoted: index === 0 ? (quotedMsgId ?? null) : null,
    clientId: clientIds[index] ?? null,
  }));
  const last = await sendInOrder(deps, ctx, tx, ticket, messages, destination);
  if (!last) throw foreignClientId();
  return { message: last, isNew: true };
}

/** Sends messages from an agent. Returns the last one; null when one of the client ids is taken. */
export async function sendInOrder(
  deps: MessagesDeps,
  ctx: UserCtx,
  tx: Tx,
  ticket: TicketRow,
  messages: readonly OutgoingMessage[],
  destination: AgentDestination | null,
): Promise<MessageRow | null> {
  requireSendable(ticket, destination);
  const { userId, name } = ctx.actor;
  const isAnswer = ticket.userId === userId;
  const by = {
    writer: { id: userId, name },
    isAnswer,
    isPersonsAct: true,
    ...(destination && { destination }),
  };
  let current = ticket;
  let last: MessageRow | null = null;
  for (const message of messages) {
    const sent = await sendMessage(deps, ctx, tx, current, { ...message, ...by });
    if (!sent) return null;
    ({ ticket: current, message: last } = sent);
  }
  // An agent who answers has read the ticket. Do not check the unread count: accepting clears it earlier.
  if (isAnswer) await markRead(deps, ctx, tx, ticket.id);
  return last;
}

/** Throws for a closed ticket, and for a connection that does not run, unless it is only reconnecting (ADR 25). */
function requireSendable({ status }: TicketRow, destination: AgentDestination | null): void {
  if (status === "closed") throw new DomainError("ERR_TICKET_CLOSED");
  if (destination?.isStopped) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
}

/** The last message of an earlier request with these client ids; null when the ids are new. */
export async function findRepeated(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  clientIds: readonly string[],
): Promise<MessageRow | null> {
  if (clientIds.length === 0) return null;
  const known = await tx.query<MessageRow>(byClientIdsStatement, [ctx.companyId, clientIds]);
  if (known.length === 0) return null;
  const isRepetition =
    known.length === clientIds.length && known.every((row) => row.ticketId === ticketId);
  if (!isRepetition) throw foreignClientId();
  return known.at(-1) ?? null;
}

export function foreignClientId(): DomainError<"ERR_INVALID_REQUEST"> {
  const issues = [{ path: "clientId", message: "belongs to another message" }];
  return new DomainError("ERR_INVALID_REQUEST", { issues });
}

/** The caption of a file: its own, or the one for all files; its name is not a caption (wire-contract 5.8). */
function captionFor(
  captions: readonly string[],
  index: number,
  names: readonly (string | undefined)[],
): string {
  const caption = (captions.length === 1 ? captions[0] : captions[index]) ?? "";
  return names.includes(caption) ? "" : caption;
}

function keysOf(files: readonly StoredFile[]): string[] {
  return files.flatMap(({ key, thumbnailKey }) =>
    thumbnailKey === null ? [key] : [key, thumbnailKey],
  );
}

async function* noteNames(
  arriving: AsyncIterable<IncomingFile>,
  names: string[],
): AsyncGenerator<IncomingFile> {
  for await (const file of arriving) {
    names.push(file.name);
    yield file;
  }
}

const byClientIdsStatement = {
  name: "messages.by-client-ids",
  text: `
select ${messageColumns}, ${quotedColumn("true")}
from messages m ${messageJoins}
where m.company_id = $1 and m.client_id = any($2::uuid[])
order by m.seq`,
};
