import type { Ticket } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowBackUp,
  IconArrowsRightLeft,
  IconCalendarPlus,
  IconCheck,
  IconInfoCircle,
  IconRotate,
  IconTrash,
} from "@tabler/icons-react";

/** What can be done to an opened ticket. */
export type TicketCommand =
  | "accept"
  | "return"
  | "resolve"
  | "reopen"
  | "transfer"
  | "delete"
  | "schedule"
  | "contact";

/** The sign and the keys (as people read them) of each command. */
export const commandLooks: Readonly<Record<TicketCommand, { icon: Icon; keys?: string }>> = {
  accept: { icon: IconCheck, keys: "Alt A" },
  resolve: { icon: IconCheck, keys: "Alt R" },
  reopen: { icon: IconRotate },
  schedule: { icon: IconCalendarPlus, keys: "Alt S" },
  transfer: { icon: IconArrowsRightLeft, keys: "Alt T" },
  return: { icon: IconArrowBackUp },
  contact: { icon: IconInfoCircle, keys: "Alt I" },
  delete: { icon: IconTrash },
};

/** What may be done to a ticket now, in the order in which it is offered; the first one is what its state is about. */
export function commandsFor(
  ticket: Pick<Ticket, "status">,
  may: { schedule: boolean; delete: boolean },
): readonly TicketCommand[] {
  const byStatus = {
    pending: ["accept", "transfer"],
    open: ["resolve", "transfer", "return"],
    closed: ["reopen"],
  } as const satisfies Record<Ticket["status"], readonly TicketCommand[]>;
  const [primary, ...others] = byStatus[ticket.status];
  return [
    primary,
    ...(may.schedule ? (["schedule"] as const) : []),
    ...others,
    "contact",
    ...(may.delete ? (["delete"] as const) : []),
  ];
}
