import type { Media } from "@balcao/contract";
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { useCallback, useMemo, useState } from "react";
import { formatNumber } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { createStore, useStore } from "../../../store/index.ts";
import classes from "./audio-player.module.css";
import { conversationEnds } from "../list/conversation.ts";
import { barsOf, formatDuration } from "./message-content.ts";
import { MediaWait } from "./media-picture.tsx";

type Props = { messageId: string; media: Media; transcript?: string | null };

/** An audio or voice message, and what it says where that was written down. */
export function AudioPlayer({ transcript = null, ...sound }: Props): ReactNode {
  return (
    <>
      <Player {...sound} />
      {transcript === null ? null : <Transcript text={transcript} />}
    </>
  );
}

/** Four lines, and the rest on demand. */
function Transcript({ text }: { text: string }): ReactNode {
  const { t } = useTranslation();
  const [isWhole, setIsWhole] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const measure = useCallback((shown: HTMLElement | null) => {
    if (shown) setIsCut(shown.scrollHeight > shown.clientHeight + 1);
  }, []);
  return (
    <div className={classes["transcript"]} role="note" aria-label={t("messages.transcript")}>
      <p key={text} ref={measure} className={classes["words"]} data-whole={isWhole || undefined}>
        {text === "" ? <i>{t("messages.noSpeech")}</i> : text}
      </p>
      {isCut ? (
        <button type="button" className="bc-text-button" onClick={() => setIsWhole(!isWhole)}>
          {t(isWhole ? "messages.showLess" : "messages.showWhole")}
        </button>
      ) : null}
    </div>
  );
}

/** Play button, levels, position and speed. */
function Player({ messageId, media }: Omit<Props, "transcript">): ReactNode {
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

/** The audio that plays. The page has one player, so only one audio plays at a time. */
type Playback = Readonly<{
  messageId: string | null;
  isPlaying: boolean;
  positionMs: number;
  /** Known once the file has begun to load. */
  durationMs: number | null;
  /** The file could not be played. */
  hasFailed: boolean;
}>;

const speeds = [1, 1.5, 2] as const;
type Speed = (typeof speeds)[number];

const SPEED_KEY = "balcao.audio-speed";
const silence: Playback = {
  messageId: null,
  isPlaying: false,
  positionMs: 0,
  durationMs: null,
  hasFailed: false,
};

const playback = createStore(silence);
const chosenSpeed = createStore<Speed | null>(null);
let element: HTMLAudioElement | null = null;

/** The playback state of a message's audio; the fields of `silence` while another one plays. */
function usePlayback(messageId: string): Playback {
  return useStore(playback, (now) => (now.messageId === messageId ? now : silence));
}

/** The playback speed, kept on this device. */
function useSpeed(): Speed {
  return useStore(chosenSpeed, currentSpeed);
}

/** Plays or resumes the audio; another one stops. */
function play(messageId: string, url: string, fromMs?: number): void {
  const audio = player();
  const { messageId: before, hasFailed } = playback.get();
  if (before !== messageId) {
    audio.src = url;
    change({ ...silence, messageId, isPlaying: true, positionMs: fromMs ?? 0 });
  } else if (hasFailed) {
    audio.src = url;
    change({ hasFailed: false, isPlaying: true });
  }
  if (fromMs !== undefined) audio.currentTime = fromMs / 1_000;
  audio.playbackRate = currentSpeed();
  audio.play().catch((error: unknown) => {
    // Being replaced or paused before the start is no error.
    if (error instanceof DOMException && error.name === "AbortError") return;
    if (playback.get().messageId === messageId) change({ isPlaying: false, hasFailed: true });
  });
}

export function pause(): void {
  element?.pause();
}

/** Seeks in the current audio. */
function seek(positionMs: number): void {
  if (element) element.currentTime = positionMs / 1_000;
  change({ positionMs });
}

conversationEnds.add(stopPlayback);

/** Stops the audio when its conversation closes. */
export function stopPlayback(): void {
  if (playback.get().messageId === null) return;
  element?.pause();
  element?.removeAttribute("src");
  change(silence);
}

/** Switches to the next speed, for this and later audios. */
function nextSpeed(): void {
  const next = speeds[(speeds.indexOf(currentSpeed()) + 1) % speeds.length] ?? 1;
  chosenSpeed.set(next);
  localStorage.setItem(SPEED_KEY, String(next));
  if (element) element.playbackRate = next;
}

function currentSpeed(): Speed {
  const kept = Number(localStorage.getItem(SPEED_KEY));
  return chosenSpeed.get() ?? speeds.find((one) => one === kept) ?? 1;
}

function player(): HTMLAudioElement {
  if (element) return element;
  const audio = new Audio();
  audio.preload = "metadata";
  audio.addEventListener("play", () => change({ isPlaying: true }));
  audio.addEventListener("pause", () => change({ isPlaying: false }));
  audio.addEventListener("ended", () => change({ isPlaying: false, positionMs: 0 }));
  audio.addEventListener("timeupdate", () => change({ positionMs: audio.currentTime * 1_000 }));
  audio.addEventListener("durationchange", () => {
    const { duration } = audio;
    change({ durationMs: Number.isFinite(duration) ? duration * 1_000 : null });
  });
  audio.addEventListener("error", () => {
    // Removing the source is reported as an error too.
    if (playback.get().messageId !== null) change({ isPlaying: false, hasFailed: true });
  });
  element = audio;
  return audio;
}

function change(next: Partial<Playback>): void {
  playback.set({ ...playback.get(), ...next });
}
