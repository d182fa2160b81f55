import type { MessageId, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../../platform/db/database.ts";
import { cappedCount } from "../../../platform/db/paging.ts";
import type { ShownTicketRow } from "../../tickets/index.ts";
import { shownTicketColumns, ticketJoins } from "../../tickets/index.ts";
import type { MessageRow } from "../message-row.ts";
import { messageColumns, messageJoins, quotedColumn } from "../message-row.ts";
import { readableCondition, readerOf } from "../readable.ts";

/** Which page: by number from the newest, or by its place beside a message; at most one place. */
export type PageWish = {
  pageNumber: number;
  beforeId?: MessageId | undefined;
  afterId?: MessageId | undefined;
  aroundId?: MessageId | undefined;
};

export type MessagePage = {
  ticket: ShownTicketRow;
  /** Readable messages on all pages (`cappedCount`). */
  total: number;
  /** The ticket has inbound messages that nobody has read. */
  hasUnread: boolean;
  /** The message beside which the page is to stand is of this ticket, and readable. */
  isPlaceKnown: boolean;
  /** Ascending. */
  messages: MessageRow[];
  hasMore: boolean;
  hasNewer: boolean;
};

type PageRow = ShownTicketRow & { total: number; hasUnread: boolean; isPlaceKnown: boolean } & (
    | MessageRow
    | { messageId: null }
  );

type PageKind = "numbered" | "before" | "after" | "around";

const size = pageSizes.messages;
/** Messages before and after the one in the middle. */
const olderAround = size / 2;
const newerAround = size - olderAround - 1;

/** The ticket and one page of those of its messages that the caller may read, in one statement; null without ticket. */
export async function findPage(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  wish: PageWish,
): Promise<MessagePage | null> {
  const reader = readerOf(ctx);
  const { kind, position } = placeOf(wish);
  const values: unknown[] = [ctx.companyId, ticketId, position];
  const rows =
    reader === null
      ? await tx.query<PageRow>(allStatements[kind], values)
      : await tx.query<PageRow>(readerStatements[kind], [
          ...values,
          reader.queueIds,
          reader.userId,
        ]);
  const [ticket] = rows;
  if (!ticket) return null;
  const messages = rows.filter((row) => row.messageId !== null).reverse();
  const { total, hasUnread, isPlaceKnown } = ticket;
  return { ticket, total, hasUnread, isPlaceKnown, ...cutPage(wish, messages) };
}

function placeOf({ pageNumber, beforeId, afterId, aroundId }: PageWish): {
  kind: PageKind;
  position: MessageId | number;
} {
  if (beforeId !== undefined) return { kind: "before", position: beforeId };
  if (afterId !== undefined) return { kind: "after", position: afterId };
  if (aroundId !== undefined) return { kind: "around", position: aroundId };
  return { kind: "numbered", position: (pageNumber - 1) * size };
}

/** One message more than the page holds was asked for on each open side, to know whether there are more. */
function cutPage(
  wish: PageWish,
  found: MessageRow[],
): Pick<MessagePage, "messages" | "hasMore" | "hasNewer"> {
  if (wish.aroundId !== undefined) {
    const middle = found.findIndex(({ messageId }) => messageId === wish.aroundId);
    const first = Math.max(0, middle - olderAround);
    const end = middle + newerAround + 1;
    return {
      messages: found.slice(first, end),
      hasMore: first > 0,
      hasNewer: found.length > end,
    };
  }
  const isLonger = found.length > size;
  if (wish.afterId !== undefined) {
    // The message itself is older.
    return { messages: found.slice(0, size), hasMore: true, hasNewer: isLonger };
  }
  const hasNewer = wish.beforeId !== undefined || (wish.pageNumber > 1 && found.length > 0);
  return { messages: found.slice(-size), hasMore: isLonger, hasNewer };
}

const pageText = (readable: (m: string) => string, isPlaceKnown: string, page: string): string => `
with t as materialized (
  select ${shownTicketColumns} from tickets t ${ticketJoins} where t.company_id = $1 and t.id = $2
), n as materialized (
  select ${cappedCount([`from messages m where m.company_id = $1 and m.ticket_id = $2 and ${readable("m")}`])} as total,
    exists (select from messages m
      where m.company_id = $1 and m.ticket_id = $2 and not m.from_me and not m.read) as "hasUnread",
    ${isPlaceKnown} as "isPlaceKnown"
  from t
)
select t.*, n.*, p.*
from t cross join n
left join lateral (
  select ${messageColumns}, ${quotedColumn(readable("o"))}, m.seq
  from (${page}) m ${messageJoins}
) p on true
order by p."sentAt" desc nulls last, p.seq desc nulls last`;

/** The order of the index, nulls included. */
const newestFirst = "order by m.created_at desc nulls last, m.seq desc nulls last";
const oldestFirst = "order by m.created_at nulls first, m.seq nulls first";

function statementsOf(
  name: string,
  readable: (m: string) => string,
): Record<PageKind, PreparedStatement> {
  const some = (condition: string): string => `select m.* from messages m
    where m.company_id = $1 and m.ticket_id = $2 and ${readable("m")} ${condition}`;
  const beside = (comparison: "<" | ">" | ">="): string =>
    `and (m.created_at, m.seq) ${comparison} (
      select b.created_at, b.seq from messages b
      where b.company_id = $1 and b.ticket_id = $2 and b.id = $3::uuid)`;
  const isPlaceKnown = `exists (select from messages b
      where b.company_id = $1 and b.ticket_id = $2 and b.id = $3::uuid and ${readable("b")})`;
  const pages: Record<PageKind, string> = {
    numbered: some(`${newestFirst} limit ${size + 1} offset $3::int`),
    before: some(`${beside("<")} ${newestFirst} limit ${size + 1}`),
    after: some(`${beside(">")} ${oldestFirst} limit ${size + 1}`),
    around: `
    (${some(`${beside("<")} ${newestFirst} limit ${olderAround + 1}`)})
    union all
    (${some(`${beside(">=")} ${oldestFirst} limit ${newerAround + 2}`)})`,
  };
  const statement = (kind: PageKind): PreparedStatement => ({
    name: `${name}-${kind}`,
    text: pageText(readable, kind === "numbered" ? "true" : isPlaceKnown, pages[kind]),
  });
  return {
    numbered: statement("numbered"),
    before: statement("before"),
    after: statement("after"),
    around: statement("around"),
  };
}

const allStatements = statementsOf("messages.page", () => "true");
const readerStatements = statementsOf("messages.page-own", (m) =>
  readableCondition(m, { queues: "$4::int[]", user: "$5::int" }),
);
