import { IconMenu2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { createContext, useContext } from "react";
import { useTranslation } from "../i18n/index.ts";
import { IconButton } from "./icon-button.tsx";

/** Opens the main menu where it is hidden (under 600 px), else null. Given by the shell. */
export const ShellMenu = createContext<(() => void) | null>(null);

/**
 * Opens the main menu on narrow screens, where there is no top bar; renders nothing on wider ones. Every page puts it at
 * the start of its title row.
 */
export function MenuButton(): ReactNode {
  const { t } = useTranslation();
  const open = useContext(ShellMenu);
  if (open === null) return null;
  return <IconButton label={t("shell.openMenu")} icon={IconMenu2} onClick={open} />;
}
