import type {
  NewQueueOption,
  QueueId,
  QueueOption,
  QueueOptionChange,
  QueueOptionId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import { isConflict } from "../../platform/db/conflict.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile } from "../media/index.ts";
import type { AttachmentFiles } from "./attachment.ts";
import { attachFile, detachFile } from "./attachment.ts";
import type { OptionRow } from "./option.ts";
import { isWholeLevel, toOptionDto } from "./option.ts";
import type { Level } from "./option-repository.ts";
import {
  countOptions,
  countOptionsOfQueues,
  deleteOption,
  findOption,
  insertOption,
  listOptions,
  lockOption,
  numberOptions,
  saveOption,
  saveOptionFile,
} from "./option-repository.ts";
import { lockQueue } from "./repository.ts";

export type OptionServiceDeps = { db: Database; clock: Clock; files: AttachmentFiles };

export type OptionService = ReturnType<typeof createOptionService>;

/** The menus of queues (wire-contract 5.18). There are no events of them: who edits one reads it. */
export function createOptionService({ db, clock, files }: OptionServiceDeps) {
  const toDto = (row: OptionRow): QueueOption => toOptionDto(row, files.signedPath);

  async function read(ctx: UserCtx, tx: Tx, id: QueueOptionId): Promise<OptionRow> {
    return required(await findOption(ctx, tx, id));
  }

  async function readLevel(
    ctx: UserCtx,
    tx: Tx,
    queueId: QueueId,
    level: Level,
  ): Promise<OptionRow[]> {
    const rows = await listOptions(ctx, tx, queueId, level);
    if (!rows) throw new DomainError("ERR_QUEUE_NOT_FOUND");
    return rows;
  }

  /** Answers the key of the file that was attached before. */
  const saveFile =
    (ctx: UserCtx, id: QueueOptionId) =>
    (file: { key: string; name: string } | null): Promise<string | null> =>
      db.transaction(ctx, async (tx) => {
        const before = required(await lockOption(ctx, tx, id));
        await saveOptionFile(ctx, tx, id, file, clock.now());
        return before.fileKey;
      });

  return {
    async list(ctx: UserCtx, queueId: QueueId, level: Level): Promise<QueueOption[]> {
      const rows = await db.transaction(ctx, (tx) => readLevel(ctx, tx, queueId, level));
      return rows.map(toDto);
    },

    counts: (ctx: UserCtx): Promise<{ queueId: QueueId; count: number }[]> =>
      db.transaction(ctx, (tx) => countOptionsOfQueues(ctx, tx)),

    async get(ctx: UserCtx, id: QueueOptionId): Promise<QueueOption> {
      return toDto(await db.transaction(ctx, (tx) => read(ctx, tx, id)));
    },

    async create(ctx: UserCtx, wish: NewQueueOption): Promise<QueueOption> {
      const { option, ...values } = wish;
      return refusingDoubles(() =>
        db.transaction(ctx, async (tx) => {
          await holdQueue(ctx, tx, wish.queueId);
          await requireRoom(ctx, tx, wish);
          const made = { ...values, number: Number(option) };
          const id = await insertOption(ctx, tx, made, clock.now());
          return toDto(await read(ctx, tx, id));
        }),
      );
    },

    async update(ctx: UserCtx, id: QueueOptionId, change: QueueOptionChange): Promise<QueueOption> {
      return refusingDoubles(() =>
        db.transaction(ctx, async (tx) => {
          const before = required(await lockOption(ctx, tx, id));
          const { title = before.title, message = before.message, option = before.number } = change;
          const values = { title, message: message ?? "", number: Number(option) };
          await saveOption(ctx, tx, id, values, clock.now());
          return toDto(await read(ctx, tx, id));
        }),
      );
    },

    /** Numbers a level anew; refuses when the level has become another one meanwhile. */
    async order(ctx: UserCtx, wish: LevelOrder): Promise<QueueOption[]> {
      const { queueId, parentId, ids } = wish;
      const level = parentId ?? "root";
      return db.transaction(ctx, async (tx) => {
        await holdQueue(ctx, tx, queueId);
        const before = await readLevel(ctx, tx, queueId, level);
        const present = before.map(({ id }) => id);
        if (!isWholeLevel(present, ids)) throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
        await numberOptions(ctx, tx, ids, clock.now());
        return (await readLevel(ctx, tx, queueId, level)).map(toDto);
      });
    },

    async remove(ctx: UserCtx, id: QueueOptionId): Promise<void> {
      const fileKeys = await db.transaction(ctx, async (tx) => {
        const { queueId } = await read(ctx, tx, id);
        await holdQueue(ctx, tx, queueId);
        return deleteOption(ctx, tx, id);
      });
      await files.removeUnused(ctx.companyId, fileKeys);
    },

    /** Refuses before anything is stored; the earlier file goes once the new one is there. */
    attachFile: (
      ctx: UserCtx,
      id: QueueOptionId,
      incoming: AsyncIterable<IncomingFile>,
    ): Promise<void> =>
      attachFile(ctx, files, incoming, {
        hold: () => db.transaction(ctx, (tx) => read(ctx, tx, id)),
        save: saveFile(ctx, id),
      }),

    detachFile: (ctx: UserCtx, id: QueueOptionId): Promise<void> =>
      detachFile(ctx, files, { save: saveFile(ctx, id) }),
  };
}

export type LevelOrder = {
  queueId: QueueId;
  parentId: QueueOptionId | null;
  ids: readonly QueueOptionId[];
};

/** One change of a tree at a time: its size is counted, its levels are numbered. */
async function holdQueue(ctx: UserCtx, tx: Tx, id: QueueId): Promise<void> {
  if (!(await lockQueue(ctx, tx, id))) throw new DomainError("ERR_QUEUE_NOT_FOUND");
}

async function requireRoom(
  ctx: UserCtx,
  tx: Tx,
  { queueId, parentId }: Pick<NewQueueOption, "queueId" | "parentId">,
): Promise<void> {
  const { inQueue, inLevel, hasParent } = await countOptions(ctx, tx, queueId, parentId);
  if (parentId !== null && !hasParent) throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
  const { queueOptionsPerLevel, queueOptionsPerQueue } = limits;
  if (inQueue >= queueOptionsPerQueue) {
    throw new DomainError("ERR_QUEUE_OPTIONS_LIMIT", { max: queueOptionsPerQueue });
  }
  if (inLevel >= queueOptionsPerLevel) {
    throw new DomainError("ERR_QUEUE_OPTIONS_LIMIT", { max: queueOptionsPerLevel });
  }
}

function required(row: OptionRow | undefined): OptionRow {
  if (!row) throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
  return row;
}

async function refusingDoubles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error, "queue_options_number")) throw error;
    throw new DomainError("ERR_QUEUE_OPTION_EXISTS");
  }
}
