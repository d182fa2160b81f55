import type { CompanyEvents } from "@balcao/contract";
import { i18n } from "../../i18n/index.ts";

/** The words about a missed target; a module of its own, because its texts come later. */
export function targetAlarm({ ticket, contact, queue, minutes }: CompanyEvents["targetMiss"]) {
  return {
    tag: `balcao-target-${ticket.id}`,
    title: i18n.t("tickets.target.alarm", { name: contact.name }),
    text: i18n.t("tickets.target.alarmText", { queue: queue.name, minutes }),
  };
}
