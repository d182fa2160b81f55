import type { ErrorCode, ManagedCompany } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { passwordFault } from "@balcao/contract/passwords";
import { TextInput } from "@mantine/core";
import { IconLogin2, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { AppAvatar, errorText, notifyError, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { EnterQuestion } from "../support/index.ts";
import type { CompanyValues } from "./api.ts";
import { addCompany, bodyOf, changeCompany, dayOf, setSuspended, valuesOf } from "./api.ts";
import classes from "./companies.module.css";
import { SuspendQuestion } from "./company-questions.tsx";
import { PlanSection } from "./plan-section.tsx";
import { UsageSection } from "./usage-section.tsx";

type Standing = Pick<ManagedCompany, "status" | "suspensionReason">;

const refusedFields = {
  ERR_COMPANY_INVALID_NAME: "name",
  ERR_COMPANY_NAME_ALREADY_EXISTS: "name",
  ERR_USER_EMAIL_EXISTS: "email",
  ERR_PASSWORD_SHORT: "password",
  ERR_PASSWORD_EASY: "password",
  ERR_NO_PLAN_FOUND: "planId",
} as const satisfies Partial<Record<ErrorCode, keyof CompanyValues>>;

/** Catches typing errors only; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;

type Props = {
  /** Null: a new one. */
  company: ManagedCompany | null;
  /** It opens at the plan. */
  isAtPlan?: boolean;
  onClose: () => void;
};

/** A company at the side of the list: who it is, its plan and due date, its use. Asks before it closes with changes. */
export function CompanyForm({ company, isAtPlan = false, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  // Suspending is saved by itself, while the rest of the form is not.
  const [standing, setStanding] = useState<Standing>({
    status: company?.status ?? true,
    suspensionReason: company?.suspensionReason ?? "",
  });
  const [asked, setAsked] = useState<"discard" | "enter" | "suspend" | null>(null);
  const { dialog, ...form } = useRecordForm({
    id: company?.id ?? null,
    values: valuesOf(company),
    save: (id, values) => {
      const body = bodyOf(values);
      return id === null ? addCompany({ ...body, ...accessOf(values) }) : changeCompany(id, body);
    },
    savedText: null,
    onSaved({ email }) {
      const isInvited = company === null && form.getValues("access") === "invite";
      notifySuccess(isInvited ? t("users.invited", { email }) : t("companies.saved"));
      onClose();
    },
    fieldErrors: refusedFields,
    textOf: (error) => failureText(t, error),
    onClose,
  });
  const { isDirty } = form.formState;
  const resuming = useMutation({
    mutationFn: (of: ManagedCompany) => setSuspended(of.id, null),
    onSuccess: (_nothing, { name }) => {
      setStanding({ status: true, suspensionReason: "" });
      notifySuccess(t("companies.resumed", { name }));
    },
    onError: notifyError,
  });
  const icon = { size: 15, stroke: 1.7, "aria-hidden": true } as const;

  function renderStandingButton(of: ManagedCompany): ReactNode {
    if (!standing.status) {
      return (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay {...icon} />}
          loading={resuming.isPending}
          onClick={() => resuming.mutate(of)}
        >
          {t("companies.resume")}
        </Button>
      );
    }
    if (of.isProvider) return null;
    return (
      <Button
        variant="default"
        className={classes["suspend"]}
        leftSection={<IconPlayerPause {...icon} />}
        onClick={() => setAsked("suspend")}
      >
        {t("companies.suspend")}
      </Button>
    );
  }

  return (
    <>
      <FormDialog
        {...dialog}
        isSide
        isCovered={asked !== null}
        onClose={() => (isDirty ? setAsked("discard") : dialog.onCancel())}
        title={company === null ? t("companies.new") : <Head company={company} of={standing} />}
        startAction={company === null ? null : renderStandingButton(company)}
      >
        {standing.status || standing.suspensionReason === "" ? null : (
          <p className={classes["reason"]}>
            {t("companies.suspendedFor", { reason: standing.suspensionReason })}
          </p>
        )}
        <FieldGroup legend={t("companies.company")}>
          <AccountFields form={form} isNew={company === null} isFirst={!isAtPlan} />
        </FieldGroup>
        <PlanSection form={form} company={company} isFirst={isAtPlan} />
        {company === null ? (
          <FieldGroup legend={t("companies.access")}>
            <AdminAccess form={form} />
          </FieldGroup>
        ) : (
          <>
            <UsageSection company={company} />
            {company.isProvider ? null : (
              <FieldGroup legend={t("support.title")}>
                <div className={classes["support"]}>
                  <span>
                    <span className={classes["supportName"]}>{t("support.enterAs")}</span>
                    <span className="bc-small">
                      {t("support.enterHelp", { minutes: limits.supportVisitMinutes })}
                    </span>
                  </span>
                  <Button
                    variant="default"
                    leftSection={<IconLogin2 {...icon} />}
                    onClick={() => setAsked("enter")}
                  >
                    {t("support.enter")}
                  </Button>
                </div>
              </FieldGroup>
            )}
          </>
        )}
      </FormDialog>
      {asked === "discard" ? (
        <QuestionDialog
          opened
          isDestructive
          title={t("companies.discardTitle")}
          text={t("companies.discardText")}
          confirm={t("companies.discard")}
          onConfirm={dialog.onCancel}
          onClose={() => setAsked(null)}
        />
      ) : null}
      {asked === "enter" && company !== null ? (
        <Suspense fallback={null}>
          <EnterQuestion company={company} onClose={() => setAsked(null)} />
        </Suspense>
      ) : null}
      {asked === "suspend" && company !== null ? (
        <SuspendQuestion
          company={company}
          onDone={(suspensionReason) => setStanding({ status: false, suspensionReason })}
          onClose={() => setAsked(null)}
        />
      ) : null}
    </>
  );
}

function Head({ company, of }: { company: ManagedCompany; of: Standing }): ReactNode {
  const { t } = useTranslation();
  const { id, name, createdAt, timeZone } = company;
  const since = dayOf(createdAt, timeZone);
  return (
    <span className={classes["head"]}>
      <AppAvatar name={name} id={id} size={40} />
      <span className={classes["title"]}>
        <span>{name}</span>
        <span className="bc-detail">
          {t("companies.since", { month: `${since.slice(5, 7)}/${since.slice(0, 4)}` })}
        </span>
      </span>
      <Pill tone={of.status ? "ok" : undefined}>
        {t(of.status ? "companies.active" : "companies.suspended")}
      </Pill>
    </span>
  );
}

type FieldProps = { form: UseFormReturn<CompanyValues> };

type AccountProps = FieldProps & {
  isNew: boolean;
  /** The form opens at the name. */
  isFirst: boolean;
};

function AccountFields({ form, isNew, isFirst }: AccountProps): ReactNode {
  const { t } = useTranslation();
  const { register, formState } = form;
  const { errors } = formState;
  return (
    <div className={classes["pair"]}>
      <NameField
        {...register(
          "name",
          nameRule(t("users.required"), t("errors.ERR_COMPANY_INVALID_NAME"), limits.nameMin),
        )}
        className={classes["whole"] ?? ""}
        data-autofocus={isFirst || undefined}
        label={t("companies.name")}
        error={errors.name?.message}
      />
      <TextInput
        {...register("email", {
          validate(value) {
            if (value.trim() === "") return t("users.required");
            return EMAIL_FORM.test(value) || t("users.emailInvalid");
          },
        })}
        type="email"
        label={t("users.email")}
        description={isNew && !errors.email ? t("companies.emailHelp") : undefined}
        error={errors.email?.message}
        maxLength={limits.emailMax}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        {...register("phone")}
        type="tel"
        label={t("companies.phone")}
        maxLength={limits.numberMax}
        autoComplete="off"
      />
    </div>
  );
}

/** How the first admin comes in; the mail of an invitation is written in the language of this page. */
const accessOf = ({ access, password }: CompanyValues) =>
  access === "invite" ? { password: "", language: currentLanguage() } : { password };

function AdminAccess({ form }: FieldProps): ReactNode {
  const { t } = useTranslation();
  const { password: fault } = form.formState.errors;
  const access = useWatch({ control: form.control, name: "access" });
  return (
    <>
      <SegmentedField
        control={form.control}
        name="access"
        label={t("companies.adminAccess")}
        description={t(access === "invite" ? "users.inviteHelp" : "users.setPasswordHelp")}
        choices={[
          { value: "invite", label: t("companies.invite") },
          { value: "password", label: t("users.setPassword") },
        ]}
      />
      {access === "invite" ? null : (
        <PasswordField
          {...form.register("password", {
            validate: (value, { name, email }) =>
              passwordError(t, value, [name.trim(), email.trim()]) ?? true,
          })}
          label={t("companies.password")}
          description={
            fault
              ? undefined
              : t("users.passwordHelp", { min: limits.passwordMin, max: limits.passwordMax })
          }
          error={fault?.message}
        />
      )}
    </>
  );
}

function passwordError(t: TFunction, value: string, about: string[]): string | null {
  if (value === "") return t("users.required");
  if (value.length > limits.passwordMax) return t("users.tooLong", { max: limits.passwordMax });
  const fault = passwordFault(value, { about });
  if (fault === null) return null;
  return fault.code === "ERR_PASSWORD_SHORT"
    ? t("users.tooShort", { min: fault.data.min })
    : t("errors.ERR_PASSWORD_EASY");
}

/** The server's error with its number. */
function failureText(t: TFunction, error: Error): string {
  if (error instanceof ApiError && error.code === "ERR_PASSWORD_SHORT") {
    return t("users.tooShort", { min: limits.passwordMin });
  }
  return errorText(t, error);
}
