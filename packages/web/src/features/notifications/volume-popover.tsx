import { Popover } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { useId } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { playAlert } from "./notifier.tsx";
import classes from "./volume-popover.module.css";
import { chooseVolume, useVolume, VOLUME_STEP } from "./volume.ts";

/** The volume of alerts, stored on this device; `target` opens it. Releasing the slider plays the sound. */
export function VolumePopover({ target }: { target: ReactElement }): ReactNode {
  const { t } = useTranslation();
  const volume = useVolume();
  const id = useId();
  const percent = `${Math.round(volume * 100)}%`;
  return (
    <Popover position="bottom-end" width={230} trapFocus returnFocus>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown aria-label={t("notifications.volume")}>
        <label className={classes["label"]} htmlFor={id}>
          {t("notifications.volumeLabel")}
          <span className={classes["value"]}>{percent}</span>
        </label>
        <input
          id={id}
          type="range"
          className={classes["slider"]}
          min={0}
          max={1}
          step={VOLUME_STEP}
          value={volume}
          aria-valuetext={percent}
          onChange={(event) => chooseVolume(Number(event.currentTarget.value))}
          onPointerUp={() => void playAlert(volume).catch(reportError)}
          onKeyUp={(event) => {
            if (event.key.startsWith("Arrow")) void playAlert(volume).catch(reportError);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
