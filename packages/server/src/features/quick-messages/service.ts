import type { QuickMessage, QuickMessageBody, QuickMessageId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile, MediaFiles } from "../media/index.ts";
import type { QuickMessageEvents } from "./events.ts";
import type { QuickMessageRow } from "./quick-message.ts";
import { assertMayWrite, assertVisible, toQuickMessageDto } from "./quick-message.ts";
import {
  allQuickMessages,
  deleteQuickMessage,
  findQuickMessage,
  insertQuickMessage,
  listQuickMessages,
  lockQuickMessage,
  saveAttachment,
  saveQuickMessage,
} from "./repository.ts";

export type QuickMessageServiceDeps = {
  db: Database;
  clock: Clock;
  files: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
  events: QuickMessageEvents;
};

export type QuickMessageService = ReturnType<typeof createQuickMessageService>;

/** Prepared answers of a user and of the company (wire-contract 5.13). */
export function createQuickMessageService({ db, clock, files, events }: QuickMessageServiceDeps) {
  const toDto = (row: QuickMessageRow): QuickMessage => toQuickMessageDto(row, files.signedPath);

  /** The row, held, for a caller who may change it. */
  async function lockOwn(ctx: UserCtx, tx: Tx, id: QuickMessageId): Promise<QuickMessageRow> {
    const row = await lockQuickMessage(ctx, tx, id);
    assertVisible(ctx, row);
    assertMayWrite(ctx, row);
    return row;
  }

  /** Changes a held row and tells who has it. */
  async function change(
    ctx: UserCtx,
    tx: Tx,
    before: QuickMessageRow,
    save: () => Promise<void>,
  ): Promise<QuickMessageRow> {
    await save();
    const row = await findQuickMessage(ctx, tx, before.id);
    if (!row) throw new Error("the held quick message is gone");
    events.updated(tx, before, row);
    return row;
  }

  /** Answers the key of the file that was attached before. */
  function attach(
    ctx: UserCtx,
    id: QuickMessageId,
    file: { key: string; name: string } | null,
  ): Promise<string | null> {
    return db.transaction(ctx, async (tx) => {
      const before = await lockOwn(ctx, tx, id);
      await change(ctx, tx, before, () => saveAttachment(ctx, tx, id, file, clock.now()));
      return before.fileKey;
    });
  }

  return {
    async list(ctx: UserCtx, query: { searchParam: string; pageNumber: number }) {
      const { rows, total } = await db.transaction(ctx, (tx) => listQuickMessages(ctx, tx, query));
      const hasMore = query.pageNumber * pageSizes.quickMessages < total;
      return { records: rows.map(toDto), count: total, hasMore };
    },

    async all(ctx: UserCtx): Promise<QuickMessage[]> {
      const rows = await db.transaction(ctx, (tx) => allQuickMessages(ctx, tx));
      return rows.map(toDto);
    },

    async get(ctx: UserCtx, id: QuickMessageId): Promise<QuickMessage> {
      const row = await db.transaction(ctx, (tx) => findQuickMessage(ctx, tx, id));
      assertVisible(ctx, row);
      return toDto(row);
    },

    async create(ctx: UserCtx, body: QuickMessageBody): Promise<QuickMessage> {
      assertComplete(body);
      assertMayWrite(ctx, body);
      return db.transaction(ctx, async (tx) => {
        const id = await insertQuickMessage(ctx, tx, body, clock.now());
        const row = await findQuickMessage(ctx, tx, id);
        if (!row) throw new Error("the new quick message is gone");
        events.created(tx, row);
        return toDto(row);
      });
    },

    async update(ctx: UserCtx, id: QuickMessageId, body: QuickMessageBody): Promise<QuickMessage> {
      return db.transaction(ctx, async (tx) => {
        const before = await lockOwn(ctx, tx, id);
        assertComplete(body);
        assertMayWrite(ctx, body);
        const save = () => saveQuickMessage(ctx, tx, id, body, clock.now());
        return toDto(await change(ctx, tx, before, save));
      });
    },

    async remove(ctx: UserCtx, id: QuickMessageId): Promise<void> {
      const { fileKey } = await db.transaction(ctx, async (tx) => {
        const row = await lockOwn(ctx, tx, id);
        await deleteQuickMessage(ctx, tx, id);
        events.deleted(tx, row);
        return row;
      });
      if (fileKey !== null) await files.removeUnused(ctx.companyId, [fileKey]);
    },

    /** Refuses before anything is stored; the earlier attachment goes once the new one is there. */
    async attachFile(
      ctx: UserCtx,
      id: QuickMessageId,
      incoming: AsyncIterable<IncomingFile>,
    ): Promise<void> {
      await db.transaction(ctx, (tx) => lockOwn(ctx, tx, id));
      const [file] = await files.storeFiles(ctx.companyId, incoming, { accept: "any" });
      if (!file) throw new DomainError("ERR_FILE_MISSING");
      const unneeded = file.thumbnailKey === null ? [] : [file.thumbnailKey];
      try {
        const before = await attach(ctx, id, file);
        if (before !== null) unneeded.push(before);
      } catch (error) {
        await files.removeUnused(ctx.companyId, [file.key, ...unneeded]);
        throw error;
      }
      await files.removeUnused(ctx.companyId, unneeded);
    },

    async detachFile(ctx: UserCtx, id: QuickMessageId): Promise<void> {
      const before = await attach(ctx, id, null);
      if (before !== null) await files.removeUnused(ctx.companyId, [before]);
    },
  };
}

function assertComplete({ shortcode }: QuickMessageBody): void {
  if (shortcode === "") throw new DomainError("ERR_QUICKMESSAGE_REQUIRED");
}
