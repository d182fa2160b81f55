import type { QueueOption } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { countBelow, deleteOption, useOptions } from "./chatbot-api.ts";
import { dropTyped } from "./option-drafts.ts";

type Props = { option: QueueOption; onClose: () => void };

/** Asks before an option goes with all that lies below it. */
export function OptionRemoval({ option, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { id, queueId, title } = option;
  const { data: options = [] } = useOptions(queueId);
  const below = countBelow(options, id);
  const removal = useMutation({
    mutationFn: () => deleteOption(queueId, id),
    onSuccess: () => {
      dropTyped(id);
      notifySuccess(t("queues.optionDeleted"));
      onClose();
      focusTree();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("queues.deleteOptionTitle", { title })}
      text={
        below === 0
          ? t("queues.deleteOptionAlone")
          : t("queues.deleteOptionBelow", { count: below })
      }
      confirm={t("common.deleteConfirm")}
      isBusy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}

/** What had the focus is gone with the option; the tree's own button is always there. */
function focusTree(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>("[data-add-option]")?.focus({ preventScroll: true }),
  );
}
