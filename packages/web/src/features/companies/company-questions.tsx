import type { ManagedCompany } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { deleteCompany, setSuspended } from "./api.ts";
import classes from "./companies.module.css";
import { gigabytes } from "./usage-section.tsx";

type SuspendProps = {
  company: ManagedCompany;
  onDone?: (reason: string) => void;
  onClose: () => void;
};

/** Asks why, then suspends. */
export function SuspendQuestion({ company, onDone, onClose }: SuspendProps): ReactNode {
  const { t } = useTranslation();
  const { name } = company;
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const suspending = useMutation({
    mutationFn: (why: string) => setSuspended(company.id, why),
    onSuccess: (_nothing, why) => {
      onDone?.(why);
      notifySuccess(t("companies.isSuspended", { name }));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("companies.suspendTitle", { name })}
      text={t("companies.suspendText")}
      confirm={t("companies.suspend")}
      isBusy={suspending.isPending}
      error={suspending.error}
      onConfirm={() => {
        if (reason.trim() === "") setMissing(true);
        else suspending.mutate(reason.trim());
      }}
      onClose={onClose}
    >
      <Textarea
        label={t("companies.reason")}
        value={reason}
        error={isMissing && reason.trim() === "" ? t("companies.reasonMissing") : undefined}
        maxLength={limits.suspensionReasonMax}
        autosize={false}
        rows={2}
        data-autofocus
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </QuestionDialog>
  );
}

type DeleteProps = { company: ManagedCompany; onClose: () => void };

/** Says what goes, and asks for the name of the company. */
export function DeleteQuestion({ company, onClose }: DeleteProps): ReactNode {
  const { t } = useTranslation();
  const { name, users, connections, usage } = company;
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const deleting = useMutation({
    mutationFn: () => deleteCompany(company.id),
    onSuccess: () => {
      notifySuccess(t("companies.deleted", { name }));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("companies.deleteTitle", { name })}
      text={t("companies.deleteText")}
      confirm={t("companies.delete")}
      isBusy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => {
        if (typed.trim() === name.trim()) deleting.mutate();
        else setWrong(true);
      }}
      onClose={onClose}
    >
      <ul className={classes["goes"]}>
        <li>{t("companies.deletedUsers", { count: users })}</li>
        <li>{t("companies.deletedConnections", { count: connections.length })}</li>
        <li>
          {usage.countedAt === null
            ? t("companies.deletedRest")
            : t("companies.deletedRestWithSize", { size: gigabytes(usage.fileBytes) })}
        </li>
      </ul>
      <TextInput
        label={t("companies.typeName", { name })}
        value={typed}
        error={isWrong ? t("companies.typeNameWrong") : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setWrong(false);
        }}
      />
    </QuestionDialog>
  );
}
