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
 * file after the other while the page is idle, so that menus and dialogs open while the network is down. When that is done,
 * and the page is idle again, comes what a phone needs.
 */
export function fetchAheadWhenIdle(): void {
  // A failure is harmless: a missing file is fetched again when it is needed. The development server's page has no list.
  whenIdle(() => {
    fetchAhead()
      .then(() =>
        setTimeout(whenIdle, LOOK_AGAIN_MS, () => void startPocket().catch(() => undefined)),
      )
      .catch(() => undefined);
  });
}

function whenIdle(work: () => void): void {
  if (queryClient.isFetching() > 0) setTimeout(whenIdle, LOOK_AGAIN_MS, work);
  else if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: LOOK_AGAIN_MS });
  else work();
}

/** The simulator, the agents, and dialogs of the administration's pages, which others than admins do not reach. */
const isForAdmins = (file: string): boolean =>
  /\/(admin-dialogs|agents|simulator|texts-\w+-admin)-/.test(file);

const listOfFiles = (): string => document.querySelector("#code-ahead")?.textContent ?? "[]";

/** The files that this user opens in this language. */
function wantedFiles(): string[] {
  const files: unknown = JSON.parse(listOfFiles());
  if (!Array.isArray(files)) return [];
  const others = languages.filter((language) => language !== currentLanguage());
  const profile = currentSession()?.user.profile ?? "admin";
  return files
    .map((file) => `/${String(file)}`)
    .filter((file) => !others.some((language) => file.includes(`/texts-${language}-`)))
    .filter((file) => !isForAdmins(file) || profile === "admin");
}

async function fetchAhead(): Promise<void> {
  const text = listOfFiles();
  if (sessionStorage.getItem(FETCHED_KEY) === text) return;
  for (const file of wantedFiles()) await fetchCode(file);
  sessionStorage.setItem(FETCHED_KEY, text);
}

/** The worker, and what a phone shows without a network: nothing of it is needed before. */
async function startPocket(): Promise<void> {
  const code = await import("../features/offline/pocket.ts");
  code.startPocket(wantedFiles());
}
