import { useMediaQuery } from "@mantine/hooks";
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLock,
  IconX,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import { Link, NavLink, useLocation } from "../../router/index.tsx";
import { useSession } from "../../features/auth/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AfterShown } from "../../ui/after-shown.tsx";
import { brand } from "../../ui/brand.ts";
import { IconButton } from "../../ui/index.ts";
import { Logo } from "../../ui/logo.tsx";
import classes from "./drawer.module.css";
import { tip } from "../../ui/tooltip.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { limits } from "@balcao/contract/limits";
import { version } from "../../../package.json";
import { INVOICES, menuOf, pages } from "../pages.ts";

// Shown only on narrow screens with an open menu.
const AccountSection = lazyPart(async () => (await import("./account-section.tsx")).AccountSection);

export const MENU_ID = "menu";

type Props = {
  drawer: DrawerState;
  /** Under 600 px the menu contains the top bar. */
  withAccount: boolean;
};

/** The main menu: beside the page, as a rail, or over it. */
export function Drawer({ drawer, withAccount }: Props): ReactNode {
  const { t } = useTranslation();
  const { holds } = useSession();
  const { form } = drawer;
  const isOver = form === "over";
  const menu = useFocusWhileOver(isOver, drawer.close);

  const entries = menuOf(holds);
  const service = entries.filter((entry) => entry.section === "service");
  const administration = entries.filter((entry) => entry.section === "administration");
  const links = (list: typeof entries): ReactNode => (
    <MenuLinks entries={list} isRail={form === "rail"} onChoose={drawer.close} />
  );
  if (form === "hidden") return null;
  return (
    <>
      {isOver ? (
        <div className={classes["scrim"]} onClick={drawer.close} aria-hidden="true" />
      ) : null}
      <nav
        ref={menu}
        id={MENU_ID}
        tabIndex={-1}
        className={classes["drawer"]}
        data-form={form}
        aria-label={t("shell.menu")}
      >
        <div className={classes["brand"]}>
          <Logo className={classes["logo"]} />
          {form === "rail" ? null : <span className={classes["brandName"]}>{brand().product}</span>}
          {isOver ? (
            <IconButton label={t("shell.closeMenu")} icon={IconX} onClick={drawer.close} />
          ) : null}
        </div>
        <div className={classes["entries"]}>
          {links(service)}
          {administration.length === 0 ? null : (
            <>
              <SectionHead isRail={form === "rail"} />
              {links(administration)}
            </>
          )}
        </div>
        {withAccount && isOver ? (
          <Suspense fallback={null}>
            <AccountSection onLeave={drawer.close} />
          </Suspense>
        ) : null}
        <div className={classes["foot"]}>
          {form === "rail" ? null : <VersionLabel />}
          {withAccount ? null : (
            <IconButton
              label={t(form === "rail" ? "shell.expandMenu" : "shell.collapseMenu")}
              icon={form === "rail" ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse}
              aria-expanded={form !== "rail"}
              aria-controls={MENU_ID}
              onClick={drawer.toggle}
            />
          )}
        </div>
      </nav>
    </>
  );
}

/** Moves the focus into a menu over the page, which is inert meanwhile; Esc closes it. */
function useFocusWhileOver(isOver: boolean, close: () => void) {
  const menu = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOver) menu.current?.querySelector("button")?.focus();
  }, [isOver]);
  useEffect(() => {
    if (!isOver) return undefined;
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") close();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isOver, close]);
  return menu;
}

function SectionHead({ isRail }: { isRail: boolean }): ReactNode {
  const { t } = useTranslation();
  if (isRail) return <hr className={classes["divider"]} />;
  return <h2 className={classes["section"]}>{t("shell.administration")}</h2>;
}

type LinksProps = { entries: typeof pages; isRail: boolean; onChoose: () => void };

function MenuLinks({ entries, isRail, onChoose }: LinksProps): ReactNode {
  const { t } = useTranslation();
  const { isLocked } = useSession();
  const [, first] = useLocation().pathname.split("/");
  const tabOf = pages.find(({ path }) => path === first)?.tabOf;
  return (
    <ul className="bc-plain-list">
      {entries.map(({ path, label, icon: EntryIcon, Mark }) => {
        const isShut = isLocked && path !== INVOICES;
        // A link to the page that is open would be marked as the current one.
        const EntryLink = isShut ? Link : NavLink;
        return (
          <li key={path}>
            <EntryLink
              to={`/${isShut ? INVOICES : path}`}
              className={classes["entry"] ?? ""}
              data-shut={isShut || undefined}
              aria-current={path === tabOf ? "page" : undefined}
              onClick={onChoose}
              {...(isRail ? tip(t(label), { side: "right" }) : {})}
            >
              <EntryIcon size={19} stroke={1.7} aria-hidden="true" />
              <span className={isRail ? "bc-hidden-text" : undefined}>{t(label)}</span>
              {isShut ? <ShutMark /> : null}
              {Mark === undefined || isShut ? null : (
                <AfterShown>
                  <Mark />
                </AfterShown>
              )}
            </EntryLink>
          </li>
        );
      })}
    </ul>
  );
}

function ShutMark(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["lock"]}>
      <IconLock size={15} stroke={1.7} aria-hidden="true" />
      <span className="bc-hidden-text">{t("shell.shut")}</span>
    </span>
  );
}

/** The version of this code; the server is built with it (`GET /version`). */
function VersionLabel(): ReactNode {
  const { t } = useTranslation();
  return <span className="bc-meta bc-numbers">{t("shell.version", { version })}</span>;
}

/** A choice of the device: signing out keeps it. */
const STORAGE_KEY = "balcao.drawer";

/**
 * `open` and `rail` stand beside the page, `over` covers it, `hidden` is not rendered (ui.md section 2).
 */
type DrawerForm = "open" | "rail" | "over" | "hidden";

type DrawerState = {
  form: DrawerForm;
  /** True if the 60 px rail keeps its space while the drawer lies over the page. */
  hasRail: boolean;
  toggle: () => void;
  close: () => void;
};

/** The form of the drawer at this width. The choice for wide screens is stored on this device. */
export function useDrawerState(): DrawerState {
  const isWide = useMediaQuery(`(min-width: ${limits.drawerOpenAbovePx + 1}px)`, true, {
    getInitialValueInEffect: false,
  });
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const [isCollapsed, setCollapsed] = useState(() => localStorage.getItem(STORAGE_KEY) === "rail");
  const [isOver, setOver] = useState(false);
  const opener = useRef<Element | null>(null);

  function formNow(): DrawerForm {
    if (isWide) return isCollapsed ? "rail" : "open";
    if (isOver) return "over";
    return isNarrow ? "hidden" : "rail";
  }

  return {
    form: formNow(),
    hasRail: !isWide && !isNarrow,
    toggle() {
      if (!isWide) {
        opener.current = document.activeElement;
        setOver(!isOver);
        return;
      }
      localStorage.setItem(STORAGE_KEY, isCollapsed ? "open" : "rail");
      setCollapsed(!isCollapsed);
    },
    close() {
      if (!isOver) return;
      setOver(false);
      // The page below is inert until the next frame.
      requestAnimationFrame(() => {
        if (opener.current instanceof HTMLElement) opener.current.focus();
      });
    },
  };
}
