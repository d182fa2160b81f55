import "./ui/styles/index.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { renewToken } from "./api/renewal.ts";
import { currentSession } from "./api/session-store.ts";
import { fetchAheadWhenIdle } from "./app/fetch-ahead.ts";
import { followSession } from "./app/follow-session.ts";
import { Providers } from "./app/providers.tsx";
import { Pages } from "./app/routes.tsx";
import { startTexts } from "./i18n/index.ts";

const root = document.querySelector("#root");

followSession();
// The stored user is shown at once; rights or names may have changed since, and only the server knows.
const stored = currentSession();
if (stored) renewToken(stored.token).catch(() => undefined); // the next call meets the same failure and says so

startTexts().then(show, reportError);

function show(): void {
  if (!root) throw new Error("index.html has no #root");
  createRoot(root).render(
    <StrictMode>
      <Providers>
        <BrowserRouter>
          <Pages />
        </BrowserRouter>
      </Providers>
    </StrictMode>,
  );
  fetchAheadWhenIdle();
}
