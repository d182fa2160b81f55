import type { ConnectionId, MessageId, ReplyOf, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Address } from "../../channels/port.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { actingUser, DomainError } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { cappedCount, pageTotals } from "../../platform/db/records.ts";
import type { ShownTicketRow } from "../tickets/index.ts";
import {
  lockTicket,
  readableCondition,
  readerOf,
  requireVisible,
  shownTicketColumns,
  ticketJoins,
} from "../tickets/index.ts";
import type { Deps, MessagesDeps } from "./deps.ts";
import { toMessageDto, withReactionRows } from "./events.ts";
import type { MessageRow } from "./message.ts";
import { messageColumns, messageJoins, quotedColumn } from "./message.ts";
import { contactAddress } from "./outgoing.ts";

/** The requested page: by number from the newest, or by its place beside a message; at most one place. */
type PageRequest = {
  pageNumber: number;
  beforeId?: MessageId | undefined;
  afterId?: MessageId | undefined;
  aroundId?: MessageId | undefined;
};

/** One page of a ticket's messages; marks the ticket read for its assignee, unless the client does that later. */
export async function showPage(
  deps: MessagesDeps & Pick<Deps, "noteOpened">,
  ctx: Ctx,
  ticketId: TicketId,
  wish: PageRequest & { markRead: boolean; hasReactionRows: boolean },
): Promise<ReplyOf<"GET /messages/:ticketId">> {
  refuseSeveralPlaces(wish);
  return deps.db.transaction(ctx, async (tx) => {
    const found = await findPage(ctx, tx, ticketId, wish);
    const ticket = requireVisible(ctx, found?.ticket);
    if (!found?.isPlaceKnown) throw new DomainError("ERR_NO_MESSAGE_FOUND");
    await deps.noteOpened(tx, ctx, ticket);
    const { total, messages, hasMore, hasNewer } = found;
    // A page beside a message has no number: at least the shown messages are there.
    const offset = (wish.pageNumber - 1) * pageSizes.messages;
    const isAssignees = ticket.userId !== null && ticket.userId === actingUser(ctx);
    const isRead = wish.markRead && found.hasUnread && isAssignees;
    if (isRead) {
      await lockTicket(ctx, tx, ticketId);
      await markRead(deps, ctx, tx, ticketId);
    }
    const rows = messages.map((row) => toMessageDto(deps, { ...row, read: row.read || isRead }));
    const shown = isRead ? { ...ticket, unreadMessages: 0 } : ticket;
    return {
      ...pageTotals(total, { offset, rows: messages.length, hasMore }),
      messages: wish.hasReactionRows ? withReactionRows(rows) : rows,
      ticket: deps.tickets.toShownDto(shown, readerOf(ctx)),
      hasNewer,
    };
  });
}

/** Marks the ticket read for its assignee; other users only get the number of unread messages. */
export async function readTicket(
  deps: MessagesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
): Promise<{ unreadMessages: number }> {
  return deps.db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    if (ticket.userId !== ctx.actor.userId) return { unreadMessages: ticket.unreadMessages };
    await markRead(deps, ctx, tx, ticketId);
    return { unreadMessages: 0 };
  });
}

/** Marks a locked ticket read, and sends the customer a read receipt; changes nothing when everything is read. */
export async function markRead(
  { sources, outbox, domainEvents }: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
): Promise<void> {
  const values = [ctx.companyId, ticketId, sources.clock.now()];
  const [last] = await tx.query<LastRead>(readStatement, values);
  if (!last) return;
  const { connectionId, providerId, to } = last;
  if (connectionId !== null && to !== null) {
    await outbox.enqueueReadReceipt(tx, ctx, { connectionId, to, providerId });
  }
  await domainEvents.publish(tx, ctx, "ticket.read", { ticketId });
}

function refuseSeveralPlaces({ beforeId, afterId, aroundId }: PageRequest): void {
  const places = [beforeId, afterId, aroundId].filter((id) => id !== undefined);
  if (places.length < 2) return;
  const message = "at most one of beforeId, afterId and aroundId";
  throw new DomainError("ERR_INVALID_REQUEST", { issues: [{ path: "query", message }] });
}

type PageRow = ShownTicketRow & {
  /** Readable messages on all pages (`cappedCount`). */
  total: number;
  /** The ticket has unread inbound messages. */
  hasUnread: boolean;
  /** The message of the requested place belongs to this ticket, and is readable. */
  isPlaceKnown: boolean;
} & ((MessageRow & { seq: number }) | { messageId: null; seq: null });

type PageKind = "numbered" | "before" | "after" | "around";

const size = pageSizes.messages;
/** Messages before and after the one in the middle. */
const olderAround = size / 2;
const newerAround = size - olderAround - 1;

/** The ticket and one page of its messages that the caller may read, in one statement; null without ticket. */
async function findPage(ctx: Ctx, tx: Tx, ticketId: TicketId, wish: PageRequest) {
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

function placeOf({ pageNumber, beforeId, afterId, aroundId }: PageRequest): {
  kind: PageKind;
  position: MessageId | number;
} {
  if (beforeId !== undefined) return { kind: "before", position: beforeId };
  if (afterId !== undefined) return { kind: "after", position: afterId };
  if (aroundId !== undefined) return { kind: "around", position: aroundId };
  return { kind: "numbered", position: (pageNumber - 1) * size };
}

/** Cuts the extra message that was read on each open side to find out whether there are more. */
function cutPage(wish: PageRequest, found: MessageRow[]) {
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
  // The ticket as `TicketRow` has it.
  readableCondition(m, {
    ...{ ticketUser: `t."userId"`, ticketQueue: `t."queueId"` },
    ...{ queues: "$4::int[]", user: "$5::int" },
  }),
);

/** The newest message that became read. */
type LastRead = { connectionId: ConnectionId | null; providerId: string; to: Address | null };

const readStatement = {
  name: "messages.mark-read",
  text: `
with seen as (
  update messages set read = true, updated_at = greatest(updated_at, $3)
  where company_id = $1 and ticket_id = $2 and not from_me and not read
  returning connection_id, provider_id, created_at, seq
), card as (
  update tickets set unread_messages = 0 where company_id = $1 and id = $2 and unread_messages <> 0
)
select seen.connection_id as "connectionId", seen.provider_id as "providerId", ${contactAddress("t")} as "to"
from seen join tickets t on t.company_id = $1 and t.id = $2
order by seen.created_at desc, seen.seq desc
limit 1`,
};
