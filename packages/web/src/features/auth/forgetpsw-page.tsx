import { limits } from "@balcao/contract/limits";
import {
  hasPasswordParts,
  passwordPartNames,
  passwordParts,
  readResetCode,
} from "@balcao/contract/password-reset";
import { Input, TextInput } from "@mantine/core";
import { IconAlertCircle, IconArrowLeft, IconCircleCheck } from "@tabler/icons-react";
import type { ReactNode, Ref } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { ApiError, hasCode } from "../../api/client.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Link, useLocation, useNavigate, useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { epochMs, useNow } from "../../ui/clock.ts";
import { retryAfterSeconds } from "../../ui/error-text.ts";
import { ErrorWords, notifySuccess } from "../../ui/index.ts";
import { Look } from "../../ui/look.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import { tip } from "../../ui/tooltip.tsx";
import { askForCode, setPassword } from "./api.ts";
import classes from "./forgetpsw-page.module.css";
import type { Arrival } from "./login-page.tsx";
import page from "./login-page.module.css";
import { LoginPicture } from "./login-picture.tsx";
import { BrandOwner, VisitorHead } from "./visitor-head.tsx";

/** Catches typing errors only; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;

/** A code that this page had sent: until when it is valid, and when that was. */
type Sent = { validUntil: string; atMs: number };

/** A user who has forgotten the password asks for a code (first step) and sets a new password with it (`?email=`, also from an e-mail). */
export function ForgetpswPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const [sent, setSent] = useState<Sent | null>(null);
  const email = search.get("email");
  usePageTitle(t(email === null ? "auth.forgot.title" : "auth.forgot.newTitle"));
  return (
    <div className={page["page"]}>
      <div className={page["side"]}>
        <VisitorHead before={<BackLink />} />
        <main className={classes["middle"]}>
          <Look>
            {email === null ? (
              <EmailStep
                onSent={(to, code) => {
                  setSent(code);
                  setSearch({ email: to });
                }}
              />
            ) : (
              <CodeStep key={email} email={email} sent={sent} onSent={setSent} />
            )}
          </Look>
        </main>
        <BrandOwner />
      </div>
      <aside className={page["picture"]}>
        <LoginPicture />
      </aside>
    </div>
  );
}

function BackLink(): ReactNode {
  const { t } = useTranslation();
  const label = t("auth.forgot.back");
  return (
    <Link to="/login" className={classes["back"] ?? ""} aria-label={label} {...tip(label)}>
      <IconArrowLeft size={19} stroke={1.7} aria-hidden="true" />
    </Link>
  );
}

function EmailStep({ onSent }: { onSent: (email: string, code: Sent) => void }): ReactNode {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  const [email, setEmail] = useState(emailIn(useLocation().state));
  const [wrong, setWrong] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isSubmitting, setSubmitting] = useState(false);

  function refuse(text: string): void {
    setWrong(text);
    field.current?.focus();
  }

  async function submit(): Promise<void> {
    // Read from the field: a browser may fill it in without a change event.
    const typed = (field.current?.value ?? "").trim();
    setEmail(typed);
    setFailure(null);
    if (typed === "") return refuse(t("auth.emailRequired"));
    if (!EMAIL_FORM.test(typed)) return refuse(t("auth.emailInvalid"));
    setSubmitting(true);
    try {
      const validUntil = await askForCode(typed);
      if (validUntil === null) return refuse(t("auth.forgot.unknown"));
      notifySuccess(t("auth.forgot.sent"));
      onSent(typed, { validUntil, atMs: epochMs() });
    } catch (error) {
      setFailure(error);
    } finally {
      setSubmitting(false);
    }
  }

  return (
    <>
      <h1 className={page["title"]}>{t("auth.forgot.title")}</h1>
      <p className={page["lead"]}>{t("auth.forgot.lead")}</p>
      <form
        noValidate
        className="bc-form"
        aria-label={t("auth.forgot.title")}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSubmitting) void submit();
        }}
      >
        <TextInput
          ref={field}
          value={email}
          onChange={({ target }) => {
            setEmail(target.value);
            setWrong(null);
          }}
          type="email"
          label={t("auth.email")}
          placeholder={t("auth.emailPlaceholder")}
          error={wrong}
          maxLength={limits.emailMax}
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
        <Failure error={failure} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t("auth.forgot.send")}
        </Button>
      </form>
    </>
  );
}

/** The errors of the fields of the second step. */
type Wrong = Partial<Record<"code" | "password" | "repeat", ReactNode>>;
type StepProps = { email: string; sent: Sent | null; onSent: (code: Sent) => void };

