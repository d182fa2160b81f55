import type { BulkChange, BulkResult, InputOf, TicketChange, TicketId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import { queues, resolveReasons, tags } from "../../platform/db/schema/index.ts";
import type { NotedFields } from "../audit/index.ts";
import { note } from "../audit/index.ts";
import { closeQuietly, holdTicketReferences, updateTicket } from "./change-ticket.ts";
import { lockTicket } from "./save-ticket.ts";
import type { TicketDeps } from "./deps.ts";
import { addTicketTags } from "./ticket-tags.ts";
import { undoChange } from "./undo.ts";

/**
 * Makes the same change of several tickets, each in its own transaction and with the rules of the single change, and says what
 * became of each. Throws before anything is changed when user, queue, tag or reason are not there.
 */
export async function changeTickets(
  deps: TicketDeps,
  ctx: UserCtx,
  { ticketIds, change, undoSeconds = 0 }: InputOf<"POST /tickets/bulk">["body"],
): Promise<{ results: BulkResult[] }> {
  if (change.action === "tag") requirePermission(ctx, "tags:use");
  await deps.db.transaction(ctx, async (tx) => {
    await holdChange(ctx, tx, change);
    await noteMany(tx, ctx, { ...change, tickets: ticketIds });
  });
  return eachTicket(ticketIds, async (ticketId) => {
    if (change.action === "tag") {
      return { ticket: await addTicketTags(deps, ctx, ticketId, change.tagIds) };
    }
    const wanted = { ...singleChange(change), undoSeconds };
    const { undo, ...ticket } = await updateTicket(deps, ctx, ticketId, wanted);
    return { ticket, ...(undo && { undo }) };
  });
}

/** Undoes the caller's changes of several tickets, as `undoChange` does for one. */
export function undoChanges(
  deps: TicketDeps,
  ctx: UserCtx,
  { undos }: InputOf<"POST /tickets/bulk/undo">["body"],
): Promise<{ results: BulkResult[] }> {
  const undoIds = new Map(undos.map(({ ticketId, undoId }) => [ticketId, undoId]));
  return eachTicket([...undoIds.keys()], async (ticketId) => ({
    ticket: await undoChange(deps, ctx, ticketId, undoIds.get(ticketId) ?? ""),
  }));
}

/** Before the first ticket is changed: each is changed in a transaction of its own. */
function noteMany(tx: Tx, ctx: UserCtx, after: NotedFields): Promise<void> {
  return note(tx, ctx, { action: "massChanged", kind: "ticket", id: "", label: "", after });
}

/** In order, one after the other: concurrent calls with the same tickets do not wait for each other in a circle. */
async function eachTicket(
  ticketIds: readonly TicketId[],
  act: (ticketId: TicketId) => Promise<Pick<BulkResult, "ticket" | "undo">>,
): Promise<{ results: BulkResult[] }> {
  const results: BulkResult[] = [];
  for (const ticketId of new Set(ticketIds)) {
    try {
      results.push({ ticketId, error: null, ...(await act(ticketId)) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      results.push({ ticketId, error: error.code, ticket: null });
    }
  }
  return { results };
}

async function holdChange(ctx: UserCtx, tx: Tx, change: BulkChange): Promise<void> {
  switch (change.action) {
    case "resolve": {
      const ids = change.reasonId == null ? [] : [change.reasonId];
      await holdReferences(ctx, tx, resolveReasons, ids, "ERR_NO_REASON_FOUND");
      return;
    }
    case "transfer":
    case "assign":
      await holdTicketReferences(ctx, tx, { queueId: undefined, ...change, whatsappId: undefined });
      return;
    case "tag":
      await holdReferences(ctx, tx, tags, change.tagIds, "ERR_NO_TAG_FOUND");
  }
}

/** The change of one ticket (wire-contract 6.1): without a user a transferred ticket waits in its queue. */
function singleChange(change: Exclude<BulkChange, { action: "tag" }>): TicketChange {
  const nothing = { queueId: undefined, userId: undefined, whatsappId: undefined };
  const single = { ...nothing, promptId: undefined, integrationId: undefined };
  switch (change.action) {
    case "resolve":
      return { ...single, status: "closed", reasonId: change.reasonId };
    case "assign":
      return { ...single, userId: change.userId };
    case "transfer": {
      const { queueId, userId } = change;
      if (userId === null) return { ...single, queueId, userId, status: "pending" };
      return { ...single, queueId, userId };
    }
  }
}

/** Tickets of one look, and of one call: an admin repeats it for more. */
const CLOSED_AT_ONCE = 200;
const CLOSED_MAX = 2_000;

/**
 * Closes the tickets of a status, in some queues or in all of them, as clients of the family call it (wire-contract 5.6):
 * those without a queue belong to every choice. Customers get no completion message and no rating request. Each ticket is
 * closed in its own transaction; the oldest come first.
 */
export async function closeAllTickets(
  deps: TicketDeps,
  ctx: UserCtx,
  { status, selectedQueueIds }: InputOf<"POST /tickets/closeAll">["body"],
): Promise<undefined> {
  if (status === "closed") return undefined;
  const queueIds = selectedQueueIds.length === 0 ? null : selectedQueueIds;
  await deps.db.transaction(ctx, async (tx) => {
    await holdReferences(ctx, tx, queues, selectedQueueIds, "ERR_QUEUE_NOT_FOUND");
    await noteMany(tx, ctx, { action: "resolve", status, queues: selectedQueueIds });
  });
  let after = 0;
  for (let closed = 0; closed < CLOSED_MAX; closed += CLOSED_AT_ONCE) {
    const values = [ctx.companyId, status, queueIds, after, CLOSED_AT_ONCE];
    const found = await deps.db.read<{ id: TicketId }>(ctx, closableStatement, values);
    for (const { id } of found) {
      await deps.db.transaction(ctx, async (tx) => {
        const ticket = await lockTicket(ctx, tx, id);
        // Somebody may have changed it meanwhile.
        if (ticket?.status === status) await closeQuietly(deps, ctx, tx, ticket);
      });
    }
    const last = found.at(-1);
    if (last === undefined || found.length < CLOSED_AT_ONCE) break;
    after = last.id;
  }
  return undefined;
}

const closableStatement = {
  name: "tickets.closable",
  text: `
select id from tickets
where company_id = $1 and status = $2 and id > $4
  and ($3::int[] is null or queue_id is null or queue_id = any($3::int[]))
order by id limit $5`,
};
