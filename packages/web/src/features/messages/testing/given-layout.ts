import { vi } from "vitest";

const PANE_PX = 600;

/** The test browser has no layout, but virtual lists need a height. */
export function givenLayout(): void {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(PANE_PX);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(40);
}

/** Panes that scroll too: their content has the height of its first child, as virtual lists set it. */
export function givenScrollingLayout(): void {
  givenLayout();
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(contentHeightPx);
  vi.spyOn(HTMLElement.prototype, "scrollTo").mockImplementation(function scrollTo(
    this: HTMLElement,
    options?: ScrollToOptions | number,
  ) {
    const top = typeof options === "object" ? (options.top ?? 0) : 0;
    const highest = Math.max(0, this.scrollHeight - this.clientHeight);
    this.scrollTop = Math.min(Math.max(0, top), highest);
    this.dispatchEvent(new Event("scroll"));
  });
}

function contentHeightPx(this: HTMLElement): number {
  const child = this.firstElementChild;
  const heightPx =
    child instanceof HTMLElement ? Number.parseFloat(child.style.height) : Number.NaN;
  return Number.isNaN(heightPx) ? PANE_PX : Math.max(PANE_PX, heightPx);
}
