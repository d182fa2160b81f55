import type {
  ApiContact,
  ApiDraft,
  ApiDraftKept,
  ApiMessage,
  ApiMessageState,
  ApiTicket,
  ApiTicketChange,
  Contact,
  ContactId,
  ErrorCode,
  ExtraInfo,
  InputOf,
  Message,
  ResultOf,
  Ticket,
  TicketId,
} from "@balcao/contract";
import { acks, isoDate, ticketId } from "@balcao/contract";
import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Ctx, TokenCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { findRecord } from "../../platform/db/records.ts";
import { connections, queues, tags } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { createContactsFeature } from "../contacts/index.ts";
import type { createDraftsFeature } from "../drafts/index.ts";
import type { MessagesFeature } from "../messages/index.ts";
import type { TemplateSource } from "../templates/index.ts";
import type { TicketsFeature } from "../tickets/index.ts";
import { lockTicket, noTicketFilter, requireVisible } from "../tickets/index.ts";

export type PublicDeps = {
  db: Database;
  domainEvents: DomainEvents;
  drafts: Pick<ReturnType<typeof createDraftsFeature>, "propose">;
  contacts: Pick<
    ReturnType<typeof createContactsFeature>,
    "listById" | "showContact" | "addContact" | "changeContact"
  >;
  messages: Pick<MessagesFeature, "showPage">;
  tickets: Pick<TicketsFeature, "listTickets" | "showTicket" | "changeWithin" | "toShownDto"> &
    Pick<TicketsFeature, "toChangedDto" | "replaceTags">;
  templates: Pick<TemplateSource, "list">;
};

/** The calls of `/api/v1` but for sending: the use cases of the product, for other programs. */
export function registerPublicCalls(deps: PublicDeps, routes: Routes): void {
  routes.handle("GET /v1/messages", ({ ctx, query }) => listMessages(deps, ctx, query));
  routes.handle("GET /v1/contacts", ({ ctx, query }) => listContacts(deps, ctx, query));
  routes.handle("GET /v1/contacts/:contactId", async ({ ctx, params }) =>
    toApiContact(await deps.contacts.showContact(ctx, params.contactId)),
  );
  routes.handle("POST /v1/contacts", ({ ctx, body }) => addContact(deps, ctx, body));
  routes.handle("PUT /v1/contacts/:contactId", async ({ ctx, params, body }) =>
    toApiContact(await deps.contacts.changeContact(ctx, params.contactId, body)),
  );
  routes.handle("GET /v1/tickets", ({ ctx, query }) => listTickets(deps, ctx, query));
  routes.handle("GET /v1/tickets/:ticketId", async ({ ctx, params }) =>
    toApiTicket(await deps.tickets.showTicket(ctx, params.ticketId)),
  );
  routes.handle("PUT /v1/tickets/:ticketId", ({ ctx, params, body }) =>
    changeTicket(deps, ctx, params.ticketId, body),
  );
  routes.handle("POST /v1/tickets/:ticketId/draft", ({ ctx, params, body }) =>
    proposeAnswer(deps, ctx, params.ticketId, body),
  );
  routes.handle("PUT /v1/tickets/:ticketId/tags", async ({ ctx, params, body }) =>
    toApiTicket(await deps.tickets.replaceTags(ctx, params.ticketId, body.tagIds)),
  );
  routes.handle("GET /v1/tags", ({ ctx, query }) => listTags(deps, ctx, query));
  routes.handle("GET /v1/queues", ({ ctx }) => listQueues(deps, ctx));
  routes.handle("GET /v1/templates", async ({ ctx, query }) => {
    await deps.db.transaction(ctx, (tx) =>
      findRecord(ctx, tx, connections, query.connectionId, "ERR_NO_WAPP_FOUND"),
    );
    return { data: [...(await deps.templates.list(ctx, query.connectionId))], nextCursor: null };
  });
}

/** Changes a ticket by the product's own rules. */
export function changeTicket(
  { db, tickets }: PublicDeps,
  ctx: TokenCtx,
  id: TicketId,
  change: ApiTicketChange,
): Promise<ApiTicket> {
  return db.transaction(ctx, async (tx) => {
    const changed = await tickets.changeWithin(ctx, tx, id, change);
    return toApiTicket(tickets.toChangedDto(ctx, changed));
  });
}

