import type { RefObject } from "react";
import { useEffect, useLayoutEffect } from "react";

/**
 * Lets a text field grow with its text up to `rowsMax` rows; then it scrolls. Measures at each render and whenever the
 * field's width changes, which wraps the text anew. The field has no padding above or below.
 *
 * CSS `field-sizing` would do this alone, but Firefox does not have it.
 */
export function useAutosize(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  rowsMax: number,
): void {
  useLayoutEffect(() => {
    if (fieldRef.current) fit(fieldRef.current, rowsMax);
  });
  useEffect(() => {
    const field = fieldRef.current;
    if (!field) return undefined;
    let widthPx = field.clientWidth;
    let frame = 0;
    const observer = new ResizeObserver(() => {
      // Its own change of height is no news.
      if (field.clientWidth === widthPx) return;
      widthPx = field.clientWidth;
      // An observer that resizes what it observes is reported as an endless loop, so not within its callback.
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => fit(field, rowsMax));
    });
    observer.observe(field);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [fieldRef, rowsMax]);
}

function fit(field: HTMLTextAreaElement, rowsMax: number): void {
  const maxPx = Number.parseFloat(getComputedStyle(field).lineHeight) * rowsMax;
  field.style.height = "auto";
  const neededPx = field.scrollHeight;
  field.style.height = `${Math.min(neededPx, maxPx)}px`;
  field.style.overflowY = neededPx > maxPx ? "auto" : "hidden";
}
