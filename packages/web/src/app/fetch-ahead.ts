/** Holds the version whose files this tab has fetched. */
const FETCHED_KEY = "balcao.fetchedAhead";
const NOT_IDLE_AFTER_MS = 3_000;

/**
 * Fetches all code and styles of this version into the browser's cache, one after the other once the page has nothing
 * else to do. What is imported only when it is used (a menu, a dialog) would else be missing exactly when the network is
 * away, and a browser does not try an import again that failed once.
 */
export function fetchAheadWhenIdle(): void {
  const start = (): void => {
    // Whatever is missing is asked for again by whoever needs it. A page that is not built has no list.
    fetchAhead().catch(() => undefined);
  };
  if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: NOT_IDLE_AFTER_MS });
  else setTimeout(start, NOT_IDLE_AFTER_MS);
}

async function fetchAhead(): Promise<void> {
  const list = await fetch("/files.json", { priority: "low" });
  const text = await list.text();
  if (!list.ok || sessionStorage.getItem(FETCHED_KEY) === text) return;
  const files: unknown = JSON.parse(text);
  if (!Array.isArray(files)) return;
  for (const file of files) {
    const reply = await fetch(`/${String(file)}`, { priority: "low" });
    await reply.arrayBuffer();
  }
  sessionStorage.setItem(FETCHED_KEY, text);
}
