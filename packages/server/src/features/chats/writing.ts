import type {
  ChatId,
  ChatMessage,
  ChatMessageBody,
  ChatMessageId,
  ChatUploadFields,
  InputOf,
  TicketId,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { IncomingFile, StoredFile } from "../media/index.ts";
import { findVisibility, LAST_MESSAGE_MAX, requireVisible } from "../tickets/index.ts";
import { findMessage, requireInChat } from "./messages.ts";
import type { ChatMessageRow, ChatRow, ChatsDeps } from "./rows.ts";
import {
  findChat,
  lockOwnChat,
  memberIdsOf,
  requireMember,
  tellChat,
  toChat,
  toChatMessage,
} from "./rows.ts";

/** Writes a text message. */
export async function writeMessage(
  deps: ChatsDeps,
  ctx: UserCtx,
  chatId: ChatId,
  body: ChatMessageBody,
): Promise<ChatMessage> {
  return (await write(deps, ctx, chatId, body, null)).message;
}

/** A multipart request while it arrives. */
type Upload = { fields(): Promise<ChatUploadFields>; files(): AsyncIterable<IncomingFile> };

/** Writes a message with a file. Nobody outside of the chat has a file stored. */
export async function writeFile(
  deps: ChatsDeps,
  ctx: UserCtx,
  chatId: ChatId,
  upload: Upload,
): Promise<ChatMessage> {
  const { db, media } = deps;
  await db.transaction(ctx, async (tx) => requireMember(ctx, await findChat(ctx, tx, chatId)));
  const [file] = await media.storeFiles(ctx.companyId, upload.files(), { accept: "any" });
  if (file === undefined) throw new DomainError("ERR_FILE_MISSING");
  let isKept = false;
  try {
    const { message = "", ...fields } = await upload.fields();
    const written = await write(deps, ctx, chatId, { ...fields, message }, file);
    isKept = written.isNew;
    return written.message;
  } finally {
    const keys = file.thumbnailKey === null ? [file.key] : [file.key, file.thumbnailKey];
    if (!isKept) await media.removeUnused(ctx.companyId, keys);
  }
}

async function write(
  deps: ChatsDeps,
  ctx: UserCtx,
  chatId: ChatId,
  body: ChatMessageBody,
  file: StoredFile | null,
): Promise<{ message: ChatMessage; isNew: boolean }> {
  const { db, clock, media } = deps;
  const now = clock.now();
  const { userId, name } = ctx.actor;
  const text = body.message.trim();
  return db.transaction(ctx, async (tx) => {
    const chat = await lockOwnChat(ctx, tx, chatId);
    const mentions = findMentions(chat, body.mentionedUserIds);
    const quotedId = body.quotedId ?? null;
    if (quotedId !== null) await requireInChat(ctx, tx, chatId, quotedId);
    const ticketId =
      body.ticketUuid === undefined ? null : await findTicket(ctx, tx, body.ticketUuid);
    const content = { message: text, hasTicket: ticketId !== null, fileKey: file?.key ?? null };
    if (isEmptyText(text, content)) throw new DomainError("ERR_MESSAGE_EMPTY");
    const last = lastMessageOf(name, {
      ...content,
      ...{ kind: file?.kind ?? null, fileName: file?.name ?? null },
    });
    const values = [
      ...[ctx.companyId, chatId, userId, text, JSON.stringify(mentions), body.clientId ?? null],
      ...[quotedId, ticketId, now, last, mentions.map(({ id }) => id), fileJson(file)],
    ];
    const [added] = await tx.query<{ id: ChatMessageId }>(writeStatement, values);
    if (added === undefined) {
      const message = await findRepeated(ctx, tx, chatId, body.clientId);
      return { message: toChatMessage(media.signedPath, message), isNew: false };
    }
    const message = toChatMessage(media.signedPath, await findMessage(ctx, tx, added.id));
    const row = requireMember(ctx, await findChat(ctx, tx, chatId));
    const unread = row.members.filter((member) => member.userId !== userId && member.unreads > 0);
    const userIds = unread.map((member) => member.userId);
    await deps.domainEvents.publish(tx, ctx, "chat.written", { chatId, userIds });
    tx.onCommit(() =>
      tellChat(deps, row, memberIdsOf(row), {
        ...{ action: "new-message", chat: toChat(row), newMessage: message },
      }),
    );
    return { message, isNew: true };
  });
}

/** Edits an own message for some minutes. Counters stay: an edit is no new message. */
export async function editMessage(
  deps: ChatsDeps,
  ctx: UserCtx,
  id: ChatMessageId,
  { message, mentionedUserIds }: InputOf<"PUT /chats/messages/:chatMessageId">["body"],
): Promise<ChatMessage> {
  const { db, clock, media } = deps;
  const now = clock.now();
  return db.transaction(ctx, async (tx) => {
    const known = await findMessage(ctx, tx, id);
    const chat = await lockOwnChat(ctx, tx, known.chatId);
    if (known.senderId !== ctx.actor.userId) throw new DomainError("UNAUTHORIZED");
    if (now.getTime() - known.createdAt.getTime() >= limits.editWithinMs) {
      throw new DomainError("ERR_CHAT_MESSAGE_TOO_OLD");
    }
    const text = message.trim();
    if (isEmptyText(text, known)) throw new DomainError("ERR_MESSAGE_EMPTY");
    const mentions = JSON.stringify(findMentions(chat, mentionedUserIds));
    const last = lastMessageOf(ctx.actor.name, { ...known, message: text });
    await tx.query(editStatement, [ctx.companyId, id, text, mentions, now, known.chatId, last]);
    const edited = toChatMessage(media.signedPath, await findMessage(ctx, tx, id));
    const row = requireMember(ctx, await findChat(ctx, tx, known.chatId));
    tx.onCommit(() =>
      tellChat(deps, row, memberIdsOf(row), {
        ...{ action: "update", chat: toChat(row), newMessage: edited },
      }),
    );
    return edited;
  });
}

/** The list shows the newest message, also when it is edited. */
const editStatement = {
  name: "chats.edit-message",
  text: `
with edited as (
  update chat_messages set message = $3, mentions = $4::jsonb, edited_at = $5, updated_at = $5
  where company_id = $1 and id = $2
)
update chats set last_message = $7, updated_at = $5
where company_id = $1 and id = $6
  and not exists (select from chat_messages n where n.company_id = $1 and n.chat_id = $6 and n.id > $2)`,
};

/**
 * One statement writes the message, what the list shows of it, and every member's counter: in a silenced chat only mentions count.
 * Returns no row for a client id that the sender has used.
 */
const writeStatement = {
  name: "chats.write",
  text: `
with added as (
  insert into chat_messages (company_id, chat_id, sender_id, message, mentions, client_id, quoted_id,
    ticket_id, has_ticket, created_at, updated_at,
    file_key, file_name, thumbnail_key, kind, mime, bytes, width, height, duration_ms, waveform)
  select $1, $2, $3, $4, $5::jsonb, $6::uuid, $7::int, $8::int, $8::int is not null, $9::timestamptz, $9::timestamptz,
    f.key, f.name, f."thumbnailKey", f.kind, f.mime, f.bytes, f.width, f.height, f."durationMs", f.waveform
  from jsonb_to_record($12::jsonb) as f(key text, name text, "thumbnailKey" text, kind text, mime text,
    bytes bigint, width int, height int, "durationMs" int, waveform smallint[])
  on conflict (company_id, sender_id, client_id) do nothing
  returning id
), counted as (
  update chat_members m set
    unreads = case
      when m.user_id = $3 then 0
      when m.is_silenced and not m.user_id = any ($11::int[]) then m.unreads
      else m.unreads + 1 end,
    last_read_id = case when m.user_id = $3 then a.id else m.last_read_id end,
    last_read_at = case when m.user_id = $3 then $9::timestamptz else m.last_read_at end
  from added a where m.company_id = $1 and m.chat_id = $2
), told as (
  update chats c set last_message = $10, last_sender_id = $3, last_message_at = $9::timestamptz, updated_at = $9::timestamptz
  from added a where c.company_id = $1 and c.id = $2
)
select id from added`,
};

function fileJson(file: StoredFile | null): string {
  if (file === null) return "{}";
  const { key, name, thumbnailKey, kind, mime, bytes, width, height, durationMs, waveform } = file;
  return JSON.stringify({
    ...{ key, name, thumbnailKey, kind, mime, bytes, width, height, durationMs, waveform },
  });
}

/** The message of an earlier request with the client id. */
async function findRepeated(
  ctx: UserCtx,
  tx: Tx,
  chatId: ChatId,
  clientId: string | undefined,
): Promise<ChatMessageRow> {
  const values = [ctx.companyId, ctx.actor.userId, clientId ?? null, chatId];
  const [known] = await tx.query<{ id: ChatMessageId }>(repeatedStatement, values);
  if (known) return findMessage(ctx, tx, known.id);
  const issues = [{ path: "clientId", message: "belongs to another message" }];
  throw new DomainError("ERR_INVALID_REQUEST", { issues });
}

const repeatedStatement = {
  name: "chats.repeated",
  text: `
select id from chat_messages
where company_id = $1 and sender_id = $2 and client_id = $3::uuid and chat_id = $4`,
};

/** The mentioned members, as they are called now; anybody else is refused. */
function findMentions(
  { members }: ChatRow,
  userIds: readonly UserId[],
): { id: UserId; name: string }[] {
  return [...new Set(userIds)].map((id) => {
    const member = members.find(({ userId }) => userId === id);
    if (member === undefined) throw new DomainError("ERR_NO_USER_FOUND");
    return { id, name: member.name };
  });
}

/** A ticket that the sender may see. */
async function findTicket(ctx: UserCtx, tx: Tx, uuid: string): Promise<TicketId> {
  const [found] = await tx.query<{ id: TicketId }>(ticketStatement, [ctx.companyId, uuid]);
  if (found === undefined) throw new DomainError("ERR_NO_TICKET_FOUND");
  requireVisible(ctx, await findVisibility(ctx, tx, found.id));
  return found.id;
}

const ticketStatement = {
  name: "chats.ticket-by-uuid",
  text: `select id from tickets where company_id = $1 and uuid = $2::uuid`,
};

type Content = Pick<ChatMessageRow, "message" | "hasTicket" | "fileKey" | "fileName" | "kind">;

/** Without a text a message needs a file or a ticket. */
function isEmptyText(
  text: string,
  { hasTicket, fileKey }: Pick<Content, "hasTicket" | "fileKey">,
): boolean {
  return text === "" && !hasTicket && fileKey === null;
}

/** `<sender>: <message>` (behaviour 8.1). */
function lastMessageOf(sender: string, content: Content): string {
  const { message, fileName, kind, hasTicket } = content;
  const file = kind === "audio" || kind === "voice" ? "Áudio" : (fileName ?? "");
  const text = message || file || (hasTicket ? "Atendimento" : "");
  return `${sender}: ${text.slice(0, LAST_MESSAGE_MAX)}`;
}
