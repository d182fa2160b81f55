import type { Draft, InputOf, MessageId, TicketId } from "@balcao/contract";
import { and, desc, eq } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { toIsoOrNull } from "../../platform/db/records.ts";
import { drafts } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketVisibility } from "../tickets/index.ts";
import { requireVisible, visibilityColumns } from "../tickets/index.ts";

export type DraftsDeps = { db: Database; clock: Clock; realtime: Realtime };

/** Unsent texts of users per ticket, shared between the user's computers. */
export function createDraftsFeature(deps: DraftsDeps) {
  return {
    propose: proposeDraft.bind(null, deps),
    register(routes: Routes): void {
      routes.handle("GET /drafts", ({ ctx }) => listDrafts(deps, ctx));
      routes.handle("GET /drafts/:ticketId", ({ ctx, params }) =>
        showDraft(deps, ctx, params.ticketId),
      );
      routes.handle("PUT /drafts/:ticketId", ({ ctx, params, body }) =>
        saveDraft(deps, ctx, params.ticketId, body),
      );
    },
  };
}

/** A user's draft in a ticket; `body` is null without a draft. */
type DraftRow = {
  ticketId: TicketId;
  body: string | null;
  quotedMessageId: MessageId | null;
  updatedAt: Date | null;
};
/** A draft with the columns that decide who may see its ticket. */
type SeenDraft = DraftRow & TicketVisibility;

const DRAFTS_LISTED_MAX = 200;

async function listDrafts({ db }: DraftsDeps, ctx: UserCtx): Promise<Draft[]> {
  const { companyId, actor } = ctx;
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select()
      .from(drafts)
      .where(and(eq(drafts.companyId, companyId), eq(drafts.userId, actor.userId)))
      .orderBy(desc(drafts.updatedAt), desc(drafts.ticketId))
      .limit(DRAFTS_LISTED_MAX),
  );
  return rows.map(toDraft);
}

async function showDraft({ db }: DraftsDeps, ctx: UserCtx, ticketId: TicketId): Promise<Draft> {
  const values = [ctx.companyId, ctx.actor.userId, ticketId];
  const [row] = await db.read<SeenDraft>(ctx, findStatement, values);
  return toDraft(requireVisible(ctx, row));
}

/** Saves the draft and tells the user's other windows; a blank draft is deleted. The last write wins. */
async function saveDraft(
  { db, clock, realtime }: DraftsDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  { body, quotedMsgId, clientId }: InputOf<"PUT /drafts/:ticketId">["body"],
): Promise<Draft> {
  const { companyId, actor } = ctx;
  const key = [companyId, actor.userId, ticketId];
  return db.transaction(ctx, async (tx) => {
    const [row] = await (body.trim() === ""
      ? tx.query<SeenDraft>(deleteStatement, key)
      : tx.query<SeenDraft>(saveStatement, [...key, body, quotedMsgId ?? null, clock.now()]));
    // The draft is saved before this check: one round trip, because each pause in typing saves. A refusal rolls it back.
    const draft = toDraft(requireVisible(ctx, row));
    tx.onCommit(() => {
      const payload = { action: "update", draft, clientId: clientId ?? null } as const;
      realtime.publish(companyId, "draft", payload, [rooms.user(companyId, actor.userId)]);
    });
    return draft;
  });
}

/**
 * Puts a text into the composer of a user who has none there; the same text again changes nothing. Throws ERR_DRAFT_EXISTS
 * where the user has another one.
 */
async function proposeDraft(
  { db, clock, realtime }: DraftsDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  body: string,
): Promise<void> {
  const { companyId, actor } = ctx;
  const values = [companyId, actor.userId, ticketId, body, clock.now()];
  await db.transaction(ctx, async (tx) => {
    const [row] = await tx.query<SeenDraft>(proposeStatement, values);
    const draft = toDraft(requireVisible(ctx, row));
    if (draft.body !== body) throw new DomainError("ERR_DRAFT_EXISTS");
    tx.onCommit(() => {
      const payload = { action: "update", draft, clientId: null } as const;
      realtime.publish(companyId, "draft", payload, [rooms.user(companyId, actor.userId)]);
    });
  });
}

function toDraft({ ticketId, body, quotedMessageId, updatedAt }: DraftRow): Draft {
  const quotedMsgId = quotedMessageId;
  return { ticketId, body: body ?? "", quotedMsgId, updatedAt: toIsoOrNull(updatedAt) };
}

// All of them return no row when there is no such ticket.

const draftColumns = `
  t.id as "ticketId", d.body, d.quoted_message_id as "quotedMessageId", d.updated_at as "updatedAt", ${visibilityColumns}`;

const findStatement = {
  name: "drafts.find",
  text: `
select ${draftColumns}
from tickets t
left join drafts d on d.company_id = t.company_id and d.user_id = $2 and d.ticket_id = t.id
where t.company_id = $1 and t.id = $3`,
};

const saveStatement = {
  name: "drafts.save",
  // A quoted message of another ticket is left out.
  text: `
with t as (
  select * from tickets where company_id = $1 and id = $3
), d as (
  insert into drafts (company_id, user_id, ticket_id, body, quoted_message_id, updated_at)
  select t.company_id, $2, t.id, $4, (
      select m.id from messages m where m.company_id = $1 and m.id = $5 and m.ticket_id = t.id
    ), $6 from t
  on conflict (company_id, user_id, ticket_id) do update
    set body = excluded.body, quoted_message_id = excluded.quoted_message_id, updated_at = excluded.updated_at
  returning *
)
select ${draftColumns}
from t cross join d`,
};

const proposeStatement = {
  name: "drafts.propose",
  // The update that changes nothing returns the draft that is there.
  text: `
with t as (
  select * from tickets where company_id = $1 and id = $3
), d as (
  insert into drafts (company_id, user_id, ticket_id, body, updated_at)
  select t.company_id, $2, t.id, $4, $5 from t
  on conflict (company_id, user_id, ticket_id) do update set body = drafts.body
  returning *
)
select ${draftColumns}
from t cross join d`,
};

const deleteStatement = {
  name: "drafts.delete",
  text: `
with gone as (
  delete from drafts where company_id = $1 and user_id = $2 and ticket_id = $3
)
select t.id as "ticketId", null as body, null as "quotedMessageId", null as "updatedAt", ${visibilityColumns}
from tickets t
where t.company_id = $1 and t.id = $3`,
};
