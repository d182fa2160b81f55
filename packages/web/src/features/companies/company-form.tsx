import type { ErrorCode, ManagedCompany } from "@balcao/contract";
import { recurrenceMonths, recurrences } from "@balcao/contract/company-choices";
import { limits } from "@balcao/contract/limits";
import { passwordFault } from "@balcao/contract/passwords";
import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconPlus } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { nowIso } from "../../ui/clock.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { AppAvatar, errorText, notifyError, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { useSession } from "../auth/index.ts";
import { usePlans } from "../plans/index.ts";
import type { CompanyFields } from "./api.ts";
import {
  addCompany,
  addMonths,
  changeCompany,
  dayOf,
  dayWords,
  deleteCompany,
  isRecurrence,
  priceOf,
  setSuspended,
} from "./api.ts";
import classes from "./companies.module.css";

/** The values of the form; `dueDate` is a day or "". */
type CompanyValues = Record<
  "name" | "email" | "phone" | "password" | "planId" | "recurrence" | "dueDate",
  string
> & { campaignsEnabled: boolean };

type Standing = Pick<ManagedCompany, "status" | "suspensionReason">;

function valuesOf(company: ManagedCompany | null): CompanyValues {
  return {
    name: company?.name ?? "",
    email: company?.email ?? "",
    phone: company?.phone ?? "",
    password: "",
    planId: company === null ? "" : String(company.planId),
    recurrence: company?.recurrence ?? "MENSAL",
    dueDate: company?.dueDate ? dayOf(company.dueDate, company.timeZone) : "",
    campaignsEnabled: company?.campaignsEnabled ?? true,
  };
}

function bodyOf(values: CompanyValues): CompanyFields {
  const { recurrence, dueDate, campaignsEnabled } = values;
  return {
    campaignsEnabled,
    name: values.name.trim(),
    email: values.email.trim(),
    phone: values.phone.trim(),
    planId: Number(values.planId),
    recurrence: isRecurrence(recurrence) ? recurrence : "",
    dueDate: dueDate === "" ? null : dueDate,
  };
}

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
  onClose: () => void;
};

