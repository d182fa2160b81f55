import type {
  Announcement,
  AnnouncementBody,
  AnnouncementEvent,
  AnnouncementId,
  InputOf,
  UnseenAnnouncements,
} from "@balcao/contract";
import { announcementEvent, limits, pageSizes } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { and, desc, eq, getTableColumns, gt, max, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import {
  contains,
  listTotal,
  readPage,
  requireRow,
  toIso,
  toIsoOrNull,
  wireDates,
} from "../../platform/db/records.ts";
import { announcementReads, announcements } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { AddressedRealtime, Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile, MediaFiles, SignFile, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";

export type AnnouncementsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime & AddressedRealtime;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
};

/**
 * Announcements of the provider to every company (wire-contract 5.16, behaviour 8.2). Users read them as the application's
 * role, which cannot write them; super users write them as the service role.
 */
export function createAnnouncementsFeature(deps: AnnouncementsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /announcements", ({ ctx, query }) => listAnnouncements(deps, ctx, query));
      routes.handle("GET /announcements/unseen", ({ ctx }) => listUnseen(deps, ctx));
      routes.handle("PUT /announcements/seen", ({ ctx }) => markSeen(deps, ctx));
      routes.handle("GET /announcements/:announcementId", ({ ctx, params }) =>
        showAnnouncement(deps, ctx, params.announcementId),
      );
      routes.handle("POST /announcements", ({ ctx, body }) =>
        createAnnouncement(doneBy(deps, ctx), ctx, body),
      );
      routes.handle("PUT /announcements/:announcementId", ({ ctx, params, body }) =>
        updateAnnouncement(doneBy(deps, ctx), params.announcementId, body),
      );
      routes.handle("DELETE /announcements/:announcementId", async ({ ctx, params }) => {
        await removeAnnouncement(doneBy(deps, ctx), ctx, params.announcementId);
        return { message: "Announcement deleted" };
      });
      routes.handle(
        "POST /announcements/:announcementId/media-upload",
        async ({ ctx, params, upload }) => {
          await attachImage(doneBy(deps, ctx), params.announcementId, upload.files());
          // Clients of the family show this text and the next one.
          return { mensagem: "Mensagem enviada" };
        },
      );
      routes.handle(
        "DELETE /announcements/:announcementId/media-upload",
        async ({ ctx, params }) => {
          await detachImage(doneBy(deps, ctx), params.announcementId);
          return { mensagem: "Arquivo excluído" };
        },
      );
    },
  };
}

type Row = typeof announcements.$inferSelect;

const isActive = eq(announcements.status, true);
const orders = {
  newest: [desc(announcements.createdAt), desc(announcements.id)],
  priority: [
    sql`${announcements.priority}`,
    desc(announcements.publishedAt),
    desc(announcements.id),
  ],
} as const;

async function listAnnouncements(
  { db, media }: AnnouncementsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber, order, active }: InputOf<"GET /announcements">["query"],
) {
  const isFound = and(
    active ? isActive : isVisible(ctx),
    contains(announcements.title, searchParam),
  );
  const { rows, ...totals } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.announcements, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(announcements), total: listTotal })
        .from(announcements)
        .where(isFound)
        .orderBy(...orders[order])
        .limit(limit)
        .offset(offset),
    ),
  );
  return { records: rows.map((row) => toAnnouncement(media.signedPath, row)), ...totals };
}

async function showAnnouncement(
  { db, media }: AnnouncementsDeps,
  ctx: UserCtx,
  id: AnnouncementId,
) {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select()
      .from(announcements)
      .where(and(eq(announcements.id, id), isVisible(ctx))),
  );
  return toAnnouncement(media.signedPath, requireRow(rows, "ERR_NO_ANNOUNCEMENT_FOUND"));
}

async function listUnseen({ db }: AnnouncementsDeps, ctx: UserCtx): Promise<UnseenAnnouncements> {
  return db.transaction(ctx, async (tx) => {
    const { id, publishedAt } = announcements;
    const seenUntil = await readSeenUntil(ctx, tx);
    const rows = await tx.orm
      .select({ id, publishedAt })
      .from(announcements)
      .where(and(isActive, seenUntil === null ? undefined : gt(publishedAt, seenUntil)))
      .orderBy(desc(publishedAt), desc(id))
      .limit(limits.unseenAnnouncementsMax);
    const unseen = rows.map((row) => ({ id: row.id, publishedAt: toIso(row.publishedAt) }));
    return { seenUntil: toIsoOrNull(seenUntil), unseen };
  });
}

/**
 * Marks what is active now as seen. The newest moment among them counts and not the clock: an announcement whose
 * transaction is not over yet stays unseen.
 */
async function markSeen({ db, realtime }: AnnouncementsDeps, ctx: UserCtx) {
  const { companyId, actor } = ctx;
  return db.transaction(ctx, async (tx) => {
    const [newest] = await tx.orm
      .select({ at: max(announcements.publishedAt) })
      .from(announcements)
      .where(isActive);
    const before = await readSeenUntil(ctx, tx);
    const at = newest?.at ?? null;
    if (at === null || (before !== null && at <= before)) return { seenUntil: toIsoOrNull(before) };
    await tx.orm
      .insert(announcementReads)
      .values({ companyId, userId: actor.userId, seenUntil: at })
      .onConflictDoUpdate({
        target: [announcementReads.companyId, announcementReads.userId],
        set: { seenUntil: sql`greatest(${announcementReads.seenUntil}, excluded.seen_until)` },
      });
    const seenUntil = toIso(at);
    tx.onCommit(() => {
      const payload = { action: "update", seenUntil } as const;
      realtime.publish(companyId, "announcementsSeen", payload, [
        rooms.user(companyId, actor.userId),
      ]);
    });
    return { seenUntil };
  });
}

