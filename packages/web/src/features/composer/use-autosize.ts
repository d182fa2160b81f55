import type { RefObject } from "react";
import { useLayoutEffect } from "react";

/**
 * Lets a text field grow with its text up to `rowsMax` rows; then it scrolls. Measures at each render; the field has no
 * padding above or below.
 */
export function useAutosize(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  rowsMax: number,
): void {
  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (!field) return;
    const maxPx = Number.parseFloat(getComputedStyle(field).lineHeight) * rowsMax;
    field.style.height = "auto";
    const neededPx = field.scrollHeight;
    field.style.height = `${Math.min(neededPx, maxPx)}px`;
    field.style.overflowY = neededPx > maxPx ? "auto" : "hidden";
  });
}
