import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import { setOptOut } from "./api.ts";

const ActionQuestion = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);

type Person = { id: number; name: string };

/** Leaves a contact out of campaigns and scheduled messages, and offers to undo it. */
export function stopSending({ id, name }: Person): void {
  setOptOut(id, true)
    .then(() => offerUndo({ kind: "optedOut", name, undo: () => setOptOut(id, false) }))
    .catch(notifyError);
}

/** Asks before a contact that opted out gets messages again. Suspends while its code loads. */
export function EndOptOutQuestion(props: { contact: Person; onClose: () => void }): ReactNode {
  const { id, name } = props.contact;
  const { t } = useTranslation();
  return (
    <ActionQuestion
      title={t("contacts.optOut.endTitle", { name })}
      text={t("contacts.optOut.endText", { name })}
      confirm={t("contacts.optOut.end")}
      run={() => setOptOut(id, false)}
      onDone={() => notifySuccess(t("contacts.optOut.ended", { name }))}
      onClose={props.onClose}
    />
  );
}
