import type { Chat, ChatBody, ChatId, InputOf, ReplyOf, UserId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { and, eq, inArray, notInArray } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, holdReferences, readPage, requireRow } from "../../platform/db/records.ts";
import { chatMembers, chats, users } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { listMessages, readChat, searchMessages, showTicket } from "./messages.ts";
import type { ChatRow, ChatsDeps } from "./rows.ts";
import {
  chatColumns,
  chatJoins,
  findChat,
  isMember,
  lockOwnChat,
  memberIdsOf,
  requireMember,
  tellChat,
  tellMembers,
  toChat,
} from "./rows.ts";
import { editMessage, writeFile, writeMessage } from "./writing.ts";

/** The team's internal chats (wire-contract 5.17, behaviour 8.1). */
export function createChatsFeature(deps: ChatsDeps) {
  deps.domainEvents.on("user.removing", (ctx, tx, { userId }) =>
    leaveEveryChat(deps, ctx, tx, userId),
  );
  return {
    register(routes: Routes): void {
      routes.handle("GET /chats", ({ ctx, query }) => listChats(deps, ctx, query));
      routes.handle("GET /chats/:chatUuid", ({ ctx, params }) =>
        showChat(deps, ctx, params.chatUuid),
      );
      routes.handle("POST /chats", ({ ctx, body }) => createChat(deps, ctx, body));
      routes.handle("PUT /chats/:chatId", ({ ctx, params, body }) =>
        updateChat(deps, ctx, params.chatId, body),
      );
      routes.handle("DELETE /chats/:chatId", async ({ ctx, params }) => {
        await deleteChat(deps, ctx, params.chatId);
        return { message: "Chat deleted" };
      });
      routes.handle("POST /chats/:chatId/leave", async ({ ctx, params }) => {
        await leaveChat(deps, ctx, params.chatId);
        return { message: "Chat left" };
      });
      routes.handle("PUT /chats/:chatId/silence", ({ ctx, params, body }) =>
        silenceChat(deps, ctx, params.chatId, body.isSilenced),
      );
      routes.handle("GET /chats/:chatId/messages", ({ ctx, params, query }) =>
        listMessages(deps, ctx, params.chatId, query),
      );
      routes.handle("GET /chats/:chatId/search", ({ ctx, params, query }) =>
        searchMessages(deps, ctx, params.chatId, query.searchParam),
      );
      routes.handle("POST /chats/:chatId/messages", ({ ctx, params, body, upload }) =>
        upload === null
          ? writeMessage(deps, ctx, params.chatId, body)
          : writeFile(deps, ctx, params.chatId, upload),
      );
      routes.handle("POST /chats/:chatId/read", ({ ctx, params }) =>
        readChat(deps, ctx, params.chatId),
      );
      routes.handle("PUT /chats/messages/:chatMessageId", ({ ctx, params, body }) =>
        editMessage(deps, ctx, params.chatMessageId, body),
      );
      routes.handle("GET /chats/messages/:chatMessageId/ticket", ({ ctx, params }) =>
        showTicket(deps, ctx, params.chatMessageId),
      );
    },
  };
}

/** The caller's chats, the one with the newest message first. */
async function listChats(
  { db }: ChatsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /chats">["query"],
): Promise<ReplyOf<"GET /chats">> {
  const { companyId, actor } = ctx;
  const { rows, count, hasMore } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.chats, (limit, offset) =>
      tx.query<ListedRow>(listStatement, [companyId, actor.userId, searchParam, limit, offset]),
    ),
  );
  return { records: rows.map((row) => toChat(row, actor.userId)), count, hasMore };
}

type ListedRow = ChatRow & { total: number };

const listStatement = {
  name: "chats.list",
  text: `
select ${chatColumns}, count(*) over ()::int as total
from chat_members own
join chats c on c.company_id = own.company_id and c.id = own.chat_id ${chatJoins}
where own.company_id = $1 and own.user_id = $2
  and ($3 = '' or position(f_norm($3) in f_norm(c.title)) > 0
    or exists (select from chat_members n join users nu on nu.company_id = n.company_id and nu.id = n.user_id
      where n.company_id = c.company_id and n.chat_id = c.id and n.user_id <> $2
        and position(f_norm($3) in f_norm(nu.name)) > 0))
order by c.last_message_at desc, c.id desc
limit $4 offset $5`,
};

