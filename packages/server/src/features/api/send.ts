import { createHash } from "node:crypto";
import type {
  ApiSent,
  ConnectionId,
  ContactId,
  MessageId,
  NewApiMessage,
  QueueId,
  TicketId,
  UserId,
} from "@balcao/contract";
import { apiSent } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { OutboundTemplate } from "../../channels/port.ts";
import type { Ctx, TokenCtx } from "../../platform/context.ts";
import { actingUser, DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { findRecord, holdReferences } from "../../platform/db/records.ts";
import { connections, contactAddresses, queues, users } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";
import type { MessagesFeature, OutgoingMessage } from "../messages/index.ts";
import { findDestination } from "../messages/index.ts";
import type { TemplateSource } from "../templates/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import {
  findOnlyQueue,
  findShownTicket,
  lockTicket,
  pickConnection,
  requireVisible,
} from "../tickets/index.ts";
import { once } from "./repeats.ts";

export type SendDeps = {
  db: Database;
  clock: Clock;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused">;
  messages: Pick<MessagesFeature, "outgoing" | "markRead">;
  tickets: Pick<TicketsFeature, "findOrCreateClosedTicket" | "changeWithin">;
  templates: Pick<TemplateSource, "fill">;
  /** Asks the chat network about a new number, so outside of transactions. */
  contactOf(ctx: Ctx, number: string, connectionId: ConnectionId): Promise<ContactId>;
};

/** What a program wants to be sent, whichever call it came by. */
export type Wish = Pick<NewApiMessage, "template" | "closeTicket"> & {
  ticketId?: TicketId | undefined;
  number?: string | undefined;
  connectionId?: ConnectionId | undefined;
  /** What becomes of a ticket that was closed. */
  queueId?: QueueId | undefined;
  userId?: UserId | undefined;
  status?: "pending" | "open" | undefined;
  /** The text, or the captions of the files. */
  texts: readonly string[];
  /** The ticket counts as read afterwards (behaviour 10.7). */
  marksRead: boolean;
};

/** Files with the hashes of their contents. */
export type Files = {
  files: readonly StoredFile[];
  names: readonly string[];
  hashes: readonly string[];
};

export const noFiles: Files = { files: [], names: [], hashes: [] };

type Request = { call: string; key: string | null };

/**
 * Sends the messages of a program in one transaction: all of them or none (behaviour 10.7). By number, a conversation that waits or
 * is served keeps its state, and a closed one stays closed unless the wish places it. With a personal token the messages are its
 * owner's.
 */
export async function sendForProgram(
  deps: SendDeps,
  ctx: TokenCtx,
  wish: Wish,
  files: Files,
  { call, key }: Request,
): Promise<ApiSent> {
  requireContent(wish, files);
  const said = [wish, files.names, files.hashes];
  return once(
    deps,
    ctx,
    { key, call, said },
    (stored) => apiSent.parse(stored),
    async (keep) => {
      const place = await findPlace(deps, ctx, wish);
      const template = wish.template
        ? await deps.templates.fill(ctx, place.connectionId, wish.template)
        : null;
      const messages = messagesOf(wish, files, template);
      return deps.db.transaction(ctx, async (tx) => {
        const sent = await send(deps, ctx, tx, wish, place, messages);
        await keep(tx, sent);
        return sent;
      });
    },
  );
}

/** Receives the files of an upload, which `work` sends; they are removed if it does not. */
export async function withFiles<Reply>(
  { media }: Pick<SendDeps, "media">,
  ctx: Ctx,
  arriving: AsyncIterable<IncomingFile>,
  work: (files: Files) => Promise<Reply>,
): Promise<Reply> {
  const noted = { names: [] as string[], hashes: [] as string[] };
  const rules = { accept: "any", mayBeNone: true } as const;
  const files = await media.storeFiles(ctx.companyId, noteContents(arriving, noted), rules);
  try {
    return await work({ files, ...noted });
  } finally {
    // Those that a message has stay.
    const keys = files.flatMap(({ key, thumbnailKey }) =>
      thumbnailKey === null ? [key] : [key, thumbnailKey],
    );
    if (keys.length > 0) await media.removeUnused(ctx.companyId, keys);
  }
}

