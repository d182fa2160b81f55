import type { MessageId } from "@balcao/contract";
import type { MediaRef } from "../../../channels/port.ts";
import { MediaGone } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { DomainError, systemCtx } from "../../../platform/context.ts";
import type { Database, Tx } from "../../../platform/db/database.ts";
import type { MediaFiles, StoredFile } from "../../media/index.ts";
import type { MessageChanges } from "../change/message-changes.ts";
import { settleMedia } from "../media-repository.ts";
import { captionOf, mediaBody, mediaName, UNAVAILABLE_BODY } from "../media-text.ts";
import { lockMessage } from "../message-repository.ts";
import type { MediaRow, MessageRow } from "../message-row.ts";

export type MediaArrivalDeps = {
  db: Database;
  files: Pick<MediaFiles, "storeCustomerFile" | "removeUnused">;
  changes: MessageChanges;
};

/** Files of messages that are here already, when they have been fetched from the chat network, or never will be. */
export function createMediaArrival({ db, files, changes }: MediaArrivalDeps) {
  /** Once: a message that has its file keeps it. A file too large to be kept is gone for good. */
  async function store(
    connection: ConnectionRef,
    messageId: MessageId,
    file: MediaRef,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const ctx = systemCtx(connection.companyId, "channel", messageId);
    const isAwaited = await db.transaction(ctx, async (tx) => {
      const locked = await lockMessage(ctx, tx, messageId);
      return locked?.message.media?.state === "loading";
    });
    if (!isAwaited) return;
    const stored = await storeFile(ctx, file, content);
    const isKept = await db.transaction(ctx, (tx) => attach(ctx, tx, messageId, stored));
    if (!isKept) await files.removeUnused(ctx.companyId, keysOf(stored));
  }

  async function storeFile(
    ctx: Ctx,
    file: MediaRef,
    content: AsyncIterable<Uint8Array>,
  ): Promise<StoredFile> {
    const name = mediaName(file.media, file.mime, file.fileName);
    const arriving = { name, claimedMime: file.mime, claimedKind: file.media, content };
    try {
      return await files.storeCustomerFile(ctx.companyId, arriving);
    } catch (error) {
      if (error instanceof DomainError) throw new MediaGone();
      throw error;
    }
  }

  async function attach(
    ctx: Ctx,
    tx: Tx,
    messageId: MessageId,
    stored: StoredFile,
  ): Promise<boolean> {
    const locked = await lockMessage(ctx, tx, messageId);
    const loading = locked?.message.media;
    if (!locked || !loading) return false;
    const media = readyMedia(stored, loading);
    if (!(await settleMedia(ctx, tx, messageId, media))) return false;
    await changes.apply(ctx, tx, locked, { media, body: bodyWith(locked.message, loading, media) });
    return true;
  }

  return {
    store,

    /** The message stays; a caption too. */
    async unavailable(tx: Tx, connection: ConnectionRef, messageId: MessageId): Promise<void> {
      const ctx = systemCtx(connection.companyId, "channel", messageId);
      const locked = await lockMessage(ctx, tx, messageId);
      const loading = locked?.message.media;
      if (!locked || !loading) return;
      const media: MediaRow = { ...loading, state: "unavailable" };
      if (!(await settleMedia(ctx, tx, messageId, media))) return;
      const body = captionOf(locked.message.body, loading) ?? UNAVAILABLE_BODY;
      await changes.apply(ctx, tx, locked, { media, body });
    },
  };
}

function readyMedia(stored: StoredFile, loading: MediaRow): MediaRow {
  const { key: fileKey, ...facts } = stored;
  return {
    ...facts,
    fileKey,
    state: "ready",
    durationMs: facts.durationMs ?? loading.durationMs,
    isViewOnce: loading.isViewOnce,
  };
}

/** A text that only stands for the file follows what the file turned out to be. */
function bodyWith(message: MessageRow, loading: MediaRow, media: MediaRow): string {
  return captionOf(message.body, loading) === null ? mediaBody(media, "") : message.body;
}

function keysOf({ key, thumbnailKey }: StoredFile): string[] {
  return thumbnailKey === null ? [key] : [key, thumbnailKey];
}
