import type { InputOf, QuickMessage, QuickMessageBody, QuickMessageId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { and, eq, getTableColumns, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  contains,
  hasId,
  listTotal,
  lockRecord,
  readPage,
  readWhole,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { files, quickMessages } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";

export type QuickMessagesDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
};

/** Quick messages with shortcodes, of a user or of the company (wire-contract 5.13, behaviour 8.3). */
export function createQuickMessagesFeature(deps: QuickMessagesDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /quick-messages", ({ ctx, query }) => listQuickMessages(deps, ctx, query));
      routes.handle("GET /quick-messages/list", async ({ ctx }) => allQuickMessages(deps, ctx));
      routes.handle("GET /quick-messages/:quickMessageId", ({ ctx, params }) =>
        showQuickMessage(deps, ctx, params.quickMessageId),
      );
      routes.handle("POST /quick-messages", ({ ctx, body }) => createQuickMessage(deps, ctx, body));
      routes.handle("PUT /quick-messages/:quickMessageId", ({ ctx, params, body }) =>
        updateQuickMessage(deps, ctx, params.quickMessageId, body),
      );
      routes.handle("POST /quick-messages/:quickMessageId/use", async ({ ctx, params }) => {
        await countUse(deps, ctx, params.quickMessageId);
        return { message: "Counted" };
      });
      routes.handle("DELETE /quick-messages/:quickMessageId", async ({ ctx, params }) => {
        await removeQuickMessage(deps, ctx, params.quickMessageId);
        // Clients of the family show this text.
        return { message: "Contact deleted" };
      });
      routes.handle(
        "POST /quick-messages/:quickMessageId/media-upload",
        async ({ ctx, params, upload }) => {
          await attachQuickMessageFile(deps, ctx, params.quickMessageId, upload.files());
          return { mensagem: "Arquivo Anexado" };
        },
      );
      routes.handle(
        "DELETE /quick-messages/:quickMessageId/media-upload",
        async ({ ctx, params }) => {
          await detachQuickMessageFile(deps, ctx, params.quickMessageId);
          return { mensagem: "Arquivo Excluído" };
        },
      );
    },
  };
}

type StoredRow = typeof quickMessages.$inferSelect;
/** A quick message with the type of its file. */
type QuickMessageRow = StoredRow & { fileMime: string | null };

async function listQuickMessages(
  deps: QuickMessagesDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /quick-messages">["query"],
) {
  const size = pageSizes.quickMessages;
  const found = and(isOwnOrShared(ctx), contains(quickMessages.shortcode, searchParam));
  const { rows, ...totals } = await deps.db.transaction(ctx, (tx) =>
    readPage(pageNumber, size, (limit, offset) => select(tx, found).limit(limit).offset(offset)),
  );
  return { records: rows.map((row) => toQuickMessage(deps, row)), ...totals };
}

function allQuickMessages(deps: QuickMessagesDeps, ctx: UserCtx) {
  const { shortcode, id } = quickMessages;
  const read = (limit: number, last: QuickMessageRow | undefined) => {
    const isLater =
      last && sql`(f_norm(${shortcode}), ${id}) > (f_norm(${last.shortcode}), ${last.id})`;
    return deps.db.transaction(ctx, (tx) =>
      select(tx, and(isOwnOrShared(ctx), isLater)).limit(limit),
    );
  };
  return readWhole(read, (row: QuickMessageRow) => toQuickMessage(deps, row));
}

async function showQuickMessage(deps: QuickMessagesDeps, ctx: UserCtx, id: QuickMessageId) {
  const row = await deps.db.transaction(ctx, (tx) => findQuickMessage(ctx, tx, id));
  requireVisible(ctx, row);
  return toQuickMessage(deps, row);
}

async function createQuickMessage(
  deps: QuickMessagesDeps,
  ctx: UserCtx,
  body: QuickMessageBody,
): Promise<QuickMessage> {
  requireShortcode(body);
  requireMayWrite(ctx, body);
  const [owner, now] = [ctx.actor.userId, deps.clock.now()];
  return deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .insert(quickMessages)
      .values({ ...body, companyId: ctx.companyId, userId: owner, createdAt: now, updatedAt: now })
      .returning();
    const record = toQuickMessage(deps, { ...requireRow(rows), fileMime: null });
    tx.onCommit(() => {
      const payload = { action: "create", record } as const;
      deps.realtime.publish(ctx.companyId, "quickmessage", payload, readersOf(record));
    });
    return record;
  });
}

/** Updates a quick message; its owner does not change. */
async function updateQuickMessage(
  deps: QuickMessagesDeps,
  ctx: UserCtx,
  id: QuickMessageId,
  body: QuickMessageBody,
): Promise<QuickMessage> {
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockWritable(ctx, tx, id);
    requireShortcode(body);
    requireMayWrite(ctx, body);
    const { folder = before.folder, ...rest } = body;
    return saveQuickMessage(deps, ctx, tx, before, { ...rest, folder });
  });
}

/** Counts a use; the quick message itself does not change, so nobody is told. */
async function countUse({ db }: QuickMessagesDeps, ctx: UserCtx, id: QuickMessageId) {
  await db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findQuickMessage(ctx, tx, id));
    await tx.orm
      .update(quickMessages)
      .set({ usedCount: sql`${quickMessages.usedCount} + 1` })
      .where(hasId(ctx, quickMessages, id));
  });
}

