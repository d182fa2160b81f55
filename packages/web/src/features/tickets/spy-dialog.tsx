import type { Ticket } from "@balcao/contract";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QueueDot } from "../../ui/index.ts";
import { MessageList, useMessageEvents } from "../messages/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import classes from "./spy-dialog.module.css";

type Props = {
  ticket: Ticket;
  opened: boolean;
  onAccept: () => void;
  onClose: () => void;
};

/** A waiting conversation to read, without accepting it and without marking anything as read (spec 2, spy dialog). */
export function SpyDialog({ ticket, opened, onAccept, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { contact, queue } = ticket;
  return (
    <DialogFrame
      opened={opened}
      onClose={onClose}
      title={t("tickets.spyTitle", { name: contact.name })}
      size={640}
    >
      <p className={classes["about"]}>
        <QueueDot color={queue?.color ?? "var(--bc-line2)"} />
        {queue?.name ?? t("tickets.noQueue")}, {t("tickets.number", { id: ticket.id })}
      </p>
      <Conversation ticket={ticket} />
      <div className={classes["actions"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.close")}
        </Button>
        <Button
          data-autofocus
          onClick={() => {
            onClose();
            onAccept();
          }}
        >
          {t("tickets.accept")}
        </Button>
      </div>
    </DialogFrame>
  );
}

/** Its own part, so that the ticket's room is joined only while the dialog is open. */
function Conversation({ ticket }: { ticket: Ticket }): ReactNode {
  useMessageEvents(ticket.id, { isLookingOnly: true });
  return (
    <div className={classes["canvas"]}>
      <MessageList
        ticketId={ticket.id}
        customerName={ticket.contact.name}
        unread={ticket.unreadMessages}
        isReader={false}
      />
    </div>
  );
}
