import { auditDays } from "@balcao/contract/audit-choices";
import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { Suspense, useId } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, ListSkeleton } from "../../ui/index.ts";
import { AuditPanel } from "../audit/index.ts";
import { useSetting } from "./api.ts";
import { useSettingChange } from "./changes.ts";
import { optionGroups } from "./options-panel.tsx";
import classes from "./settings-page.module.css";

const DAYS_OF_YEAR = 365;
/** The demands on a sign-in, which have a panel of their own (`account-security/company-panel.tsx`). */
const demandKeys = ["secondFactor", "severalSessions", "newDeviceMail"] as const;

/** Shows who did what in the company, and how long that is kept. */
export function AuditTab({ onSaved }: { onSaved: () => void }): ReactNode {
  const { t } = useTranslation();
  const kept = useSetting("auditDays");
  const { mutate, error } = useSettingChange("auditDays");
  const id = useId();
  const options = optionGroups.flatMap((group) => group.options);
  const settingLabel = (key: string): string => {
    const option = options.find((one) => one.key === key);
    const demand = demandKeys.find((one) => one === key);
    if (demand !== undefined) return t(`security.demands.${demand}.label`);
    if (key === "auditDays") return t("audit.kept");
    return option === undefined ? key : t(`settings.${option.key}.label`);
  };
  const daysText = (days: string): string => {
    const count = Number(days) / DAYS_OF_YEAR;
    if (count === 1) return t("audit.year");
    return count > 1 ? t("audit.years", { count }) : t("audit.days", { count: Number(days) });
  };
  return (
    <div className={classes["panel"]}>
      <p className={classes["about"]}>{t("audit.about")}</p>
      <div className={classes["option"]}>
        <div>
          <label htmlFor={id} className={classes["label"]}>
            {t("audit.kept")}
          </label>
          <p className={classes["help"]}>{t("audit.keptHelp")}</p>
          {error === null ? null : (
            <p role="alert" className={classes["failure"]}>
              {errorText(t, error)}
            </p>
          )}
        </div>
        <NativeSelect
          id={id}
          className={classes["select"] ?? ""}
          value={kept}
          onChange={(event) => mutate(event.currentTarget.value, { onSuccess: onSaved })}
          data={auditDays.map((days) => ({ value: days, label: daysText(days) }))}
        />
      </div>
      <Suspense fallback={<ListSkeleton rows={6} />}>
        <AuditPanel settingLabel={settingLabel} />
      </Suspense>
    </div>
  );
}
