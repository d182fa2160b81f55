import { Menu } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { formatDate } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar } from "../../ui/index.ts";
import { useColorScheme } from "../../ui/color-scheme.ts";
import { LanguageMenu } from "../../ui/language-menu.tsx";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import { Identity } from "./identity.tsx";
import { LivePill } from "./live-pill.tsx";
import { chooseTheme, themeChoices } from "./theme-choices.ts";
import classes from "./top-bar.module.css";

/** Greeting and company at the left; live state, theme, language and account at the right. */
export function TopBar(): ReactNode {
  return (
    <header className={classes["bar"]}>
      <Greeting />
      <LivePill />
      <ThemeToggle />
      <LanguageMenu />
      <span className={classes["divider"]} aria-hidden="true" />
      <AccountMenu />
    </header>
  );
}

/** "Olá, Marina", the company, and for admins until when it is active. */
function Greeting(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { company } = user;
  const firstName = user.name.trim().split(/\s+/)[0] ?? "";
  const activeUntil =
    user.profile === "admin" && company.dueDate !== null
      ? `, ${t("shell.activeUntil", { date: formatDate(company.dueDate) })}`
      : "";
  return (
    <div className={classes["who"]}>
      <span className={classes["greeting"]}>{t("shell.greeting", { name: firstName })}</span>
      <span className={classes["company"]}>
        {company.name}
        {activeUntil}
      </span>
    </div>
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
          leftSection={<IconLogout size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => void logout()}
        >
          {t("shell.logout")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
