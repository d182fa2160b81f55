import type { Ticket } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowBackUp,
  IconArrowsRightLeft,
  IconCalendarPlus,
  IconCheck,
  IconClockPause,
  IconClockPlay,
  IconInfoCircle,
  IconListCheck,
  IconPin,
  IconPinnedOff,
  IconPlus,
  IconRotate,
  IconSearch,
  IconTrash,
} from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import type { Command } from "../../../ui/commands.ts";
import { useOfferCommands } from "../../../ui/commands.ts";
import { openNewTicket } from "../new-ticket/new-ticket.tsx";
import { useNewest } from "../shortcuts.ts";

/** The commands of an opened ticket. */
export type TicketCommand =
  | "accept"
  | "return"
  | "resolve"
  | "resolveAsking"
  | "reopen"
  | "transfer"
  | "pin"
  | "unpin"
  | "snooze"
  | "unsnooze"
  | "delete"
  | "schedule"
  | "contact"
  | "find";

/** The icon and the keys (as displayed) of each command. */
export const commandLooks: Readonly<Record<TicketCommand, { icon: Icon; keys?: string }>> = {
  accept: { icon: IconCheck, keys: "Alt A" },
  resolve: { icon: IconCheck, keys: "Alt R" },
  resolveAsking: { icon: IconListCheck },
  reopen: { icon: IconRotate },
  schedule: { icon: IconCalendarPlus, keys: "Alt S" },
  transfer: { icon: IconArrowsRightLeft, keys: "Alt T" },
  pin: { icon: IconPin },
  unpin: { icon: IconPinnedOff },
  snooze: { icon: IconClockPause },
  unsnooze: { icon: IconClockPlay },
  return: { icon: IconArrowBackUp },
  contact: { icon: IconInfoCircle, keys: "Alt I" },
  find: { icon: IconSearch, keys: "Ctrl F" },
  delete: { icon: IconTrash },
};

/** The allowed commands of a ticket in their display order; the first one is the primary action of its state. */
export function commandsFor(
  ticket: Pick<Ticket, "status" | "snooze">,
  may: { schedule: boolean; delete: boolean },
  isPinned = false,
): readonly TicketCommand[] {
  const byStatus = {
    pending: ["accept", "transfer"],
    open: ["resolve", "transfer", "return"],
    closed: ["reopen"],
  } as const satisfies Record<Ticket["status"], readonly TicketCommand[]>;
  const [primary, ...others] = byStatus[ticket.status];
  return [
    primary,
    ...(ticket.status === "closed"
      ? []
      : ([isPinned ? "unpin" : "pin", ticket.snooze === null ? "snooze" : "unsnooze"] as const)),
    ...(may.schedule ? (["schedule"] as const) : []),
    ...others,
    "contact",
    "find",
    ...(may.delete ? (["delete"] as const) : []),
  ];
}

/** Offers the commands of the opened ticket, and a new ticket, to the palette. */
export function useOfferTicketCommands(
  ticket: Ticket | undefined,
  commands: readonly TicketCommand[],
  onCommand: (command: TicketCommand, ticket: Ticket) => void,
): void {
  const { t } = useTranslation();
  const newest = useNewest({ ticket, onCommand });
  // The array is new at each render, but its contents rarely change.
  const key = ticket ? commands.join() : "";
  const offered = useMemo((): readonly Command[] => {
    const ids = key === "" ? [] : (key.split(",") as TicketCommand[]); // joined just above
    return [
      ...ids.map((id) => ({
        id: `ticket-${id}`,
        label: t(`tickets.${id}`),
        ...commandLooks[id],
        run() {
          const { ticket: opened, onCommand: run } = newest.current;
          if (opened) run(id, opened);
        },
      })),
      {
        id: "new-ticket",
        label: t("tickets.newTicket"),
        icon: IconPlus,
        run: () => openNewTicket(),
      },
    ];
  }, [key, t, newest]);
  useOfferCommands(offered);
}
