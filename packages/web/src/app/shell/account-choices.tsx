import { Menu } from "@mantine/core";
import { IconChecks, IconKeyboard, IconLogout, IconUserCircle } from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { useHiddenSteps } from "../../features/first-steps/hidden-steps.tsx";
import { AvailabilityItems } from "../../features/team/availability.tsx";
import { openPalette } from "../../features/palette/index.ts";
import { openProfile } from "../../features/users/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { LanguageItems } from "../../ui/choices.tsx";
import { useColorScheme } from "../../ui/color-scheme.ts";
import classes from "./top-bar.module.css";
import { useSignOut } from "./sign-out.tsx";
import type { ColorSchemeChoice } from "../../ui/color-scheme.ts";

/** The account menu: availability, theme, language, profile, shortcuts, sign-out. `target` opens it. */
export function AccountChoices({ target }: { target: ReactElement }): ReactNode {
  const { t } = useTranslation();
  const { isLocked } = useSession();
  const signOut = useSignOut();
  const { choice, choose } = useColorScheme();
  const steps = useHiddenSteps();
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {isLocked ? null : (
          <>
            <AvailabilityItems />
            <Menu.Divider />
          </>
        )}
        <Identity />
        <Menu.Label>{t("shell.theme")}</Menu.Label>
        <Menu.RadioGroup value={choice} onChange={(value) => chooseTheme(value, choose)}>
          {themeChoices.map(({ scheme, label }) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick>
              {t(label)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{t("shell.language")}</Menu.Label>
        <LanguageItems />
        <Menu.Divider />
        {isLocked ? null : (
          <>
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
            {steps === null ? null : (
              <Menu.Item
                leftSection={<IconChecks size={15} stroke={1.7} aria-hidden="true" />}
                onClick={steps.show}
              >
                {steps.words}
              </Menu.Item>
            )}
          </>
        )}
        <Menu.Item
          leftSection={<IconLogout size={15} stroke={1.7} aria-hidden="true" />}
          onClick={signOut}
        >
          {t("shell.logout")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Name, e-mail and profile of the signed-in user. */
function Identity(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <div className={classes["identity"]}>
      <p className={classes["name"]}>{user.name}</p>
      <p className={classes["email"]}>{user.email}</p>
      <p className={classes["profile"]}>{user.role?.name ?? t(`shell.profiles.${user.profile}`)}</p>
    </div>
  );
}

const themeChoices: readonly {
  scheme: ColorSchemeChoice;
  label: "shell.themeLight" | "shell.themeDark" | "shell.themeSystem";
}[] = [
  { scheme: "light", label: "shell.themeLight" },
  { scheme: "dark", label: "shell.themeDark" },
  { scheme: "auto", label: "shell.themeSystem" },
];

/** Applies the theme with this value of the menu. */
function chooseTheme(value: string, choose: (scheme: ColorSchemeChoice) => void): void {
  const chosen = themeChoices.find(({ scheme }) => scheme === value);
  if (chosen) choose(chosen.scheme);
}
