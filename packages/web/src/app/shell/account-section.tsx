import { IconLogout, IconUserCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { AnnouncementsButton } from "../../features/announcements/index.ts";
import { NotificationsButton, VolumeButton } from "../../features/notifications/index.ts";
import { useHiddenSteps } from "../../features/first-steps/hidden-steps.tsx";
import { AvailabilitySelect } from "../../features/team/availability.tsx";
import { openProfile } from "../../features/users/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { AppAvatar, IconButton } from "../../ui/index.ts";
import { LanguageMenu } from "../../ui/language-menu.tsx";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import classes from "./account-section.module.css";
import { useSignOut } from "./sign-out.tsx";
import { LivePill, ReloadButton, SearchButton, useSubscriptionEnd } from "./top-bar.tsx";

/** The contents of the top bar, inside the menu of narrow screens. `onLeave` is called before a dialog opens. */
export function AccountSection({ onLeave }: { onLeave: () => void }): ReactNode {
  const { t } = useTranslation();
  const { user, isLocked } = useSession();
  const end = useSubscriptionEnd();
  const signOut = useSignOut();
  const { company } = user;
  const steps = useHiddenSteps();
  return (
    <section className={classes["section"]} aria-label={t("shell.account", { name: user.name })}>
      <div className={classes["who"]}>
        <AppAvatar name={user.name} id={user.id} size={40} />
        <div className={classes["text"]}>
          <p className={classes["name"]}>{user.name}</p>
          <p className="bc-detail">{user.email}</p>
          <p className="bc-detail">{company.name}</p>
          {end === null ? null : <p className="bc-detail">{end}</p>}
        </div>
        {isLocked ? null : (
          <IconButton
            label={t("shell.profile")}
            icon={IconUserCircle}
            onClick={() => {
              onLeave();
              openProfile();
            }}
          />
        )}
      </div>
      {isLocked ? null : <AvailabilitySelect />}
      {steps === null ? null : (
        <Button
          variant="default"
          fullWidth
          onClick={() => {
            onLeave();
            steps.show();
          }}
        >
          {steps.words}
        </Button>
      )}
      <div className={classes["row"]}>
        {isLocked ? null : (
          <>
            <LivePill />
            <SearchButton />
            <AnnouncementsButton />
            <NotificationsButton />
            <VolumeButton />
          </>
        )}
        <ThemeToggle />
        <LanguageMenu />
        <ReloadButton />
        <IconButton label={t("shell.logout")} icon={IconLogout} onClick={signOut} />
      </div>
    </section>
  );
}
