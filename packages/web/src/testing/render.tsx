import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { RenderResult } from "@testing-library/react";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import type { RouteObject } from "react-router";
import { MemoryRouter, useLocation, useRoutes } from "react-router";
import { colorSchemeManager, cssVariablesResolver, theme } from "../ui/theme.ts";
import { Toasts } from "../ui/toasts.tsx";
import { TooltipHost } from "../ui/tooltip.tsx";

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
        <TooltipHost />
        {screen}
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** Renders routes at an address; `address()` is where one is now. */
export function renderRoutes(routes: RouteObject[], at: string): { address: () => string } {
  let address = at;
  function Screen(): ReactNode {
    const { pathname, search } = useLocation();
    useEffect(() => {
      address = pathname + search;
    }, [pathname, search]);
    return useRoutes(routes);
  }
  renderScreen(
    <MemoryRouter initialEntries={[at]}>
      <Screen />
    </MemoryRouter>,
  );
  return { address: () => address };
}
