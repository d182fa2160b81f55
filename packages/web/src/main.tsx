import "./ui/styles/index.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { browserSteps, Router } from "./router/index.tsx";
import { renewToken } from "./api/client.ts";
import { queryClient } from "./api/query-client.ts";
import { currentSession, followOtherTabs, subscribeToSession } from "./api/session-store.ts";
import { Pages } from "./app/routes.tsx";
import { startTexts } from "./i18n/index.ts";
import { expectLiveChannel } from "./realtime/index.ts";
import { ColorScheme } from "./ui/color-scheme.ts";
import { Toasts } from "./ui/toasts.tsx";
import { TooltipHost } from "./ui/tooltip.tsx";

const root = document.querySelector("#root");

followSession();
// The stored user is shown at once; rights or names may have changed since, and only the server knows.
const stored = currentSession();
// Inbox and dashboard show what they are for before queues, settings and notes are known. Other pages need those lists at once.
if (stored && /^\/($|tickets)/.test(location.pathname)) expectLiveChannel();
if (stored && !stored.visit) renewToken(stored.token).catch(() => undefined); // the next call meets the same failure and says so

const steps = browserSteps();
/** Late enough that files which the page itself needs come first. */
const FETCH_AHEAD_AFTER_MS = 4_000;

startTexts().then(show, (error: unknown) => {
  reportError(error);
  dispatchEvent(new Event("balcao:start-failed")); // index.html says it, where nothing has to be loaded for that
});

function show(): void {
  if (!root) throw new Error("index.html has no #root");
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ColorScheme />
        <Toasts />
        <TooltipHost />
        <Router steps={steps}>
          <Pages />
        </Router>
      </QueryClientProvider>
    </StrictMode>,
  );
  // A failure is harmless: what is missing is fetched when it is needed.
  setTimeout(() => {
    import("./app/fetch-ahead.ts").then((code) => code.fetchAheadWhenIdle()).catch(() => undefined);
  }, FETCH_AHEAD_AFTER_MS);
}

/** Keeps the tabs of a browser in one session, and drops a session's data before the next one begins. */
function followSession(): void {
  followOtherTabs();
  let sessionId = currentSession()?.id;
  subscribeToSession(() => {
    const next = currentSession()?.id;
    if (next === sessionId) return;
    sessionId = next;
    queryClient.clear();
  });
}
