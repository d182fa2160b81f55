import { MantineContext, MantineThemeProvider } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import { use } from "react";
import { theme } from "./theme.ts";

type Props = {
  /** In tests transitions take no time. */
  env?: "default" | "test";
  children: ReactNode;
};

/**
 * The context that components of the library need. The first screens use none, so it loads after them. The library's
 * own provider would also compute variables that the build writes (`theme-variables.ts`) and manage the colour scheme
 * (`color-scheme.ts`).
 */
export function Look({ env = "default", children }: Props): ReactNode {
  // Nested, it renders only its children.
  if (use(MantineContext) !== null) return children;
  return (
    <MantineContext value={contexts[env]}>
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
}

const contexts = { default: contextOf("default"), test: contextOf("test") };

function contextOf(env: "default" | "test"): ComponentProps<typeof MantineContext>["value"] {
  return {
    colorScheme: "auto",
    setColorScheme: () => undefined,
    clearColorScheme: () => undefined,
    getRootElement: () => document.documentElement,
    classNamesPrefix: "mantine",
    cssVariablesSelector: ":root",
    withStaticClasses: true,
    env,
  };
}
