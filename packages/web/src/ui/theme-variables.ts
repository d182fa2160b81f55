import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import { theme } from "./theme.ts";

/** The library's names for our roles; equal in both schemes because the roles themselves change. */
const roles = {
  "--mantine-color-body": "var(--bc-surface)",
  "--mantine-color-text": "var(--bc-ink)",
  "--mantine-color-bright": "var(--bc-ink)",
  "--mantine-color-dimmed": "var(--bc-ink2)",
  "--mantine-color-placeholder": "var(--bc-ink3)",
  "--mantine-color-error": "var(--bc-bad)",
  "--mantine-color-success": "var(--bc-ok)",
  "--mantine-color-anchor": "var(--bc-acc-ink)",
  "--mantine-color-default": "var(--bc-surface)",
  "--mantine-color-default-hover": "var(--bc-hover)",
  "--mantine-color-default-color": "var(--bc-ink)",
  "--mantine-color-default-border": "var(--bc-line2)",
  "--mantine-color-disabled": "var(--bc-hover)",
  "--mantine-color-disabled-color": "var(--bc-ink3)",
  "--mantine-color-disabled-border": "var(--bc-line)",
  "--mantine-primary-color-filled": "var(--bc-acc)",
  "--mantine-primary-color-filled-hover": "var(--bc-acc-h)",
  "--mantine-color-accent-filled": "var(--bc-acc)",
  "--mantine-color-accent-filled-hover": "var(--bc-acc-h)",
};

type Variables = Record<`--${string}`, string>;

/**
 * The library's variables that our theme changes. The build writes them to `styles/theme-variables.css`, so that no
 * page computes them.
 */
export function themeVariables(): string {
  const ours = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const theirs = defaultCssVariablesResolver(DEFAULT_THEME);
  const differing = {
    variables: without(theirs.variables, ours.variables),
    light: without(theirs.light, { ...ours.light, ...roles }),
    dark: without(theirs.dark, { ...ours.dark, ...roles }),
  };
  return convertCssVariables(differing, ":root");
}

function without(known: Variables, all: Variables): Variables {
  const entries = Object.entries(all) as [keyof Variables, string][];
  return Object.fromEntries(entries.filter(([name, value]) => known[name] !== value));
}