/** A company at the side of the list: who it is, its plan and due date, its use. Asks before it closes with changes. */
export function CompanyForm({ company, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  // Suspending is saved by itself, while the rest of the form is not.
  const [standing, setStanding] = useState<Standing>({
    status: company?.status ?? true,
    suspensionReason: company?.suspensionReason ?? "",
  });
  const [asked, setAsked] = useState<"discard" | "suspend" | null>(null);
  const { dialog, ...form } = useRecordForm({
    id: company?.id ?? null,
    values: valuesOf(company),
    save: (id, values) => {
      const body = bodyOf(values);
      return id === null
        ? addCompany({ ...body, password: values.password })
        : changeCompany(id, body);
    },
    savedText: t("companies.saved"),
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
          <AccountFields form={form} isNew={company === null} />
        </FieldGroup>
        <FieldGroup legend={t("companies.planAndDueDate")}>
          <PlanFields form={form} company={company} />
          <DueDateField form={form} company={company} />
          <CampaignsField form={form} company={company} />
          {company === null ? null : <OpenInvoice company={company} />}
        </FieldGroup>
        {company === null ? (
          <FieldGroup legend={t("companies.access")}>
            <AdminPassword form={form} />
          </FieldGroup>
        ) : (
          <FieldGroup legend={t("companies.use")}>
            <Use company={company} />
          </FieldGroup>
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

function AccountFields({ form, isNew }: FieldProps & { isNew: boolean }): ReactNode {
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

type PlanFieldProps = FieldProps & Pick<Props, "company">;

/** The plan that the form has chosen; undefined while nothing is. */
function useChosenPlan({ form, company }: PlanFieldProps) {
  const plans = usePlans();
  const chosen = useWatch({ control: form.control, name: "planId" });
  const known = plans?.find(({ id }) => String(id) === chosen);
  return known ?? (company?.planId === Number(chosen) ? company.plan : undefined);
}

function PlanFields({ form, company }: PlanFieldProps): ReactNode {
  const { t } = useTranslation();
  const { control, register } = form;
  const plan = useChosenPlan({ form, company });
  // Its own plan can be chosen before the others are known.
  const plans = usePlans() ?? (company === null ? [] : [company.plan]);
  const isOther = company !== null && plan !== undefined && plan.id !== company.planId;
  const over = isOther ? overLimit(t, company, plan) : [];
  const price = useNewPrice({ form, company });
  return (
    <>
      <div className={classes["pair"]}>
        <Controller
          control={control}
          name="planId"
          rules={{ validate: (id) => id !== "" || t("companies.choosePlan") }}
          render={({ field, fieldState }) => (
            <NativeSelect
              {...field}
              label={t("companies.plan")}
              error={fieldState.error?.message}
              data={[
                ...(company === null ? [{ value: "", label: t("companies.choosePlan") }] : []),
                ...plans.map(({ id, name, value }) => ({
                  value: String(id),
                  label: `${name}, ${formatMoney(value)}`,
                })),
              ]}
            />
          )}
        />
        <NativeSelect
          {...register("recurrence")}
          label={t("companies.recurrence")}
          data={[
            ...(company === null || isRecurrence(company.recurrence)
              ? []
              : [{ value: company.recurrence, label: t("companies.noRecurrence") }]),
            ...recurrences.map((one) => ({ value: one, label: t(`companies.recurrences.${one}`) })),
          ]}
        />
      </div>
      {over.length === 0 ? null : (
        <div className={classes["over"]} role="status">
          {over.map((words) => (
            <p key={words}>{words}</p>
          ))}
        </div>
      )}
      {price === null ? null : (
        <p className="bc-meta" role="status">
          {t("companies.newPrice", { value: formatMoney(price) })}
        </p>
      )}
    </>
  );
}

/** What the open invoice will cost with the plan and the recurrence of the form; null when it stays as it is. */
function useNewPrice({ form, company }: PlanFieldProps): number | null {
  const plan = useChosenPlan({ form, company });
  const [recurrence, dueDate] = useWatch({
    control: form.control,
    name: ["recurrence", "dueDate"],
  });
  if (!company?.invoice || plan === undefined || dueDate === "") return null;
  const { value } = company.invoice;
  const isSamePlan = plan.id === company.planId;
  if (isSamePlan && recurrence === company.recurrence) return null;
  // The company has chosen another plan at its checkout, which stays until it gets one here.
  if (isSamePlan && value !== priceOf(company.plan.value, company.recurrence)) return null;
  const price = priceOf(plan.value, recurrence);
  return price === 0 || price === value ? null : price;
}

function OpenInvoice({ company }: { company: ManagedCompany }): ReactNode {
  const { t } = useTranslation();
  const { invoice, timeZone } = company;
  if (invoice === null) return null;
  const { id, value, dueDate } = invoice;
  const [day, today] = [dayOf(dueDate, timeZone), dayOf(nowIso(), timeZone)];
  const words = day < today ? "companies.invoiceWasDueOn" : "companies.invoiceDueOn";
  const due = day === today ? t("companies.dueToday") : t(words, { day: dayWords(day) });
  return (
    <p className={classes["invoice"]}>
      <Pill tone={day < today ? "bad" : "info"}>{t("companies.isOpen")}</Pill>{" "}
      {t("companies.openInvoice", { id, value: formatMoney(value), due })}
    </p>
  );
}

type Limits = Pick<ManagedCompany["plan"], "users" | "connections" | "queues">;

const useOf = (company: ManagedCompany): Limits => ({
  users: company.users,
  connections: company.connections.length,
  queues: company.queues,
});

const parts = ["users", "connections", "queues"] as const;

/** A sentence for each limit of the plan that the company is over: nothing is deleted. */
function overLimit(t: TFunction, company: ManagedCompany, plan: Limits): string[] {
  const used = useOf(company);
  return parts
    .filter((part) => used[part] > plan[part])
    .map((part) =>
      t(`companies.over.${part}`, { count: used[part], limit: formatNumber(plan[part]) }),
    );
}

/** The last day on which a company may work. The button adds what one payment is for. */
function DueDateField({ form, company }: PlanFieldProps): ReactNode {
  const { t } = useTranslation();
  const { control, register, setValue } = form;
  const helpId = useId();
  const { user } = useSession();
  const timeZone = company?.timeZone ?? user.company.timeZone;
  const [day, recurrence] = useWatch({ control, name: ["dueDate", "recurrence"] });
  const before = valuesOf(company).dueDate;
  const count = isRecurrence(recurrence) ? recurrenceMonths[recurrence] : 1;
  const set = (next: string): void =>
    setValue("dueDate", next, { shouldDirty: true, shouldValidate: true });
  const was =
    before === "" ? t("companies.wasNone") : t("companies.was", { day: dayWords(before) });
  return (
    <div className={classes["dueDate"]}>
      <TextInput
        {...register("dueDate")}
        type="date"
        label={t("companies.dueDate")}
        max="9999-12-31"
        aria-describedby={helpId}
      />
      <Button
        variant="default"
        leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => set(addMonths(day === "" ? dayOf(nowIso(), timeZone) : day, count))}
      >
        {t("companies.dueDate")}
      </Button>
      <div className={classes["dueHelp"]}>
        <p id={helpId} role="status">
          {company !== null && day !== before ? was : null} {t("companies.eachPress", { count })}{" "}
          {day === "" ? t("companies.emptyDueDate") : null}
        </p>
        {day === before ? null : (
          <button type="button" className={classes["undo"]} onClick={() => set(before)}>
            {t("companies.undo")}
          </button>
        )}
      </div>
    </div>
  );
}

function CampaignsField({ form, company }: PlanFieldProps): ReactNode {
  const { t } = useTranslation();
  const plan = useChosenPlan({ form, company });
  const help = plan?.useCampaigns ? "companies.planHasCampaigns" : "companies.planHasNoCampaigns";
  return (
    <SwitchField
      control={form.control}
      name="campaignsEnabled"
      label={t("companies.campaigns")}
      {...(plan === undefined ? {} : { description: t(help, { plan: plan.name }) })}
    />
  );
}

function AdminPassword({ form }: FieldProps): ReactNode {
  const { t } = useTranslation();
  const { password: fault } = form.formState.errors;
  return (
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

function Use({ company }: { company: ManagedCompany }): ReactNode {
  const { t } = useTranslation();
  const used = useOf(company);
  return (
    <dl className={classes["use"]}>
      {parts.map((part) => (
        <div key={part}>
          <dt>{t(`companies.${part}`)}</dt>
          <dd>
            <span>
              <strong>{formatNumber(used[part])}</strong>{" "}
              {t("companies.ofLimit", { limit: formatNumber(company.plan[part]) })}
            </span>
            <Meter used={used[part]} of={company.plan[part]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How much of a limit is used. The numbers stand beside it. */
export function Meter({ used, of }: { used: number; of: number }): ReactNode {
  const percent = of === 0 ? 100 : Math.min(100, (100 * used) / of);
  return (
    <span className={classes["meter"]} data-full={used >= of || undefined} aria-hidden="true">
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}

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
  const { name, users, connections } = company;
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
        <li>{t("companies.deletedRest")}</li>
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
