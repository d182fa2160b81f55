import { Button, TextInput } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { copyText } from "../../ui/copy-text.ts";
import { notifyError, notifySuccess } from "../../ui/index.ts";
import classes from "./link-dialog.module.css";

const PHONE_DIGITS = /^\d{8,15}$/;

type PhoneProps = {
  isBusy: boolean;
  error: string | null;
  /** Told the digits. */
  onAsk: (phone: string) => void;
};

/** Whose phone it is: the code is made for one number. */
export function PairingPhone({ isBusy, error, onAsk }: PhoneProps): ReactNode {
  const { t } = useTranslation();
  const [phone, setPhone] = useState("");
  const [isWrong, setWrong] = useState(false);
  const fieldRef = useRef<HTMLInputElement>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const digits = phone.replaceAll(/\D/g, "");
    const isPhone = PHONE_DIGITS.test(digits);
    setWrong(!isPhone);
    if (isPhone) onAsk(digits);
    else fieldRef.current?.focus();
  }

  return (
    <form noValidate className={classes["phone"]} onSubmit={submit}>
      <TextInput
        ref={fieldRef}
        type="tel"
        inputMode="tel"
        autoComplete="off"
        label={t("connections.link.phone")}
        description={t("connections.link.phoneHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={phone}
        onChange={(event) => {
          setPhone(event.currentTarget.value);
          setWrong(false);
        }}
        error={isWrong ? t("connections.link.phoneWrong") : undefined}
        data-autofocus
      />
      {error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {error}
        </p>
      )}
      <Button type="submit" loading={isBusy}>
        {t("connections.link.getCode")}
      </Button>
    </form>
  );
}

/** The code in letters that can be read from a phone's distance, in two halves as the phone asks for it. */
export function PairingCode({ code }: { code: string }): ReactNode {
  const { t } = useTranslation();
  const letters = code.replaceAll("-", "");
  const middle = Math.ceil(letters.length / 2);

  async function copy(): Promise<void> {
    try {
      await copyText(letters);
      notifySuccess(t("connections.link.copied"));
    } catch {
      notifyError(t("connections.cloud.copyFailed"));
    }
  }

  return (
    <div className={classes["code"]}>
      <p className={classes["hint"]}>{t("connections.link.codeLabel")}</p>
      <output className={classes["letters"]} aria-label={t("connections.link.codeLabel")}>
        {letters.slice(0, middle)}-{letters.slice(middle)}
      </output>
      <Button
        variant="default"
        leftSection={<IconCopy size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => void copy()}
      >
        {t("connections.link.copy")}
      </Button>
      <ol className={classes["steps"]} aria-label={t("connections.link.steps")}>
        <li>{t("connections.link.step1")}</li>
        <li>{t("connections.link.pairingStep2")}</li>
        <li>{t("connections.link.pairingStep3")}</li>
      </ol>
    </div>
  );
}
