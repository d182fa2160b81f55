import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { RenderResult } from "@testing-library/react";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import type { RouteObject } from "react-router";
import { createMemoryRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { colorSchemeManager, cssVariablesResolver, theme } from "../ui/theme.ts";
import { Toasts } from "../ui/toasts.tsx";

/** Renders with what every screen stands on; transitions take no time, the cache is its own. */
export function renderScreen(screen: ReactNode): RenderResult {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <MantineProvider
      env="test"
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={client}>
        <Toasts />
        {screen}
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** Renders routes at an address; `address()` is where one is now. */
export function renderRoutes(routes: RouteObject[], at: string): { address: () => string } {
  const router = createMemoryRouter(routes, { initialEntries: [at] });
  renderScreen(<RouterProvider router={router} />);
  return {
    address: () => {
      const { pathname, search } = router.state.location;
      return pathname + search;
    },
  };
}
