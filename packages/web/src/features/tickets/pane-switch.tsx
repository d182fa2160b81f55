import { IconInbox, IconMessage } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./pane-switch.module.css";

export type Pane = "ticket" | "list";

type Props = {
  pane: Pane;
  /** Tickets with unread messages. */
  unreadTickets: number;
  onPane: (pane: Pane) => void;
};

/** Under 600 px: which of the two panes is on the screen. */
export function PaneSwitch({ pane, unreadTickets, onPane }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <nav className={classes["switch"]} aria-label={t("tickets.panes")}>
      <button
        type="button"
        className={classes["pane"]}
        aria-pressed={pane === "ticket"}
        onClick={() => onPane("ticket")}
      >
        <IconMessage size={19} stroke={1.7} aria-hidden="true" />
        {t("tickets.paneTicket")}
      </button>
      <button
        type="button"
        className={classes["pane"]}
        aria-pressed={pane === "list"}
        onClick={() => onPane("list")}
      >
        <span className={classes["icon"]}>
          <IconInbox size={19} stroke={1.7} aria-hidden="true" />
          {unreadTickets > 0 ? (
            <span className={classes["badge"]}>
              <span aria-hidden="true">{unreadTickets}</span>
            </span>
          ) : null}
        </span>
        {t("tickets.paneList")}
        {unreadTickets > 0 ? (
          <span className="bc-hidden-text">
            {t("tickets.paneUnread", { count: unreadTickets })}
          </span>
        ) : null}
      </button>
    </nav>
  );
}
