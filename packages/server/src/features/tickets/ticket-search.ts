import type { MessageId, SearchHit, TicketListQuery } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { toIso } from "../../platform/db/row-dates.ts";
import { searchedDigits } from "../contacts/index.ts";
import type { Placeholder } from "./visibility.ts";
import { readQueuesOf, viewerOf } from "./visibility.ts";

/** Characters that are shown on both sides of what a search found. */
const AROUND = 60;
/** Of a filtered list, so many of its first tickets are looked through whatever else has the words. */
export const NEAR_TICKETS = 2_000;

/** Whether a list shows less than all that its reader may see; a queue's list is not taken for small. */
export function isNarrow(query: TicketListQuery): boolean {
  return (
    query.withUnreadMessages ||
    query.date !== undefined ||
    query.updatedAt !== undefined ||
    query.status !== undefined ||
    (query.tags?.length ?? 0) > 0 ||
    (query.users?.length ?? 0) > 0
  );
}

/**
 * `hits` and `found`: the tickets in which the searched text stands, in the contact's name or number or in a message that
 * the caller may read, and the newest such message of each. They are found by a function of the database (its migration
 * says how, and how far it looks), because under row-level security text indexes are not used, and read once, by their
 * ids. `near` selects the ids of the first tickets of a narrow list; null for none.
 */
export function foundTickets(
  ctx: Ctx,
  term: string,
  near: string | null,
  placeholder: Placeholder,
): string {
  const viewer = viewerOf(ctx);
  const readerQueues = viewer === "everything" ? null : readQueuesOf(viewer);
  const given = [term, searchedDigits(term), readerQueues].map(placeholder);
  const ids = near === null ? "null::int[]" : `array(${near})`;
  return `hits as materialized (
    select distinct on (ticket_id) ticket_id, message_id
    from search_tickets(${[...given, ids].join(", ")})
    order by ticket_id, sent_at desc nulls last, message_id desc
  ), found as materialized (
    select * from tickets where company_id = $1 and id = any(array(select ticket_id from hits)))`;
}

/** Where a search found its words, beside a ticket; all null where it did not look or found the contact only. */
export type HitColumns =
  | { hitId: null }
  | {
      hitId: MessageId;
      hitFromMe: boolean;
      hitAt: Date;
      hitBefore: string;
      hitMatch: string;
      hitAfter: string;
    };

/** Select list of `HitColumns`, and what it reads beside `page` and `hits`. */
export const hitColumns = `
  m.id as "hitId", m.from_me as "hitFromMe", m.created_at as "hitAt",
  x.before as "hitBefore", x.match as "hitMatch", x.after as "hitAfter"`;
export const hitJoins = (term: string): string => `
left join hits h on h.ticket_id = page.id
left join messages m on m.company_id = $1 and m.id = h.message_id
left join lateral search_excerpt(m.body, f_norm(${term}), ${AROUND}) x on m.id is not null`;

export function toSearchHit(row: HitColumns): SearchHit | null {
  if (row.hitId === null) return null;
  return {
    messageId: row.hitId,
    fromMe: row.hitFromMe,
    createdAt: toIso(row.hitAt),
    before: row.hitBefore,
    match: row.hitMatch,
    after: row.hitAfter,
  };
}
