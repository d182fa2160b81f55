import type { ReactNode } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import classes from "./tooltip-host.module.css";

const OPEN_DELAY_MS = 400;
/** The gap to the element and to the edges of the screen. */
const GAP_PX = 6;

/**
 * Shows the tooltip of the element under the pointer or with keyboard focus. Screen readers already read the text as a name,
 * so the tooltip is hidden from them. One listener serves the whole page.
 */
export function TooltipHost(): ReactNode {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useEffect(() => follow(setTarget), []);
  return target === null ? null : createPortal(<Tip target={target} />, document.body);
}

function Tip({ target }: { target: HTMLElement }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { tip: text, tipKeys } = target.dataset;
  useLayoutEffect(() => {
    if (box.current) place(box.current, target);
  });
  return (
    <div ref={box} className={classes["tip"]} role="tooltip" aria-hidden="true">
      {text}
      {tipKeys === undefined ? null : <span className={classes["keys"]}>{tipKeys}</span>}
    </div>
  );
}

/** Above the element, or below it if there is no room, or at its right. */
function place(box: HTMLElement, target: HTMLElement): void {
  const at = target.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const isRight = target.dataset["tipSide"] === "right";
  const above = at.top - GAP_PX - height;
  const left = isRight ? at.right + GAP_PX : at.left + (at.width - width) / 2;
  const beside = isRight ? at.top + (at.height - height) / 2 : above;
  const top = beside < GAP_PX ? at.bottom + GAP_PX : beside;
  box.style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - width - GAP_PX))}px`;
  box.style.top = `${top}px`;
}

/** Calls `show` with the element whose tooltip is due, and with null when it ends. */
function follow(show: (target: HTMLElement | null) => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current: HTMLElement | null = null;

  const begin = (event: Event, delayMs: number): void => {
    const target = tipOf(event.target);
    if (target === current) return;
    hide();
    if (target === null) return;
    current = target;
    // The tooltip must not cover the menu that the button opened.
    const isDue = (): boolean =>
      target.isConnected && target.getAttribute("aria-expanded") !== "true";
    timer = setTimeout(() => show(isDue() ? target : null), delayMs);
  };
  const hide = (): void => {
    clearTimeout(timer);
    current = null;
    show(null);
  };
  /** After a press the tooltip stays hidden until the pointer leaves the element. */
  const silence = (): void => {
    const pressed = current;
    hide();
    current = pressed;
  };
  const enter = (event: PointerEvent): void => {
    if (event.pointerType !== "touch") begin(event, OPEN_DELAY_MS);
  };
  const focus = (event: FocusEvent): void => {
    if (tipOf(event.target)?.matches(":focus-visible")) begin(event, 0);
  };

  addEventListener("pointerover", enter, { signal });
  addEventListener("focusin", focus, { signal });
  addEventListener("focusout", hide, { signal });
  addEventListener("pointerdown", silence, { signal, capture: true });
  addEventListener("keydown", silence, { signal, capture: true });
  addEventListener("scroll", hide, { signal, capture: true, passive: true });
  document.documentElement.addEventListener("pointerleave", hide, { signal });
  return () => {
    hide();
    ended.abort();
  };
}

function tipOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null;
}
