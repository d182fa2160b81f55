import type { Contact } from "@balcao/contract";
import type { ReactNode } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import { setOptOut } from "./api.ts";

const ActionQuestion = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);

/** By whom and when a contact was left out, and what that means. */
export function OptOutWords({ optOut }: { optOut: NonNullable<Contact["optOut"]> }): ReactNode {
  const { t } = useTranslation();
  const when = `${formatDayLabel(optOut.at)}, ${formatTime(optOut.at)}`;
  const user = optOut.user?.name ?? "";
  const sources = {
    person: t("contacts.optOut.by", { user, when }),
    import: t("contacts.optOut.byImport", { when }),
    word: t("contacts.optOut.byWord", { when }),
  };
  return `${sources[optOut.source]} ${t("contacts.optOut.effect")}`;
}

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