async function showChat({ db }: ChatsDeps, ctx: UserCtx, uuid: string): Promise<Chat> {
  return db.transaction(ctx, async (tx) => {
    const found = await tx.orm
      .select({ id: chats.id })
      .from(chats)
      .where(and(eq(chats.companyId, ctx.companyId), eq(chats.uuid, uuid)));
    const { id } = requireRow(found, "ERR_NO_CHAT_FOUND");
    return toChat(requireMember(ctx, await findChat(ctx, tx, id)), ctx.actor.userId);
  });
}

/** Opens a chat with the caller as owner; one other person without a title is a direct chat, of which each pair has one. */
async function createChat(deps: ChatsDeps, ctx: UserCtx, body: ChatBody): Promise<Chat> {
  const { db, clock, ids } = deps;
  const { userId } = ctx.actor;
  const now = clock.now();
  return db.transaction(ctx, async (tx) => {
    const others = await holdOthers(ctx, tx, body);
    const [other] = others;
    const isDirect = others.length === 1 && body.title === "";
    const directPair =
      isDirect && other ? [userId, other].toSorted((a, b) => a - b).join(":") : null;
    if (!isDirect) requireTitle(body.title);
    const added = await tx.orm
      .insert(chats)
      .values({
        ...{ companyId: ctx.companyId, uuid: ids.uuid(), title: body.title, directPair },
        ...{ ownerId: userId, lastMessageAt: now, createdAt: now, updatedAt: now },
      })
      .onConflictDoNothing({ target: [chats.companyId, chats.directPair] })
      .returning({ id: chats.id });
    const id = added[0]?.id ?? (await findDirect(ctx, tx, directPair ?? ""));
    if (added.length > 0) await addMembers(ctx, tx, id, [userId, ...others], now);
    const row = requireMember(ctx, await findChat(ctx, tx, id));
    if (added.length > 0) tx.onCommit(() => tellMembers(deps, row, "create"));
    return toChat(row, userId);
  });
}

async function findDirect(ctx: UserCtx, tx: Tx, directPair: string): Promise<ChatId> {
  const known = await tx.orm
    .select({ id: chats.id })
    .from(chats)
    .where(and(eq(chats.companyId, ctx.companyId), eq(chats.directPair, directPair)));
  return requireRow(known).id;
}

/**
 * Changes title and members. Those who stay keep their counters; removed ones are told first, and hear nothing more. The users are
 * held before the chat is locked, in the order in which a user's deletion locks them.
 */
async function updateChat(
  deps: ChatsDeps,
  ctx: UserCtx,
  id: ChatId,
  body: ChatBody,
): Promise<Chat> {
  const { db, clock } = deps;
  const now = clock.now();
  return db.transaction(ctx, async (tx) => {
    requireOwner(ctx, requireMember(ctx, await findChat(ctx, tx, id)));
    const others = await holdOthers(ctx, tx, body);
    requireTitle(body.title);
    const before = await lockOwnChat(ctx, tx, id);
    requireOwner(ctx, before);
    const wanted = [ctx.actor.userId, ...others];
    const removed = memberIdsOf(before).filter((userId) => !wanted.includes(userId));
    const { companyId, chatId, userId } = chatMembers;
    await tx.orm
      .delete(chatMembers)
      .where(and(eq(companyId, ctx.companyId), eq(chatId, id), notInArray(userId, wanted)));
    const joined = wanted.filter((one) => !isMember(before, one));
    await addMembers(ctx, tx, id, joined, now);
    await tx.orm
      .update(chats)
      .set({ title: body.title, directPair: null, updatedAt: now })
      .where(hasId(ctx, chats, id));
    const row = requireMember(ctx, await findChat(ctx, tx, id));
    tx.onCommit(() => {
      tellChat(deps, row, removed, { action: "delete", id });
      tellMembers(deps, row, "update");
    });
    return toChat(row, ctx.actor.userId);
  });
}

async function deleteChat(deps: ChatsDeps, ctx: UserCtx, id: ChatId): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const row = await lockOwnChat(ctx, tx, id);
    requireOwner(ctx, row);
    await tx.orm.delete(chats).where(hasId(ctx, chats, id));
    tx.onCommit(() => tellChat(deps, row, memberIdsOf(row), { action: "delete", id }));
  });
}

