import type { Chat, ChatId, ChatMessageId, InputOf, ReplyOf, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { cappedCount, pageTotals, requireRow, toIso } from "../../platform/db/records.ts";
import { canSee, findShownTicket } from "../tickets/index.ts";
import type { ChatMessageRow, ChatsDeps } from "./rows.ts";
import {
  findChat,
  memberIdsOf,
  messageColumns,
  messageJoins,
  requireMember,
  tellChat,
  toChat,
  toChatMessage,
} from "./rows.ts";

type PageQuery = InputOf<"GET /chats/:chatId/messages">["query"];

/** A page of a chat's messages: by number, before, after or around a message. Ascending. */
export async function listMessages(
  deps: ChatsDeps,
  ctx: UserCtx,
  chatId: ChatId,
  { pageNumber, beforeId, afterId, aroundId }: PageQuery,
): Promise<ReplyOf<"GET /chats/:chatId/messages">> {
  const size = pageSizes.chatMessages;
  return deps.db.transaction(ctx, async (tx) => {
    requireMember(ctx, await findChat(ctx, tx, chatId));
    const edge = beforeId ?? afterId ?? aroundId;
    if (edge !== undefined) await requireInChat(ctx, tx, chatId, edge);
    const counted = requireRow(
      await tx.query<{ count: number }>(countStatement, [ctx.companyId, chatId]),
    ).count;
    const base = [ctx.companyId, chatId];
    const older = (before: number | null, limit: number, offset = 0) =>
      tx.query<ChatMessageRow>(olderStatement, [...base, before, limit, offset]);
    const newer = (after: number, limit: number) =>
      tx.query<ChatMessageRow>(newerStatement, [...base, after, limit]);
    const reply = (rows: ChatMessageRow[], hasMore: boolean, hasNewer: boolean) => ({
      records: rows.map((row) => toChatMessage(deps.media.signedPath, row)),
      count: Math.max(counted, rows.length),
      ...{ hasMore, hasNewer },
    });

    if (aroundId !== undefined) {
      const half = size / 2;
      const before = await older(aroundId + 1, half + 1);
      const after = await newer(aroundId, half + 1);
      const rows = [...before.slice(0, half).toReversed(), ...after.slice(0, half)];
      return reply(rows, before.length > half, after.length > half);
    }
    if (afterId !== undefined) {
      const rows = await newer(afterId, size + 1);
      return reply(rows.slice(0, size), true, rows.length > size);
    }
    const offset = beforeId === undefined ? (pageNumber - 1) * size : 0;
    const rows = await older(beforeId ?? null, size + 1, offset);
    const hasMore = rows.length > size;
    const shown = rows.slice(0, size);
    const totals = pageTotals(counted, { offset, rows: shown.length, hasMore });
    return { ...reply(shown.toReversed(), hasMore, false), count: totals.count };
  });
}

const countStatement = {
  name: "chats.count-messages",
  text: `select ${cappedCount(["1 from chat_messages where company_id = $1 and chat_id = $2"])} as count`,
};

const olderStatement = {
  name: "chats.older-messages",
  text: `
select ${messageColumns} from chat_messages m ${messageJoins}
where m.company_id = $1 and m.chat_id = $2 and m.id < coalesce($3::int, 2147483647)
order by m.id desc limit $4 offset $5`,
};

const newerStatement = {
  name: "chats.newer-messages",
  text: `
select ${messageColumns} from chat_messages m ${messageJoins}
where m.company_id = $1 and m.chat_id = $2 and m.id > $3
order by m.id limit $4`,
};

const SEARCHED_MAX = 10_000;
const MATCHES_MAX = 200;

/** The newest messages with the text, without case and accents, among the newest ten thousand. */
export async function searchMessages(
  { db }: ChatsDeps,
  ctx: UserCtx,
  chatId: ChatId,
  searchParam: string,
): Promise<ReplyOf<"GET /chats/:chatId/search">> {
  return db.transaction(ctx, async (tx) => {
    requireMember(ctx, await findChat(ctx, tx, chatId));
    if (searchParam === "") return { matches: [] };
    const values = [ctx.companyId, chatId, searchParam, SEARCHED_MAX, MATCHES_MAX];
    const found = await tx.query<{ id: ChatMessageId; createdAt: Date }>(searchStatement, values);
    return { matches: found.map(({ id, createdAt }) => ({ id, createdAt: toIso(createdAt) })) };
  });
}

const searchStatement = {
  name: "chats.search",
  text: `
select m.id, m.created_at as "createdAt"
from (select id, message, created_at from chat_messages
       where company_id = $1 and chat_id = $2 order by id desc limit $4) m
where position(f_norm($3) in f_norm(m.message)) > 0
order by m.id desc limit $5`,
};

/** The caller has read the chat; the other members learn how far. */
export async function readChat(deps: ChatsDeps, ctx: UserCtx, chatId: ChatId): Promise<Chat> {
  const { userId } = ctx.actor;
  return deps.db.transaction(ctx, async (tx) => {
    requireMember(ctx, await findChat(ctx, tx, chatId));
    const values = [ctx.companyId, chatId, userId, deps.clock.now()];
    const changed = await tx.query<{ id: number }>(readStatement, values);
    const row = requireMember(ctx, await findChat(ctx, tx, chatId));
    if (changed.length > 0) {
      tx.onCommit(() =>
        tellChat(deps, row, memberIdsOf(row), { action: "update", chat: toChat(row) }),
      );
    }
    return toChat(row, userId);
  });
}

/** Returns no row if there was nothing to read. */
const readStatement = {
  name: "chats.read",
  text: `
update chat_members m set unreads = 0, last_read_at = $4,
  last_read_id = (select max(id) from chat_messages where company_id = $1 and chat_id = $2)
where m.company_id = $1 and m.chat_id = $2 and m.user_id = $3
  and (m.unreads > 0 or coalesce(m.last_read_id, 0) <
    coalesce((select max(id) from chat_messages where company_id = $1 and chat_id = $2), 0))
returning m.id`,
};

/** A message of the company; whether the caller may know it is for its chat to say. */
export async function findMessage(
  ctx: UserCtx,
  tx: Tx,
  id: ChatMessageId,
): Promise<ChatMessageRow> {
  const rows = await tx.query<ChatMessageRow>(findStatement, [ctx.companyId, id]);
  return requireRow(rows, "ERR_NO_MESSAGE_FOUND");
}

/** Messages that a request refers to are of the same chat. */
export async function requireInChat(
  ctx: UserCtx,
  tx: Tx,
  chatId: ChatId,
  id: ChatMessageId,
): Promise<void> {
  const known = await findMessage(ctx, tx, id);
  if (known.chatId !== chatId) throw new DomainError("ERR_NO_MESSAGE_FOUND");
}

const findStatement = {
  name: "chats.find-message",
  text: `
select ${messageColumns} from chat_messages m ${messageJoins} where m.company_id = $1 and m.id = $2`,
};

/** The ticket of a message, by the rights that the caller has now; null without them. */
export async function showTicket(
  { db }: ChatsDeps,
  ctx: UserCtx,
  id: ChatMessageId,
): Promise<ReplyOf<"GET /chats/messages/:chatMessageId/ticket">> {
  return db.transaction(ctx, async (tx) => {
    const { chatId } = await findMessage(ctx, tx, id);
    requireMember(ctx, await findChat(ctx, tx, chatId));
    const linked = await tx.query<{ ticketId: TicketId | null }>(ticketStatement, [
      ctx.companyId,
      id,
    ]);
    const { ticketId } = requireRow(linked);
    const row = ticketId === null ? undefined : await findShownTicket(ctx, tx, ticketId);
    if (row === undefined || !canSee(ctx, row)) return { ticket: null };
    const { uuid, status, contactId, contactName, userId, userName } = row;
    const { queueId, queueName, queueColor } = row;
    return {
      ticket: {
        ...{ id: row.id, uuid, status, contactId, contactName },
        queue:
          queueId === null ? null : { id: queueId, name: queueName ?? "", color: queueColor ?? "" },
        user: userId === null ? null : { id: userId, name: userName ?? "" },
      },
    };
  });
}

const ticketStatement = {
  name: "chats.ticket-of-message",
  text: `select ticket_id as "ticketId" from chat_messages where company_id = $1 and id = $2`,
};
