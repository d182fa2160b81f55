import type { Plan } from "@balcao/contract";
import { planFlags } from "@balcao/contract/permissions";
import { IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useId, useRef } from "react";
import { formatDate, formatMoney } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { EmptyState } from "../../ui/index.ts";
import classes from "./sign-up-page.module.css";

/** More plans scroll in their card. */
const PLANS_SHOWN = 5;

type PlanRowsProps = {
  labelId: string;
  plans: readonly Plan[];
  chosen: Plan | undefined;
  onChoose: (plan: Plan) => void;
};

/** The offered plans, one of which is chosen. */
export function PlanRows({ labelId, plans, chosen, onChoose }: PlanRowsProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The plan of the address may be further down in a long list.
    const row = list.current?.querySelector("input:checked")?.closest("label");
    if (row && list.current) list.current.scrollTop = row.offsetTop - list.current.offsetTop;
  }, []);
  if (plans.length === 0) return <EmptyState icon={IconUsers} title={t("auth.signUp.noPlan")} />;
  return (
    <>
      <div
        ref={list}
        role="radiogroup"
        aria-labelledby={labelId}
        className={classes["plans"]}
        data-scrolls={plans.length > PLANS_SHOWN || undefined}
      >
        {plans.map((plan, at) => {
          const rowId = `${id}${plan.id}`;
          return (
            <label key={plan.id} className={classes["plan"]}>
              <input
                type="radio"
                name={id}
                checked={plan.id === chosen?.id}
                onChange={() => onChoose(plan)}
                aria-labelledby={`${rowId}-name ${rowId}-price`}
                aria-describedby={`${rowId}-more`}
              />
              <span className={classes["planName"]} id={`${rowId}-name`}>
                {plan.name}
              </span>
              <span className={classes["price"]} id={`${rowId}-price`}>
                <strong>{formatMoney(plan.value)}</strong> {t("auth.signUp.perMonth")}
              </span>
              <span className={classes["more"]} id={`${rowId}-more`}>
                <strong>
                  {(["users", "connections", "queues"] as const)
                    .map((limit) => t(`auth.signUp.${limit}`, { count: plan[limit] }))
                    .join(" · ")}
                </strong>
                <span>{featureWords(t, plan, plans[at - 1])}</span>
              </span>
            </label>
          );
        })}
      </div>
      <p className="bc-meta">{t("auth.signUp.changePlan")}</p>
    </>
  );
}

/** What a plan has: where it has all of the one before, what it adds to that. */
function featureWords(t: TFunction, plan: Plan, before: Plan | undefined): string {
  const listOf = (words: string[]): string =>
    new Intl.ListFormat(localeTags[currentLanguage()]).format(words);
  const added = planFlags.filter((flag) => plan[flag] && !before?.[flag]);
  const features = added.map((flag) => t(`auth.signUp.features.${flag}`));
  if (before === undefined || planFlags.some((flag) => before[flag] && !plan[flag])) {
    const all = planFlags.filter((flag) => plan[flag]);
    const words = all.map((flag) => t(`auth.signUp.features.${flag}`));
    const text = listOf([t("auth.signUp.quickReplies"), t("auth.signUp.tags"), ...words]);
    return text.charAt(0).toUpperCase() + text.slice(1);
  }
  return added.length === 0
    ? t("auth.signUp.everything", { plan: before.name })
    : t("auth.signUp.everythingAnd", { plan: before.name, features: listOf(features) });
}

/** The price today, and from the end of the trial on. */
export function Cost({ plan, from }: { plan: Plan; from: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <p>
        <span>{t("auth.signUp.today")}</span> <strong>{formatMoney(0)}</strong>
      </p>
      {plan.value === 0 ? null : (
        <>
          <span aria-hidden="true">→</span>
          <p>
            <span>{t("auth.signUp.from", { date: formatDate(from) })}</span>{" "}
            <strong>
              {formatMoney(plan.value)}{" "}
              <span className="bc-wide-only">{t("auth.signUp.paidMonthly")}</span>
            </strong>
          </p>
        </>
      )}
    </>
  );
}
