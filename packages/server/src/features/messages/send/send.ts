import type {
  Message,
  MessageId,
  SendMediaFields,
  SendMessageBody,
  TicketId,
} from "@balcao/contract";
import type { UserCtx } from "../../../platform/context.ts";
import { DomainError } from "../../../platform/context.ts";
import type { Database, Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../../media/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { lockTicket, requireVisible } from "../../tickets/index.ts";
import type { ToMessageDto } from "../message-dto.ts";
import type { MessageRow } from "../message-row.ts";
import type { Reading } from "../page/reading.ts";
import { captionFor, keysOfFiles } from "./captions.ts";
import type { Outgoing, OutgoingMessage } from "./outgoing.ts";
import { requireOpenWindow } from "./outgoing.ts";
import { findByClientIds } from "./send-repository.ts";

export type SendDeps = {
  db: Database;
  clock: Clock;
  files: Pick<MediaFiles, "storeFiles" | "removeUnused">;
  outgoing: Outgoing;
  reading: Reading;
  toMessageDto: ToMessageDto;
};

/** A multipart request while it arrives: its text fields, then its files. */
export type MediaUpload = {
  fields(): Promise<SendMediaFields>;
  files(): AsyncIterable<IncomingFile>;
};

type WantedFiles = {
  stored: readonly StoredFile[];
  /** Under which names they came. */
  names: readonly string[];
  captions: readonly string[];
  clientIds: readonly string[];
  quotedMsgId: MessageId | undefined;
};

/** What an agent sends, whatever the ticket's state, which stays. */
export function createSending(deps: SendDeps) {
  const { db, clock, files, outgoing, reading, toMessageDto } = deps;

  /**
   * A text. It is stored and queued for the connection before the reply; the same client id again is the same message.
   */
  async function sendText(
    ctx: UserCtx,
    ticketId: TicketId,
    body: SendMessageBody,
  ): Promise<Message> {
    if (body.body.trim() === "") throw new DomainError("ERR_MESSAGE_EMPTY");
    const { quotedMsg: quoted, clientId, undoSeconds } = body;
    return db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      return once(ctx, tx, ticket, {
        text: body.body,
        quoted,
        clientId: clientId ?? null,
        delaySeconds: undoSeconds,
        canBeUndone: true,
      });
    });
  }

  /**
   * Sends unless an earlier request with the client id did. A repetition answers with that message, also when it could not
   * be sent now: the window has closed, the quoted message is gone.
   */
  async function once(
    ctx: UserCtx,
    tx: Tx,
    ticket: TicketRow,
    message: OutgoingMessage,
  ): Promise<Message> {
    const clientIds = message.clientId ? [message.clientId] : [];
    let refusal: DomainError | null = null;
    let sent: MessageRow | null = null;
    try {
      sent = await answer(ctx, tx, ticket, [message]);
    } catch (error) {
      // Refusals come before anything is written.
      if (!(error instanceof DomainError)) throw error;
      refusal = error;
    }
    const stored = sent ?? (await findRepeated(ctx, tx, ticket.id, clientIds));
    if (stored) return toMessageDto(stored);
    throw refusal ?? new Error("a message that is there cannot be found");
  }

  /** What another feature has prepared, in the agent's name; the same client id again is the same message. */
  async function sendAsAgent(
    ctx: UserCtx,
    ticketId: TicketId,
    message: OutgoingMessage,
  ): Promise<Message> {
    return db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      return once(ctx, tx, ticket, message);
    });
  }

  /**
   * Files, one message each, in their order: all of them or none. They are stored before the transaction that sends
   * them; what is not sent then is removed again. Answers the last message.
   */
  async function sendFiles(
    ctx: UserCtx,
    ticketId: TicketId,
    upload: MediaUpload,
  ): Promise<Message> {
    const { body, clientId, quotedMsgId } = await upload.fields();
    const [captions, clientIds] = [[body].flat(), [clientId].flat()];
    if (new Set(clientIds).size < clientIds.length) throw foreignClientId();
    const known = await db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      const repeated = await findRepeated(ctx, tx, ticketId, clientIds);
      if (repeated) return repeated;
      if (ticket.connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
      requireOpenWindow(ticket, clock.now());
      return null;
    });
    if (known) {
      await passOver(upload.files());
      return toMessageDto(known);
    }

    const named = withNames(upload.files());
    const stored = await files.storeFiles(ctx.companyId, named.files, { accept: "any" });
    let isSent = false;
    try {
      const { message, isNew } = await db.transaction(ctx, (tx) =>
        sendStored(ctx, tx, ticketId, {
          captions,
          clientIds,
          quotedMsgId,
          stored,
          names: named.names,
        }),
      );
      isSent = isNew;
      return toMessageDto(message);
    } finally {
      if (!isSent) await files.removeUnused(ctx.companyId, keysOfFiles(stored));
    }
  }

  async function sendStored(
    ctx: UserCtx,
    tx: Tx,
    ticketId: TicketId,
    wanted: WantedFiles,
  ): Promise<{ message: MessageRow; isNew: boolean }> {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    const { captions, clientIds, stored, names } = wanted;
    // A second request that came while the files were arriving may have been quicker.
    const known = await findRepeated(ctx, tx, ticketId, clientIds);
    if (known) return { message: known, isNew: false };
    const messages = stored.map((file, index) => ({
      file,
      text: captionFor(captions, index, [names[index], file.name]),
      quoted: index === 0 ? (wanted.quotedMsgId ?? null) : null,
      clientId: clientIds[index] ?? null,
    }));
    const last = await answer(ctx, tx, ticket, messages);
    if (!last) throw foreignClientId();
    return { message: last, isNew: true };
  }

  /** Sends in the agent's name, in order. Null when one of the client ids is taken. */
  async function answer(
    ctx: UserCtx,
    tx: Tx,
    ticket: TicketRow,
    messages: readonly OutgoingMessage[],
  ): Promise<MessageRow | null> {
    const { userId, name } = ctx.actor;
    const isAnswer = ticket.userId === userId;
    let current = ticket;
    let last: MessageRow | null = null;
    for (const message of messages) {
      const writer = { id: userId, name };
      const by = { writer, isAnswer, isPersonsAct: true };
      const sent = await outgoing.send(ctx, tx, current, { ...message, ...by });
      if (!sent) return null;
      ({ ticket: current, message: last } = sent);
    }
    // Who answers has read. Not by the count: accepting clears that before anything was read.
    if (isAnswer) await reading.markRead(ctx, tx, ticket.id);
    return last;
  }

  return { sendText, sendAsAgent, sendFiles };
}

export type Sending = ReturnType<typeof createSending>;

/** The last of the messages that an earlier request with these client ids made; null when they are new. */
async function findRepeated(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  clientIds: readonly string[],
): Promise<MessageRow | null> {
  if (clientIds.length === 0) return null;
  const known = await findByClientIds(ctx, tx, clientIds);
  if (known.length === 0) return null;
  const isRepetition =
    known.length === clientIds.length && known.every((row) => row.ticketId === ticketId);
  if (!isRepetition) throw foreignClientId();
  return known.at(-1) ?? null;
}

function foreignClientId(): DomainError<"ERR_INVALID_REQUEST"> {
  const issues = [{ path: "clientId", message: "belongs to another message" }];
  return new DomainError("ERR_INVALID_REQUEST", { issues });
}

type Files = AsyncIterable<IncomingFile>;

/** Notes under which names the files came: a caption that is one of these is none. */
function withNames(arriving: Files): { files: Files; names: string[] } {
  const names: string[] = [];
  async function* noted(): AsyncGenerator<IncomingFile> {
    for await (const file of arriving) {
      names.push(file.name);
      yield file;
    }
  }
  return { files: noted(), names };
}

async function passOver(arriving: Files): Promise<void> {
  for await (const file of arriving) void file;
}