function CodeStep({ email, sent, onSent }: StepProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const fields = useRef<HTMLFormElement>(null);
  const codeField = useRef<HTMLInputElement>(null);
  const isSending = useRef(false);
  const passwordField = useRef<HTMLInputElement>(null);
  const [values, setValues] = useState({ code: "", password: "", repeat: "" });
  const [wrong, setWrong] = useState<Wrong>({});
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [isSubmitting, setSubmitting] = useState(false);
  const [answers, setAnswers] = useState(0);
  const { code, password, repeat } = values;
  const hasCodeNow = code.length === limits.resetCodeLength;
  const mismatch = password === repeat ? null : t("auth.forgot.mismatch");

  useEffect(() => {
    if (answers === 0) return;
    const first = fields.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]');
    first?.focus();
    first?.select();
  }, [answers]);

  function change(name: keyof typeof values, value: string): void {
    setValues({ ...values, [name]: value });
    setWrong({ ...wrong, [name]: undefined });
  }

  function refuse(found: Wrong): void {
    setWrong(found);
    setAnswers(answers + 1);
  }

  async function submit(): Promise<void> {
    setFailure(null);
    setChecked(true);
    const found: Wrong = {
      ...(hasCodeNow ? {} : { code: t("auth.forgot.codeShort") }),
      ...(hasPasswordParts(password) ? {} : { password: t("errors.ERR_PASSWORD_WEAK") }),
      ...(mismatch === null ? {} : { repeat: mismatch }),
    };
    if (Object.keys(found).length > 0) return refuse(found);
    setSubmitting(true);
    try {
      await setPassword({ email, token: code, password });
      const arrival: Arrival = { email, done: "password-reset" };
      navigate("/login", { replace: true, state: arrival });
    } catch (error) {
      setSubmitting(false);
      const field = fieldOf(error);
      if (field === null) setFailure(error);
      else refuse({ [field]: renderRefusal(error) });
    }
  }

  /** Keeps the typed password. */
  async function sendAgain(): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    setFailure(null);
    try {
      const validUntil = await askForCode(email);
      if (validUntil === null) throw new ApiError({ status: 404, code: "ERR_NO_USER_FOUND" });
      onSent({ validUntil, atMs: epochMs() });
      change("code", "");
      codeField.current?.focus();
      notifySuccess(t("auth.forgot.sent"));
    } catch (error) {
      setFailure(error);
    } finally {
      isSending.current = false;
    }
  }

  function renderRefusal(error: unknown): ReactNode {
    if (hasCode(error, "ERR_RESET_CODE_WRONG")) {
      return t("auth.forgot.codeWrong", { count: triesLeft(error) });
    }
    if (!hasCode(error, "ERR_RESET_CODE_OVER")) return <ErrorWords error={error} />;
    return (
      <>
        {t("auth.forgot.codeOver")}{" "}
        <button type="button" className={classes["again"]} onClick={() => void sendAgain()}>
          {t("auth.forgot.another")}
        </button>
      </>
    );
  }

  return (
    <>
      <h1 className={page["title"]}>{t("auth.forgot.newTitle")}</h1>
      <p className={page["lead"]}>
        {sent === null
          ? t("auth.forgot.askedFor")
          : t("auth.forgot.sentUntil", { time: hourOf(sent.validUntil) })}{" "}
        <strong className={classes["email"]}>{email}</strong>
      </p>
      <form
        ref={fields}
        noValidate
        className="bc-form"
        aria-label={t("auth.forgot.newTitle")}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSubmitting) void submit();
        }}
      >
        {/* For programs that keep passwords. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <CodeField
          ref={codeField}
          value={code}
          error={wrong.code}
          onChange={(next) => {
            change("code", next);
            const isFull = next.length === limits.resetCodeLength;
            if (isFull && next !== code) passwordField.current?.focus();
          }}
        >
          <SendAgain key={sent?.atMs} sent={sent} onSend={() => void sendAgain()} />
        </CodeField>
        <PasswordField
          ref={passwordField}
          value={password}
          onChange={({ target }) => change("password", target.value)}
          label={t("auth.forgot.password")}
          inputWrapperOrder={["label", "input", "error", "description"]}
          description={<PasswordParts password={password} isChecked={isChecked} />}
          error={wrong.password}
          maxLength={limits.passwordMax}
        />
        <PasswordField
          value={repeat}
          onChange={({ target }) => change("repeat", target.value)}
          onBlur={() => {
            if (repeat !== "") setWrong({ ...wrong, repeat: mismatch });
          }}
          label={t("auth.forgot.repeat")}
          error={wrong.repeat}
          maxLength={limits.passwordMax}
        />
        <Failure error={failure} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t("auth.forgot.save")}
        </Button>
        <Link to="/forgetpsw" state={{ email }} className={classes["other"] ?? ""}>
          {t("auth.forgot.other")}
        </Link>
      </form>
    </>
  );
}

/** The field that an error of the server is about; null for the form. */
function fieldOf(error: unknown): keyof Wrong | null {
  if (hasCode(error, "ERR_RESET_CODE_WRONG") || hasCode(error, "ERR_RESET_CODE_OVER")) {
    return "code";
  }
  const ofPassword = ["ERR_PASSWORD_WEAK", "ERR_PASSWORD_SHORT", "ERR_PASSWORD_EASY"] as const;
  return ofPassword.some((code) => hasCode(error, code)) ? "password" : null;
}

function triesLeft(error: unknown): number {
  const data = error instanceof ApiError ? error.data : null;
  if (typeof data !== "object" || data === null || !("triesLeft" in data)) return 0;
  return Number(data.triesLeft);
}

function emailIn(state: unknown): string {
  if (typeof state !== "object" || state === null || !("email" in state)) return "";
  return typeof state.email === "string" ? state.email : "";
}

/** "10:42" by this browser's clock: a visitor's company is not known. */
function hourOf(iso: string): string {
  const style = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat(localeTags[currentLanguage()], style).format(new Date(iso));
}

type CodeProps = {
  value: string;
  error: ReactNode;
  onChange: (code: string) => void;
  ref: Ref<HTMLInputElement>;
  /** Below the boxes. */
  children: ReactNode;
};

const places = Array.from({ length: limits.resetCodeLength }, (_, place) => place);

/** One field, drawn as a box for each character. */
function CodeField({ value, error, onChange, ref, children }: CodeProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const isWrong = error !== undefined && error !== null;
  return (
    <div>
      <Input.Wrapper id={id} label={t("auth.forgot.code")} error={error}>
        <span className={classes["field"]} data-wrong={isWrong || undefined}>
          <input
            ref={ref}
            id={id}
            value={value}
            onChange={({ target }) =>
              onChange(readResetCode(target.value).slice(0, limits.resetCodeLength))
            }
            onSelect={({ currentTarget }) => keepCaretAtEnd(currentTarget)}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? `${id}-error` : undefined}
            autoFocus
          />
          <span className={classes["boxes"]} aria-hidden="true">
            {places.map((place) => (
              <span
                key={place}
                className={classes["box"]}
                data-next={place === Math.min(value.length, places.length - 1) || undefined}
              >
                {value[place]}
              </span>
            ))}
          </span>
        </span>
      </Input.Wrapper>
      <p className={classes["help"]}>
        {t("auth.forgot.notArrived")}
        {children}
      </p>
    </div>
  );
}

