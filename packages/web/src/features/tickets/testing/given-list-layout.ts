import { vi } from "vitest";
import { givenLayout } from "../../messages/testing/given-layout.ts";

/** Beside the heights of panes and rows: a list is as high as it says itself, so that its end can be scrolled to. */
export function givenListLayout(): void {
  givenLayout();
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(contentHeightPx);
}

function contentHeightPx(this: HTMLElement): number {
  const content = this.firstElementChild;
  const heightPx = content instanceof HTMLElement ? Number.parseFloat(content.style.height) : 0;
  return Math.max(this.clientHeight, heightPx || 0);
}
