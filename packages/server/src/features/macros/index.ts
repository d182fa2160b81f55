import type { ChangedTicket, InputOf, Macro, MacroBody, MacroId, TagId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { eq, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  findRecord,
  hasId,
  holdReferences,
  lockRecord,
  refuseDuplicates,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { companies, macros, queues, resolveReasons, tags } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MessagesFeature } from "../messages/index.ts";
import type { ShownTicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";

export type MacrosDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  tickets: Pick<TicketsFeature, "changeWithin" | "toChangedDto">;
  messages: Pick<MessagesFeature, "sendWithin">;
};

/** Macros: a text, a tag, a queue and the end of a conversation with one key. */
export function createMacrosFeature(deps: MacrosDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /macros", ({ ctx }) => listMacros(deps, ctx));
      routes.handle("POST /macros", ({ ctx, body }) => addMacro(deps, ctx, body));
      routes.handle("PUT /macros/:macroId", ({ ctx, params, body }) =>
        changeMacro(deps, ctx, params.macroId, body),
      );
      routes.handle("DELETE /macros/:macroId", async ({ ctx, params }) => {
        await removeMacro(deps, ctx, params.macroId);
        return { message: "Macro deleted" };
      });
      routes.handle("POST /macros/:macroId/run", ({ ctx, params, body }) =>
        runMacro(deps, ctx, params.macroId, body),
      );
    },
  };
}

type MacroRow = typeof macros.$inferSelect;

const refuseSameKey = refuseDuplicates({ macros_key: "ERR_MACRO_KEY_TAKEN" });

async function listMacros({ db }: MacrosDeps, ctx: UserCtx): Promise<Macro[]> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select()
      .from(macros)
      .where(eq(macros.companyId, ctx.companyId))
      .orderBy(sql`f_norm(${macros.name})`, macros.id),
  );
  return rows.map(toMacro);
}

/** Concurrent additions wait for each other at the company's row, so that none exceeds the limit. */
async function addMacro(deps: MacrosDeps, ctx: UserCtx, body: MacroBody): Promise<Macro> {
  const { companyId } = ctx;
  const now = deps.clock.now();
  const work = deps.db.transaction(ctx, async (tx) => {
    await tx.orm
      .select({ id: companies.id })
      .from(companies)
      .where(eq(companies.id, companyId))
      .for("no key update");
    const max = limits.macrosMax;
    if ((await tx.orm.$count(macros, eq(macros.companyId, companyId))) >= max) {
      throw new DomainError("ERR_MACRO_LIMIT_REACHED", { max });
    }
    await holdSteps(ctx, tx, body);
    const rows = await tx.orm
      .insert(macros)
      .values({ ...body, companyId, createdAt: now, updatedAt: now })
      .returning();
    return tellSaved(deps, tx, toMacro(requireRow(rows)), "create");
  });
  return work.catch(refuseSameKey);
}

async function changeMacro(
  deps: MacrosDeps,
  ctx: UserCtx,
  id: MacroId,
  body: MacroBody,
): Promise<Macro> {
  const work = deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, macros, id, "ERR_NO_MACRO_FOUND");
    await holdSteps(ctx, tx, body);
    const rows = await tx.orm
      .update(macros)
      .set({ ...body, updatedAt: deps.clock.now() })
      .where(hasId(ctx, macros, id))
      .returning();
    return tellSaved(deps, tx, toMacro(requireRow(rows)), "update");
  });
  return work.catch(refuseSameKey);
}

async function removeMacro({ db, realtime }: MacrosDeps, ctx: UserCtx, macroId: MacroId) {
  await db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, macros, macroId, "ERR_NO_MACRO_FOUND");
    await tx.orm.delete(macros).where(hasId(ctx, macros, macroId));
    tx.onCommit(() => {
      const gone = { action: "delete", macroId } as const;
      realtime.publish(ctx.companyId, "macro", gone, [rooms.main(ctx.companyId)]);
    });
  });
}

