import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queryClient } from "../api/query-client.ts";
import {
  colorSchemeManager,
  cssVariablesResolver,
  DEFAULT_COLOR_SCHEME,
  theme,
} from "../ui/theme.ts";
import { Toasts } from "../ui/toasts.tsx";
import { TooltipHost } from "../ui/tooltip.tsx";

/** What every screen stands on: look, server data, toasts. */
export function Providers({ children }: { children: ReactNode }): ReactNode {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme={DEFAULT_COLOR_SCHEME}
    >
      <QueryClientProvider client={queryClient}>
        <Toasts />
        <TooltipHost />
        {children}
      </QueryClientProvider>
    </MantineProvider>
  );
}
