import type { Colleague } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { deleteUser, useOpenTickets } from "./api.ts";

type Props = { user: Pick<Colleague, "id" | "name">; onClose: () => void };

/** Says before somebody is deleted what becomes of his tickets. */
export function RemovalQuestion({ user: { id, name }, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { data: openTickets, error, isPending } = useOpenTickets(id);
  const removal = useMutation({
    mutationFn: () => deleteUser(id),
    onSuccess: () => {
      notifySuccess(t("users.deleted"));
      onClose();
    },
  });
  const what =
    openTickets === undefined ? "" : `${t("users.deleteTickets", { count: openTickets })} `;
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("users.deleteTitle", { name })}
      text={`${what}${t("users.deleteText")}`}
      confirm={t("users.deleteConfirm")}
      isBusy={isPending || removal.isPending}
      error={removal.error ?? error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}