/** The tag, queue and reason of a macro are the company's, and stay until the commit. */
async function holdSteps(ctx: UserCtx, tx: Tx, { tagId, queueId, reasonId }: MacroBody) {
  const given = (id: number | null): number[] => (id === null ? [] : [id]);
  await holdReferences(ctx, tx, tags, given(tagId), "ERR_NO_TAG_FOUND");
  await holdReferences(ctx, tx, queues, given(queueId), "ERR_QUEUE_NOT_FOUND");
  await holdReferences(ctx, tx, resolveReasons, given(reasonId), "ERR_NO_REASON_FOUND");
}

/**
 * All steps of a macro in one transaction, each by the rules of the step alone: the text is the agent's, the tag is added, the queue
 * is a transfer, and the end is a resolve. With `undoSeconds` everything can be undone together, and nothing is sent before.
 */
async function runMacro(
  deps: MacrosDeps,
  ctx: UserCtx,
  id: MacroId,
  { ticketId, undoSeconds }: InputOf<"POST /macros/:macroId/run">["body"],
): Promise<ChangedTicket> {
  const changed = await deps.db.transaction(ctx, async (tx) => {
    const macro = await findRecord(ctx, tx, macros, id, "ERR_NO_MACRO_FOUND");
    const { queueId, resolves, reasonId } = macro;
    const moved = queueId === null ? {} : { queueId };
    const change = resolves ? { status: "closed" as const, reasonId, ...moved } : moved;
    return deps.tickets.changeWithin(ctx, tx, ticketId, { ...change, undoSeconds }, (ticket) =>
      sayAndTag(deps, ctx, tx, ticket, macro, undoSeconds),
    );
  });
  return deps.tickets.toChangedDto(ctx, changed);
}

/** The steps of a macro that do not change the state of a locked ticket. */
async function sayAndTag(
  { messages, domainEvents }: MacrosDeps,
  ctx: UserCtx,
  tx: Tx,
  ticket: ShownTicketRow,
  { message, tagId }: MacroRow,
  delaySeconds: number,
) {
  // A closed ticket is not changed in part.
  if (ticket.status === "closed") throw new DomainError("ERR_TICKET_CLOSED");
  const sent =
    message.trim() === ""
      ? null
      : await messages.sendWithin(ctx, tx, ticket, { text: message, delaySeconds });
  const isTagged = tagId !== null && (await addTag(ctx, tx, ticket.id, tagId));
  const after = (await lockTicket(ctx, tx, ticket.id)) ?? ticket;
  if (isTagged) await domainEvents.publish(tx, ctx, "ticket.updated", { ticket: after });
  return { ticket: after, messageId: sent, tagId: isTagged ? tagId : null };
}

/** False when the ticket has the tag, or the tag is no more. */
async function addTag(ctx: UserCtx, tx: Tx, ticketId: number, tagId: TagId): Promise<boolean> {
  requirePermission(ctx, "tags:use");
  const added = await tx.query(addTagStatement, [ctx.companyId, ticketId, tagId]);
  return added.length > 0;
}

const addTagStatement = {
  name: "macros.add-tag",
  text: `
insert into ticket_tags (company_id, ticket_id, tag_id)
select $1, $2, g.id from tags g where g.company_id = $1 and g.id = $3 and g.deleted_at is null
on conflict do nothing returning tag_id`,
};

function toMacro(row: MacroRow): Macro {
  const { id, companyId, name, key, message, tagId, queueId, resolves, reasonId } = row;
  return {
    ...{ id, companyId, name, key, message, tagId, queueId, resolves, reasonId },
    ...wireDates(row),
  };
}

function tellSaved(
  { realtime }: MacrosDeps,
  tx: Tx,
  macro: Macro,
  action: "create" | "update",
): Macro {
  const { companyId } = macro;
  tx.onCommit(() =>
    realtime.publish(companyId, "macro", { action, macro }, [rooms.main(companyId)]),
  );
  return macro;
}
