import { IconEye, IconFilter, IconSearch, IconSortDescending } from "@tabler/icons-react";
import type { TicketOrder } from "@balcao/contract";
import type { ComponentProps, KeyboardEvent, ReactNode } from "react";
import { Suspense } from "react";
import { formatListCount } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { OnDemand } from "../../../ui/on-demand.tsx";
import type { FilterProps } from "./filters.tsx";
import { isFiltered } from "./list-filter.ts";
import classes from "./list.module.css";
import type { ListTab } from "./ticket-view.ts";

type Props = {
  tab: ListTab;
  onTab: (tab: ListTab) => void;
  /** Undefined while unknown. */
  counts: { open: number | undefined; pending: number | undefined };
  /** Null if the user may not see all tickets. */
  showAll: boolean | null;
  onShowAll: (showAll: boolean) => void;
};

/** Id of the panel that shows a list; its tab's id ends in `-tab`. */
export function panelId(tab: ListTab): string {
  return `tickets-${groupOf(tab)}`;
}

type TabGroup = "open" | "closed" | "search";
const groups: readonly TabGroup[] = ["open", "closed", "search"];

function groupOf(tab: ListTab): TabGroup {
  return tab === "pending" ? "open" : tab;
}

/** Abertos (with Atendendo and Aguardando), Resolvidos and Buscar. */
export function ListTabs({ tab, onTab, counts, showAll, onShowAll }: Props): ReactNode {
  const { t } = useTranslation();
  const active = groupOf(tab);

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const next = tabAfter(active, event.key);
    if (next === undefined) return;
    event.preventDefault();
    onTab(next);
    event.currentTarget.querySelector<HTMLElement>(`#${panelId(next)}-tab`)?.focus();
  }

  return (
    <>
      <div
        role="tablist"
        aria-label={t("tickets.tabs")}
        className={classes["tabs"]}
        onKeyDown={onKeyDown}
      >
        <Tab of="open" active={active} onTab={onTab}>
          {t("tickets.tabOpen")}
        </Tab>
        <Tab of="closed" active={active} keys="Alt+3" onTab={onTab}>
          {t("tickets.tabClosed")}
        </Tab>
        <Tab of="search" active={active} onTab={onTab}>
          <IconSearch size={15} stroke={1.9} aria-hidden="true" />
          {t("tickets.tabSearch")}
        </Tab>
      </div>
      {active === "open" ? (
        <div className={classes["chips"]}>
          <div role="group" aria-label={t("tickets.openGroups")} className={classes["group"]}>
            <Chip
              label={t("tickets.serving")}
              keys="Alt+1"
              count={counts.open}
              isActive={tab === "open"}
              onClick={() => onTab("open")}
            />
            <Chip
              label={t("tickets.waiting")}
              keys="Alt+2"
              count={counts.pending}
              isActive={tab === "pending"}
              onClick={() => onTab("pending")}
            />
          </div>
          {showAll === null ? null : (
            <button
              type="button"
              className={classes["all"]}
              aria-pressed={showAll}
              aria-label={t("tickets.showAll")}
              title={t("tickets.showAll")}
              onClick={() => onShowAll(!showAll)}
            >
              <IconEye size={15} stroke={1.7} aria-hidden="true" />
              <span className={classes["allText"]}>{t("tickets.showAll")}</span>
            </button>
          )}
        </div>
      ) : null}
    </>
  );
}

function tabAfter(active: TabGroup, key: string): TabGroup | undefined {
  if (key === "Home") return groups[0];
  if (key === "End") return groups.at(-1);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const by = key === "ArrowRight" ? 1 : -1;
  return groups.at((groups.indexOf(active) + by) % groups.length);
}

type TabProps = {
  of: TabGroup;
  active: TabGroup;
  keys?: string;
  onTab: (tab: ListTab) => void;
  children: ReactNode;
};

function Tab({ of, active, keys, onTab, children }: TabProps): ReactNode {
  const isActive = of === active;
  return (
    <button
      type="button"
      role="tab"
      id={`${panelId(of)}-tab`}
      aria-selected={isActive}
      aria-controls={isActive ? panelId(of) : undefined}
      aria-keyshortcuts={keys}
      title={keys?.replace("+", " ")}
      tabIndex={isActive ? 0 : -1}
      className={classes["tab"]}
      onClick={() => {
        if (!isActive) onTab(of);
      }}
    >
      {children}
    </button>
  );
}

type ChipProps = {
  label: string;
  keys: string;
  count: number | undefined;
  isActive: boolean;
  onClick: () => void;
};

function Chip({ label, keys, count, isActive, onClick }: ChipProps): ReactNode {
  return (
    <button
      type="button"
      className={classes["chip"]}
      aria-pressed={isActive}
      aria-keyshortcuts={keys}
      title={keys.replace("+", " ")}
      onClick={onClick}
    >
      {label}{" "}
      <span className={classes["chipCount"]}>
        {count === undefined ? "" : formatListCount(count)}
      </span>
    </button>
  );
}

type OrderProps = { order: TicketOrder; onOrder: (order: TicketOrder) => void };

/** Shows the order of a list; a press chooses the other one. */
export function OrderChoice({ order, onOrder }: OrderProps): ReactNode {
  const { t } = useTranslation();
  const shown = t(`tickets.orders.${order}`);
  return (
    <button
      type="button"
      className={classes["order"]}
      aria-label={t("tickets.orderedBy", { order: shown })}
      onClick={() => onOrder(order === "wait" ? "activity" : "wait")}
    >
      <IconSortDescending size={15} stroke={1.7} aria-hidden="true" />
      {shown}
    </button>
  );
}

const FilterMenu = lazyPart(async () => (await import("./filters.tsx")).FilterMenu);
const FilterChips = lazyPart(async () => (await import("./filters.tsx")).FilterChips);

type FilterBarProps = FilterProps & {
  /** At the end of the row. */
  children: ReactNode;
};

/** A chip for each part of the filter, and the menu to choose them. */
export function FilterBar({ children, ...props }: FilterBarProps): ReactNode {
  const standIn = <FilterTarget aria-haspopup="menu" aria-expanded={false} />;
  return (
    <div className={classes["filters"]}>
      {isFiltered(props.filter) ? (
        <Suspense fallback={null}>
          <FilterChips {...props} />
        </Suspense>
      ) : null}
      <OnDemand part={FilterMenu} standIn={standIn}>
        <FilterMenu {...props} target={<FilterTarget />} />
      </OnDemand>
      {children}
    </div>
  );
}

function FilterTarget(props: ComponentProps<"button">): ReactNode {
  const { t } = useTranslation();
  return (
    <button type="button" {...props} className={classes["all"]}>
      <IconFilter size={15} stroke={1.7} aria-hidden="true" />
      {t("tickets.filter")}
    </button>
  );
}