async function leaveChat(deps: ChatsDeps, ctx: UserCtx, id: ChatId): Promise<void> {
  const { userId } = ctx.actor;
  await deps.db.transaction(ctx, async (tx) => {
    const before = await lockOwnChat(ctx, tx, id);
    if (before.ownerId === userId || before.directPair !== null) {
      throw new DomainError("ERR_CHAT_LEAVE");
    }
    await tx.orm.delete(chatMembers).where(membership(ctx, [id], userId));
    const row = await findChat(ctx, tx, id);
    tx.onCommit(() => {
      tellChat(deps, before, [userId], { action: "delete", id });
      if (row) tellMembers(deps, row, "update");
    });
  });
}

async function silenceChat(
  deps: ChatsDeps,
  ctx: UserCtx,
  id: ChatId,
  isSilenced: boolean,
): Promise<Chat> {
  const { userId } = ctx.actor;
  return deps.db.transaction(ctx, async (tx) => {
    await lockOwnChat(ctx, tx, id);
    await tx.orm
      .update(chatMembers)
      .set({ isSilenced })
      .where(membership(ctx, [id], userId));
    const row = requireMember(ctx, await findChat(ctx, tx, id));
    const record = toChat(row, userId);
    // The choice is the caller's own: the other members are not told.
    tx.onCommit(() => tellMembers(deps, row, "update", [userId]));
    return record;
  });
}

/**
 * A deleted user leaves every chat. The member who joined first becomes the owner of the user's own ones; a chat without members
 * is deleted. What was a direct chat keeps the former user's name as its title. May run twice in a transaction.
 */
async function leaveEveryChat(deps: ChatsDeps, ctx: Ctx, tx: Tx, userId: UserId): Promise<void> {
  // The user before the chats, as everybody who adds a member.
  const [user] = await tx.orm
    .select({ name: users.name })
    .from(users)
    .where(hasId(ctx, users, userId))
    .for("update");
  const found = await tx.query<{ id: ChatId }>(ofUserStatement, [ctx.companyId, userId]);
  if (found.length === 0) return;
  const left = found.map(({ id }) => id);
  await tx.orm.delete(chatMembers).where(membership(ctx, left, userId));
  for (const id of left) {
    const row = await findChat(ctx, tx, id);
    if (row === undefined) continue;
    const [first] = row.members;
    if (first === undefined) {
      await tx.orm.delete(chats).where(hasId(ctx, chats, id));
      continue;
    }
    const owner = row.ownerId === userId ? { ownerId: first.userId } : {};
    const title = row.directPair === null ? {} : { title: user?.name ?? "", directPair: null };
    await tx.orm
      .update(chats)
      .set({ ...owner, ...title, updatedAt: deps.clock.now() })
      .where(hasId(ctx, chats, id));
    const now = await findChat(ctx, tx, id);
    if (now) tx.onCommit(() => tellMembers(deps, now, "update"));
  }
}

const ofUserStatement = {
  name: "chats.of-user",
  text: `
select c.id from chats c
where c.company_id = $1 and c.id in (select chat_id from chat_members where company_id = $1 and user_id = $2)
order by c.id for no key update`,
};

function membership(ctx: Ctx, chatIds: readonly ChatId[], userId: UserId) {
  return and(
    eq(chatMembers.companyId, ctx.companyId),
    inArray(chatMembers.chatId, [...chatIds]),
    eq(chatMembers.userId, userId),
  );
}

async function addMembers(
  ctx: Ctx,
  tx: Tx,
  chatId: ChatId,
  userIds: readonly UserId[],
  createdAt: Date,
): Promise<void> {
  if (userIds.length === 0) return;
  const { companyId } = ctx;
  const rows = userIds.map((userId) => ({ companyId, chatId, userId, createdAt }));
  await tx.orm.insert(chatMembers).values(rows);
}

/** The users of a request without the caller and repetitions: living ones of the company, at least one. */
async function holdOthers(ctx: UserCtx, tx: Tx, body: ChatBody): Promise<UserId[]> {
  const ids = [...new Set(body.users.map(({ id }) => id))].filter((id) => id !== ctx.actor.userId);
  if (ids.length === 0) throw new DomainError("ERR_CHAT_USERS");
  await holdReferences(ctx, tx, users, ids, "ERR_NO_USER_FOUND");
  return ids;
}

function requireTitle(title: string): void {
  if (title === "" || title.length > limits.chatTitleMax) throw new DomainError("ERR_CHAT_TITLE");
}

function requireOwner(ctx: UserCtx, row: ChatRow): void {
  if (row.ownerId !== ctx.actor.userId) throw new DomainError("ERR_NO_PERMISSION");
}
