import type { ListedPlan } from "@balcao/contract";
import { reaisOf } from "@balcao/contract/company-choices";
import { limits } from "@balcao/contract/limits";
import type { PlanFlag } from "@balcao/contract/permissions";
import { planFlags } from "@balcao/contract/permissions";
import { TextInput } from "@mantine/core";
import { IconPencil, IconPlus, IconReceipt2, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { DraftOf } from "../../ui/drafts.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { IconButton, notifyInfo, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { PageSearch } from "../../ui/page/page.tsx";
import { ActionQuestion, useListAddress, useOpenRow } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable, RowName } from "../../ui/page/record-table.tsx";
import type { PlanBody } from "./api.ts";
import { deletePlan, planPages, savePlan } from "./api.ts";
import classes from "./plans-panel.module.css";

const place = { tab: "plans" };

/** The plans with their limits and features: a tab of the settings for super users. */
export function PlansPanel(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress(place);
  const { words, open, openForm, closeForm } = address;
  const pages = planPages.usePages(words, { staleTime: 0 });
  const opened = useOpenRow(address, pages, () => true);
  const [removed, setRemoved] = useState<ListedPlan | null>(null);
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const add = (
    <Button
      leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => openForm("new")}
    >
      {t("plans.new")}
    </Button>
  );

  function askRemoval(plan: ListedPlan): void {
    const { name, companies: count } = plan;
    if (count === 0) setRemoved(plan);
    else notifyInfo(t("plans.inUse", { count, name }));
  }

  return (
    <div className={classes["panel"]}>
      <div className={classes["tools"]}>
        <PageSearch
          key={`${address.fieldKey} ${clearings}`}
          label={t("plans.search")}
          start={words}
          onSearch={(next) => address.change({ words: next })}
        />
        {add}
      </div>
      <RecordTable
        label={t("plans.title")}
        pages={pages}
        columns={columnsOf(t)}
        sort={null}
        onSort={() => undefined}
        identify={({ id }) => id}
        renderActions={(plan) => (
          <>
            <IconButton
              label={t("common.edit", { name: plan.name })}
              icon={IconPencil}
              onClick={() => openForm(plan.id)}
            />
            <IconButton
              label={t("common.delete", { name: plan.name })}
              icon={IconTrash}
              onClick={() => askRemoval(plan)}
            />
          </>
        )}
        empty={
          words === ""
            ? {
                icon: IconReceipt2,
                drawing: "sheet",
                title: t("common.noRecord"),
                text: t("plans.emptyText"),
                action: add,
              }
            : {
                icon: IconReceipt2,
                drawing: "search",
                title: t("common.noMatch", { words }),
                action: (
                  <Button
                    variant="default"
                    onClick={() => {
                      address.change({ words: "" });
                      setClearings(clearings + 1);
                    }}
                  >
                    {t("common.clearSearch")}
                  </Button>
                ),
              }
        }
      />
      {open === "new" || opened !== null ? (
        <DraftOf value={`plans ${open}`}>
          <PlanDialog plan={opened} onClose={closeForm} />
        </DraftOf>
      ) : null}
      <Suspense fallback={null}>
        {removed === null ? null : (
          <ActionQuestion
            isDestructive
            title={t("plans.deleteTitle", { name: removed.name })}
            text={t("plans.deleteText")}
            confirm={t("common.deleteConfirm")}
            run={() => deletePlan(removed.id)}
            onDone={() => notifySuccess(t("plans.deleted"))}
            onClose={() => setRemoved(null)}
          />
        )}
      </Suspense>
    </div>
  );
}

function columnsOf(t: TFunction): readonly Column<ListedPlan>[] {
  const limit = (id: "users" | "connections" | "queues"): Column<ListedPlan> => ({
    id,
    title: t(`plans.${id}`),
    fit: "content",
    renderCell: (plan) => <span className="bc-wide-only">{formatNumber(plan[id])}</span>,
  });
  return [
    {
      id: "name",
      title: t("plans.name"),
      isName: true,
      renderCell: ({ name, useInternal }) => (
        <RowName
          name={name}
          after={useInternal ? <Pill tone="info">{t("plans.offered")}</Pill> : null}
        />
      ),
    },
    limit("users"),
    limit("connections"),
    limit("queues"),
    {
      id: "value",
      title: t("plans.value"),
      fit: "content",
      renderCell: (plan) => (
        <>
          {formatMoney(plan.value)}
          {counts.map((id) => (
            <span key={id} className="bc-narrow-only">
              , {t(`plans.${id}`)}: {formatNumber(plan[id])}
            </span>
          ))}
        </>
      ),
    },
    {
      id: "features",
      title: t("plans.includes"),
      renderCell: (plan) => (
        <>
          <span className="bc-narrow-only">{t("plans.includes")}: </span>
          {featureWords(t, plan)}
        </>
      ),
    },
    {
      id: "companies",
      title: t("plans.companies"),
      fit: "content",
      renderCell: ({ companies: count }) => (
        <>
          <span className="bc-wide-only">{formatNumber(count)}</span>
          <span className="bc-narrow-only">{t("plans.companyCount", { count })}</span>
        </>
      ),
    },
  ];
}

