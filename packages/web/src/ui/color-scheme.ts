import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import type { MantineColorScheme } from "@mantine/core";

export type ColorSchemeChoice = MantineColorScheme;

/** The choice of this device, what is on the screen, and the ways to change it; the choice is kept. */
export function useColorScheme(): {
  choice: ColorSchemeChoice;
  isDark: boolean;
  choose: (scheme: ColorSchemeChoice) => void;
  toggle: () => void;
} {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const isDark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  return {
    choice: colorScheme,
    isDark,
    choose: setColorScheme,
    toggle: () => setColorScheme(isDark ? "light" : "dark"),
  };
}
