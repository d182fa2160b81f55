import { IconMicrophoneOff, IconSend2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/index.ts";
import { formatDuration } from "../../messages/index.ts";
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
  | { kind: "failed"; why: MicrophoneFailure };

const BARS = 28;
const silence: readonly number[] = Array.from({ length: BARS }, () => 0);

/** Records while mounted: red dot, time, level, cancel and send. Releases the microphone at unmount. */
export function RecordingBar({ onDone, onCancel }: Props): ReactNode {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ kind: "starting" });
  const [sound, setSound] = useState({ durationMs: 0, levels: silence });
  const recordingRef = useRef<Recording | null>(null);
  const sendRef = useRef<HTMLButtonElement>(null);
  const cancelRef = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    const mounted = new AbortController();
    const listeners = {
      onSound: (durationMs: number, level: number) =>
        setSound(({ levels }) => ({ durationMs, levels: [...levels.slice(1), level] })),
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

  // The start button is gone, so the recording takes the focus.
  const { kind } = state;
  useEffect(() => {
    const button = kind === "recording" ? sendRef : cancelRef;
    if (kind === "starting" || kind === "recording" || kind === "failed") {
      button.current?.focus({ preventScroll: true });
    }
  }, [kind]);

  async function send(): Promise<void> {
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
  const isOver = state.kind === "full" || state.kind === "lost";
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
      <Button ref={cancelRef} size="xs" variant="default" onClick={onCancel}>
        {t("composer.recordCancel")}
      </Button>
      <IconButton
        ref={sendRef}
        variant="filled"
        icon={IconSend2}
        label={t("composer.recordSend")}
        shortcut="Enter"
        disabled={state.kind === "starting" || state.kind === "finishing"}
        onClick={() => void send()}
      />
    </div>
  );
}
