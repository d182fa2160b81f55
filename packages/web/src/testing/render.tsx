import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { RenderResult } from "@testing-library/react";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, vi } from "vitest";
import type { PageRoute } from "../router/index.tsx";
import { Router, Routes } from "../router/index.tsx";
import { ColorScheme } from "../ui/color-scheme.ts";
import { Look } from "../ui/look.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { TooltipHost } from "../ui/tooltip-host.tsx";
import { memorySteps } from "./memory-steps.ts";

/** Renders with the providers of every screen, without transitions and with its own cache. */
export function renderScreen(screen: ReactNode): RenderResult {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <Look env="test">
      <QueryClientProvider client={client}>
        <ColorScheme />
        <Toasts />
        <TooltipHost />
        {screen}
      </QueryClientProvider>
    </Look>,
  );
}

type Opened = { address: () => string; back: () => void };

/** Renders routes at an address; `address()` is the current one, `back()` is the browser's button. */
export function renderRoutes(routes: PageRoute[], at: string): Opened {
  const steps = memorySteps(at);
  renderScreen(
    <Router steps={steps}>
      <Routes routes={routes} />
    </Router>,
  );
  return {
    address: () => steps.current().pathname + steps.current().search,
    back: () => act(steps.back),
  };
}

/** For tests of error boundaries: the errors that React reports fail no test of the file. */
export function allowReportedErrors(): void {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.stubGlobal("reportError", vi.fn());
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}
