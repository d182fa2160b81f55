import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";

type Props = {
  ticket: Ticket;
  opened: boolean;
  /** `finish` on a card, `resolve` by keys; the header's button is deliberate enough without a question. */
  action: "resolve" | "finish";
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before a key press or a card's button resolves a ticket. */
export function ResolveDialog({ ticket, opened, action, onConfirm, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { name } = ticket.contact;
  return (
    <QuestionDialog
      opened={opened}
      title={t(action === "finish" ? "tickets.finishTitle" : "tickets.resolveTitle", { name })}
      text={t("tickets.resolveText")}
      confirm={t(`tickets.${action}`)}
      onConfirm={() => {
        onClose();
        onConfirm();
      }}
      onClose={onClose}
    />
  );
}
