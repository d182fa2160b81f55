import { queryClient } from "../api/query-client.ts";
import { currentSession } from "../api/session-store.ts";
import { fetchCode } from "../api/code-files.ts";
import { currentLanguage, languages } from "../i18n/index.ts";

/** Stores the list of files that this tab has fetched. */
const FETCHED_KEY = "balcao.fetchedAhead";
/** Between two looks whether the page is idle. */
const LOOK_AGAIN_MS = 4_000;

/**
 * Fetches the code and styles that the page lists (`vite.config.ts`: all but `rare-files.ts`) into the browser's cache, one
 * file after the other while the page is idle, so that menus and dialogs open while the network is down.
 */
export function fetchAheadWhenIdle(): void {
  if (queryClient.isFetching() > 0) {
    setTimeout(fetchAheadWhenIdle, LOOK_AGAIN_MS);
    return;
  }
  // A failure is harmless: a missing file is fetched again when it is needed. The development server's page has no list.
  const start = (): void => void fetchAhead().catch(() => undefined);
  if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: LOOK_AGAIN_MS });
  else start();
}

/** The simulator, and dialogs of the administration's pages, which others than admins do not reach. */
const isForAdmins = (file: string): boolean =>
  /\/(admin-dialogs|simulator|texts-\w+-admin)-/.test(file);

async function fetchAhead(): Promise<void> {
  const text = document.querySelector("#code-ahead")?.textContent ?? "[]";
  if (sessionStorage.getItem(FETCHED_KEY) === text) return;
  const files: unknown = JSON.parse(text);
  if (!Array.isArray(files)) return;
  const others = languages.filter((language) => language !== currentLanguage());
  const profile = currentSession()?.user.profile ?? "admin";
  for (const file of files.map(String)) {
    if (others.some((language) => file.includes(`/texts-${language}-`))) continue;
    if (isForAdmins(file) && profile !== "admin") continue;
    await fetchCode(`/${file}`);
  }
  sessionStorage.setItem(FETCHED_KEY, text);
}
