import type { Media } from "@balcao/contract";
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { useMemo } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./audio-player.module.css";
import { nextSpeed, pause, play, seek, usePlayback, useSpeed } from "./audio-playback.ts";
import { formatDuration } from "./media-labels.ts";
import { MediaWait } from "./media-wait.tsx";
import { barsOf } from "./waveform.ts";

/** An audio or a voice message: play, its levels, where it stands, how fast. */
export function AudioPlayer({ messageId, media }: { messageId: string; media: Media }): ReactNode {
  const { t } = useTranslation();
  const playback = usePlayback(messageId);
  const { isPlaying, positionMs, hasFailed } = playback;
  const bars = useMemo(() => barsOf(media.waveform), [media.waveform]);
  const { url } = media;
  if (media.state !== "ready" || url === null) {
    return (
      <div className={classes["waiting"]}>
        <MediaWait media={media} />
      </div>
    );
  }
  const durationMs = media.durationMs ?? playback.durationMs ?? 0;
  const isBegun = playback.messageId !== null;
  const style: CSSProperties & Record<"--played", string> = {
    "--played": `${durationMs === 0 ? 0 : Math.min(100, (positionMs / durationMs) * 100)}%`,
  };
  const ToggleIcon = isPlaying ? IconPlayerPauseFilled : IconPlayerPlayFilled;

  return (
    <div className={classes["player"]}>
      <button
        type="button"
        className={classes["toggle"]}
        aria-label={t(isPlaying ? "messages.pause" : "messages.play")}
        onClick={() => (isPlaying ? pause() : play(messageId, url))}
      >
        <ToggleIcon size={18} aria-hidden="true" />
      </button>
      <div className={classes["track"]} style={style}>
        <Bars bars={bars} />
        <Bars bars={bars} isPlayed />
        <input
          type="range"
          className={classes["seek"]}
          aria-label={t("messages.position")}
          aria-valuetext={formatDuration(positionMs)}
          min={0}
          max={Math.max(1, Math.round(durationMs))}
          step={1_000}
          value={Math.round(positionMs)}
          onChange={(event) => {
            const toMs = Number(event.currentTarget.value);
            if (isBegun) seek(toMs);
            else play(messageId, url, toMs);
          }}
        />
      </div>
      <span className={classes["time"]}>
        {formatDuration(isBegun && positionMs > 0 ? positionMs : durationMs)}
      </span>
      {isBegun ? <SpeedButton /> : null}
      {hasFailed ? (
        <span className={classes["failed"]} role="alert">
          {t("messages.mediaFailed")}
        </span>
      ) : null}
    </div>
  );
}

function Bars({ bars, isPlayed }: { bars: readonly number[]; isPlayed?: boolean }): ReactNode {
  const path = bars
    .map((height, index) => `M${index * 6 + 2} ${50 - height / 2}v${height}`)
    .join("");
  return (
    <svg
      className={classes["bars"]}
      data-played={isPlayed}
      viewBox={`0 0 ${bars.length * 6 - 2} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

function SpeedButton(): ReactNode {
  const { t } = useTranslation();
  const speed = useSpeed();
  const label = t("messages.speedValue", { value: formatNumber(speed) });
  return (
    <button
      type="button"
      className={classes["speed"]}
      aria-label={`${t("messages.speed")}, ${label}`}
      onClick={nextSpeed}
    >
      {label}
    </button>
  );
}
