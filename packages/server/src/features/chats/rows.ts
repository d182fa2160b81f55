import type {
  Chat,
  ChatId,
  ChatMessage,
  ChatMessageId,
  CompanyEvents,
  CompanyId,
  MediaKind,
  UserId,
} from "@balcao/contract";
import { chatEvent, chatOfUserEvent } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isoText, requireRow, toIso, toIsoOrNull, wireDates } from "../../platform/db/records.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { AddressedRealtime, Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles, SignFile } from "../media/index.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A chat has a new message, which these users have not read. */
    "chat.written": { chatId: ChatId; userIds: readonly UserId[] };
  }
}

export type ChatsDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  realtime: Realtime & AddressedRealtime;
  domainEvents: DomainEvents;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
};

type Scope = { companyId: CompanyId };

type MemberRow = {
  id: number;
  userId: UserId;
  name: string;
  unreads: number;
  isSilenced: boolean;
  lastReadId: ChatMessageId | null;
  lastReadAt: string | null;
};

/** A chat with its members, those who joined first before the others. */
export type ChatRow = {
  id: ChatId;
  companyId: CompanyId;
  uuid: string;
  title: string;
  directPair: string | null;
  ownerId: UserId;
  ownerName: string;
  lastMessage: string;
  lastSenderId: UserId | null;
  lastMessageAt: Date;
  createdAt: Date;
  updatedAt: Date;
  members: MemberRow[];
};

export const chatColumns = `c.id, c.company_id as "companyId", c.uuid, c.title, c.direct_pair as "directPair",
  c.owner_id as "ownerId", o.name as "ownerName", c.last_message as "lastMessage",
  c.last_sender_id as "lastSenderId", c.last_message_at as "lastMessageAt",
  c.created_at as "createdAt", c.updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object('id', m.id, 'userId', m.user_id, 'name', u.name,
      'unreads', m.unreads, 'isSilenced', m.is_silenced, 'lastReadId', m.last_read_id,
      'lastReadAt', ${isoText("m.last_read_at")}) order by m.created_at, m.id), '[]')
     from chat_members m join users u on u.company_id = m.company_id and u.id = m.user_id
    where m.company_id = c.company_id and m.chat_id = c.id) as members`;

export const chatJoins = `join users o on o.company_id = c.company_id and o.id = c.owner_id`;

const findStatement = {
  name: "chats.find",
  text: `select ${chatColumns} from chats c ${chatJoins} where c.company_id = $1 and c.id = $2`,
};

/** The same, locked against every other change of the chat and its members. */
const lockStatement = {
  name: "chats.lock",
  text: `select c.id from chats c where c.company_id = $1 and c.id = $2 for no key update`,
};

export async function findChat(
  { companyId }: Scope,
  tx: Tx,
  id: ChatId,
): Promise<ChatRow | undefined> {
  const [row] = await tx.query<ChatRow>(findStatement, [companyId, id]);
  return row;
}

/** A chat of which the caller is a member; another company's does not exist. */
export function requireMember(ctx: UserCtx, row: ChatRow | undefined): ChatRow {
  if (row === undefined) throw new DomainError("ERR_NO_CHAT_FOUND");
  if (!isMember(row, ctx.actor.userId)) throw new DomainError("UNAUTHORIZED");
  return row;
}

/** The caller's chat; nobody else changes it, its members or its messages until the transaction ends. */
export async function lockOwnChat(ctx: UserCtx, tx: Tx, id: ChatId): Promise<ChatRow> {
  const held = await tx.query<{ id: ChatId }>(lockStatement, [ctx.companyId, id]);
  requireRow(held, "ERR_NO_CHAT_FOUND");
  return requireMember(ctx, await findChat(ctx, tx, id));
}

export const isMember = ({ members }: ChatRow, userId: UserId): boolean =>
  members.some((member) => member.userId === userId);

export const memberIdsOf = ({ members }: Pick<ChatRow, "members">): UserId[] =>
  members.map(({ userId }) => userId);

/** A chat as the wire has it; `reader` adds what is the reader's alone. */
export function toChat(row: ChatRow, reader?: UserId): Chat {
  const { id, companyId, uuid, ownerId, ownerName, lastMessage, lastSenderId, members } = row;
  const own = members.find(({ userId }) => userId === reader);
  return {
    ...{ id, companyId, uuid, ownerId, lastMessage, lastSenderId },
    title: row.title === "" ? members.map(({ name }) => name).join(", ") : row.title,
    isDirect: row.directPair !== null,
    owner: { id: ownerId, name: ownerName },
    lastMessageAt: toIso(row.lastMessageAt),
    users: members.map((member) => ({
      ...{ id: member.id, chatId: id, userId: member.userId, unreads: member.unreads },
      ...{ lastReadId: member.lastReadId, lastReadAt: member.lastReadAt },
      user: { id: member.userId, name: member.name },
    })),
    ...(own && { isSilenced: own.isSilenced }),
    ...wireDates(row),
  };
}