/**
 * Keeps an answer that a person reads before it is sent: as the draft of a personal token's owner, who must have none in the
 * ticket, or as a note of the ticket.
 */
export async function proposeAnswer(
  { db, domainEvents, drafts }: PublicDeps,
  ctx: TokenCtx,
  id: TicketId,
  { body }: ApiDraft,
): Promise<ApiDraftKept> {
  const { actor } = ctx;
  if (actor.kind === "user") {
    await drafts.propose({ ...ctx, actor }, id, body);
    return { ticketId: id, keptAs: "draft" };
  }
  await db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, id));
    const note = `Sugestão de resposta:\n${body}`;
    await domainEvents.publish(tx, ctx, "ticket.noted", { ticket, note, by: ctx.token.name });
  });
  return { ticketId: id, keptAs: "note" };
}

/** The newest messages of a ticket, or those before a message. */
export async function listMessages(
  { messages }: PublicDeps,
  ctx: TokenCtx,
  query: InputOf<"GET /v1/messages">["query"],
): Promise<ResultOf<"GET /v1/messages">> {
  const place = query.cursor === undefined ? {} : { beforeId: query.cursor };
  const page = await messages.showPage(ctx, query.ticketId, {
    ...{ pageNumber: 1, ...place, markRead: false, hasReactionRows: false },
  });
  const newestFirst = page.messages.toReversed();
  const last = newestFirst.at(-1);
  return {
    data: newestFirst.map(toApiMessage),
    nextCursor: page.hasMore && last ? last.id : null,
  };
}

async function listContacts(
  { contacts }: PublicDeps,
  ctx: TokenCtx,
  { cursor, limit, number }: InputOf<"GET /v1/contacts">["query"],
): Promise<ResultOf<"GET /v1/contacts">> {
  const afterId = readCursor(cursor, idCursor)?.id ?? 0;
  const rows = await contacts.listById(ctx, { afterId, number, limit: limit + 1 });
  return pageOf(rows, limit, toApiContact, ({ id }) => ({ id }));
}

async function addContact(
  { contacts }: PublicDeps,
  ctx: TokenCtx,
  { extraInfo = [], ...body }: InputOf<"POST /v1/contacts">["body"],
): Promise<ResultOf<"POST /v1/contacts">> {
  const added = await contacts.addContact(ctx, { ...body, extraInfo });
  if (added.invalido) throw new DomainError("ERR_WAPP_INVALID_CONTACT");
  // An id of a row; the reply's type is wider.
  const contact = await contacts.showContact(ctx, added.id as ContactId);
  return { ...toApiContact(contact), isNew: added.alreadyExists !== true };
}

/** A page of the tickets that the token may see; a search without status finds resolved ones, too. */
export async function listTickets(
  { tickets }: PublicDeps,
  ctx: TokenCtx,
  given: InputOf<"GET /v1/tickets">["query"],
): Promise<ResultOf<"GET /v1/tickets">> {
  const { cursor, limit, status, tagIds, queueIds, connectionIds, search = "" } = given;
  const after = readCursor(cursor, activityCursor);
  const query = {
    ...{ ...noTicketFilter, status, showAll: true, searchParam: search },
    ...(search === "" ? { onlyLiving: true as const } : {}),
    ...{ tags: tagIds, queueIds, whatsappIds: connectionIds, ...(after && { after }) },
  };
  const page = await tickets.listTickets(ctx, query, limit);
  const last = page.tickets.at(-1);
  return {
    data: page.tickets.map(toApiTicket),
    nextCursor:
      page.hasMore && last ? writeCursor({ updatedAt: last.updatedAt, id: last.id }) : null,
  };
}

/** The company's tags in the order in which they were made. */
export async function listTags(
  { db }: PublicDeps,
  ctx: TokenCtx,
  { cursor, limit }: InputOf<"GET /v1/tags">["query"],
): Promise<ResultOf<"GET /v1/tags">> {
  const afterId = readCursor(cursor, idCursor)?.id ?? 0;
  const { id, name, color, companyId, deletedAt } = tags;
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select({ id, name, color })
      .from(tags)
      .where(and(eq(companyId, ctx.companyId), isNull(deletedAt), gt(id, sql`${afterId}::int`)))
      .orderBy(asc(id))
      .limit(limit + 1),
  );
  return pageOf(
    rows,
    limit,
    (row) => row,
    (row) => ({ id: row.id }),
  );
}

