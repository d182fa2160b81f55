import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import type { MouseEvent, ReactNode } from "react";
import { Suspense, useMemo } from "react";
import { Outlet, useLocation, useNavigate } from "react-router";
import {
  LiveSession,
  useSession,
  useStoredSession,
  useSubscriptionWarning,
} from "../../features/auth/index.ts";
import { ConnectionAlarms } from "../../features/connections/index.ts";
import { Notifier } from "../../features/notifications/index.ts";
import { PaletteHost } from "../../features/palette/index.ts";
import { NewTicketHost } from "../../features/tickets/index.ts";
import { ProfileHost } from "../../features/users/index.ts";
import type { StoredSession } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { Command } from "../../ui/commands.ts";
import { usePageTitle } from "../../ui/page-title.ts";
import { ShellMenu } from "../../ui/shell-menu.tsx";
import { SignedInOnly } from "../guards.tsx";
import { useDrawerState } from "./drawer-state.ts";
import { Drawer, MENU_ID } from "./drawer.tsx";
import { menu } from "./menu.ts";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const LiveData = lazyPart(async () => (await import("./live-data.tsx")).LiveData);

const CONTENT_ID = "content";

/** Frame of every signed-in page: menu, top bar, the page itself. */
export function Shell(): ReactNode {
  const session = useStoredSession();
  return (
    <SignedInOnly>
      {session ? <SignedInShell key={session.id} session={session} /> : null}
    </SignedInOnly>
  );
}

function SignedInShell({ session }: { session: StoredSession }): ReactNode {
  const drawer = useDrawerState();
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  useMenuTitle();
  useSubscriptionWarning(session.user.company.dueDate, session.id);
  const isCovered = drawer.form === "over";
  const { toggle } = drawer;
  const openMenu = useMemo(() => (isNarrow ? toggle : null), [isNarrow, toggle]);
  return (
    <ShellMenu value={openMenu}>
      <LiveSession session={session} />
      <Suspense fallback={null}>
        <LiveData />
      </Suspense>
      <Notifier />
      <ConnectionAlarms />
      <PaletteHost pages={usePages()} />
      <NewTicketHost />
      <ProfileHost />
      <SkipLinks hasMenu={drawer.form !== "hidden"} />
      <div className={classes["shell"]} data-rail={drawer.hasRail || undefined}>
        <Drawer drawer={drawer} withAccount={isNarrow} />
        {isNarrow ? null : (
          <div className={classes["bar"]} inert={isCovered}>
            <TopBar />
          </div>
        )}
        <main id={CONTENT_ID} tabIndex={-1} className={classes["main"]} inert={isCovered}>
          <Outlet />
        </main>
      </div>
    </ShellMenu>
  );
}

/** The pages of the menu as commands. */
function usePages(): readonly Command[] {
  const { t } = useTranslation();
  const { can } = useSession();
  const navigate = useNavigate();
  return menu
    .filter((entry) => can(entry.permission))
    .map(({ to, label, icon }) => ({
      ...{ id: `page ${to}`, label: t(label), icon },
      run: () => void navigate(to),
    }));
}

/** A page is called in the browser's tab as it is in the menu. */
function useMenuTitle(): void {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const entry = menu.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  usePageTitle(entry ? t(entry.label) : null);
}

/** The first stops of the Tab key. Ids are addressed by script: the address bar belongs to the routes. */
function SkipLinks({ hasMenu }: { hasMenu: boolean }): ReactNode {
  const { t } = useTranslation();
  const skip = (id: string) => (event: MouseEvent) => {
    event.preventDefault();
    document.querySelector<HTMLElement>(`#${id}`)?.focus();
  };
  return (
    <>
      <a className={classes["skip"]} href={`#${CONTENT_ID}`} onClick={skip(CONTENT_ID)}>
        {t("shell.skipToContent")}
      </a>
      {hasMenu ? (
        <a className={classes["skip"]} href={`#${MENU_ID}`} onClick={skip(MENU_ID)}>
          {t("shell.skipToMenu")}
        </a>
      ) : null}
    </>
  );
}
