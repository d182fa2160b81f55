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
 * What components of the library need around them; the first screens have none, so that it is not loaded before they show.
 * Its own provider would also work out its variables, which the build writes (`theme-variables.ts`), and keep a colour
 * scheme, which is ours (`color-scheme.ts`).
 */
export function Look({ env = "default", children }: Props): ReactNode {
  // Inside another one it changes nothing.
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
