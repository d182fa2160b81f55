import type { ComponentProps, ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { formatDate } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./top-bar.module.css";
import { IconRefresh, IconSearch } from "@tabler/icons-react";
import { NotificationsButton, VolumeButton } from "../../features/notifications/index.ts";
import { openPalette } from "../../features/palette/index.ts";
import { AvailabilityDot } from "../../features/team/availability-dot.tsx";
import { AppAvatar, IconButton } from "../../ui/index.ts";
import { LanguageMenu } from "../../ui/language-menu.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import { useLiveStatus } from "../../realtime/index.ts";

/** Greeting and company at the left; live state and the buttons at the right. */
export function TopBar(): ReactNode {
  return (
    <header className={classes["bar"]}>
      <Greeting />
      <LivePill />
      <TopBarTools />
    </header>
  );
}

/** "Olá, Marina Prado", the company, and for admins the end of its subscription. */
function Greeting(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { company } = user;
  const activeUntil =
    user.profile === "admin" && company.dueDate !== null
      ? `, ${t("shell.activeUntil", { date: formatDate(company.dueDate) })}`
      : "";
  return (
    <div className="bc-fill">
      <span className={classes["greeting"]}>{t("shell.greeting", { name: user.name.trim() })}</span>
      <span className={classes["company"]}>
        {company.name}
        {activeUntil}
      </span>
    </div>
  );
}

const AccountChoices = lazyPart(async () => (await import("./account-choices.tsx")).AccountChoices);

/** The buttons at the right of the top bar: search, volume, reload, theme, language, unread tickets, account. */
function TopBarTools(): ReactNode {
  return (
    <>
      <SearchButton />
      <VolumeButton />
      <ReloadButton />
      <ThemeToggle />
      <LanguageMenu />
      <span className={classes["divider"]} aria-hidden="true" />
      <NotificationsButton />
      <OnDemand
        part={AccountChoices}
        standIn={<AccountTarget aria-haspopup="menu" aria-expanded={false} />}
      >
        <AccountChoices target={<AccountTarget />} />
      </OnDemand>
    </>
  );
}

function AccountTarget(props: ComponentProps<"button">): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <button
      {...props}
      type="button"
      className={classes["account"]}
      title={t(`shell.availability.${user.availability}`)}
    >
      <span className="bc-hidden-text">{t("shell.account", { name: user.name })}</span>
      <AppAvatar name={user.name} id={user.id} size={32} />
      <span className={classes["state"]}>
        <AvailabilityDot state={user.availability} />
      </span>
    </button>
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

/** Reloads the page; unsent text stays in the drafts. */
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

/** The state of the live channel, as a dot and a word. */
export function LivePill(): ReactNode {
  const { t } = useTranslation();
  const { state } = useLiveStatus();
  return (
    <span className={classes["live"]} data-state={state}>
      {t(`shell.${state}`)}
    </span>
  );
}
