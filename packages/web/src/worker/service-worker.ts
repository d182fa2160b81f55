import type { PushPayload } from "@balcao/contract";
import { actOnNotice, showPush } from "./notices.ts";
import { answerPage } from "./pages.ts";
import type { WorkerScope } from "./scope.ts";
import { takeShare } from "./shares.ts";

// It has no list of files: pages keep those of their version (`features/offline/shell.ts`). So any version of the worker serves
// any version of the page, and a new worker takes over at once.

// The global object of a worker, which the types of pages do not know.
const scope = globalThis as unknown as WorkerScope;
const pages = { caches, fetch: fetch.bind(globalThis), origin: scope.location.origin };
const notices = { scope, fetch: pages.fetch, uuid: () => crypto.randomUUID() };

scope.addEventListener("install", (event) => {
  event.waitUntil(scope.skipWaiting());
  // Browsers that can route by themselves do not even wake the worker for calls.
  const rules = ["/api/*", "/socket.io/*", "/public/*"].map((pathname) => ({
    condition: { urlPattern: { pathname } },
    source: "network",
  }));
  event.addRoutes?.(rules).catch(() => undefined);
});

scope.addEventListener("activate", (event) => {
  const begin = async (): Promise<void> => {
    await scope.registration.navigationPreload?.enable();
    await scope.clients.claim();
  };
  event.waitUntil(begin());
});

scope.addEventListener("fetch", (event) => {
  const { request, preloadResponse } = event;
  const answer = takeShare(pages, request) ?? answerPage(pages, request, preloadResponse);
  if (answer) event.respondWith(answer);
});

scope.addEventListener("push", (event) => {
  // Our server's, encrypted for this browser.
  const payload = event.data?.json() as PushPayload | undefined;
  if (payload) event.waitUntil(showPush(notices, payload));
});

scope.addEventListener("notificationclick", (event) => {
  event.waitUntil(actOnNotice(notices, event));
});
