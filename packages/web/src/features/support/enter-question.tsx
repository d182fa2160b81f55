import type { ManagedCompany } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { startVisit } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";

type Props = { company: Pick<ManagedCompany, "id" | "name">; onClose: () => void };

/** Asks why, then goes into the company with the rights of its admin. The page begins anew there. */
export function EnterQuestion({ company: { id, name }, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  const [isChecked, setChecked] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isShort = reason.trim().length < limits.supportReasonMin;
  const entering = useMutation({
    mutationFn: (why: string) =>
      call("POST /companies/:companyId/support", {
        params: { companyId: id },
        body: { reason: why },
      }),
    onSuccess: ({ token, user, endsAt }) => {
      startVisit(token, user, { companyName: name, endsAt });
      window.location.assign("/tickets");
    },
  });
  function enter(): void {
    setChecked(true);
    if (isShort) field.current?.focus();
    else entering.mutate(reason.trim());
  }
  return (
    <QuestionDialog
      opened
      title={t("support.enterTitle", { name })}
      text={t("support.enterText", { minutes: limits.supportVisitMinutes })}
      confirm={t("support.enter")}
      isBusy={entering.isPending || entering.isSuccess}
      error={entering.error}
      onConfirm={enter}
      onClose={onClose}
    >
      <Textarea
        ref={field}
        label={t("support.reason")}
        description={t("support.reasonHelp")}
        value={reason}
        error={isChecked && isShort ? t("support.reasonMissing") : undefined}
        maxLength={limits.supportReasonMax}
        autosize={false}
        rows={2}
        data-autofocus
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </QuestionDialog>
  );
}
