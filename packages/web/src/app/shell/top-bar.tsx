import type { ComponentProps, ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { formatDate } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./top-bar.module.css";
import { IconRefresh, IconSearch } from "@tabler/icons-react";
import { AnnouncementsButton } from "../../features/announcements/index.ts";
import { ChatsButton } from "../../features/chats/index.ts";
import { NotificationsButton, VolumeButton } from "../../features/notifications/index.ts";
import { openPalette } from "../../features/palette/index.ts";
import { AvailabilityDot } from "../../features/team/availability-dot.tsx";
import { AppAvatar, IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import { useLiveStatus } from "../../realtime/index.ts";

/**
 * Greeting and company at the left; then the state of the live channel while it is not live, the search, and the buttons, in the
 * order of ui-2.md.
 */
export function TopBar(): ReactNode {
  const { state } = useLiveStatus();
  const { isLocked } = useSession();
  return (
    <header className={classes["bar"]} data-live={state}>
      <Greeting />
      <LivePill />
      {isLocked ? null : <SearchButton />}
      <span className={classes["quiet"]}>
        {isLocked ? null : <VolumeButton />}
        <ReloadButton />
        <ThemeToggle />
      </span>
      <span className={classes["divider"]} aria-hidden="true" />
      {isLocked ? null : (
        <>
          <AnnouncementsButton />
          <ChatsButton />
          <NotificationsButton />
        </>
      )}
      <AccountButton />
    </header>
  );
}

/** "Olá, Marina Prado", the company, and for admins the end of its subscription. */
function Greeting(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const end = useSubscriptionEnd();
  return (
    <div className="bc-fill">
      <span className={classes["greeting"]}>{t("shell.greeting", { name: user.name.trim() })}</span>
      <span className={classes["company"]}>
        {user.company.name}
        {end === null ? "" : `, ${end}`}
      </span>
    </div>
  );
}

/** "ativa até 18/12/2026", for those who manage a company with a due date. */
export function useSubscriptionEnd(): string | null {
  const { t } = useTranslation();
  const { user, isLocked, holds } = useSession();
  const { dueDate } = user.company;
  if (!holds("companies:manage") || dueDate === null) return null;
  return t(isLocked ? "shell.endedOn" : "shell.activeUntil", { date: formatDate(dueDate) });
}

const AccountChoices = lazyPart(async () => (await import("./account-choices.tsx")).AccountChoices);

/** The account's menu with what a user chooses for this device. */
function AccountButton(): ReactNode {
  return (
    <OnDemand
      part={AccountChoices}
      standIn={<AccountTarget aria-haspopup="menu" aria-expanded={false} />}
    >
      <AccountChoices target={<AccountTarget />} />
    </OnDemand>
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

/** Opens the palette. Looks like a search field, and under 1024 px like an icon button. */
export function SearchButton(): ReactNode {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={classes["search"]}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K"
      onClick={() => openPalette("palette")}
    >
      <IconSearch size={17} stroke={1.7} aria-hidden="true" />
      <span className={classes["searchText"]}>{t("palette.open")}</span>
      <kbd className={classes["key"]} aria-hidden="true">
        Ctrl
      </kbd>
      <kbd className={classes["key"]} aria-hidden="true">
        K
      </kbd>
    </button>
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

/** Says that the live channel is away, or on its way back. Live, and while the page starts, there is nothing to say. */
export function LivePill(): ReactNode {
  const { t } = useTranslation();
  const { state, wasOffline } = useLiveStatus();
  if (state === "online" || !wasOffline) return null;
  return (
    <span className={classes["live"]} data-state={state}>
      {t(`shell.${state}`)}
    </span>
  );
}
