import type { CompanyId, QueueId, QueueOption, QueueOptionId } from "@balcao/contract";
import { toIso } from "../../platform/db/row-dates.ts";
import type { AddressOf } from "./queue.ts";

export type OptionRow = {
  id: QueueOptionId;
  companyId: CompanyId;
  queueId: QueueId;
  /** Null at the root. */
  parentId: QueueOptionId | null;
  number: number;
  title: string;
  message: string;
  fileKey: string | null;
  fileName: string | null;
  fileMime: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export function toOptionDto(row: OptionRow, addressOf: AddressOf): QueueOption {
  return {
    id: row.id,
    queueId: row.queueId,
    parentId: row.parentId,
    title: row.title,
    message: row.message,
    option: String(row.number),
    mediaPath: row.fileKey === null ? null : addressOf(row.companyId, row.fileKey),
    mediaName: row.fileName,
    mediaMime: row.fileMime,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

/** Whether an order names every option of a level, once. */
export function isWholeLevel(
  level: readonly QueueOptionId[],
  order: readonly QueueOptionId[],
): boolean {
  const named = new Set(order);
  return (
    named.size === order.length &&
    order.length === level.length &&
    level.every((id) => named.has(id))
  );
}
