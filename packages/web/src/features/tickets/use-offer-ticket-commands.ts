import type { Ticket } from "@balcao/contract";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { Command } from "../../ui/commands.ts";
import { useOfferCommands } from "../../ui/commands.ts";
import { openNewTicket } from "./new-ticket.ts";
import type { TicketCommand } from "./ticket-commands.ts";
import { commandLooks } from "./ticket-commands.ts";
import { useNewest } from "./use-newest.ts";

/** Offers what can be done to the opened ticket, and a new one, to the command palette. */
export function useOfferTicketCommands(
  ticket: Ticket | undefined,
  commands: readonly TicketCommand[],
  onCommand: (command: TicketCommand, ticket: Ticket) => void,
): void {
  const { t } = useTranslation();
  const newest = useNewest({ ticket, onCommand });
  // The list of commands is another one at each render, what stands in it rarely.
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
