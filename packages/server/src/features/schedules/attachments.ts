import type { ScheduleId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { UploadedFile } from "../../platform/http/routes.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { ScheduleEvents } from "./events.ts";
import { findSchedule, lockSchedule, saveAttachment } from "./repository.ts";
import { requireUnsent } from "./schedule.ts";
import { requireOwn } from "./service.ts";

export type AttachmentDeps = {
  db: Database;
  clock: Clock;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused">;
  events: ScheduleEvents;
};

/** The picture that goes out with a scheduled message. */
export function createAttachments({ db, clock, media, events }: AttachmentDeps) {
  /** Attaches the request's file in place of an earlier one. */
  async function attach(
    ctx: UserCtx,
    id: ScheduleId,
    files: AsyncIterable<UploadedFile>,
  ): Promise<void> {
    // Before anything is received: who may not is refused at once.
    requireUnsent(requireOwn(ctx, await db.transaction(ctx, (tx) => findSchedule(ctx, tx, id))));
    const [file] = await media.storeFiles(ctx.companyId, files, { accept: "image" });
    if (!file) throw new DomainError("ERR_FILE_MISSING");
    try {
      await replace(ctx, id, { key: file.key, name: file.name });
    } finally {
      // Its thumbnail is of no use here, and all of it is of none if it was not attached.
      const { key, thumbnailKey } = file;
      await media.removeUnused(ctx.companyId, thumbnailKey === null ? [key] : [key, thumbnailKey]);
    }
  }

  async function detach(ctx: UserCtx, id: ScheduleId): Promise<void> {
    await replace(ctx, id, null);
  }

  async function replace(
    ctx: UserCtx,
    id: ScheduleId,
    file: { key: string; name: string } | null,
  ): Promise<void> {
    const { fileKey } = await db.transaction(ctx, async (tx) => {
      const before = requireOwn(ctx, await lockSchedule(ctx, tx, id));
      requireUnsent(before);
      events.saved(tx, await saveAttachment(ctx, tx, id, file, clock.now()), "update");
      return before;
    });
    if (fileKey !== null) await media.removeUnused(ctx.companyId, [fileKey]);
  }

  return { attach, detach };
}

export type Attachments = ReturnType<typeof createAttachments>;