async function removeQuickMessage(
  { db, realtime, media }: QuickMessagesDeps,
  ctx: UserCtx,
  id: QuickMessageId,
): Promise<void> {
  const { fileKey } = await db.transaction(ctx, async (tx) => {
    const row = await lockWritable(ctx, tx, id);
    await tx.orm.delete(quickMessages).where(hasId(ctx, quickMessages, id));
    tx.onCommit(() =>
      realtime.publish(ctx.companyId, "quickmessage", { action: "delete", id }, readersOf(row)),
    );
    return row;
  });
  if (fileKey !== null) await media.removeUnused(ctx.companyId, [fileKey]);
}

/** Checks the caller's permission before a file is stored. */
async function attachQuickMessageFile(
  deps: QuickMessagesDeps,
  ctx: UserCtx,
  id: QuickMessageId,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  await deps.db.transaction(ctx, (tx) => lockWritable(ctx, tx, id));
  await attachFile(deps.media, ctx, incoming, "any", (file) => saveFile(deps, ctx, id, file));
}

async function detachQuickMessageFile(deps: QuickMessagesDeps, ctx: UserCtx, id: QuickMessageId) {
  await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, id, file));
}

async function saveFile(
  deps: QuickMessagesDeps,
  ctx: UserCtx,
  id: QuickMessageId,
  file: StoredFile | null,
): Promise<string | null> {
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockWritable(ctx, tx, id);
    const values = { fileKey: file?.key ?? null, fileName: file?.name ?? null };
    await saveQuickMessage(deps, ctx, tx, before, values);
    return before.fileKey;
  });
}

/** Changes a locked row. Users who can no longer see it receive a deletion. */
async function saveQuickMessage(
  { clock, media, realtime }: QuickMessagesDeps,
  ctx: UserCtx,
  tx: Tx,
  before: StoredRow,
  values: Partial<StoredRow>,
): Promise<QuickMessage> {
  const { companyId, id } = before;
  await tx.orm
    .update(quickMessages)
    .set({ ...values, updatedAt: clock.now() })
    .where(hasId(ctx, quickMessages, id));
  const record = toQuickMessage({ media }, await findQuickMessage(ctx, tx, id));
  tx.onCommit(() => {
    const readers = readersOf(record);
    realtime.publish(companyId, "quickmessage", { action: "update", record }, readers);
    if (!before.geral || record.geral) return;
    const everybody = [rooms.main(companyId)];
    realtime.publish(companyId, "quickmessage", { action: "delete", id }, everybody, readers);
  });
  return record;
}

async function lockWritable(ctx: UserCtx, tx: Tx, id: QuickMessageId): Promise<StoredRow> {
  const row = await lockRecord(ctx, tx, quickMessages, id, "ERR_NO_QUICKMESSAGE_FOUND");
  requireVisible(ctx, row);
  requireMayWrite(ctx, row);
  return row;
}

async function findQuickMessage(ctx: Ctx, tx: Tx, id: QuickMessageId): Promise<QuickMessageRow> {
  const rows = await select(tx, hasId(ctx, quickMessages, id));
  return requireRow(rows, "ERR_NO_QUICKMESSAGE_FOUND");
}

const columns = { ...getTableColumns(quickMessages), fileMime: files.mime, total: listTotal };

function select(tx: Tx, condition: SQL | undefined) {
  const { companyId, fileKey, shortcode, id } = quickMessages;
  return tx.orm
    .select(columns)
    .from(quickMessages)
    .leftJoin(files, and(eq(files.companyId, companyId), eq(files.key, fileKey)))
    .where(condition)
    .orderBy(sql`f_norm(${shortcode})`, id);
}

function isOwnOrShared({ companyId, actor }: UserCtx): SQL | undefined {
  const isOwn = eq(quickMessages.userId, actor.userId);
  return and(eq(quickMessages.companyId, companyId), or(isOwn, quickMessages.geral));
}

/** Users see their own and the company's; admins see every one. */
function requireVisible(ctx: UserCtx, row: StoredRow): void {
  const isVisible = row.geral || row.userId === ctx.actor.userId || managesAll(ctx);
  if (!isVisible) throw new DomainError("ERR_NO_QUICKMESSAGE_FOUND");
}

/** Only admins create and change the company's quick messages (wire-contract 4.2). */
function requireMayWrite(ctx: Ctx, { geral }: Pick<QuickMessage, "geral">): void {
  if (geral && !managesAll(ctx)) throw new DomainError("ERR_NO_PERMISSION");
}

const managesAll = (ctx: Ctx): boolean => hasPermission(ctx, "quick-messages:manage-all");

function requireShortcode({ shortcode }: QuickMessageBody): void {
  if (shortcode === "") throw new DomainError("ERR_QUICKMESSAGE_REQUIRED");
}

function toQuickMessage(
  { media }: Pick<QuickMessagesDeps, "media">,
  row: QuickMessageRow,
): QuickMessage {
  const { id, companyId, userId, shortcode, message, geral, status, fileKey } = row;
  const { folder, usedCount } = row;
  return {
    ...{ id, companyId, userId, shortcode, message, geral, status, folder, usedCount },
    isMedia: fileKey !== null,
    mediaPath: fileKey === null ? null : media.signedPath(companyId, fileKey),
    mediaName: row.fileName,
    mediaMime: row.fileMime,
    ...wireDates(row),
  };
}

function readersOf({
  companyId,
  userId,
  geral,
}: Pick<StoredRow, "companyId" | "userId" | "geral">) {
  if (geral) return [rooms.main(companyId)];
  return userId === null ? [] : [rooms.user(companyId, userId)];
}
