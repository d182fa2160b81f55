import type { CompanyId, Queue, QueueChange, QueueId, ScheduleEntry } from "@balcao/contract";
import { limits, schedulesOrDefault } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import { toIso } from "../../platform/db/row-dates.ts";

export type QueueRow = {
  id: QueueId;
  companyId: CompanyId;
  name: string;
  color: string;
  greetingMessage: string;
  outOfHoursMessage: string;
  orderQueue: number | null;
  schedules: ScheduleEntry[];
  fileKey: string | null;
  fileName: string | null;
  fileMime: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Makes the address of a company's file. */
export type AddressOf = (companyId: CompanyId, key: string) => string;

export function toQueueDto(row: QueueRow, addressOf: AddressOf): Queue {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    greetingMessage: row.greetingMessage,
    outOfHoursMessage: row.outOfHoursMessage,
    orderQueue: row.orderQueue,
    // AI prompts and integrations are not part of this version.
    integrationId: null,
    promptId: null,
    schedules: schedulesOrDefault(row.schedules),
    mediaPath: row.fileKey === null ? null : addressOf(row.companyId, row.fileKey),
    mediaName: row.fileName,
    mediaMime: row.fileMime,
    companyId: row.companyId,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

/** A change as it is stored; throws ERR_QUEUE_INVALID_NAME and ERR_QUEUE_INVALID_COLOR. */
export function checkedQueue<C extends QueueChange>(change: C): C {
  const { name, color } = change;
  if (name !== undefined && (name.length < limits.nameMin || name.length > limits.nameMax)) {
    throw new DomainError("ERR_QUEUE_INVALID_NAME");
  }
  return color === undefined ? change : { ...change, color: storedColor(color) };
}

/** One way to write each colour, so that two queues never have the same one: `#RGB` is `#rrggbb`. */
function storedColor(color: string): string {
  if (!/^#([\da-f]{3}|[\da-f]{6})$/i.test(color)) throw new DomainError("ERR_QUEUE_INVALID_COLOR");
  const digits = color.slice(1).toLowerCase();
  return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
}

/** Whether people and connections of the queue look different, not only the queue itself. */
export function isShownElsewhere(before: QueueRow, after: QueueRow): boolean {
  return (
    before.name !== after.name ||
    before.color !== after.color ||
    before.orderQueue !== after.orderQueue ||
    before.greetingMessage !== after.greetingMessage
  );
}
