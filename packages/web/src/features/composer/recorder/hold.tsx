import { IconArrowUp, IconChevronLeft, IconLock } from "@tabler/icons-react";
import type { ReactNode, RefObject } from "react";
import { useEffect, useRef } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { held } from "./held.ts";
import classes from "./recording-bar.module.css";

/** A shorter press is a tap, which records without holding. */
const HOLD_MS = 220;
const CANCEL_PX = 110;
const LOCK_PX = 70;
/** A finger always moves a little. */
const SLACK_PX = 10;

type Props = {
  /** The box with the microphone, which the recording replaces while a finger holds it. */
  formRef: RefObject<HTMLFormElement | null>;
  /** Finds the microphone in the box. */
  selector: string;
  onStart: () => void;
};

/** Holding the microphone records; letting go sends, sliding to the left cancels, and sliding up records on without holding. */
export function HoldToRecord({ formRef, selector, onStart }: Props): null {
  const start = useRef(onStart);
  useEffect(() => {
    start.current = onStart;
  });
  useEffect(() => {
    const form = formRef.current;
    if (!form) return undefined;
    let press: { id: number; x: number; y: number; timer: ReturnType<typeof setTimeout> } | null =
      null;

    function forget(): void {
      if (press) clearTimeout(press.timer);
      press = null;
    }
    function onDown(event: PointerEvent): void {
      forget();
      const { target, pointerId: id, clientX: x, clientY: y } = event;
      if (event.pointerType !== "touch" || !event.isPrimary || !(target instanceof Element)) return;
      const button = target.closest<HTMLButtonElement>(selector);
      if (!button || button.disabled) return;
      const timer = setTimeout(() => {
        // The microphone leaves the page with the press.
        form?.setPointerCapture(id);
        held.set({ phase: "held", slidPx: 0, liftedPx: 0 });
        navigator.vibrate?.(15);
        start.current();
      }, HOLD_MS);
      press = { id, x, y, timer };
    }
    function onMove(event: PointerEvent): void {
      if (press?.id !== event.pointerId) return;
      const [slidPx, liftedPx] = [
        Math.max(0, press.x - event.clientX),
        Math.max(0, press.y - event.clientY),
      ];
      if (held.get()?.phase !== "held") {
        if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLACK_PX) forget();
      } else if (slidPx >= CANCEL_PX) finish("dropped");
      else if (liftedPx >= LOCK_PX && slidPx < CANCEL_PX / 2) finish("locked");
      else held.set({ phase: "held", slidPx, liftedPx });
    }
    function finish(phase: "released" | "locked" | "dropped"): void {
      forget();
      const now = held.get();
      if (now?.phase === "held") held.set({ ...now, phase });
    }
    const onUp = (event: PointerEvent): void => {
      if (press?.id === event.pointerId) finish("released");
    };
    // The system took the finger away: nothing of the recording is lost.
    const onCancel = (event: PointerEvent): void => {
      if (press?.id === event.pointerId) finish("locked");
    };
    const onMenu = (event: Event): void => {
      if (press) event.preventDefault();
    };
    form.addEventListener("pointerdown", onDown);
    form.addEventListener("pointermove", onMove);
    form.addEventListener("pointerup", onUp);
    form.addEventListener("pointercancel", onCancel);
    form.addEventListener("contextmenu", onMenu);
    return () => {
      forget();
      held.set(null);
      form.removeEventListener("pointerdown", onDown);
      form.removeEventListener("pointermove", onMove);
      form.removeEventListener("pointerup", onUp);
      form.removeEventListener("pointercancel", onCancel);
      form.removeEventListener("contextmenu", onMenu);
    };
  }, [formRef, selector]);
  return null;
}

/** In the place of the buttons while a finger holds: where to slide. */
export function HoldHint({ slidPx, liftedPx }: { slidPx: number; liftedPx: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <span
        className={classes["slide"]}
        style={{ translate: `${-slidPx / 2}px`, opacity: 1 - slidPx / (CANCEL_PX * 1.4) }}
      >
        <IconChevronLeft size={17} stroke={1.8} aria-hidden="true" />
        {t("touch.slideToCancel")}
      </span>
      <span
        className={classes["lock"]}
        style={{ translate: `0 ${-Math.min(liftedPx, LOCK_PX) / 2}px` }}
      >
        <IconLock size={17} stroke={1.8} aria-hidden="true" />
        <IconArrowUp size={15} stroke={1.8} aria-hidden="true" />
        <span className="bc-hidden-text">{t("touch.liftToLock")}</span>
      </span>
    </>
  );
}
