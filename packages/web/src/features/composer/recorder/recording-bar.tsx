import type { Media } from "@balcao/contract";
import { IconMicrophoneOff, IconPlayerStop, IconSend2, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { useStore } from "../../../store/index.ts";
import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { AudioPlayer, formatDuration, stopPlayback } from "../../messages/index.ts";
import { held } from "./held.ts";
import type { MicrophoneFailure, Recording } from "./recorder.ts";
import { MicrophoneError, startRecording } from "./recorder.ts";
import classes from "./recording-bar.module.css";

type Props = {
  /** The recorded file; null if it was too short. */
  onDone: (file: File | null) => void;
  onCancel: () => void;
};

type State =
  | { kind: "starting" | "recording" | "full" | "lost" | "finishing" }
  /** It has ended, and can be listened to before it is sent. */
  | { kind: "ready"; file: File; url: string }
  | { kind: "failed"; why: MicrophoneFailure };

/** The length so far, the last levels from 0 to 1, and all of them from 0 to 100. */
type Sound = { durationMs: number; levels: readonly number[]; all: number[] };

const HoldHint = lazyPart(async () => (await import("./hold.tsx")).HoldHint, "inline", "rare");

const BARS = 28;
const silence: readonly number[] = Array.from({ length: BARS }, () => 0);

/** Records while mounted: red dot, time, level, cancel and send. Releases the microphone at unmount. */
export function RecordingBar({ onDone, onCancel }: Props): ReactNode {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ kind: "starting" });
  const [sound, setSound] = useState<Sound>({ durationMs: 0, levels: silence, all: [] });
  const recordingRef = useRef<Recording | null>(null);
  const sendRef = useRef<HTMLButtonElement>(null);
  const cancelRef = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    const mounted = new AbortController();
    const listeners = {
      onSound: (durationMs: number, level: number) =>
        setSound(({ levels, all }) => ({
          durationMs,
          levels: [...levels.slice(1), level],
          all: [...all, Math.round(level * 100)],
        })),
      onEnded: (kind: "full" | "lost") => setState({ kind }),
    };
    startRecording(listeners, mounted.signal)
      .then((recording) => {
        if (mounted.signal.aborted) {
          recording.cancel();
          return;
        }
        recordingRef.current = recording;
        setState({ kind: "recording" });
      })
      .catch((error: unknown) => {
        if (mounted.signal.aborted) return;
        const why = error instanceof MicrophoneError ? error.reason : "failed";
        setState({ kind: "failed", why });
        if (why === "failed") reportError(error);
      });
    return () => {
      mounted.abort();
      recordingRef.current?.cancel();
    };
  }, []);

  const hold = useStore(held);
  const isHeld = hold?.phase === "held";
  useEffect(() => () => held.set(null), []);

  // The start button is gone, so the recording takes the focus; a finger that holds needs none, and the keyboard of a phone stays.
  const { kind } = state;
  useEffect(() => {
    if (isHeld) return;
    const button = kind === "recording" || kind === "ready" ? sendRef : cancelRef;
    if (kind === "starting" || kind === "recording" || kind === "ready" || kind === "failed") {
      button.current?.focus({ preventScroll: true });
    }
  }, [kind, isHeld]);

  // A finger that lets go sends the recording, and one that slid away cancels it.
  const phase = hold?.phase;
  const endHold = useRef<() => void>(() => undefined);
  useEffect(() => {
    endHold.current = () => {
      if (phase === "dropped") onCancel();
      else if (phase === "released" && kind === "starting") onDone(null);
      else if (phase === "released") void send();
    };
  });
  useEffect(() => endHold.current(), [phase]);

  const recordedUrl = state.kind === "ready" ? state.url : null;
  useEffect(
    () => () => {
      if (recordedUrl === null) return;
      stopPlayback();
      URL.revokeObjectURL(recordedUrl);
    },
    [recordedUrl],
  );

  /** Ends the recording and plays it to its speaker. */
  async function listen(): Promise<void> {
    if (!recordingRef.current) return;
    setState({ kind: "finishing" });
    try {
      const file = await recordingRef.current.finish();
      if (file === null) onDone(null);
      else setState({ kind: "ready", file, url: URL.createObjectURL(file) });
    } catch (error) {
      setState({ kind: "failed", why: "failed" });
      reportError(error);
    }
  }

  async function send(): Promise<void> {
    if (state.kind === "ready") {
      onDone(state.file);
      return;
    }
    if (!recordingRef.current) return;
    setState({ kind: "finishing" });
    try {
      onDone(await recordingRef.current.finish());
    } catch (error) {
      setState({ kind: "failed", why: "failed" });
      reportError(error);
    }
  }

  if (state.kind === "failed") {
    return (
      <div className={classes["bar"]}>
        <IconMicrophoneOff className={classes["off"]} size={19} stroke={1.7} aria-hidden="true" />
        <p className={classes["word"]} role="alert">
          {t(`composer.microphone.${state.why}`)}
        </p>
        <Button ref={cancelRef} size="xs" variant="default" onClick={onCancel}>
          {t("common.close")}
        </Button>
      </div>
    );
  }
  if (state.kind === "ready") {
    return (
      <div className={classes["bar"]} role="group" aria-label={t("composer.recorded")}>
        <IconButton
          icon={IconTrash}
          label={t("composer.recordDiscard")}
          shortcut="Esc"
          onClick={onCancel}
        />
        <div className="bc-fill">
          <AudioPlayer messageId={state.url} media={recordedMedia(state, sound)} />
        </div>
        <IconButton
          ref={sendRef}
          variant="filled"
          icon={IconSend2}
          label={t("composer.recordSend")}
          shortcut="Enter"
          onClick={() => void send()}
        />
      </div>
    );
  }
  const isOver = state.kind === "full" || state.kind === "lost";
  const buttons = (
    <>
      <Button ref={cancelRef} size="xs" variant="default" onClick={onCancel}>
        {t("composer.recordCancel")}
      </Button>
      <IconButton
        icon={IconPlayerStop}
        label={t("composer.recordListen")}
        disabled={state.kind === "starting" || state.kind === "finishing"}
        onClick={() => void listen()}
      />
      <IconButton
        ref={sendRef}
        variant="filled"
        icon={IconSend2}
        label={t("composer.recordSend")}
        shortcut="Enter"
        disabled={state.kind === "starting" || state.kind === "finishing"}
        onClick={() => void send()}
      />
    </>
  );
  return (
    <div className={classes["bar"]} role="group" aria-label={t("composer.recording")}>
      <span className={classes["dot"]} data-over={isOver || undefined} aria-hidden="true" />
      <time className={classes["time"]}>{formatDuration(sound.durationMs)}</time>
      {isOver ? (
        <p className={classes["word"]} role="alert">
          {state.kind === "full" ? t("composer.recordFull") : t("composer.recordLost")}
        </p>
      ) : (
        <span className={classes["levels"]} aria-hidden="true">
          {sound.levels.map((level, index) => (
            // The bars keep their places.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index} style={{ height: `${Math.round(12 + level * 88)}%` }} />
          ))}
        </span>
      )}
      <span className={classes["status"]} role="status">
        {state.kind === "starting" ? t("composer.recordStarting") : t("composer.recording")}
      </span>
      {hold !== null && isHeld ? (
        <Suspense fallback={null}>
          <HoldHint slidPx={hold.slidPx} liftedPx={hold.liftedPx} />
        </Suspense>
      ) : (
        buttons
      )}
    </div>
  );
}

/** The recording as the player takes it. */
function recordedMedia({ file, url }: { file: File; url: string }, sound: Sound): Media {
  return {
    ...{ state: "ready", kind: "voice", name: file.name, mime: file.type, bytes: file.size },
    ...{ width: null, height: null, durationMs: sound.durationMs, waveform: sound.all },
    ...{ isViewOnce: false, url, thumbnailUrl: null },
  };
}
