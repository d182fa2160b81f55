import type { BrowserContext, Page, Response } from "@playwright/test";

/** How many of the newest calls a failed journey names. */
const CALLS_MAX = 8;
const TEXT_MAX = 100;
/** A page that hangs says nothing of itself. */
const LOOK_MS = 5_000;

/** Remembers the newest calls of a browser that changed something or were refused. */
export function rememberCalls(context: BrowserContext): { calls: string[]; stop: () => void } {
  const calls: string[] = [];
  const onResponse = (response: Response): void => {
    const request = response.request();
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith("/api/")) return;
    if (request.method() === "GET" && response.ok()) return;
    calls.push(`${request.method()} ${pathname} ${response.status()}`);
    if (calls.length > CALLS_MAX) calls.shift();
  };
  context.on("response", onResponse);
  return { calls, stop: () => context.off("response", onResponse) };
}

/** Reads the address, headings, dialogs and messages of a page after a failed journey. */
export async function screenOf(page: Page): Promise<string> {
  const said = page.evaluate((textMax) => {
    const telling = "h1, h2, [role=alert], [role=status], [role=dialog], [aria-current=page]";
    const texts = [...document.querySelectorAll<HTMLElement>(telling)].map(
      (element) => element.getAttribute("aria-label") ?? element.innerText,
    );
    return texts
      .map((text) => text.replaceAll(/\s+/g, " ").trim().slice(0, textMax))
      .filter((text) => text !== "");
  }, TEXT_MAX);
  const silence = new Promise<string[]>((resolve) => {
    setTimeout(resolve, LOOK_MS, ["it does not answer"]);
  });
  const texts = await Promise.race([said, silence]).catch((error: unknown) => [String(error)]);
  return `${new URL(page.url()).pathname}: ${[...new Set(texts)].join(" | ")}`;
}
