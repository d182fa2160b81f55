import type { MessageId, ReplyOf, TicketId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/records.ts";
import { findVisibility, readableCondition, readerOf, requireVisible } from "../tickets/index.ts";
import type { MessagesDeps } from "./deps.ts";

type Wish = { searchParam: string; beforeId?: MessageId | undefined };

/** Messages that one request looks at: their texts are compared one by one, in the order of the index of pages. */
const LOOKED_AT_MAX = 10_000;

/** The messages of a ticket that contain a text and that the user may read, newest first. */
export async function searchConversation(
  { db }: Pick<MessagesDeps, "db">,
  ctx: UserCtx,
  ticketId: TicketId,
  { searchParam, beforeId }: Wish,
): Promise<ReplyOf<"GET /messages/:ticketId/search">> {
  return db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    const place = { ticketId, beforeId: beforeId ?? null };
    if (beforeId !== undefined) await requireMessage(ctx, tx, ticketId, beforeId);
    if (searchParam.trim().length < limits.conversationSearchMin) {
      return { matches: [], nextBeforeId: null };
    }
    const found = await findMatches(ctx, tx, place, searchParam.trim());
    const matches = found.slice(0, limits.conversationMatchesMax);
    const last = matches.at(-1)?.id ?? null;
    return {
      matches: matches.map(({ id, sentAt }) => ({ id, createdAt: toIso(sentAt) })),
      nextBeforeId: found.length > matches.length ? last : await findLastLookedAt(ctx, tx, place),
    };
  });
}

type Place = { ticketId: TicketId; beforeId: MessageId | null };
type Match = { id: MessageId; sentAt: Date };

async function requireMessage(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  id: MessageId,
): Promise<void> {
  const rows = await tx.query(placeStatement, [ctx.companyId, ticketId, id]);
  if (rows.length === 0) throw new DomainError("ERR_NO_MESSAGE_FOUND");
}

async function findMatches(
  ctx: UserCtx,
  tx: Tx,
  { ticketId, beforeId }: Place,
  words: string,
): Promise<Match[]> {
  const reader = readerOf(ctx);
  const values: unknown[] = [ctx.companyId, ticketId, beforeId, words];
  return reader === null
    ? tx.query<Match>(searchStatement, values)
    : tx.query<Match>(searchOwnStatement, [...values, reader.queueIds, reader.userId]);
}

/** The message at which a request ends that has found few; null when it has come to the beginning. */
async function findLastLookedAt(
  ctx: UserCtx,
  tx: Tx,
  { ticketId, beforeId }: Place,
): Promise<MessageId | null> {
  const values = [ctx.companyId, ticketId, beforeId];
  const [last] = await tx.query<{ id: MessageId }>(lastStatement, values);
  return last?.id ?? null;
}

const placeStatement = {
  name: "messages.search-place",
  text: "select 1 from messages where company_id = $1 and ticket_id = $2 and id = $3",
};

const placeOf = (column: string): string => `
        select b.${column} from messages b
        where b.company_id = $1 and b.ticket_id = $2 and b.id = $3::uuid`;

/** The ticket's messages from the newest, or from a message, backwards: the order of their index. */
const backwards = (readable: string): string => `
  from messages m join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
  where m.company_id = $1 and m.ticket_id = $2 and ${readable}
    and (m.created_at, m.seq) < (
      coalesce((${placeOf("created_at")}), 'infinity'::timestamptz),
      coalesce((${placeOf("seq")}), 9223372036854775807))
  order by m.created_at desc nulls last, m.seq desc nulls last`;

/** Texts for people: no deleted ones, no coordinates of a place, no names of kinds. Sounds are searched by what they say. */
const isText = `not m.is_deleted and m.details ->> 'kind' is distinct from 'location'
    and m.media_type is distinct from 'audio'`;

const searchText = (readable: string): string => `
select m.id, m.created_at as "sentAt"
from (
  select m.id, m.created_at, m.body, ${isText} as is_text,
    m.media_type = 'audio' and not m.is_deleted as is_sound ${backwards(readable)} limit ${LOOKED_AT_MAX}
) m
where (m.is_text and position(f_norm($4) in f_norm(m.body)) > 0)
  or (m.is_sound and exists (
    select from message_media f where f.company_id = $1 and f.message_id = m.id
      and position(f_norm($4) in f_norm(f.transcript)) > 0))
limit ${limits.conversationMatchesMax + 1}`;

const searchStatement: PreparedStatement = {
  name: "messages.search",
  text: searchText("true"),
};

const searchOwnStatement: PreparedStatement = {
  name: "messages.search-own",
  text: searchText(
    readableCondition("m", {
      ...{ ticketUser: "t.user_id", ticketQueue: "t.queue_id" },
      ...{ queues: "$5::int[]", user: "$6::int" },
    }),
  ),
};

const lastStatement: PreparedStatement = {
  name: "messages.search-last",
  text: `select m.id ${backwards("true")} offset ${LOOKED_AT_MAX - 1} limit 1`,
};
