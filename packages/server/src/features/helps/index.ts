import type { CompanyEvents, Help, HelpBody, HelpId, InputOf } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { eq, getTableColumns, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import {
  contains,
  listTotal,
  readPage,
  readWhole,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { helps } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";

export type HelpsDeps = { db: Database; clock: Clock; realtime: Realtime };

/** Help videos, which super users keep for every company (wire-contract 5.3). */
export function createHelpsFeature(deps: HelpsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /helps", ({ ctx, query }) => listHelps(deps, ctx, query));
      routes.handle("GET /helps/list", async ({ ctx }) => allHelps(deps, ctx));
      routes.handle("GET /helps/:helpId", ({ ctx, params }) => showHelp(deps, ctx, params.helpId));
      routes.handle("POST /helps", ({ ctx, body }) => createHelp(doneBy(deps, ctx), ctx, body));
      routes.handle("PUT /helps/:helpId", ({ ctx, params, body }) =>
        updateHelp(doneBy(deps, ctx), ctx, params.helpId, body),
      );
      routes.handle("DELETE /helps/:helpId", async ({ ctx, params }) => {
        await removeHelp(doneBy(deps, ctx), ctx, params.helpId);
        return { message: "Help deleted" };
      });
    },
  };
}

type Row = typeof helps.$inferSelect;

const normal = sql`f_norm(${helps.title})`;

async function listHelps(
  { db }: HelpsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /helps">["query"],
) {
  const { rows, ...totals } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.helps, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(helps), total: listTotal })
        .from(helps)
        .where(contains(helps.title, searchParam))
        .orderBy(normal, helps.id)
        .limit(limit)
        .offset(offset),
    ),
  );
  return { records: rows.map(toHelp), ...totals };
}

function allHelps({ db }: HelpsDeps, ctx: UserCtx) {
  const read = (limit: number, last: Row | undefined) =>
    db.transaction(ctx, (tx) =>
      tx.orm
        .select()
        .from(helps)
        .where(last && sql`(${normal}, ${helps.id}) > (f_norm(${last.title}), ${last.id})`)
        .orderBy(normal, helps.id)
        .limit(limit),
    );
  return readWhole(read, toHelp);
}

async function showHelp({ db }: HelpsDeps, ctx: UserCtx, id: HelpId): Promise<Help> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm.select().from(helps).where(eq(helps.id, id)),
  );
  return toHelp(requireRow(rows, "ERR_NO_HELP_FOUND"));
}

async function createHelp(deps: HelpsDeps, ctx: UserCtx, body: HelpBody): Promise<Help> {
  requireTexts(body);
  const now = deps.clock.now();
  return deps.db.acrossCompanies(async (tx) => {
    const values = { ...body, createdAt: now, updatedAt: now };
    const record = toHelp(requireRow(await tx.orm.insert(helps).values(values).returning()));
    tellOnCommit(deps, ctx, tx, { action: "create", record });
    return record;
  });
}

async function updateHelp(
  deps: HelpsDeps,
  ctx: UserCtx,
  id: HelpId,
  body: HelpBody,
): Promise<Help> {
  requireTexts(body);
  return deps.db.acrossCompanies(async (tx) => {
    const rows = await tx.orm
      .update(helps)
      .set({ ...body, updatedAt: deps.clock.now() })
      .where(eq(helps.id, id))
      .returning();
    const record = toHelp(requireRow(rows, "ERR_NO_HELP_FOUND"));
    tellOnCommit(deps, ctx, tx, { action: "update", record });
    return record;
  });
}

async function removeHelp(deps: HelpsDeps, ctx: UserCtx, id: HelpId): Promise<void> {
  await deps.db.acrossCompanies(async (tx) => {
    const rows = await tx.orm.delete(helps).where(eq(helps.id, id)).returning({ id: helps.id });
    requireRow(rows, "ERR_NO_HELP_FOUND");
    tellOnCommit(deps, ctx, tx, { action: "delete", id });
  });
}

/** Only the provider's company hears of it: others read the videos when they open the page. */
function tellOnCommit(
  { realtime }: HelpsDeps,
  { companyId }: UserCtx,
  tx: Tx,
  event: CompanyEvents["help"],
): void {
  tx.onCommit(() => realtime.publish(companyId, "help", event, [rooms.main(companyId)]));
}

function requireTexts({ title, description }: HelpBody): void {
  if (title === "") throw new DomainError("ERR_HELP_REQUIRED");
  const isShort = [title, description].some(
    (text) => text !== "" && text.length < limits.helpTextMin,
  );
  if (isShort) throw new DomainError("ERR_HELP_INVALID_NAME");
}

function toHelp(row: Row): Help {
  const { id, title, description, video } = row;
  return { id, title, description, video, ...wireDates(row) };
}
