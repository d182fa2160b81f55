import { IconMoon, IconSun } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { useColorScheme } from "./color-scheme.ts";
import { IconButton } from "./icon-button.tsx";

/** Switches between light and dark. */
export function ThemeToggle(): ReactNode {
  const { t } = useTranslation();
  const { isDark, toggle } = useColorScheme();
  return (
    <IconButton
      label={t(isDark ? "shell.useLight" : "shell.useDark")}
      icon={isDark ? IconSun : IconMoon}
      onClick={toggle}
    />
  );
}
