import type { NewQueue, Queue, QueueChange, QueueId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import { isConflict } from "../../platform/db/conflict.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { countPlanLimit, lockPlanLimit } from "../companies/index.ts";
import type { IncomingFile } from "../media/index.ts";
import type { AttachmentFiles } from "./attachment.ts";
import { attachFile, detachFile } from "./attachment.ts";
import type { QueueEvents } from "./events.ts";
import type { QueueRow } from "./queue.ts";
import { checkedQueue, isShownElsewhere, toQueueDto } from "./queue.ts";
import type { QueueHolders } from "./repository.ts";
import {
  findHolders,
  findQueue,
  insertQueue,
  listQueues,
  lockQueue,
  saveQueue,
  saveQueueFile,
} from "./repository.ts";

export type QueueServiceDeps = {
  db: Database;
  clock: Clock;
  files: AttachmentFiles;
  events: QueueEvents;
};

export type QueueService = ReturnType<typeof createQueueService>;

/** The queues ("filas") of a company (wire-contract 5.18). */
export function createQueueService({ db, clock, files, events }: QueueServiceDeps) {
  const toDto = (row: QueueRow): Queue => toQueueDto(row, files.signedPath);

  async function read(ctx: UserCtx, tx: Tx, id: QueueId): Promise<QueueRow> {
    return required(await findQueue(ctx, tx, id));
  }

  async function create(ctx: UserCtx, wish: NewQueue): Promise<Queue> {
    const checked = checkedQueue(wish);
    return refusingDoubles(() =>
      db.transaction(ctx, async (tx) => {
        await lockPlanLimit(ctx, tx, "queues");
        const { count, max } = await countPlanLimit(ctx, tx, "queues");
        if (count >= max) throw new DomainError("ERR_QUEUE_LIMIT_REACHED", { max });
        const id = await insertQueue(ctx, tx, checked, clock.now());
        const row = await read(ctx, tx, id);
        events.updated(tx, row);
        return toDto(row);
      }),
    );
  }

  async function update(ctx: UserCtx, id: QueueId, wish: QueueChange): Promise<Queue> {
    const checked = checkedQueue(wish);
    const { row, holders } = await refusingDoubles(() =>
      db.transaction(ctx, async (tx) => {
        const before = required(await lockQueue(ctx, tx, id));
        await saveQueue(ctx, tx, id, checked, clock.now());
        return changed(ctx, tx, before);
      }),
    );
    await events.announceUsers(ctx, holders.userIds);
    return toDto(row);
  }

  /** Tells of a queue that was saved; its people and connections show its name, colour and greeting. */
  async function changed(
    ctx: UserCtx,
    tx: Tx,
    before: QueueRow,
  ): Promise<{ row: QueueRow; holders: QueueHolders }> {
    const row = await read(ctx, tx, before.id);
    events.updated(tx, row);
    if (!isShownElsewhere(before, row)) return { row, holders: { userIds: [], connectionIds: [] } };
    const holders = await findHolders(ctx, tx, row.id);
    await events.connectionsLookDifferent(ctx, tx, holders.connectionIds);
    return { row, holders };
  }

  /** Answers the key of the file that was attached before. */
  const saveFile =
    (ctx: UserCtx, id: QueueId) =>
    (file: { key: string; name: string } | null): Promise<string | null> =>
      db.transaction(ctx, async (tx) => {
        const before = required(await lockQueue(ctx, tx, id));
        await saveQueueFile(ctx, tx, id, file, clock.now());
        await changed(ctx, tx, before);
        return before.fileKey;
      });

  return {
    async list(ctx: UserCtx): Promise<Queue[]> {
      const rows = await db.transaction(ctx, (tx) => listQueues(ctx, tx));
      return rows.map(toDto);
    },

    async get(ctx: UserCtx, id: QueueId): Promise<Queue> {
      return toDto(await db.transaction(ctx, (tx) => read(ctx, tx, id)));
    },

    create,
    update,

    /** Refuses before anything is stored; the earlier file goes once the new one is there. */
    attachFile: (ctx: UserCtx, id: QueueId, incoming: AsyncIterable<IncomingFile>): Promise<void> =>
      attachFile(ctx, files, incoming, {
        hold: () => db.transaction(ctx, (tx) => read(ctx, tx, id)),
        save: saveFile(ctx, id),
      }),

    detachFile: (ctx: UserCtx, id: QueueId): Promise<void> =>
      detachFile(ctx, files, { save: saveFile(ctx, id) }),
  };
}

function required(row: QueueRow | undefined): QueueRow {
  if (!row) throw new DomainError("ERR_QUEUE_NOT_FOUND");
  return row;
}

async function refusingDoubles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isConflict(error, "queues_company_name")) {
      throw new DomainError("ERR_QUEUE_NAME_ALREADY_EXISTS");
    }
    if (isConflict(error, "queues_company_color")) {
      throw new DomainError("ERR_QUEUE_COLOR_ALREADY_EXISTS");
    }
    throw error;
  }
}