type WrittenRow = {
  id: ChatMessageId;
  chatId: ChatId;
  senderId: UserId;
  senderName: string;
  message: string;
  mentions: { id: number; name: string }[];
  hasTicket: boolean;
  clientId: string | null;
  quotedId: ChatMessageId | null;
  fileKey: string | null;
  fileName: string | null;
  thumbnailKey: string | null;
  kind: MediaKind | null;
  mime: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  waveform: number[] | null;
  editedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

export type ChatMessageRow = WrittenRow & {
  companyId: CompanyId;
  /** As JSON, so its moments are texts. */
  quoted:
    | (Omit<WrittenRow, "editedAt" | "createdAt" | "updatedAt"> & {
        editedAt: string | null;
        createdAt: string;
        updatedAt: string;
      })
    | null;
};

const plainFields = {
  ...{ id: "id", chatId: "chat_id", senderId: "sender_id", message: "message" },
  ...{ mentions: "mentions", hasTicket: "has_ticket", clientId: "client_id" },
  ...{ quotedId: "quoted_id", fileKey: "file_key", fileName: "file_name" },
  ...{ thumbnailKey: "thumbnail_key", kind: "kind", mime: "mime", bytes: "bytes" },
  ...{ width: "width", height: "height", durationMs: "duration_ms", waveform: "waveform" },
};
const momentFields = { editedAt: "edited_at", createdAt: "created_at", updatedAt: "updated_at" };
const fields = Object.entries({ ...plainFields, ...momentFields });

export const messageColumns = `${fields.map(([key, column]) => `m.${column} as "${key}"`).join(", ")},
  m.company_id as "companyId", s.name as "senderName",
  case when q.id is null then null else json_build_object('senderName', qs.name, ${[
    ...Object.entries(plainFields).map(([key, column]) => `'${key}', q.${column}`),
    ...Object.entries(momentFields).map(([key, column]) => `'${key}', ${isoText(`q.${column}`)}`),
  ].join(", ")}) end as quoted`;

export const messageJoins = `
  join users s on s.company_id = m.company_id and s.id = m.sender_id
  left join chat_messages q on q.company_id = m.company_id and q.id = m.quoted_id
  left join users qs on qs.company_id = q.company_id and qs.id = q.sender_id`;

export function toChatMessage(sign: SignFile, row: ChatMessageRow): ChatMessage {
  const { companyId, quoted } = row;
  const moments = { editedAt: toIsoOrNull(row.editedAt), ...wireDates(row) };
  return {
    ...fieldsOf(sign, companyId, { ...row, ...moments }),
    quoted: quoted === null ? null : fieldsOf(sign, companyId, quoted),
  };
}

function fieldsOf(
  sign: SignFile,
  companyId: CompanyId,
  row: NonNullable<ChatMessageRow["quoted"]>,
): Omit<ChatMessage, "quoted"> {
  const { id, chatId, senderId, message, hasTicket, clientId, quotedId } = row;
  const url = row.fileKey === null ? null : sign(companyId, row.fileKey);
  return {
    ...{ id, chatId, senderId, message, hasTicket, clientId, quotedId },
    sender: { id: senderId, name: row.senderName },
    mentions: row.mentions.map(({ id: userId, name }) => ({ id: userId as UserId, name })),
    media:
      url === null || row.kind === null
        ? null
        : {
            ...{ state: "ready", kind: row.kind, name: row.fileName ?? "", mime: row.mime ?? "" },
            ...{ bytes: row.bytes ?? 0, width: row.width, height: row.height },
            ...{ durationMs: row.durationMs, waveform: row.waveform, isViewOnce: false, url },
            thumbnailUrl: row.thumbnailKey === null ? null : sign(companyId, row.thumbnailKey),
          },
    ...{ mediaPath: url, mediaName: row.fileName },
    ...{ editedAt: row.editedAt, createdAt: row.createdAt, updatedAt: row.updatedAt },
  };
}

type Tell = { realtime: Realtime & AddressedRealtime };

/** Tells members of the chat as it is now, each with what is the member's own. */
export function tellMembers(
  { realtime }: Tell,
  row: ChatRow,
  action: "create" | "update",
  userIds: readonly UserId[] = memberIdsOf(row),
): void {
  const { companyId } = row;
  for (const userId of userIds) {
    const record = toChat(row, userId);
    realtime.send(chatOfUserEvent, { to: "user", companyId, userId }, { action, record });
  }
}

/** Tells these members alone: events of a chat never go to a room of the company. */
export function tellChat(
  { realtime }: Tell,
  { companyId, id: chatId }: Pick<ChatRow, "companyId" | "id">,
  memberIds: readonly UserId[],
  payload: CompanyEvents["chat"],
): void {
  const to = memberIds.map((userId) => rooms.user(companyId, userId));
  realtime.publish(companyId, "chat", payload, to);
  realtime.send(chatEvent, { to: "chat", companyId, chatId, memberIds }, payload);
}
