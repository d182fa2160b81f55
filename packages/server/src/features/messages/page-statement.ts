import type { MessageId, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketRow } from "../tickets/index.ts";
import { ticketColumns, ticketJoins } from "../tickets/index.ts";
import type { MessageRow } from "./message-row.ts";
import { messageColumns, messageJoins, quotedColumn } from "./message-row.ts";
import { readableCondition, readerOf } from "./readable.ts";

/** Which page: by number from the newest, or what is older than a message. */
export type PageWish = { pageNumber: number; beforeId?: MessageId | undefined };

export type MessagePage = {
  ticket: TicketRow;
  /** Readable messages on all pages. */
  total: number;
  /** The ticket has inbound messages that nobody has read. */
  hasUnread: boolean;
  /** Ascending. */
  messages: MessageRow[];
  hasMore: boolean;
};

type PageRow = TicketRow & { total: number; hasUnread: boolean } & (
    | MessageRow
    | { messageId: null }
  );

/** The ticket and one page of those of its messages that the caller may read, in one statement; null without ticket. */
export async function findPage(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  { pageNumber, beforeId }: PageWish,
): Promise<MessagePage | null> {
  const reader = readerOf(ctx);
  const size = pageSizes.messages;
  const kind = beforeId === undefined ? "numbered" : "before";
  const position = beforeId ?? (pageNumber - 1) * size;
  const rows =
    reader === null
      ? await tx.query<PageRow>(allStatements[kind], [ctx.companyId, ticketId, position])
      : await tx.query<PageRow>(readerStatements[kind], [
          ctx.companyId,
          ticketId,
          position,
          reader.queueIds,
          reader.userId,
        ]);
  const [ticket] = rows;
  if (!ticket) return null;
  // One more than the page was asked for, to know whether there are more.
  const messages = rows.filter((row) => row.messageId !== null).slice(0, size);
  return {
    ticket,
    total: ticket.total,
    hasUnread: ticket.hasUnread,
    messages: messages.reverse(),
    hasMore: rows.length > size,
  };
}

/** The order of the index, nulls included. */
const newestFirst = "order by m.created_at desc nulls last, m.seq desc nulls last";

const pageText = (readable: string, quotedReadable: string, page: string): string => `
with t as materialized (
  select ${ticketColumns} from tickets t ${ticketJoins} where t.company_id = $1 and t.id = $2
), n as materialized (
  select (select count(*)::int from messages m where m.company_id = $1 and m.ticket_id = $2 and ${readable}) as total,
    exists (select from messages m
      where m.company_id = $1 and m.ticket_id = $2 and not m.from_me and not m.read) as "hasUnread"
  from t
)
select t.*, n.*, p.*
from t cross join n
left join lateral (
  select ${messageColumns}, ${quotedColumn(quotedReadable)}, m.seq
  from (
    select m.* from messages m
    where m.company_id = $1 and m.ticket_id = $2 and ${readable} ${page}
  ) m ${messageJoins}
) p on true
order by p."sentAt" desc nulls last, p.seq desc nulls last`;

const numbered = `${newestFirst} limit ${pageSizes.messages + 1} offset $3::int`;
const before = `and (m.created_at, m.seq) < (
      select b.created_at, b.seq from messages b
      where b.company_id = $1 and b.ticket_id = $2 and b.id = $3::uuid)
    ${newestFirst} limit ${pageSizes.messages + 1}`;

const allStatements = {
  numbered: { name: "messages.page", text: pageText("true", "true", numbered) },
  before: { name: "messages.page-before", text: pageText("true", "true", before) },
};

const given = { queues: "$4::int[]", user: "$5::int" };
const readable = readableCondition("m", given);
const quotedReadable = readableCondition("o", given);
const readerStatements = {
  numbered: { name: "messages.page-own", text: pageText(readable, quotedReadable, numbered) },
  before: { name: "messages.page-own-before", text: pageText(readable, quotedReadable, before) },
};
