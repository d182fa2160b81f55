import { TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import { ApiError, hasCode, setPayToken } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { ErrorWords, notifySuccess } from "../../ui/index.ts";
import { VisitorCheckout } from "../invoices/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Credentials } from "./api.ts";
import { signIn } from "./api.ts";
import classes from "./login-page.module.css";
import { Button } from "../../ui/button.tsx";

const loadSecurity = () => import("../account-security/index.ts");
const SignInStep = lazyPart(async () => (await loadSecurity()).SignInStep, "inline", "trust");

/** Browsers have passkeys on safe pages only, and none for IP addresses. */
const mayHavePasskey = (): boolean =>
  "PublicKeyCredential" in window && !/^[\d.]+$|:/.test(location.hostname);

/** Catches typing errors only; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;

/** E-mail and password. After signing in, `VisitorsOnly` redirects. */
export function LoginForm({ email: known }: { email: string }): ReactNode {
  const { t } = useTranslation();
  const [credentials, setCredentials] = useState<Credentials>({ email: known, password: "" });
  const [wasSent, setWasSent] = useState(false);
  const [isSubmitting, setSubmitting] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [isPaying, setPaying] = useState(false);
  const payToken = payTokenOf(failure);
  useEffect(() => () => setPayToken(null), []);
  const emailRef = useRef<HTMLInputElement>(null);
  const passwordRef = useRef<HTMLInputElement>(null);
  const { email, password } = credentials;
  const wrong = wasSent ? wrongOf(credentials) : {};

  async function submit(): Promise<void> {
    // Read from the fields: a browser may fill them in without a change event.
    const typed = {
      email: emailRef.current?.value ?? "",
      password: passwordRef.current?.value ?? "",
    };
    const { email: wrongEmail, password: wrongPassword } = wrongOf(typed);
    setCredentials(typed);
    setWasSent(true);
    if (wrongEmail) return emailRef.current?.focus();
    if (wrongPassword) return passwordRef.current?.focus();
    setFailure(null);
    setSubmitting(true);
    try {
      await signIn(typed);
      notifySuccess(t("auth.welcome"));
    } catch (error) {
      setFailure(error);
      if (!hasCode(error, "ERR_INVALID_CREDENTIALS")) return;
      setCredentials((current) => ({ ...current, password: "" }));
      setWasSent(false);
      passwordRef.current?.focus();
    } finally {
      setSubmitting(false);
    }
  }

  async function enterWithPasskey(): Promise<void> {
    setFailure(null);
    setSubmitting(true);
    try {
      const { signInWithPasskey } = await loadSecurity();
      if (await signInWithPasskey()) notifySuccess(t("auth.welcome"));
    } catch (error) {
      setFailure(error);
    } finally {
      setSubmitting(false);
    }
  }

  if (hasCode(failure, "ERR_SECOND_FACTOR") || hasCode(failure, "ERR_FACTOR_SETUP")) {
    return (
      <Suspense fallback={null}>
        <SignInStep
          failure={failure}
          onBack={(reason) => {
            setCredentials({ email, password: "" });
            setWasSent(false);
            setFailure(reason);
          }}
        />
      </Suspense>
    );
  }

  return (
    <form
      noValidate
      className="bc-form"
      aria-label={t("auth.title")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSubmitting) void submit();
      }}
    >
      <TextInput
        ref={emailRef}
        value={email}
        onChange={({ target }) => setCredentials({ email: target.value, password })}
        type="email"
        label={t("auth.email")}
        placeholder={t("auth.emailPlaceholder")}
        error={wrong.email ? t(wrong.email) : null}
        autoComplete="username"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={known === ""}
      />
      <div className={classes["password"]}>
        <PasswordField
          ref={passwordRef}
          value={password}
          onChange={({ target }) => setCredentials({ email, password: target.value })}
          label={t("auth.password")}
          error={wrong.password ? t(wrong.password) : null}
          autoComplete="current-password"
          autoFocus={known !== ""}
        />
        <Link to="/forgetpsw" state={{ email }} className={classes["forgot"] ?? ""}>
          {t("auth.forgot.link")}
        </Link>
      </div>
      {failure === null ? null : (
        <div
          className={classes["failure"]}
          data-warn={hasCode(failure, "ERR_SUBSCRIPTION_EXPIRED") || undefined}
        >
          <IconAlertCircle size={18} stroke={1.7} aria-hidden="true" />
          <span>
            <span role="alert">
              <ErrorWords error={failure} />
            </span>{" "}
            {payToken === null ? null : (
              <button
                type="button"
                className={classes["pay"]}
                onClick={() => {
                  setPayToken(payToken);
                  setPaying(true);
                }}
              >
                {t("auth.payNow")}
              </button>
            )}
          </span>
        </div>
      )}
      {isPaying ? (
        <Suspense fallback={null}>
          <VisitorCheckout
            onPaid={() => {
              setPaying(false);
              void submit();
            }}
            onClose={() => setPaying(false)}
          />
        </Suspense>
      ) : null}
      <Button type="submit" fullWidth className={classes["submit"] ?? ""} loading={isSubmitting}>
        {t("auth.submit")}
      </Button>
      {mayHavePasskey() ? (
        <Button
          variant="default"
          fullWidth
          disabled={isSubmitting}
          onClick={() => void enterWithPasskey()}
        >
          {t("auth.passkey")}
        </Button>
      ) : null}
    </form>
  );
}

type Wrong = {
  email?: "auth.emailRequired" | "auth.emailInvalid";
  password?: "auth.passwordRequired";
};

function wrongOf({ email, password }: Credentials): Wrong {
  const wrong: Wrong = password === "" ? { password: "auth.passwordRequired" } : {};
  if (email === "") return { ...wrong, email: "auth.emailRequired" };
  return EMAIL_FORM.test(email) ? wrong : { ...wrong, email: "auth.emailInvalid" };
}

/** Of the refusal of an expired company, for its admins. */
function payTokenOf(failure: unknown): string | null {
  if (!(failure instanceof ApiError) || failure.code !== "ERR_SUBSCRIPTION_EXPIRED") return null;
  const { data } = failure;
  if (typeof data !== "object" || data === null || !("payToken" in data)) return null;
  return typeof data.payToken === "string" ? data.payToken : null;
}