/** All queues of the company in their order. */
export async function listQueues(
  { db }: PublicDeps,
  ctx: Ctx,
): Promise<ResultOf<"GET /v1/queues">> {
  const { id, name, color, companyId, deletedAt, orderQueue } = queues;
  const data = await db.transaction(ctx, (tx) =>
    tx.orm
      .select({ id, name, color })
      .from(queues)
      .where(and(eq(companyId, ctx.companyId), isNull(deletedAt)))
      .orderBy(sql`${orderQueue} nulls last`, id),
  );
  return { data, nextCursor: null };
}

const idCursor = z.object({ id: z.int().positive().max(2_147_483_647) });
const activityCursor = z.object({ updatedAt: isoDate, id: ticketId });

/** Where the next page begins. Only this product reads it. */
const writeCursor = (place: object): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

/** Throws ERR_CURSOR_INVALID for what is none of ours. */
function readCursor<T extends z.ZodType>(
  cursor: string | undefined,
  schema: T,
): z.output<T> | undefined {
  if (cursor === undefined || cursor === "") return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw new DomainError("ERR_CURSOR_INVALID" satisfies ErrorCode);
  }
}

/** A page of rows, of which one more than `limit` was read where there are more. */
function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  placeOf: (row: Row) => object,
): { data: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { data: shown.map(toItem), nextCursor: isMore ? writeCursor(placeOf(last)) : null };
}

function toApiContact(contact: Contact & { extraInfo?: ExtraInfo[] | undefined }): ApiContact {
  const { id, name, number, email, isGroup, optOut, extraInfo = [] } = contact;
  const { createdAt, updatedAt } = contact;
  return {
    ...{ id, name, number, email, isGroup, optedOut: optOut !== null, createdAt, updatedAt },
    extraInfo: extraInfo.map((field) => ({ name: field.name, value: field.value })),
  };
}

/** A ticket as other programs get it. */
export function toApiTicket(ticket: Ticket): ApiTicket {
  const { id, uuid, status, contact, isGroup, queue, user, whatsapp, tags: given } = ticket;
  const { unreadMessages, lastMessage, lastMessageAt, waitingSince } = ticket;
  return {
    ...{ id, uuid, status, isGroup, unreadMessages, lastMessage, lastMessageAt, waitingSince },
    contact: { id: contact.id, name: contact.name, number: contact.number },
    queue: queue && { id: queue.id, name: queue.name, color: queue.color },
    user: user && { id: user.id, name: user.name },
    connection: whatsapp && { id: whatsapp.id, name: whatsapp.name },
    tags: given.map((tag) => ({ id: tag.id, name: tag.name, color: tag.color })),
    ...{ createdAt: ticket.createdAt, updatedAt: ticket.updatedAt },
  };
}

/** A message as other programs get it. */
export function toApiMessage(message: Message): ApiMessage {
  const { id, ticketId: ticket, contactId, fromMe, user, body, media } = message;
  const { isDeleted, isEdited, quotedMsgId, createdAt } = message;
  return {
    ...{ id, ticketId: ticket, contactId, fromMe, user, body, isDeleted, isEdited, createdAt },
    type: typeOf(message),
    file:
      media && media.url !== null ? { url: media.url, name: media.name, mime: media.mime } : null,
    state: stateOf(message),
    quotedMessageId: quotedMsgId,
  };
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ conversation: "text", extendedTextMessage: "text", chat: "text" },
  ...{ locationMessage: "location", contactMessage: "contact", contactsArrayMessage: "contact" },
};

function typeOf({ media, mediaType }: Message): string {
  if (media) return media.kind;
  return TYPES[mediaType ?? ""] ?? mediaType ?? "text";
}

function stateOf({ fromMe, failedCode, ack }: Message): ApiMessageState {
  if (!fromMe) return "received";
  if (failedCode !== null) return "failed";
  if (ack >= acks.read) return "read";
  if (ack >= acks.delivered) return "delivered";
  return ack >= acks.server ? "sent" : "waiting";
}
