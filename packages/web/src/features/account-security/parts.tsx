import type { SignInEntry } from "@balcao/contract";
import { TextInput } from "@mantine/core";
import { QRCodeSVG } from "qrcode.react";
import type { FormEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { formatDate, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button, buttonLook } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy-text.ts";
import { errorText, ListSkeleton, notifyError, notifySuccess } from "../../ui/index.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Confirmed } from "./api.ts";
import { confirmFactor } from "./api.ts";
import classes from "./account-security.module.css";

type AskProps = {
  submit: string;
  /** Null: it cannot be left. */
  onCancel: (() => void) | null;
  run: () => Promise<unknown>;
  children: ReactNode;
};

/** A small form of a section: its fields, an error, and two buttons. */
export function Ask({ submit, onCancel, run, children }: AskProps): ReactNode {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    // The dialog below has a form of its own.
    event.stopPropagation();
    setBusy(true);
    setError(null);
    await run().catch(setError);
    setBusy(false);
  }
  return (
    <form noValidate className={classes["ask"]} onSubmit={(event) => void send(event)}>
      {children}
      {error === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, error)}
        </p>
      )}
      <div className={classes["actions"]}>
        <Button type="submit" loading={isBusy}>
          {submit}
        </Button>
        {onCancel === null ? null : (
          <Button variant="default" onClick={onCancel}>
            {t("common.cancel")}
          </Button>
        )}
      </div>
    </form>
  );
}

type PasswordProps = {
  submit: string;
  run: (password: string) => Promise<unknown>;
  onCancel: () => void;
  children?: ReactNode;
};

/** Asks for the password before a change of the account's security. */
export function AskPassword({ submit, run, onCancel, children }: PasswordProps): ReactNode {
  const { t } = useTranslation();
  const [password, setPassword] = useState("");
  return (
    <Ask submit={submit} onCancel={onCancel} run={() => run(password)}>
      {children}
      <PasswordField
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        label={t("security.password")}
        autoComplete="current-password"
        autoFocus
      />
    </Ask>
  );
}

type CodeProps = {
  value: string;
  label: string;
  onChange: (value: string) => void;
};

/** A code of six digits; phones offer to fill it in. */
export function CodeField({ value, label, onChange }: CodeProps): ReactNode {
  return (
    <TextInput
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      label={label}
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={11}
      spellCheck={false}
      autoFocus
    />
  );
}

type SetUpProps = {
  /** Makes the secret. */
  start: () => Promise<{ secret: string; uri: string }>;
  onConfirmed: (confirmed: Confirmed) => void;
  onCancel: (() => void) | null;
};

/** The secret as a picture for the camera and as text, and the app's first code. */
export function FactorSetUp({ start, onConfirmed, onCancel }: SetUpProps): ReactNode {
  const { t } = useTranslation();
  const [made, setMade] = useState<{ secret: string; uri: string } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [code, setCode] = useState("");
  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    start().then(setMade, setError);
  }, [start]);
  if (error !== null) {
    return (
      <p className="bc-failure" role="alert">
        {errorText(t, error)}
      </p>
    );
  }
  if (made === null) return <ListSkeleton rows={3} />;
  return (
    <Ask
      submit={t("security.confirm")}
      onCancel={onCancel}
      run={async () => onConfirmed(await confirmFactor(code))}
    >
      <p className={classes["text"]}>{t("security.scan")}</p>
      <div className={classes["picture"]}>
        <QRCodeSVG value={made.uri} size={176} marginSize={2} title={t("security.qr")} />
      </div>
      <p className={classes["text"]}>
        {t("security.secret")} <code className={classes["secret"]}>{spaced(made.secret)}</code>
      </p>
      <CodeField value={code} label={t("security.firstCode")} onChange={setCode} />
    </Ask>
  );
}

const spaced = (secret: string): string => secret.replace(/(.{4})(?=.)/g, "$1 ");

type CodesProps = { codes: readonly string[]; done: string; onDone: () => void };

/** Recovery codes, which are shown this once. */
export function RecoveryCodes({ codes, done, onDone }: CodesProps): ReactNode {
  const { t } = useTranslation();
  const text = codes.join("\n");
  const heading = useRef<HTMLParagraphElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const copy = (): void =>
    void copyText(text).then(() => notifySuccess(t("security.copied")), notifyError);
  return (
    <div className={classes["ask"]}>
      <p ref={heading} tabIndex={-1} className={classes["text"]}>
        {t("security.codesText")}
      </p>
      <ul className={classes["codes"]} aria-label={t("security.codes")}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={classes["actions"]}>
        <Button variant="default" onClick={copy}>
          {t("security.copy")}
        </Button>
        <a
          {...buttonLook({ variant: "default" })}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download={`${t("security.codesFile")}.txt`}
        >
          {t("security.download")}
        </a>
        <Button onClick={onDone}>{done}</Button>
      </div>
    </div>
  );
}

/** Most refusals; not the steps between a right password and the rest of a sign-in. */
const isAlarming = (refusal: SignInEntry["refusal"]): boolean =>
  refusal !== null && refusal !== "factor" && refusal !== "set-up";

/** Sign-ins, the newest first. */
export function SignInList({ rows }: { rows: readonly SignInEntry[] }): ReactNode {
  const { t } = useTranslation();
  if (rows.length === 0) return <p className="bc-small">{t("security.noSignIn")}</p>;
  return (
    <ul className={classes["list"]}>
      {rows.map(({ id, at, device, address, method, refusal }) => (
        <li key={id} className={classes["row"]}>
          <span>
            <span className={classes["name"]} data-refused={isAlarming(refusal) || undefined}>
              {refusal === null
                ? t(`security.methods.${method}`)
                : t(`security.refusals.${refusal}`)}
            </span>
            <span className={classes["about"]}>
              {[device || t("security.unknownDevice"), address].join(" · ")}
            </span>
          </span>
          <time className={classes["about"]} dateTime={at}>
            {formatDate(at)} {formatTime(at)}
          </time>
        </li>
      ))}
    </ul>
  );
}
