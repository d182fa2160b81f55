import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import type { MouseEvent, ReactNode } from "react";
import { Suspense, useMemo } from "react";
import { Navigate, Outlet, useIsOnTheWay, useLocation, useNavigate } from "../../router/index.tsx";
import { AnnouncementNews } from "../../features/announcements/index.ts";
import { ChatNews } from "../../features/chats/index.ts";
import {
  LiveSession,
  SubscriptionWarning,
  useSession,
  useStoredSession,
} from "../../features/auth/index.ts";
import { ConnectionAlarms } from "../../features/connections/index.ts";
import { ImportNews } from "../../features/contact-imports/index.ts";
import { AskAdmin, SubscriptionNotice } from "../../features/invoices/index.ts";
import { OutboxKeeper } from "../../features/messages/index.ts";
import { FollowUnread, Notifier } from "../../features/notifications/index.ts";
import { PaletteHost } from "../../features/palette/index.ts";
import { SupportStrip } from "../../features/support/index.ts";
import { NewTicketHost } from "../../features/tickets/index.ts";
import { ProfileHost } from "../../features/users/index.ts";
import type { StoredSession } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AfterShown, useIsPageLoading } from "../../ui/after-shown.tsx";
import type { Command } from "../../ui/commands.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { UndoPlace } from "../../ui/undo.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { ShellMenu } from "../../ui/shell-menu.tsx";
import { SignedInOnly } from "../guards.tsx";
import { PageLoading } from "../page-states.tsx";
import { INVOICES, pages } from "../pages.ts";
import { Drawer, MENU_ID, useDrawerState } from "./drawer.tsx";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";

const SignOutHost = lazyPart(
  async () => (await import("./sign-out.tsx")).SignOutHost,
  "over",
  "first",
);
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
  const { can, isLocked } = useSession();
  const [, first] = useLocation().pathname.split("/");
  const isShut = isLocked && !(first === INVOICES && can("invoices:pay"));
  const commands = usePageCommands();
  const isOnTheWay = useIsOnTheWay();
  const isBusy = useIsPageLoading() || isOnTheWay;
  const isCovered = drawer.form === "over";
  const { toggle } = drawer;
  const openMenu = useMemo(() => (isNarrow ? toggle : null), [isNarrow, toggle]);
  return (
    <ShellMenu value={openMenu}>
      {isLocked ? null : (
        <>
          <LiveSession session={session} />
          <FollowUnread />
          <PaletteHost pages={commands} />
          <NewTicketHost />
          <ProfileHost />
        </>
      )}
      <AfterShown isPageLoading={isBusy}>
        <SignOutHost />
        {isLocked ? null : (
          <>
            <SubscriptionWarning dueDate={session.user.company.dueDate} sessionId={session.id} />
            <ConnectionAlarms />
            <OutboxKeeper />
            <Notifier />
            <AnnouncementNews />
            {can("chats:use") ? <ChatNews /> : null}
            {can("contacts:work") ? <ImportNews /> : null}
          </>
        )}
      </AfterShown>
      <SkipLinks hasMenu={drawer.form !== "hidden"} />
      <div className={classes["shell"]} data-rail={drawer.hasRail || undefined}>
        <Drawer drawer={drawer} withAccount={isNarrow} />
        {isNarrow ? null : (
          <div className={classes["bar"]} inert={isCovered}>
            <TopBar />
          </div>
        )}
        <div className={classes["strip"]} inert={isCovered}>
          {session.visit ? (
            <Suspense>
              <SupportStrip visit={session.visit} />
            </Suspense>
          ) : null}
          <SubscriptionNotice />
        </div>
        <main
          id={CONTENT_ID}
          tabIndex={-1}
          className={classes["main"]}
          inert={isCovered}
          aria-busy={isBusy || undefined}
        >
          {isShut ? <ShutPage /> : <Outlet />}
        </main>
        <UndoPlace />
      </div>
    </ShellMenu>
  );
}

/** In the place of a page that stays shut until the subscription is paid. */
function ShutPage(): ReactNode {
  const { can } = useSession();
  if (can("invoices:pay")) return <Navigate to={`/${INVOICES}`} replace />;
  return (
    <Suspense fallback={<PageLoading />}>
      <AskAdmin />
    </Suspense>
  );
}

/** The pages of the menu as commands. */
function usePageCommands(): readonly Command[] {
  const { t } = useTranslation();
  const { can } = useSession();
  const navigate = useNavigate();
  return pages
    .filter((entry) => can(entry.permission))
    .map(({ path, label, icon }) => ({
      ...{ id: `page ${path}`, label: t(label), icon },
      run: () => navigate(`/${path}`),
    }));
}

/** Gives the browser's tab the page's name in the menu. */
function useMenuTitle(): void {
  const { t } = useTranslation();
  const [, first] = useLocation().pathname.split("/");
  const entry = pages.find(({ path }) => path === first);
  usePageTitle(entry ? t(entry.label) : null);
}

/** Links before everything else for keyboard users. A script moves the focus: a `#` in the address would be a route. */
function SkipLinks({ hasMenu }: { hasMenu: boolean }): ReactNode {
  const { t } = useTranslation();
  const skip = (id: string) => (event: MouseEvent) => {
    event.preventDefault();
    document.querySelector<HTMLElement>(`#${id}`)?.focus();
  };
  return (
    <>
      <a className="bc-skip-link" href={`#${CONTENT_ID}`} onClick={skip(CONTENT_ID)}>
        {t("shell.skipToContent")}
      </a>
      {hasMenu ? (
        <a className="bc-skip-link" href={`#${MENU_ID}`} onClick={skip(MENU_ID)}>
          {t("shell.skipToMenu")}
        </a>
      ) : null}
    </>
  );
}
