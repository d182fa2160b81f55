import type { ContactId, ReplyOf } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { findRecord } from "../../platform/db/records.ts";
import { contacts, notText } from "../../platform/db/schema/index.ts";
import { readableCondition, readerOf, visibleToCaller } from "../tickets/index.ts";
import type { MessagesDeps } from "./deps.ts";
import { toMessageDto } from "./events.ts";
import type { MessageRow } from "./message.ts";
import { messageColumns, messageJoins, quotedColumn } from "./message.ts";

type Files = ReplyOf<"GET /contacts/:contactId/files">;
type FileRow = { total: number } & (MessageRow | { messageId: null });

type Asked = { pageNumber: number; kind: "pictures" | "others" };

/** One page of the files of all tickets of a contact that the caller may see and read, newest first, and how many there are. */
export function listFilesOfContact(
  deps: MessagesDeps,
  ctx: UserCtx,
  contactId: ContactId,
  asked: Asked,
): Promise<Files> {
  return deps.db.transaction(ctx, async (tx) => {
    await findRecord(ctx, tx, contacts, contactId, "ERR_NO_CONTACT_FOUND");
    const rows = await readFiles(ctx, tx, contactId, asked);
    const count = rows[0]?.total ?? 0;
    const messages = rows.flatMap((row) =>
      row.messageId === null ? [] : [toMessageDto(deps, row)],
    );
    const read = offsetOf(asked) + messages.length;
    return { messages, count, hasMore: count > read && messages.length > 0 };
  });
}

const offsetOf = ({ pageNumber }: Asked): number => (pageNumber - 1) * pageSizes.contactFiles;

/** One row without message where the page has none. */
export function readFiles(
  ctx: UserCtx,
  tx: Tx,
  contactId: ContactId,
  asked: Asked,
): Promise<FileRow[]> {
  const page = [asked.kind === "pictures", pageSizes.contactFiles, offsetOf(asked)];
  const values: unknown[] = [ctx.companyId, contactId, ...page];
  const placeholder = (value: unknown): string => `$${values.push(value)}`;
  const reader = readerOf(ctx);
  let readable = (_m: string): string => "true";
  if (reader !== null) {
    const given = {
      ...{ ticketUser: "f.ticket_user", ticketQueue: "f.ticket_queue" },
      ...{ queues: placeholder(reader.queueIds), user: placeholder(reader.userId) },
    };
    readable = (m) => readableCondition(m, given);
  }
  const text = filesText(readable, visibleToCaller(ctx, placeholder));
  return tx.query<FileRow>({ name: "", text }, values);
}

/** Stickers and what may be looked at once only are no files of the contact. `$3`: pictures, else all others. */
const filesText = (readable: (m: string) => string, visible: string): string => `
with f as materialized (
  select t.id as ticket_id, t.user_id as ticket_user, t.queue_id as ticket_queue
  from tickets t where t.company_id = $1 and t.contact_id = $2 and ${visible}
), found as materialized (
  select m.id, m.created_at, m.seq, f.ticket_user, f.ticket_queue
  from f
  join messages m on m.company_id = $1 and m.ticket_id = f.ticket_id and ${notText("m.media_type")}
  join message_media k on k.company_id = $1 and k.message_id = m.id
  where not m.is_deleted and not k.is_view_once and k.kind <> 'sticker' and (k.kind = 'image') = $3 and k.state <> 'loading' and ${readable("m")}
), n as materialized (
  select count(*)::int as total from found
)
select n.total, p.*
from n left join lateral (
  select ${messageColumns}, ${quotedColumn(readable("o"))}
  from (
    select * from found
    order by created_at desc, seq desc limit $4 offset $5
  ) f
  join messages m on m.company_id = $1 and m.id = f.id ${messageJoins}
  order by f.created_at desc, f.seq desc
) p on true`;
