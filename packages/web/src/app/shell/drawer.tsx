import { useFocusTrap, useHotkeys } from "@mantine/hooks";
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconX,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { NavLink } from "react-router";
import { call } from "../../api/client.ts";
import { useSession } from "../../features/auth/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { Logo } from "../../ui/logo.tsx";
import type { DrawerState } from "./drawer-state.ts";
import classes from "./drawer.module.css";
import { tip } from "../../ui/tooltip.tsx";
import { menu } from "./menu.ts";
import type { MenuEntry } from "./menu.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

// Only narrow screens show it, and only once the menu is opened.
const AccountSection = lazyPart(async () => (await import("./account-section.tsx")).AccountSection);

export const MENU_ID = "menu";

type Props = {
  drawer: DrawerState;
  /** Under 600 px the top bar is here. */
  withAccount: boolean;
};

/** The main menu: beside the page, as a rail, or over it. */
export function Drawer({ drawer, withAccount }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const { form } = drawer;
  const isOver = form === "over";
  const trap = useFocusTrap(isOver);
  useHotkeys(isOver ? [["Escape", drawer.close]] : [], []);

  const entries = menu.filter((entry) => can(entry.permission));
  const service = entries.filter((entry) => entry.section === "service");
  const administration = entries.filter((entry) => entry.section === "administration");
  const links = (list: MenuEntry[]): ReactNode => (
    <MenuLinks entries={list} isRail={form === "rail"} onChoose={drawer.close} />
  );
  if (form === "hidden") return null;
  return (
    <>
      {isOver ? (
        <div className={classes["scrim"]} onClick={drawer.close} aria-hidden="true" />
      ) : null}
      <nav
        ref={trap}
        id={MENU_ID}
        tabIndex={-1}
        className={classes["drawer"]}
        data-form={form}
        aria-label={t("shell.menu")}
      >
        <div className={classes["brand"]}>
          <Logo className={classes["logo"]} />
          {form === "rail" ? null : (
            <span className={classes["brandName"]}>{t("common.product")}</span>
          )}
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

function SectionHead({ isRail }: { isRail: boolean }): ReactNode {
  const { t } = useTranslation();
  if (isRail) return <hr className={classes["divider"]} />;
  return <h2 className={classes["section"]}>{t("shell.administration")}</h2>;
}

type LinksProps = { entries: readonly MenuEntry[]; isRail: boolean; onChoose: () => void };

function MenuLinks({ entries, isRail, onChoose }: LinksProps): ReactNode {
  const { t } = useTranslation();
  return (
    <ul className={classes["list"]}>
      {entries.map(({ to, label, icon: EntryIcon, Mark }) => (
        <li key={to}>
          <NavLink
            to={to}
            className={classes["entry"] ?? ""}
            onClick={onChoose}
            {...(isRail ? tip(t(label), { side: "right" }) : {})}
          >
            <EntryIcon size={19} stroke={1.7} aria-hidden="true" />
            <span className={isRail ? "bc-hidden-text" : undefined}>{t(label)}</span>
            {Mark === undefined ? null : <Mark />}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

function VersionLabel(): ReactNode {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ["version"],
    queryFn: ({ signal }) => call("GET /version", {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: false },
  });
  return (
    <span className={classes["version"]}>
      {data ? t("shell.version", { version: data.version }) : null}
    </span>
  );
}
