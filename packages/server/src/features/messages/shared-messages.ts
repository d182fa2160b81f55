import type { MessageId, ReplyOf, TicketId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { PreparedStatement } from "../../platform/db/database.ts";
import type { TicketVisibility } from "../tickets/index.ts";
import {
  readableCondition,
  readerOf,
  requireVisible,
  visibilityColumns,
} from "../tickets/index.ts";
import type { MessagesDeps } from "./deps.ts";
import { toMessageDto } from "./events.ts";
import type { MessageRow } from "./message.ts";
import { messageColumns, messageJoins, quotedColumn } from "./message.ts";

/** One call looks at so many messages, and returns so many at most: its cost does not grow with the conversation. */
const LOOKED_AT = 1_000;
const RETURNED = 30;

type SharedRow = TicketVisibility & {
  looked: number;
  /** The oldest message that was looked at. */
  lastId: MessageId | null;
  isPlaceKnown: boolean;
} & ((MessageRow & { seq: number }) | { messageId: null; seq: null });

/** The newest messages with a file or a link that the caller may read, or those before a message. */
export async function showShared(
  deps: MessagesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  beforeId: MessageId | undefined,
): Promise<ReplyOf<"GET /messages/:ticketId/shared">> {
  const reader = readerOf(ctx);
  const kind = beforeId === undefined ? "newest" : "before";
  const values = [ctx.companyId, ticketId, beforeId ?? null];
  return deps.db.transaction(ctx, async (tx) => {
    const rows =
      reader === null
        ? await tx.query<SharedRow>(allStatements[kind], values)
        : await tx.query<SharedRow>(readerStatements[kind], [
            ...values,
            reader.queueIds,
            reader.userId,
          ]);
    const { looked, lastId, isPlaceKnown } = requireVisible(ctx, rows[0]);
    if (!isPlaceKnown) throw new DomainError("ERR_NO_MESSAGE_FOUND");
    const found = rows.filter((row) => row.messageId !== null);
    const shown = found.slice(0, RETURNED);
    const rest = looked < LOOKED_AT ? null : lastId;
    return {
      messages: shown.map((row) => toMessageDto(deps, row)),
      olderId: found.length > RETURNED ? (shown.at(-1)?.messageId ?? null) : rest,
    };
  });
}

/** The order of the index, nulls included. */
const newestFirst = "order by m.created_at desc nulls last, m.seq desc nulls last";

const sharedText = (
  readable: (m: string) => string,
  place: string,
  isPlaceKnown: string,
): string => `
with t as materialized (
  select ${visibilityColumns} from tickets t where t.company_id = $1 and t.id = $2
), s as materialized (
  select m.* from messages m cross join t
  where m.company_id = $1 and m.ticket_id = $2 and ${readable("m")} and ${place}
  ${newestFirst} limit ${LOOKED_AT}
), n as materialized (
  select count(*)::int as looked, (array_agg(s.id order by s.created_at, s.seq))[1] as "lastId",
    ${isPlaceKnown} as "isPlaceKnown"
  from s
)
select t.*, n.*, p.*
from t cross join n
left join lateral (
  select ${messageColumns}, ${quotedColumn(readable("o"))}, m.seq
  from s m ${messageJoins}
  where not m.is_deleted
    and (m.body ~ 'https?://' or (m_media.state = 'ready' and not m_media.is_view_once))
  ${newestFirst} limit ${RETURNED + 1}
) p on true
order by p."sentAt" desc nulls last, p.seq desc nulls last`;

function statementsOf(
  name: string,
  readable: (m: string) => string,
): Record<"newest" | "before", PreparedStatement> {
  const before = `(m.created_at, m.seq) < (select b.created_at, b.seq from messages b
      where b.company_id = $1 and b.ticket_id = $2 and b.id = $3::uuid)`;
  const isPlaceKnown = `exists (select from messages b cross join t
      where b.company_id = $1 and b.ticket_id = $2 and b.id = $3::uuid and ${readable("b")})`;
  return {
    newest: {
      name: `${name}-newest`,
      text: sharedText(readable, "$3::uuid is null", "true"),
    },
    before: { name: `${name}-before`, text: sharedText(readable, before, isPlaceKnown) },
  };
}

const allStatements = statementsOf("messages.shared", () => "true");
const readerStatements = statementsOf("messages.shared-own", (m) =>
  readableCondition(m, {
    ...{ ticketUser: `t."userId"`, ticketQueue: `t."queueId"` },
    ...{ queues: "$4::int[]", user: "$5::int" },
  }),
);
