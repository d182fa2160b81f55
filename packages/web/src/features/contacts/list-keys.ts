/**
 * What a key does in the address book: `/` goes to the search, the arrows to the next name (with Shift the selection grows), the space bar
 * selects, Delete asks before it deletes the selection, and Escape ends the selection, then the search.
 */
export function pressKey(key: string, isExtending: boolean): void {
  const search = document.querySelector<HTMLInputElement>("main input[type=search]");
  const inBar = document.querySelector<HTMLElement>(`[role=toolbar] [data-key="${key}"]`);
  if (key === "/") search?.focus();
  else if (key === " ") boxOf(document.activeElement)?.click();
  else if (inBar) inBar.click();
  else if (key === "Escape" && search) endSearch(search);
  else if (key.startsWith("Arrow")) move(key === "ArrowDown" ? 1 : -1, isExtending);
}

function move(step: number, isExtending: boolean): void {
  const names = [...document.querySelectorAll<HTMLElement>("main tbody th a")];
  const row = document.activeElement?.closest("tr") ?? null;
  const at = names.findIndex((name) => name.closest("tr") === row);
  const next = names[at === -1 ? 0 : at + step];
  if (!next) return;
  if (isExtending) {
    for (const one of [names[at], next]) {
      const box = boxOf(one);
      if (box?.checked === false) box.click();
    }
  }
  next.focus();
}

function boxOf(within: Element | null | undefined): HTMLInputElement | null {
  return within?.closest("tr")?.querySelector<HTMLInputElement>("input[type=checkbox]") ?? null;
}

/** By the button beside the words, which is there while there are words. */
function endSearch(search: HTMLInputElement): void {
  search.parentElement?.querySelector("button")?.click();
}
