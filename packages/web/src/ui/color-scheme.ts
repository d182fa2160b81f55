import { useEffect, useSyncExternalStore } from "react";

export type ColorSchemeChoice = "light" | "dark" | "auto";

/** Also read by `index.html`, before this code is loaded. */
const STORAGE_KEY = "balcao.theme";
/** The scheme that the styles use. */
const ATTRIBUTE = "data-mantine-color-scheme";
const listeners = new Set<() => void>();

/** The chosen and the shown scheme, and functions that change and store the choice. */
export function useColorScheme(): {
  choice: ColorSchemeChoice;
  isDark: boolean;
  choose: (scheme: ColorSchemeChoice) => void;
  toggle: () => void;
} {
  const choice = useSyncExternalStore(subscribe, currentChoice);
  const isDark = useSyncExternalStore(subscribe, isDarkNow);
  return { choice, isDark, choose, toggle: () => choose(isDark ? "light" : "dark") };
}

/** Shows the scheme of this device and follows the system and the other tabs. Renders nothing; once, in `main.tsx`. */
export function ColorScheme(): null {
  useEffect(follow, []);
  return null;
}

function follow(): () => void {
  const system = systemScheme();
  const whenStored = ({ key }: StorageEvent): void => {
    if (key === STORAGE_KEY || key === null) show();
  };
  show();
  system.addEventListener("change", show);
  window.addEventListener("storage", whenStored);
  return () => {
    system.removeEventListener("change", show);
    window.removeEventListener("storage", whenStored);
  };
}

function choose(scheme: ColorSchemeChoice): void {
  localStorage.setItem(STORAGE_KEY, scheme);
  show();
}

function show(): void {
  document.documentElement.setAttribute(ATTRIBUTE, isDarkNow() ? "dark" : "light");
  for (const listener of listeners) listener();
}

function currentChoice(): ColorSchemeChoice {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === "light" || stored === "dark" ? stored : "auto";
}

function isDarkNow(): boolean {
  const choice = currentChoice();
  return choice === "auto" ? systemScheme().matches : choice === "dark";
}

function systemScheme(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
