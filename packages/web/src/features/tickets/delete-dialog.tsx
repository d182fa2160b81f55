import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifySuccess } from "../../ui/index.ts";
import { useDeleteTicket } from "./actions.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";

type Props = {
  ticket: Ticket;
  opened: boolean;
  /** Called before the ticket goes; what it gives is called once it has gone. */
  onLeave: () => () => void;
  onClose: () => void;
};

/** Removes a ticket for good, after a question that names whose it is. */
export function DeleteDialog({ ticket, opened, onLeave, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const deletion = useDeleteTicket();
  function confirm(): void {
    const leave = onLeave();
    deletion.mutate(ticket.id, {
      onSuccess: () => {
        onClose();
        leave();
        notifySuccess(t("tickets.deleted"));
      },
    });
  }
  return (
    <QuestionDialog
      opened={opened}
      title={t("tickets.deleteTitle", { name: ticket.contact.name })}
      text={t("tickets.deleteText")}
      confirm={t("tickets.delete")}
      isDestructive
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={confirm}
      onClose={() => {
        deletion.reset();
        onClose();
      }}
    />
  );
}
