import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./sign-switch.module.css";

type Props = { isOn: boolean; disabled: boolean; onChange: (isOn: boolean) => void };

/** Whether the messages carry the agent's name. */
export function SignSwitch({ isOn, disabled, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <label className={classes["sign"]} title={t("composer.signHelp")}>
      {t("composer.sign")}
      <input
        type="checkbox"
        role="switch"
        className={classes["switch"]}
        checked={isOn}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
