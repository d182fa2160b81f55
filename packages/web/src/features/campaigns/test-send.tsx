import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconSend2 } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { epochMs } from "../../ui/clock.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import classes from "./campaign-editor.module.css";

/** A second test so soon is a double press. */
const TEST_PAUSE_MS = 10_000;
let testedAtMs = 0;
/** The number of the last test, kept while the page lives. */
let lastNumber = "";

type TestProps = { person: string | null; isBusy: boolean; onAsk: () => void };

/** Asks for a test; not again at once. */
export function TestButton({ person, isBusy, onAsk }: TestProps): ReactNode {
  const { t } = useTranslation();
  const [, setTurns] = useState(0);
  const leftMs = testedAtMs + TEST_PAUSE_MS - epochMs();
  useEffect(() => {
    if (leftMs <= 0) return undefined;
    const timer = setTimeout(() => setTurns((turns) => turns + 1), leftMs);
    return () => clearTimeout(timer);
  });
  return (
    <span className={classes["test"]}>
      <Button
        variant="default"
        disabled={isBusy || leftMs > 0}
        leftSection={<IconSend2 size={15} stroke={1.7} aria-hidden="true" />}
        onClick={onAsk}
      >
        {t("campaignEditor.test")}
      </Button>
      <span className="bc-meta">
        {person === null || person === ""
          ? t("campaignEditor.testHelp")
          : t("campaignEditor.testHelpOf", { name: person.trim().split(/\s+/)[0] ?? "" })}
      </span>
    </span>
  );
}

type TestQuestionProps = { send: (number: string) => Promise<void>; onClose: () => void };

/** Asks for the number that gets the test, and sends it. */
export function TestQuestion({ send, onClose }: TestQuestionProps): ReactNode {
  const { t } = useTranslation();
  const [number, setNumber] = useState(lastNumber);
  const sending = useMutation({
    mutationFn: () => send(number.trim()),
    onSuccess: () => {
      lastNumber = number;
      testedAtMs = epochMs();
      notifySuccess(t("campaignEditor.testSent"));
      onClose();
    },
  });
  function ask(): void {
    if (number.trim() !== "" && !sending.isPending) sending.mutate();
  }
  return (
    <QuestionDialog
      opened
      title={t("campaignEditor.test")}
      text={t("campaignEditor.testText")}
      confirm={t("campaignEditor.sendTest")}
      isBusy={sending.isPending}
      error={sending.error}
      onConfirm={ask}
      onClose={onClose}
    >
      <TextInput
        type="tel"
        label={t("campaignEditor.testNumber")}
        value={number}
        maxLength={limits.numberMax}
        data-autofocus
        onChange={({ currentTarget }) => setNumber(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") ask();
        }}
      />
    </QuestionDialog>
  );
}
