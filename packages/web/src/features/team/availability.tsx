import { Menu, NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useSession } from "../auth/index.ts";
import { bodyOf, useAvailabilityChange, usePauseReasons, valueOf } from "./api.ts";
import { AvailabilityDot } from "./availability-dot.tsx";
import classes from "./team.module.css";

/** The reasons for a pause, with the present one if the company offers it no longer. */
function useReasons(): string[] {
  const { user } = useSession();
  const reasons = usePauseReasons();
  const { pauseReason } = user;
  const isKnown = pauseReason === null || reasons.includes(pauseReason);
  return isKnown ? reasons : [pauseReason, ...reasons];
}

/** The choice of the own availability, inside a menu. */
export function AvailabilityItems(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const change = useAvailabilityChange();
  const reasons = useReasons();
  return (
    <Menu.RadioGroup value={valueOf(user)} onChange={(value) => change.mutate(bodyOf(value))}>
      <Menu.Label>{t("team.availability")}</Menu.Label>
      {(["available", "away"] as const).map((state) => (
        <Menu.RadioItem key={state} value={state} closeMenuOnClick>
          <span className={classes["choice"]}>
            <AvailabilityDot state={state} />
            {t(`shell.availability.${state}`)}
          </span>
        </Menu.RadioItem>
      ))}
      <Menu.Label className={classes["pause"] ?? ""}>
        <AvailabilityDot state="paused" />
        {t("shell.availability.paused")}
      </Menu.Label>
      {reasons.map((reason) => (
        <Menu.RadioItem key={reason} value={`paused ${reason}`} closeMenuOnClick>
          {reason}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

/** The same as a field, in the menu of narrow screens. */
export function AvailabilitySelect(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const change = useAvailabilityChange();
  const reasons = useReasons();
  return (
    <NativeSelect
      label={t("team.availability")}
      value={valueOf(user)}
      onChange={(event) => change.mutate(bodyOf(event.currentTarget.value))}
      data={[
        { value: "available", label: t("shell.availability.available") },
        { value: "away", label: t("shell.availability.away") },
        {
          group: t("shell.availability.paused"),
          items: reasons.map((reason) => ({ value: `paused ${reason}`, label: reason })),
        },
      ]}
    />
  );
}