function featureWords(t: TFunction, plan: Record<PlanFlag, boolean>): string {
  const included = planFlags.filter((flag) => plan[flag]);
  if (included.length === planFlags.length) return t("plans.all");
  if (included.length === 0) return t("plans.none");
  return included.map((flag) => t(`plans.short.${flag}`)).join(", ");
}

/** The values of the form: numbers as they are typed. */
type PlanValues = Record<PlanFlag | "useInternal", boolean> &
  Record<"name" | "users" | "connections" | "queues" | "value", string>;

const counts = ["users", "connections", "queues"] as const;
const COUNT_DIGITS = 6;
const MONEY_LENGTH = 13;

function valuesOf(plan: ListedPlan | null): PlanValues {
  const countOf = (name: (typeof counts)[number]): string => (plan ? String(plan[name]) : "");
  return {
    name: plan?.name ?? "",
    users: countOf("users"),
    connections: countOf("connections"),
    queues: countOf("queues"),
    value: plan ? plan.value.toFixed(2).replace(".", ",") : "",
    useCampaigns: plan?.useCampaigns ?? true,
    useKanban: plan?.useKanban ?? true,
    useOpenAi: plan?.useOpenAi ?? true,
    useIntegrations: plan?.useIntegrations ?? true,
    useSchedules: plan?.useSchedules ?? true,
    useInternalChat: plan?.useInternalChat ?? true,
    useExternalApi: plan?.useExternalApi ?? true,
    useInternal: plan?.useInternal ?? true,
  };
}

function bodyOf({ name, users, connections, queues, value, ...flags }: PlanValues): PlanBody {
  return {
    ...flags,
    name: name.trim(),
    users: Number(users),
    connections: Number(connections),
    queues: Number(queues),
    value: reaisOf(value) ?? 0,
  };
}

type DialogProps = {
  /** Null: a new one. */
  plan: ListedPlan | null;
  onClose: () => void;
};

function PlanDialog({ plan, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const { register, control, errors, dialog } = useRecordForm({
    id: plan?.id ?? null,
    values: valuesOf(plan),
    save: (id, values) => savePlan(id, bodyOf(values)),
    savedText: t("plans.saved"),
    fieldErrors: { ERR_PLAN_INVALID_NAME: "name", ERR_PLAN_NAME_ALREADY_EXISTS: "name" },
    onClose,
  });
  const isCount = (typed: string): boolean =>
    /^\d+$/.test(typed.trim()) && Number(typed) <= limits.planCountMax;
  const isMoney = (typed: string): boolean => {
    const reais = reaisOf(typed);
    return reais !== null && reais <= limits.planValueMax;
  };
  return (
    <FormDialog
      {...dialog}
      size={640}
      title={plan === null ? t("plans.new") : t("plans.editTitle", { name: plan.name })}
    >
      <NameField
        {...register(
          "name",
          nameRule(t("users.required"), t("errors.ERR_PLAN_INVALID_NAME"), limits.nameMin),
        )}
        label={t("plans.name")}
        error={errors.name?.message}
      />
      <div className={classes["numbers"]}>
        {counts.map((name) => (
          <TextInput
            key={name}
            {...register(name, {
              validate: (typed) =>
                isCount(typed) || t("plans.countWrong", { max: formatNumber(limits.planCountMax) }),
            })}
            label={t(`plans.${name}`)}
            error={errors[name]?.message}
            inputMode="numeric"
            maxLength={COUNT_DIGITS}
            autoComplete="off"
          />
        ))}
        <TextInput
          {...register("value", { validate: (typed) => isMoney(typed) || t("plans.valueWrong") })}
          label={t("plans.monthly")}
          error={errors.value?.message}
          leftSection="R$"
          inputMode="decimal"
          placeholder="0,00"
          maxLength={MONEY_LENGTH}
          autoComplete="off"
        />
      </div>
      <FieldGroup legend={t("plans.includes")}>
        <div className={classes["switches"]}>
          {planFlags.map((flag) => (
            <SwitchField
              key={flag}
              control={control}
              name={flag}
              label={t(`plans.features.${flag}`)}
            />
          ))}
        </div>
      </FieldGroup>
      <FieldGroup legend={t("plans.signUp")}>
        <SwitchField
          control={control}
          name="useInternal"
          label={t("plans.offer")}
          description={t("plans.offerHelp")}
        />
      </FieldGroup>
    </FormDialog>
  );
}
