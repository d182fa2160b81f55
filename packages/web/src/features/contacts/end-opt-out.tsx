import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { setOptOut } from "./api.ts";

type QuestionProps = { contact: { id: number; name: string }; onClose: () => void };

/** Asks before a contact that opted out gets messages again. */
export function EndOptOutQuestion({ contact, onClose }: QuestionProps): ReactNode {
  const { t } = useTranslation();
  const { id, name } = contact;
  return (
    <ActionQuestion
      title={t("contacts.optOut.endTitle", { name })}
      text={t("contacts.optOut.endText", { name })}
      confirm={t("contacts.optOut.end")}
      run={() => setOptOut(id, false)}
      onDone={() => notifySuccess(t("contacts.optOut.ended", { name }))}
      onClose={onClose}
    />
  );
}