async function* noteContents(
  arriving: AsyncIterable<IncomingFile>,
  noted: { names: string[]; hashes: string[] },
): AsyncGenerator<IncomingFile> {
  for await (const file of arriving) {
    const hash = createHash("sha256");
    yield { ...file, content: hashed(file.content, hash) };
    noted.names.push(file.name);
    noted.hashes.push(hash.digest("hex"));
  }
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

function requireContent({ texts, template }: Wish, { files }: Files): void {
  const isEmpty = files.length === 0 && texts.every((text) => text.trim() === "");
  if (!template && isEmpty) throw new DomainError("ERR_MESSAGE_EMPTY");
}

/** Where the messages go: a ticket, or a contact on a connection. */
type Place = { connectionId: ConnectionId } & ({ ticketId: TicketId } | { contactId: ContactId });

async function findPlace(deps: SendDeps, ctx: TokenCtx, wish: Wish): Promise<Place> {
  const { ticketId, number = "" } = wish;
  if (ticketId !== undefined) {
    const { connectionId } = await deps.db.transaction(ctx, async (tx) =>
      requireVisible(ctx, await findShownTicket(ctx, tx, ticketId)),
    );
    if (connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
    return { ticketId, connectionId };
  }
  if (number === "") throw new DomainError("ERR_NUMBER_REQUIRED");
  const connectionId = ctx.token.connectionId ?? (await chooseConnection(deps, ctx, wish));
  const group = groupOf(number);
  const contactId =
    group === null
      ? await deps.contactOf(ctx, number, connectionId)
      : await findGroup(deps, ctx, group);
  return { contactId, connectionId };
}

/** A connection of the company: the wished one, or that of the caller. */
function chooseConnection(
  { db }: SendDeps,
  ctx: TokenCtx,
  { connectionId }: Wish,
): Promise<ConnectionId> {
  return db.transaction(ctx, async (tx) => {
    if (connectionId === undefined) return pickConnection(ctx, tx, actingUser(ctx));
    return (await findRecord(ctx, tx, connections, connectionId, "ERR_NO_WAPP_FOUND")).id;
  });
}

/** The id of a group from its address; null for a phone number, which people write with `-` as well (behaviour 10.7). */
function groupOf(number: string): string | null {
  if (number.endsWith("@g.us")) return number.slice(0, -"@g.us".length);
  return /^\d{8,}-\d{8,}$/.test(number) ? number : null;
}

/** Only groups that have written: the network says nothing about others. */
async function findGroup({ db }: SendDeps, ctx: Ctx, group: string): Promise<ContactId> {
  const { companyId, kind, value, contactId } = contactAddresses;
  const [known] = await db.transaction(ctx, (tx) =>
    tx.orm
      .select({ contactId })
      .from(contactAddresses)
      .where(and(eq(companyId, ctx.companyId), eq(kind, "group"), eq(value, group)))
      .limit(1),
  );
  if (!known) throw new DomainError("ERR_WAPP_INVALID_CONTACT");
  return known.contactId;
}

function messagesOf(
  { texts, template: wanted }: Wish,
  { files, names }: Files,
  template: OutboundTemplate | null,
): OutgoingMessage[] {
  if (wanted && template) return [{ text: template.text, isLiteral: true, template }];
  if (files.length === 0) return [{ text: texts[0] ?? "" }];
  return files.map((file, place) => {
    const text = (texts.length === 1 ? texts[0] : texts[place]) ?? "";
    // A file's name is no caption.
    return { file, text: [names[place], file.name].includes(text) ? "" : text };
  });
}

async function send(
  deps: SendDeps,
  ctx: TokenCtx,
  tx: Tx,
  wish: Wish,
  place: Place,
  messages: readonly OutgoingMessage[],
): Promise<ApiSent> {
  const first =
    "ticketId" in place
      ? requireVisible(ctx, await lockTicket(ctx, tx, place.ticketId))
      : await ticketOfContact(deps, ctx, tx, place);
  const { isStopped, ...destination } = await destinationOf(ctx, tx, first.id);
  // One that only reconnects sends later.
  if (isStopped) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
  await holdReferences(ctx, tx, queues, [wish.queueId ?? []].flat(), "ERR_QUEUE_NOT_FOUND");
  await holdReferences(ctx, tx, users, [wish.userId ?? []].flat(), "ERR_NO_USER_FOUND");
  const isLiving = first.status !== "closed";
  const userId = actingUser(ctx);
  const isAssignee = userId !== null && first.userId === userId;
  let ticket: TicketRow = first;
  const messageIds: MessageId[] = [];
  for (const message of messages) {
    const sent = await deps.messages.outgoing.send(ctx, tx, ticket, {
      ...{ ...message, destination },
      ...{ priority: "api", isAnswer: wish.marksRead || isAssignee, ...writerOf(ctx, isLiving) },
    });
    if (!sent) throw new Error("a message without client id cannot be a repetition");
    messageIds.push(sent.message.messageId);
    ({ ticket } = sent);
  }
  if (wish.marksRead || isAssignee) await deps.messages.markRead(ctx, tx, ticket.id);
  const placed = isLiving || (await placeTicket(deps, ctx, tx, ticket, wish));
  if (placed && wish.closeTicket) {
    await deps.tickets.changeWithin(ctx, tx, ticket.id, { status: "closed" });
  }
  return { messageIds, ticketId: ticket.id, contactId: ticket.contactId };
}

/** A personal token's owner is the writer; in a conversation that goes on this is a person's act, as in the product. */
function writerOf({ actor }: Ctx, isLiving: boolean): Partial<OutgoingMessage> {
  if (actor.kind !== "user") return {};
  return { writer: { id: actor.userId, name: actor.name }, isPersonsAct: isLiving };
}

async function ticketOfContact(
  { tickets }: SendDeps,
  ctx: Ctx,
  tx: Tx,
  { contactId, connectionId }: { contactId: ContactId; connectionId: ConnectionId },
): Promise<TicketRow> {
  const { ticket } = await tickets.findOrCreateClosedTicket(ctx, tx, contactId, connectionId);
  return ticket.status === "closed" ? ticket : requireVisible(ctx, ticket);
}

async function destinationOf(ctx: Ctx, tx: Tx, id: TicketId) {
  const destination = await findDestination(ctx, tx, id);
  if (!destination) throw new Error("the locked ticket is gone");
  return destination;
}

/** Opens a closed ticket for a user, or lets it wait in a queue. False: it stays closed. */
async function placeTicket(
  { tickets }: SendDeps,
  ctx: Ctx,
  tx: Tx,
  { id, connectionId }: TicketRow,
  { queueId: given, userId, status }: Wish,
): Promise<boolean> {
  if (given === undefined && userId === undefined && status === undefined) return false;
  const isOpened = status === "open" || (status === undefined && userId !== undefined);
  const queueId = given ?? (isOpened ? undefined : await onlyQueueOf(ctx, tx, connectionId));
  const placed = { status, userId, queueId, tellCustomer: false };
  await tickets.changeWithin(ctx, tx, id, placed);
  return true;
}

/** Where a ticket waits that is to wait without saying in which queue. */
async function onlyQueueOf(ctx: Ctx, tx: Tx, connectionId: ConnectionId | null): Promise<QueueId> {
  const only = connectionId === null ? null : await findOnlyQueue(ctx, tx, connectionId);
  if (!only) throw new DomainError("ERR_QUEUE_REQUIRED");
  return only.id;
}
