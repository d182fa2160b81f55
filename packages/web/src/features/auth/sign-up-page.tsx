import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconAlertCircle, IconCircleCheck, IconUsers } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import type { ChangeEvent, ReactNode } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { hasCode } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useNavigate, useSearchParams } from "../../router/index.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { retryAfterSeconds } from "../../ui/error-text.ts";
import { EmptyState, ErrorWords, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { usePageTitle } from "../../ui/page-title.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Offer } from "./api.ts";
import { readOffer, signUp } from "./api.ts";
import type { Arrival } from "./login-page.tsx";
import classes from "./sign-up-page.module.css";
import { Cost, PlanRows } from "./sign-up-plans.tsx";
import { VisitorHead } from "./visitor-head.tsx";

/** Catches typing errors only; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;
const PHONE_FORM = /^\(\d{2}\) \d{4,5}-\d{4}$/;

type Values = Record<"name" | "email" | "phone" | "password", string>;
const nothing: Values = { name: "", email: "", phone: "", password: "" };

/** A company signs up: its fields beside its plan, and below what it pays and when. */
export function SignUpPage(): ReactNode {
  const { t } = useTranslation();
  usePageTitle(t("auth.signUp.submit"));
  const offer = useQuery({
    queryKey: ["sign-up", "offer"],
    queryFn: ({ signal }) => readOffer(signal),
    meta: { live: false },
  });
  return (
    <div className={classes["page"]}>
      <div className={classes["top"]}>
        <VisitorHead>
          <span className={classes["haveAccount"]}>
            <span className="bc-wide-only">{t("auth.signUp.haveAccount")} </span>
            <Link to="/login">{t("auth.submit")}</Link>
          </span>
        </VisitorHead>
      </div>
      <main className={classes["main"]}>
        {offer.data?.isOpen === false ? (
          <EmptyState
            icon={IconUsers}
            heading="h1"
            title={t("auth.signUp.closed")}
            text={t("auth.signUp.closedText")}
            action={
              <Link to="/login" {...buttonLook({ variant: "default" })}>
                {t("auth.submit")}
              </Link>
            }
          />
        ) : (
          <SignUpForm offer={offer} />
        )}
      </main>
    </div>
  );
}

function SignUpForm({ offer }: { offer: UseQueryResult<Offer> }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const form = useRef<HTMLFormElement>(null);
  const planTitleId = useId();
  const [values, setValues] = useState(nothing);
  const [planId, setPlanId] = useState<number | null>(null);
  /** Values that the server knows already. */
  const [taken, setTaken] = useState<Partial<Values>>({});
  const [failure, setFailure] = useState<unknown>(null);
  const [isSubmitting, setSubmitting] = useState(false);
  const [answers, setAnswers] = useState(0);
  const plans = offer.data?.plans;
  const plan = plans?.find(({ id }) => id === (planId ?? Number(search.get("plan")))) ?? plans?.[0];
  const wrong = answers === 0 ? {} : wrongOf(t, values);
  const email = values.email.trim();
  const emailError = wrong.email ?? (taken.email === values.email ? emailTaken(t, email) : null);

  useEffect(() => {
    if (answers > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [answers]);

  async function submit(): Promise<void> {
    setFailure(null);
    if (plan === undefined || Object.keys(wrongOf(t, values)).length > 0) {
      setAnswers(answers + 1);
      return;
    }
    setSubmitting(true);
    try {
      await signUp({ ...values, name: values.name.trim(), email, planId: plan.id });
      // There the first steps wait.
      const from = { pathname: "/tickets" };
      const state: Arrival = { email, done: "signed-up", from };
      navigate("/login", { replace: true, state });
    } catch (error) {
      setSubmitting(false);
      setAnswers(answers + 1);
      if (hasCode(error, "ERR_COMPANY_NAME_ALREADY_EXISTS")) {
        setTaken({ ...taken, name: values.name });
      } else if (hasCode(error, "ERR_USER_EMAIL_EXISTS")) {
        setTaken({ ...taken, email: values.email });
      } else if (hasCode(error, "ERR_PASSWORD_EASY")) {
        setTaken({ ...taken, password: values.password });
      } else {
        setFailure(error);
        // The provider may have changed what is offered.
        void offer.refetch();
      }
    }
  }

  const set = (name: keyof Values, value: string): void =>
    setValues((known) => ({ ...known, [name]: value }));
  const fieldOf = (name: keyof Values) => ({
    value: values[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => set(name, target.value),
  });

  return (
    <form
      ref={form}
      noValidate
      className={classes["form"]}
      aria-label={t("auth.signUp.title")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSubmitting) void submit();
      }}
    >
      <div className={classes["scroll"]}>
        <div className={classes["content"]}>
          <h1 className={classes["title"]}>{t("auth.signUp.title")}</h1>
          <p className={classes["lead"]}>
            {offer.data && t("auth.signUp.lead", { count: offer.data.trialDays })}
          </p>
          <div className={classes["card"]}>
            <div className={classes["part"]}>
              <h2>{t("auth.signUp.company")}</h2>
              <TextInput
                {...fieldOf("name")}
                label={t("auth.signUp.name")}
                error={
                  wrong.name ?? (taken.name === values.name ? t("auth.signUp.nameTaken") : null)
                }
                maxLength={limits.nameMax}
                autoComplete="organization"
                autoFocus
              />
              <TextInput
                {...fieldOf("email")}
                type="email"
                label={t("auth.email")}
                description={emailError === null ? t("auth.signUp.emailHelp") : undefined}
                error={emailError}
                maxLength={limits.emailMax}
                autoComplete="username"
                inputMode="email"
                autoCapitalize="none"
                spellCheck={false}
              />
              <TextInput
                value={values.phone}
                onChange={({ target }) => set("phone", maskField(target))}
                type="tel"
                label={t("auth.signUp.phone")}
                error={wrong.phone}
                leftSection="+55"
                leftSectionWidth={44}
                autoComplete="tel-national"
              />
              <PasswordField
                {...fieldOf("password")}
                label={t("auth.password")}
                description={<PasswordRule values={values} isChecked={answers > 0} />}
                error={
                  taken.password === values.password
                    ? t("auth.signUp.passwordEasy")
                    : wrong.password !== undefined
                }
                maxLength={limits.passwordMax}
              />
            </div>
            <div className={classes["part"]}>
              <h2 id={planTitleId}>{t("auth.signUp.plan")}</h2>
              {offer.error !== null && plans === undefined ? (
                <LoadFailed
                  icon={IconAlertCircle}
                  error={offer.error}
                  onRetry={() => void offer.refetch()}
                />
              ) : null}
              {offer.isPending ? <ListSkeleton rows={3} /> : null}
              {plans === undefined ? null : (
                <PlanRows
                  labelId={planTitleId}
                  plans={plans}
                  chosen={plan}
                  onChoose={({ id }) => setPlanId(id)}
                />
              )}
            </div>
          </div>
        </div>
      </div>
      {failure === null ? null : (
        <p className={classes["failure"]} data-tone="bad" role="alert">
          <IconAlertCircle size={18} stroke={1.7} aria-hidden="true" />
          <FailureWords error={failure} />
        </p>
      )}
      <div className={classes["foot"]}>
        <div className={classes["cost"]}>
          {offer.data && plan ? <Cost plan={plan} from={offer.data.costsFrom} /> : null}
        </div>
        <Button
          type="submit"
          className={classes["submit"] ?? ""}
          disabled={plan === undefined}
          loading={isSubmitting}
        >
          {t("auth.signUp.submit")}
        </Button>
      </div>
    </form>
  );
}

const emailTaken = (t: TFunction, email: string): ReactNode => (
  <>
    {t("auth.signUp.emailTaken")}
    <Link to="/login" state={{ email, done: null } satisfies Arrival}>
      {t("auth.submit")}
    </Link>
  </>
);

function wrongOf(t: TFunction, values: Values): Partial<Values> {
  const { name, email, phone } = values;
  const required = email.trim() === "" ? t("auth.emailRequired") : t("auth.emailInvalid");
  return {
    ...(name.trim().length < limits.nameMin ? { name: t("auth.signUp.nameShort") } : {}),
    ...(EMAIL_FORM.test(email) ? {} : { email: required }),
    ...(PHONE_FORM.test(phone) ? {} : { phone: t("auth.signUp.phoneWrong") }),
    // The rule below the field says so.
    ...(isLongEnough(values) ? {} : { password: "" }),
  };
}

const isLongEnough = ({ password }: Values): boolean => password.length >= limits.passwordMin;

/**
 * The length of a password, ticked as soon as it is met; marked as missing once the form was sent. Which passwords are guessed
 * first is known by the server: the list is as large as this page.
 */
function PasswordRule({ values, isChecked }: { values: Values; isChecked: boolean }): ReactNode {
  const { t } = useTranslation();
  const isMet = isLongEnough(values);
  return (
    <span className={classes["rules"]}>
      <span className={classes["rule"]} data-met={isMet} data-checked={isChecked}>
        {isMet ? <IconCircleCheck size={14} stroke={1.7} aria-hidden="true" /> : null}
        {t("auth.signUp.passwordLength", { min: limits.passwordMin })}
        <span className="bc-hidden-text">
          {t(isMet ? "auth.signUp.isMet" : "auth.signUp.isMissing")}
        </span>
      </span>
    </span>
  );
}

/** Writes the mask into the field, with the caret behind the same digit as before. Returns the masked number. */
function maskField(field: HTMLInputElement): string {
  const typed = field.value;
  const caret = field.selectionStart ?? typed.length;
  const digits = typed.slice(0, caret).replaceAll(/\D/g, "").length;
  const masked = maskPhone(typed);
  const [before] = new RegExp(String.raw`^(?:\D*\d){${digits}}`).exec(masked) ?? [masked];
  const place = caret === typed.length ? masked.length : before.length;
  field.value = masked;
  field.setSelectionRange(place, place);
  return masked;
}

/** "(11) 98456-2210", or "(11) 3456-2210"; a pasted number loses the country's code. */
export function maskPhone(typed: string): string {
  const all = typed.replaceAll(/\D/g, "");
  const isWhole = /^\s*\+55/.test(typed) || (/^\s*55/.test(typed) && all.length > 11);
  const digits = (isWhole ? all.slice(2) : all).slice(0, 11);
  const [area, rest] = [digits.slice(0, 2), digits.slice(2)];
  if (rest === "") return area === "" ? "" : `(${area}`;
  const cut = rest.startsWith("9") || rest.length > 8 ? 5 : 4;
  const end = rest.slice(cut);
  return `(${area}) ${rest.slice(0, cut)}${end === "" ? "" : `-${end}`}`;
}

function FailureWords({ error }: { error: unknown }): ReactNode {
  const { t } = useTranslation();
  if (hasCode(error, "ERR_NO_PLAN_FOUND")) return t("auth.signUp.planGone");
  const seconds = retryAfterSeconds(error);
  if (seconds === null) return <ErrorWords error={error} />;
  return t("auth.signUp.retryAfter", { count: Math.ceil(seconds / 60) });
}
