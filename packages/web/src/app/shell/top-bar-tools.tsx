import { Menu } from "@mantine/core";
import {
  IconKeyboard,
  IconLogout,
  IconRefresh,
  IconSearch,
  IconUserCircle,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { NotificationsButton, VolumeButton } from "../../features/notifications/index.ts";
import { openPalette } from "../../features/palette/index.ts";
import { openProfile } from "../../features/users/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useColorScheme } from "../../ui/color-scheme.ts";
import { AppAvatar, IconButton } from "../../ui/index.ts";
import { LanguageMenu } from "../../ui/language-menu.tsx";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import { Identity } from "./identity.tsx";
import { chooseTheme, themeChoices } from "./theme-choices.ts";
import classes from "./top-bar.module.css";

/** The buttons at the right of the top bar: search, volume, reload, theme, language, what is unread, account. */
export function TopBarTools(): ReactNode {
  return (
    <>
      <SearchButton />
      <VolumeButton />
      <ReloadButton />
      <ThemeToggle />
      <LanguageMenu />
      <span className={classes["divider"]} aria-hidden="true" />
      <NotificationsButton />
      <AccountMenu />
    </>
  );
}

export function SearchButton(): ReactNode {
  const { t } = useTranslation();
  return (
    <IconButton
      label={t("palette.open")}
      icon={IconSearch}
      shortcut="Ctrl K"
      onClick={() => openPalette("palette")}
    />
  );
}

/** Reads the whole page again; what was begun stays in the drafts. */
export function ReloadButton(): ReactNode {
  const { t } = useTranslation();
  return (
    <IconButton
      label={t("common.reload")}
      icon={IconRefresh}
      onClick={() => window.location.reload()}
    />
  );
}

function AccountMenu(): ReactNode {
  const { t } = useTranslation();
  const { user, logout } = useSession();
  const { choice, choose } = useColorScheme();
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>
        <button type="button" className={classes["account"]}>
          <span className="bc-hidden-text">{t("shell.account", { name: user.name })}</span>
          <AppAvatar name={user.name} id={user.id} size={32} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Identity />
        <Menu.Label>{t("shell.theme")}</Menu.Label>
        <Menu.RadioGroup value={choice} onChange={(value) => chooseTheme(value, choose)}>
          {themeChoices.map(({ scheme, label }) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick>
              {t(label)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconUserCircle size={15} stroke={1.7} aria-hidden="true" />}
          onClick={openProfile}
        >
          {t("shell.profile")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => openPalette("sheet")}
        >
          {t("palette.sheetTitle")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => void logout()}
        >
          {t("shell.logout")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
