import { currentSession, subscribeToSession } from "../../api/session-store.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentLanguage, i18n, withTexts } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { notifyWith } from "../../ui/toasts.tsx";
import type { WorkerMessage } from "../../worker/notices.ts";
import { keepInstallOffer } from "./installing.ts";
import { isKeptPage, keptSince, startKeeping } from "./keeper.ts";
import { forgetShared, takeShared } from "./shared.ts";
import { keepShell } from "./shell.ts";
import { showStrip } from "./strip.ts";

// A kept page, and one that something was shared to, load this before anything is asked for; every other page once it is idle.
startKeeping();
if (isKeptPage()) showKeptSince().catch(reportError);
takeShared().catch(reportError);
followSession();

/** Between two looks whether the server has a newer version. */
const LOOK_EVERY_MS = 30 * 60_000;
let lookedAtMs = 0;
let isOffered = false;

/** Starts what the page needs to work on a phone: the worker, the files of this version, the number on the icon. */
export function startPocket(ahead: readonly string[]): void {
  keepInstallOffer();
  offerInstalling();
  showCount();
  queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === "tickets" && query.queryKey[1] === "unread") showCount();
  });
  // Not on an insecure address, nor in some private windows.
  if (!("serviceWorker" in navigator) || !("caches" in window)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.type === "open") openAt(data);
  });
  void registerWorker(ahead);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void look(ahead);
  });
}

async function registerWorker(ahead: readonly string[]): Promise<void> {
  try {
    await navigator.serviceWorker.register("/sw.js");
    await look(ahead);
  } catch {
    // The network is away, or the browser does not want it: the page works without.
  }
}

async function look(ahead: readonly string[]): Promise<void> {
  if (epochMs() - lookedAtMs < LOOK_EVERY_MS) return;
  lookedAtMs = epochMs();
  // The strip of a kept page says its texts.
  await withTexts("trust", Promise.resolve());
  const state = await keepShell(ahead).catch(() => null);
  if (state !== "newer" || isOffered) return;
  isOffered = true;
  const label = i18n.t("push.update");
  notifyWith(i18n.t("push.newVersion"), { label, run: () => location.reload() });
}

/** Names the manifest and the icon of iPhones. Browsers look for them when a page is installed, so they need not come first. */
function offerInstalling(): void {
  const link = (rel: string, href: string): void => {
    document.head.append(Object.assign(document.createElement("link"), { rel, href }));
  };
  link("manifest", `/manifest.webmanifest?lang=${currentLanguage()}`);
  link("apple-touch-icon", "/app-icon-180.png");
}

/** The number of tickets with unread messages on the icon of the installed page. */
function showCount(): void {
  if (!("setAppBadge" in navigator)) return;
  const data = queryClient.getQueryData<{ count: number }>(["tickets", "unread"]);
  const count = currentSession() ? (data?.count ?? null) : 0;
  if (count !== null) navigator.setAppBadge(count).catch(() => undefined);
}

/** Goes to an address as a link of the page does. */
function openAt({ url, waitingTicketId }: WorkerMessage): void {
  history.pushState(waitingTicketId === undefined ? null : { waitingTicketId }, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** The end of a session takes its notifications with it. */
function followSession(): void {
  let sessionId = currentSession()?.id;
  // It may have ended before this was loaded.
  if (sessionId === undefined) closeNotices().catch(() => undefined);
  subscribeToSession(() => {
    const next = currentSession()?.id;
    if (next === sessionId) return;
    sessionId = next;
    showCount();
    closeNotices().catch(() => undefined);
    forgetShared();
  });
}

async function closeNotices(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
  // Another person may sign in here: the server ends it with the session, and so does the browser.
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** Says on a page without network how old it is. */
async function showKeptSince(): Promise<void> {
  const at = await keptSince();
  await withTexts("trust", Promise.resolve());
  const time =
    at === null
      ? null
      : new Intl.DateTimeFormat(i18n.language, { timeStyle: "short", ...dayOf(at) }).format(at);
  const strip = showStrip(
    time === null ? i18n.t("push.keptNothing") : i18n.t("push.keptSince", { time }),
  );
  // An answer of the server says that the network is back.
  const stop = queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "success") return;
    // Others may be answered by the page itself.
    const [subject, kind] = event.query.queryKey;
    if (event.action.manual === true || subject !== "tickets" || kind !== "list") return;
    stop();
    strip.remove();
    delete document.documentElement.dataset["kept"];
  });
}

function dayOf(at: number): Intl.DateTimeFormatOptions {
  const isToday = new Date(at).toDateString() === new Date(epochMs()).toDateString();
  return isToday ? {} : { dateStyle: "short" };
}
