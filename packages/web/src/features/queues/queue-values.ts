import type { Queue, ScheduleEntry } from "@balcao/contract";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import type { QueueBody } from "./api.ts";
import { freeColor, normalColor } from "./queue-colors.ts";

/** The dialog's fields as they are typed. */
export type QueueValues = {
  name: string;
  color: string;
  orderQueue: string;
  greetingMessage: string;
  schedules: ScheduleEntry[];
  outOfHoursMessage: string;
};

export const queueTabs = ["general", "chatbot", "hours"] as const;
export type QueueTab = (typeof queueTabs)[number];

/** A queue's values; null is a new one, with a colour that none of the others has. */
export function valuesOf(queue: Queue | null, others: readonly Queue[]): QueueValues {
  return {
    name: queue?.name ?? "",
    color: queue?.color ?? freeColor(others.map(({ color }) => color)),
    orderQueue: queue?.orderQueue?.toString() ?? "",
    greetingMessage: queue?.greetingMessage ?? "",
    schedules: queue?.schedules ?? [],
    outOfHoursMessage: queue?.outOfHoursMessage ?? "",
  };
}

/** What is written of the values; opening hours only where the dialog shows them. */
export function bodyOf(values: QueueValues, hasHours: boolean): QueueBody {
  const { name, color, orderQueue, greetingMessage, schedules, outOfHoursMessage } = values;
  return {
    name: name.trim(),
    color: normalColor(color),
    orderQueue: orderQueue.trim(),
    greetingMessage,
    ...(hasHours ? { outOfHoursMessage, schedules: checkHours(schedules).value } : {}),
  };
}

/** The field that a refusal of the server is about. */
export function fieldOfError(code: string): "name" | "color" | null {
  if (code === "ERR_QUEUE_INVALID_NAME" || code === "ERR_QUEUE_NAME_ALREADY_EXISTS") return "name";
  if (code === "ERR_QUEUE_INVALID_COLOR" || code === "ERR_QUEUE_COLOR_ALREADY_EXISTS") {
    return "color";
  }
  return null;
}