async function readSeenUntil(
  { companyId, actor: { userId } }: UserCtx,
  tx: Tx,
): Promise<Date | null> {
  const [row] = await tx.orm
    .select({ seenUntil: announcementReads.seenUntil })
    .from(announcementReads)
    .where(and(eq(announcementReads.companyId, companyId), eq(announcementReads.userId, userId)));
  return row?.seenUntil ?? null;
}

async function createAnnouncement(
  deps: AnnouncementsDeps,
  ctx: UserCtx,
  body: AnnouncementBody,
): Promise<Announcement> {
  requireTexts(body);
  const now = deps.clock.now();
  const dates = { publishedAt: now, createdAt: now, updatedAt: now };
  return deps.db.acrossCompanies(async (tx) => {
    const rows = await tx.orm
      .insert(announcements)
      .values({ ...body, ...dates, providerId: ctx.companyId })
      .returning();
    const record = toAnnouncement(deps.media.signedPath, requireRow(rows));
    const isForAll = record.status;
    tx.onCommit(() => tell(deps, isForAll ? "everybody" : "supers", { action: "create", record }));
    return record;
  });
}

/** One that becomes active is unseen again by everybody. */
async function updateAnnouncement(
  deps: AnnouncementsDeps,
  id: AnnouncementId,
  body: AnnouncementBody,
): Promise<Announcement> {
  return deps.db.acrossCompanies(async (tx) => {
    const before = await lockAnnouncement(tx, id);
    requireTexts(body);
    const isPublished = body.status && !before.status;
    return saveAnnouncement(deps, tx, before, {
      ...body,
      ...(isPublished ? { publishedAt: deps.clock.now() } : {}),
    });
  });
}

async function removeAnnouncement(
  deps: AnnouncementsDeps,
  { companyId }: UserCtx,
  id: AnnouncementId,
): Promise<void> {
  const { providerId, imageKey } = await deps.db.acrossCompanies(async (tx) => {
    const row = await lockAnnouncement(tx, id);
    await tx.orm.delete(announcements).where(eq(announcements.id, id));
    tx.onCommit(() => {
      const payload = { action: "delete", id } as const;
      tell(deps, "everybody", payload);
      deps.realtime.publish(companyId, "announcement", payload, [rooms.main(companyId)]);
    });
    return row;
  });
  if (imageKey !== null) await deps.media.removeUnused(providerId, [imageKey]);
}

/** The image is kept by the company of the announcement's author, whichever super user uploads it. */
async function attachImage(
  deps: AnnouncementsDeps,
  id: AnnouncementId,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  const { providerId } = await deps.db.acrossCompanies((tx) => lockAnnouncement(tx, id));
  await attachFile(deps.media, { companyId: providerId }, incoming, "image", (file) =>
    saveImage(deps, id, file),
  );
}

async function detachImage(deps: AnnouncementsDeps, id: AnnouncementId) {
  const { providerId } = await deps.db.acrossCompanies((tx) => lockAnnouncement(tx, id));
  await detachFile(deps.media, { companyId: providerId }, (file) => saveImage(deps, id, file));
}

async function saveImage(
  deps: AnnouncementsDeps,
  id: AnnouncementId,
  file: StoredFile | null,
): Promise<string | null> {
  return deps.db.acrossCompanies(async (tx) => {
    const before = await lockAnnouncement(tx, id);
    const image = { imageKey: file?.key ?? null, imageName: file?.name ?? null };
    await saveAnnouncement(deps, tx, before, image);
    return before.imageKey;
  });
}

/** Changes a locked row. One that is no longer active is deleted for all who then may not see it. */
async function saveAnnouncement(
  deps: AnnouncementsDeps,
  tx: Tx,
  before: Row,
  values: Partial<Row>,
): Promise<Announcement> {
  const { id } = before;
  const rows = await tx.orm
    .update(announcements)
    .set({ ...values, updatedAt: deps.clock.now() })
    .where(eq(announcements.id, id))
    .returning();
  const record = toAnnouncement(deps.media.signedPath, requireRow(rows));
  tx.onCommit(() => {
    const payload = { action: "update", record } as const;
    if (record.status) {
      tell(deps, "everybody", payload);
      return;
    }
    tell(deps, "supers", payload);
    tell(deps, "all but supers", { action: "delete", id });
  });
  return record;
}

function tell(
  { realtime }: AnnouncementsDeps,
  audience: "everybody" | "supers" | "all but supers",
  event: AnnouncementEvent,
): void {
  realtime.send(announcementEvent, { to: "installation", audience }, event);
}

async function lockAnnouncement({ orm }: Tx, id: AnnouncementId): Promise<Row> {
  const rows = await orm
    .select()
    .from(announcements)
    .where(eq(announcements.id, id))
    .for("no key update");
  return requireRow(rows, "ERR_NO_ANNOUNCEMENT_FOUND");
}

/** Super users see all announcements, others the active ones. */
function isVisible(ctx: UserCtx): SQL | undefined {
  return hasPermission(ctx, "announcements:manage") ? undefined : isActive;
}

function requireTexts({ title, text }: AnnouncementBody): void {
  if (title === "" || text === "") throw new DomainError("ERR_ANNOUNCEMENT_REQUIRED");
}

function toAnnouncement(sign: SignFile, row: Row): Announcement {
  const { id, title, text, priority, status, providerId, imageKey, imageName } = row;
  return {
    ...{ id, title, text, priority, status },
    mediaPath: imageKey === null ? null : sign(providerId, imageKey),
    mediaName: imageName,
    companyId: providerId,
    publishedAt: toIso(row.publishedAt),
    ...wireDates(row),
  };
}
