import type { ManagedCompany } from "@balcao/contract";
import { recurrenceMonths, recurrences } from "@balcao/contract/company-choices";
import { NativeSelect, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { nowIso } from "../../ui/clock.ts";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { Pill } from "../../ui/marks.tsx";
import { useSession } from "../auth/index.ts";
import { usePlans } from "../plans/index.ts";
import type { CompanyValues } from "./api.ts";
import {
  addMonths,
  dayOf,
  dayWords,
  invoicesAddress,
  isRecurrence,
  priceOf,
  valuesOf,
} from "./api.ts";
import classes from "./companies.module.css";
import type { Limits } from "./usage-section.tsx";
import { limitedParts, limitsUsed } from "./usage-section.tsx";

type PlanFieldProps = {
  form: UseFormReturn<CompanyValues>;
  /** Null: a new one. */
  company: ManagedCompany | null;
};

/** Plan, recurrence and due date of a company, its campaigns and its open invoice. */
export function PlanSection({
  isFirst,
  ...props
}: PlanFieldProps & {
  /** The form opens at the plan. */
  isFirst: boolean;
}): ReactNode {
  const { t } = useTranslation();
  return (
    <FieldGroup legend={t("companies.planAndDueDate")}>
      <PlanFields {...props} isFirst={isFirst} />
      <DueDateField {...props} />
      <CampaignsField {...props} />
      {props.company === null ? null : <OpenInvoice company={props.company} />}
    </FieldGroup>
  );
}

/** The plan that the form has chosen; undefined while nothing is. */
function useChosenPlan({ form, company }: PlanFieldProps) {
  const plans = usePlans();
  const chosen = useWatch({ control: form.control, name: "planId" });
  const known = plans?.find(({ id }) => String(id) === chosen);
  return known ?? (company?.planId === Number(chosen) ? company.plan : undefined);
}

function PlanFields({ form, company, isFirst }: PlanFieldProps & { isFirst: boolean }): ReactNode {
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
              data-autofocus={isFirst || undefined}
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
      {t("companies.openInvoice", { id, value: formatMoney(value), due })}{" "}
      <Link className={classes["invoices"]} to={invoicesAddress(company)}>
        {t("companies.invoices")}
      </Link>
    </p>
  );
}

/** A sentence for each limit of the plan that the company is over: nothing is deleted. */
function overLimit(t: TFunction, company: ManagedCompany, plan: Limits): string[] {
  const used = limitsUsed(company);
  return limitedParts
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
