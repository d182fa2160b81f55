import { Checkbox, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { ApiError, hasCode, setPayToken } from "../../api/client.ts";
import { startSession } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { notifySuccess } from "../../ui/index.ts";
import type { Confirmed } from "./api.ts";
import { answerStep, startFactor } from "./api.ts";
import { Ask, CodeField, FactorSetUp, RecoveryCodes } from "./parts.tsx";
import classes from "./account-security.module.css";

type Props = {
  /** The refusal that asks for more than the password. */
  failure: unknown;
  /** Back to the password; with a failure when the step is over. */
  onBack: (failure: unknown) => void;
};

/** The step of a sign-in after the right password: a code, or setting up the app that makes them. */
export function SignInStep({ failure, onBack }: Props): ReactNode {
  const { challenge, setUpToken } = dataOf(failure);
  if (challenge !== undefined) return <CodeStep challenge={challenge} onBack={onBack} />;
  return <SetUpStep token={setUpToken ?? ""} onBack={onBack} />;
}

function dataOf(failure: unknown): { challenge?: string; setUpToken?: string } {
  return failure instanceof ApiError && typeof failure.data === "object" && failure.data !== null
    ? failure.data
    : {};
}

function CodeStep({ challenge, onBack }: { challenge: string } & Pick<Props, "onBack">): ReactNode {
  const { t } = useTranslation();
  const [isLost, setLost] = useState(false);
  const [code, setCode] = useState("");
  const [isTrusted, setTrusted] = useState(false);
  async function send(): Promise<void> {
    try {
      await answerStep(challenge, isLost ? { recoveryCode: code } : { code }, isTrusted);
      notifySuccess(t("auth.welcome"));
    } catch (error) {
      if (!hasCode(error, "ERR_CHALLENGE_OVER")) throw error;
      onBack(error);
    }
  }
  const change = (): void => {
    setLost(!isLost);
    setCode("");
  };
  return (
    <div className={classes["step"]}>
      <p className={classes["text"]}>{t(isLost ? "security.lostText" : "security.codeText")}</p>
      <Ask key={String(isLost)} submit={t("auth.submit")} onCancel={() => onBack(null)} run={send}>
        {isLost ? (
          <TextInput
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
            label={t("security.recoveryCode")}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            autoFocus
          />
        ) : (
          <CodeField value={code} label={t("security.code")} onChange={setCode} />
        )}
        <Checkbox
          checked={isTrusted}
          onChange={({ currentTarget }) => setTrusted(currentTarget.checked)}
          label={t("security.trust")}
        />
      </Ask>
      <button type="button" className="bc-text-button" onClick={change}>
        {t(isLost ? "security.useApp" : "security.useRecovery")}
      </button>
    </div>
  );
}

function SetUpStep({ token, onBack }: { token: string } & Pick<Props, "onBack">): ReactNode {
  const { t } = useTranslation();
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null);
  const [start] = useState(() => () => {
    setPayToken(token);
    return startFactor("");
  });
  useEffect(() => () => setPayToken(null), []);
  function enter(): void {
    if (!confirmed?.session) return onBack(null);
    startSession(confirmed.session.token, confirmed.session.user);
    notifySuccess(t("auth.welcome"));
  }
  if (confirmed) {
    return (
      <RecoveryCodes codes={confirmed.recoveryCodes} done={t("security.continue")} onDone={enter} />
    );
  }
  return (
    <div className={classes["step"]}>
      <p className={classes["text"]}>{t("security.demanded")}</p>
      <FactorSetUp start={start} onConfirmed={setConfirmed} onCancel={() => onBack(null)} />
    </div>
  );
}
