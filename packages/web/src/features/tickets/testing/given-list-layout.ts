import { vi } from "vitest";
import { givenLayout } from "../../messages/testing/given-layout.ts";

/** Fakes the layout: the list has the height of its style, so that its end can be reached. */
export function givenListLayout(): void {
  givenLayout();
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(contentHeightPx);
}

function contentHeightPx(this: HTMLElement): number {
  const content = this.firstElementChild;
  const heightPx = content instanceof HTMLElement ? Number.parseFloat(content.style.height) : 0;
  return Math.max(this.clientHeight, heightPx || 0);
}
