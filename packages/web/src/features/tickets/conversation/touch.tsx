import { useEffect } from "react";
import { useNewest } from "../shortcuts.ts";

/** A swipe that is shorter goes back. */
const STEP_PX = 72;
/** A finger always moves a little; from here on it is a swipe, or a scroll. */
const SLACK_PX = 12;
/** The edges belong to the gestures of the phone itself. */
const EDGE_PX = 24;
/** The conversation follows the finger by this part. */
const FOLLOWS = 0.35;
/** Toolbars of browsers take less than a keyboard does. */
const KEYBOARD_PX = 120;
/** Parts with a sideways gesture of their own. */
const OWN_GESTURE =
  'input, textarea, select, [role="slider"], [role="dialog"], form, [data-sideways]';
const PANE = "[data-conversation]";

type Swipe = { pointerId: number; x: number; y: number; pane: HTMLElement; isSideways: boolean };

/**
 * Gestures on touch screens. A swipe over the conversation to the left opens the next ticket of the list, one to the right the ticket before. The
 * composer stays above the keyboard where the browser lays that over the page.
 */
export function TouchGestures({ onStep }: { onStep: (by: 1 | -1) => void }): null {
  const newest = useNewest(onStep);
  useEffect(() => {
    let swipe: Swipe | null = null;

    function end(): void {
      if (swipe) swipe.pane.style.translate = "";
      swipe = null;
    }
    function onDown(event: PointerEvent): void {
      end();
      const { target, clientX: x, clientY: y, pointerId } = event;
      if (event.pointerType !== "touch" || !event.isPrimary || !(target instanceof Element)) return;
      const pane = target.closest<HTMLElement>(PANE);
      if (!pane || target.closest(OWN_GESTURE)) return;
      if (x < EDGE_PX || x > window.innerWidth - EDGE_PX) return;
      swipe = { pointerId, x, y, pane, isSideways: false };
    }
    function onMove(event: PointerEvent): void {
      if (swipe?.pointerId !== event.pointerId) return;
      const [right, down] = [event.clientX - swipe.x, Math.abs(event.clientY - swipe.y)];
      if (!swipe.isSideways) {
        if (Math.max(Math.abs(right), down) < SLACK_PX) return;
        const isChoosingText = document.getSelection()?.isCollapsed === false;
        if (Math.abs(right) < down * 2 || isChoosingText) {
          end();
          return;
        }
        swipe.isSideways = true;
      }
      swipe.pane.style.translate = `${right * FOLLOWS}px`;
    }
    function onUp(event: PointerEvent): void {
      if (swipe?.pointerId !== event.pointerId) return;
      const { isSideways, x } = swipe;
      const right = event.clientX - x;
      end();
      if (isSideways && Math.abs(right) >= STEP_PX) newest.current(right < 0 ? 1 : -1);
    }
    document.addEventListener("pointerdown", onDown);
    document.addEventListener("pointermove", onMove);
    document.addEventListener("pointerup", onUp);
    document.addEventListener("pointercancel", end);
    return () => {
      end();
      document.removeEventListener("pointerdown", onDown);
      document.removeEventListener("pointermove", onMove);
      document.removeEventListener("pointerup", onUp);
      document.removeEventListener("pointercancel", end);
    };
  }, [newest]);
  useEffect(keepAboveKeyboard, []);
  return null;
}

/** Some phones lay the keyboard over the page instead of making the page smaller: then its frame is as high as what is seen. */
function keepAboveKeyboard(): (() => void) | undefined {
  const seen = window.visualViewport;
  if (!seen) return undefined;
  const { style } = document.documentElement;
  function fit(): void {
    const isCovered =
      seen !== null && seen.scale === 1 && window.innerHeight - seen.height > KEYBOARD_PX;
    if (!isCovered) {
      style.removeProperty("--bc-seen-height");
      return;
    }
    style.setProperty("--bc-seen-height", `${Math.round(seen.height)}px`);
    // The browser has scrolled the page to show the field, which it now does anyway.
    window.scrollTo(0, 0);
  }
  seen.addEventListener("resize", fit);
  return () => {
    seen.removeEventListener("resize", fit);
    style.removeProperty("--bc-seen-height");
  };
}
