import type { ColorSchemeChoice } from "../../ui/color-scheme.ts";

export const themeChoices: readonly {
  scheme: ColorSchemeChoice;
  label: "shell.themeLight" | "shell.themeDark" | "shell.themeSystem";
}[] = [
  { scheme: "light", label: "shell.themeLight" },
  { scheme: "dark", label: "shell.themeDark" },
  { scheme: "auto", label: "shell.themeSystem" },
];

/** Chooses the theme that a menu names by its value. */
export function chooseTheme(value: string, choose: (scheme: ColorSchemeChoice) => void): void {
  const chosen = themeChoices.find(({ scheme }) => scheme === value);
  if (chosen) choose(chosen.scheme);
}
