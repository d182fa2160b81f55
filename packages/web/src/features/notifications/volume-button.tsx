import { Popover } from "@mantine/core";
import { IconVolume, IconVolumeOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { playAlert } from "./sound.ts";
import classes from "./volume-button.module.css";
import { chooseVolume, useVolume, VOLUME_STEP } from "./volume.ts";

/** How loud alerts are, kept on this device. Letting go of the slider plays the sound. */
export function VolumeButton(): ReactNode {
  const { t } = useTranslation();
  const volume = useVolume();
  const id = useId();
  const percent = `${Math.round(volume * 100)}%`;
  return (
    <Popover position="bottom-end" width={230} trapFocus returnFocus>
      <Popover.Target>
        <IconButton
          label={t("notifications.volume")}
          icon={volume === 0 ? IconVolumeOff : IconVolume}
        />
      </Popover.Target>
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
