import type { ReactNode } from "react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import { notifyError } from "./toasts.tsx";
import classes from "./undo-bar.module.css";

const SECOND_MS = 1_000;

/** A change that the user can undo for some seconds. */
export type UndoOffer = Readonly<{
  /** The change that can be undone, and the name of its record. */
  kind:
    | "resolved"
    | "returned"
    | "transferred"
    | "snoozed"
    | "several"
    | "tagDeleted"
    | "noteDeleted"
    | "taskDeleted"
    | "macroRun"
    | "viewDeleted"
    | "optedOut"
    | "scheduleMoved"
    | "severalOptedOut";
  name: string;
  /** Undoes it and shows what was before. Throws if the server refuses. */
  undo: () => Promise<void>;
  /** The conversation that the user can open instead. */
  next?: { name: string; run: () => void } | undefined;
}>;

type Props = {
  offer: UndoOffer;
  /** How long it stands. */
  seconds: number;
  onEnd: () => void;
};

/** Names the change for as long as it can be undone. The pointer does not stop the time, as the server's goes on. */
export function UndoBar({ offer, seconds: given, onEnd }: Props): ReactNode {
  const { t } = useTranslation();
  const [seconds, setSeconds] = useState(given);
  const [isBusy, setBusy] = useState(false);
  const place = useRef<HTMLDivElement>(null);

  function end(): void {
    // The focus never stays on a removed button.
    if (place.current?.contains(document.activeElement)) focusPage();
    onEnd();
  }
  const endNow = useEffectEvent(end);

  async function undo(): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    try {
      await offer.undo();
    } catch (error) {
      notifyError(error);
    }
    end();
  }
  const undoNow = useEffectEvent(undo);

  const isOver = seconds === 0;
  useEffect(() => {
    const ticking = setInterval(() => setSeconds((left) => Math.max(0, left - 1)), SECOND_MS);
    return () => clearInterval(ticking);
  }, []);
  useEffect(() => {
    if (isOver && !isBusy) endNow();
  }, [isOver, isBusy]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!isUndoKey(event)) return;
      event.preventDefault();
      void undoNow();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);

  const { next } = offer;
  return (
    <div ref={place} className={classes["place"]} data-undo="">
      <div className={classes["bar"]}>
        <p className={classes["text"]} role="status">
          {t(`undo.${offer.kind}`, { name: offer.name })}{" "}
          <span className="bc-hidden-text">{t("undo.howTo")}</span>
        </p>
        <div className={classes["actions"]}>
          <Button
            size="compact"
            loading={isBusy}
            aria-keyshortcuts="Alt+Z Control+Z Meta+Z"
            title="Alt Z"
            onClick={() => void undo()}
          >
            {t("undo.undo")}
            <span className={classes["seconds"]} aria-hidden="true">
              {seconds}
            </span>
          </Button>
          {next === undefined ? null : (
            <Button
              size="compact"
              variant="default"
              onClick={() => {
                end();
                next.run();
              }}
            >
              {t("undo.next", { name: next.name })}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

/** Ctrl or ⌘ Z, unless a text is edited, which has an undo of its own; Alt Z anywhere. Dialogs have their own keys. */
function isUndoKey(event: KeyboardEvent): boolean {
  const { code, altKey, ctrlKey, metaKey, shiftKey, target } = event;
  if (code !== "KeyZ" || shiftKey || event.isComposing) return false;
  if (document.querySelector('[role="dialog"][aria-modal="true"]')) return false;
  if (altKey) return !ctrlKey && !metaKey;
  return ctrlKey !== metaKey && !(target instanceof Element && isTextField(target));
}

function isTextField(element: Element): boolean {
  return element.closest("input, textarea, [contenteditable='true']") !== null;
}

function focusPage(): void {
  const card = document.querySelector<HTMLElement>("[data-card-target]");
  (card ?? document.querySelector<HTMLElement>("main"))?.focus({ preventScroll: true });
}
