import { queryClient } from "../api/query-client.ts";
import { fetchCode } from "../api/code-files.ts";
import { currentLanguage, languages } from "../i18n/index.ts";

/** Holds the version whose files this tab has fetched. */
const FETCHED_KEY = "balcao.fetchedAhead";
/** The page shows long before, and what it loads by itself until then comes first. */
const AFTER_MS = 4_000;

/**
 * Fetches all code and styles of this version into the browser's cache, one after the other once the page has nothing
 * else to do. What is imported only when it is used (a menu, a dialog) would else be missing exactly when the network is
 * away.
 */
export function fetchAheadWhenIdle(): void {
  setTimeout(() => {
    if (queryClient.isFetching() > 0) return fetchAheadWhenIdle();
    // Whatever is missing is asked for again by whoever needs it. A page that is not built has no list.
    const start = (): void => void fetchAhead().catch(() => undefined);
    if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: AFTER_MS });
    else start();
  }, AFTER_MS);
}

async function fetchAhead(): Promise<void> {
  const list = await fetch("/files.json", { priority: "low" });
  const text = await list.text();
  if (!list.ok || sessionStorage.getItem(FETCHED_KEY) === text) return;
  const files: unknown = JSON.parse(text);
  if (!Array.isArray(files)) return;
  const others = languages.filter((language) => language !== currentLanguage());
  for (const file of files.map(String)) {
    if (!others.some((language) => file.includes(`/texts-${language}-`)))
      await fetchCode(`/${file}`);
  }
  sessionStorage.setItem(FETCHED_KEY, text);
}