/** The boxes show no caret inside of the code. A selection stays, so that typing replaces it. */
function keepCaretAtEnd(field: HTMLInputElement): void {
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (start === end && start !== value.length) {
    field.setSelectionRange(value.length, value.length);
  }
}

/** Counts down, then sends another code. */
function SendAgain({ sent, onSend }: { sent: Sent | null; onSend: () => void }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(1_000);
  const waitMs = sent === null ? 0 : sent.atMs + limits.resetAgainSeconds * 1_000 - nowMs;
  const seconds = Math.ceil(waitMs / 1_000);
  if (seconds > 0) {
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return <span className={classes["wait"]}>{t("auth.forgot.againIn", { time })}</span>;
  }
  return (
    <button type="button" className={classes["again"]} onClick={onSend}>
      {t("auth.forgot.again")}
    </button>
  );
}

type PartsProps = { password: string; isChecked: boolean };

/** The parts that a password must have, each ticked as soon as it is there; marked as missing once the form was sent. */
function PasswordParts({ password, isChecked }: PartsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["parts"]}>
      {passwordPartNames.map((part) => {
        const isMet = passwordParts[part].test(password);
        return (
          <span key={part} className={classes["part"]} data-met={isMet} data-checked={isChecked}>
            {isMet ? <IconCircleCheck size={14} stroke={1.7} aria-hidden="true" /> : null}
            {t(`auth.forgot.parts.${part}`)}
            <span className="bc-hidden-text">
              {t(isMet ? "auth.signUp.isMet" : "auth.signUp.isMissing")}
            </span>
          </span>
        );
      })}
    </span>
  );
}

function Failure({ error }: { error: unknown }): ReactNode {
  const { t } = useTranslation();
  if (error === null) return null;
  const seconds = retryAfterSeconds(error);
  return (
    <p className={page["failure"]} role="alert">
      <IconAlertCircle size={18} stroke={1.7} aria-hidden="true" />
      {seconds === null ? (
        <ErrorWords error={error} />
      ) : (
        t("auth.signUp.retryAfter", { count: Math.ceil(seconds / 60) })
      )}
    </p>
  );
}
