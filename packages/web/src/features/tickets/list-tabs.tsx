import type { TicketStatus } from "@balcao/contract";
import { IconEye } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./list-tabs.module.css";

type Props = {
  tab: TicketStatus;
  onTab: (tab: TicketStatus) => void;
  /** Undefined while unknown. */
  counts: { open: number | undefined; pending: number | undefined };
  /** Null when the user may not ask for everybody's tickets. */
  showAll: boolean | null;
  onShowAll: (showAll: boolean) => void;
};

/** Id of the panel that shows a list; its tab's id ends in `-tab`. */
export function panelId(tab: TicketStatus): string {
  return tab === "closed" ? "tickets-closed" : "tickets-open";
}

/** Abertos (with Atendendo and Aguardando) and Resolvidos. */
export function ListTabs({ tab, onTab, counts, showAll, onShowAll }: Props): ReactNode {
  const { t } = useTranslation();
  const isClosed = tab === "closed";

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const next = isClosed ? "open" : "closed";
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
        <Tab of="open" isActive={!isClosed} label={t("tickets.tabOpen")} onTab={onTab} />
        <Tab of="closed" isActive={isClosed} label={t("tickets.tabClosed")} onTab={onTab} />
      </div>
      {isClosed ? null : (
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
      )}
    </>
  );
}

type TabProps = {
  of: "open" | "closed";
  label: string;
  isActive: boolean;
  onTab: (tab: TicketStatus) => void;
};

function Tab({ of, label, isActive, onTab }: TabProps): ReactNode {
  return (
    <button
      type="button"
      role="tab"
      id={`${panelId(of)}-tab`}
      aria-selected={isActive}
      aria-controls={isActive ? panelId(of) : undefined}
      aria-keyshortcuts={of === "closed" ? "Alt+3" : undefined}
      tabIndex={isActive ? 0 : -1}
      className={classes["tab"]}
      onClick={() => {
        if (!isActive) onTab(of);
      }}
    >
      {label}
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
      {label} <span className={classes["count"]}>{count ?? ""}</span>
    </button>
  );
}
