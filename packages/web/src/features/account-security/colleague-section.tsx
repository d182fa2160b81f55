import type { ReactNode } from "react";
import { useState } from "react";
import { usePages } from "../../api/use-pages.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import type { SectionProps } from "./account-section.tsx";
import { endSessionsOf, readSignIns, resetFactorOf } from "./api.ts";
import { SignInList } from "./parts.tsx";
import classes from "./account-security.module.css";

type ColleagueProps = SectionProps & { user: { id: number; name: string } };

/** For those who manage users: a colleague's sign-ins, and what helps with a lost device. */
export function ColleagueSecurity({ user, onCover }: ColleagueProps): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const show = (next: boolean): void => {
    setOpen(next);
    onCover(next);
  };
  return (
    <FieldGroup legend={t("security.title")}>
      <div className={classes["actions"]}>
        <Button variant="default" onClick={() => show(true)}>
          {t("security.see")}
        </Button>
      </div>
      {isOpen ? <ColleagueDialog user={user} onClose={() => show(false)} /> : null}
    </FieldGroup>
  );
}

type DialogProps = Pick<ColleagueProps, "user"> & { onClose: () => void };

function ColleagueDialog({ user: { id, name }, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const [question, setQuestion] = useState<"sessions" | "factor" | null>(null);
  const [state, setState] = useState<{ hasFactor: boolean; passkeys: number; sessions: number }>();
  const [round, setRound] = useState(0);
  const { rows, error, hasMore, isLoadingMore, loadMore } = usePages(
    ["account-security", "of", String(id), String(round)],
    async (pageNumber, signal) => {
      const reply = await readSignIns(id, Number(pageNumber), signal);
      setState(reply);
      return { ...reply, rows: reply.signIns };
    },
    (one) => one.id,
    { staleTime: 0 },
  );
  const done = (text: string): void => {
    notifySuccess(text);
    setRound(round + 1);
  };
  return (
    <DialogFrame
      opened
      size={640}
      isCovered={question !== null}
      title={t("security.of", { name })}
      onClose={onClose}
    >
      <div className={classes["sections"]}>
        {state === undefined ? null : (
          <p className={classes["text"]}>
            {t(state.hasFactor ? "security.isOn" : "security.isOff")}{" "}
            {t("security.keys", { count: state.passkeys })}{" "}
            {t("security.open", { count: state.sessions })}
          </p>
        )}
        <div className={classes["actions"]}>
          <Button
            variant="default"
            disabled={!state || state.sessions === 0}
            onClick={() => setQuestion("sessions")}
          >
            {t("security.endAll")}
          </Button>
          <Button
            variant="default"
            disabled={!state || (!state.hasFactor && state.passkeys === 0)}
            onClick={() => setQuestion("factor")}
          >
            {t("security.reset")}
          </Button>
        </div>
        <FieldGroup legend={t("security.history")}>
          {error ? <p role="alert">{errorText(t, error)}</p> : null}
          {rows === undefined ? null : <SignInList rows={rows} />}
          {hasMore ? (
            <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
              {t("security.more")}
            </Button>
          ) : null}
        </FieldGroup>
      </div>
      {question === "sessions" ? (
        <ActionQuestion
          title={t("security.endAllTitle", { name })}
          text={t("security.endAllText")}
          confirm={t("security.endAll")}
          run={() => endSessionsOf(id)}
          onDone={() => done(t("security.ended"))}
          onClose={() => setQuestion(null)}
        />
      ) : null}
      {question === "factor" ? (
        <ActionQuestion
          isDestructive
          title={t("security.resetTitle", { name })}
          text={t("security.resetText")}
          confirm={t("security.reset")}
          run={() => resetFactorOf(id)}
          onDone={() => done(t("security.resetDone"))}
          onClose={() => setQuestion(null)}
        />
      ) : null}
    </DialogFrame>
  );
}
