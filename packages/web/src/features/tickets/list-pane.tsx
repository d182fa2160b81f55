import type { Ticket, TicketStatus } from "@balcao/contract";
import { Button } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import {
  IconCloudOff,
  IconInbox,
  IconMessages,
  IconRosetteDiscountCheck,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, errorText, ListSkeleton, MenuButton } from "../../ui/index.ts";
import { useTicketList } from "./api.ts";
import type { ListChoices } from "./list-choices.ts";
import classes from "./list-pane.module.css";
import { ListTabs, panelId } from "./list-tabs.tsx";
import { NewTicketsAnnouncement } from "./new-tickets-announcement.tsx";
import { QueueFilter } from "./queue-filter.tsx";
import { TicketList } from "./ticket-list.tsx";
import type { TicketView } from "./ticket-view.ts";

type Props = {
  /** The list of each state, as the user wants to see it. */
  views: Readonly<Record<TicketStatus, TicketView>>;
  tab: TicketStatus;
  onTab: (tab: TicketStatus) => void;
  choices: ListChoices;
  onChoices: (choices: ListChoices) => void;
  mayShowAll: boolean;
  selectedUuid: string | undefined;
  acceptingId: number | null;
  focusWish: { ticketId: number } | null;
  onAccept: (ticket: Ticket) => void;
  /** Something that must be said above the list. */
  notice: ReactNode;
  /** Out of sight on a narrow screen; it keeps its scroll position. */
  isHidden: boolean;
};

/** The left pane: title, filters, tabs with their counts, and the list of the chosen tab. */
export function ListPane(props: Props): ReactNode {
  const { views, tab, onTab, choices, onChoices, mayShowAll } = props;
  const { t } = useTranslation();
  const open = useTicketList(views.open, { enabled: true });
  const pending = useTicketList(views.pending, { enabled: true });
  const closed = useTicketList(views.closed, { enabled: tab === "closed" });
  const shown = { open, pending, closed }[tab];

  return (
    <section
      className={classes["pane"]}
      aria-label={t("tickets.title")}
      data-hidden={props.isHidden || undefined}
    >
      <header className={classes["head"]}>
        <MenuButton />
        <h1 className={classes["title"]}>{t("tickets.title")}</h1>
        <QueueFilter
          viewer={views.open.viewer}
          selected={choices.queueIds}
          onSelect={(queueIds) => onChoices({ ...choices, queueIds })}
        />
      </header>
      {props.notice}
      <ListTabs
        tab={tab}
        onTab={onTab}
        counts={{ open: open.data?.count, pending: pending.data?.count }}
        showAll={mayShowAll ? choices.showAll : null}
        onShowAll={(showAll) => onChoices({ ...choices, showAll })}
      />
      <NewTicketsAnnouncement
        key={JSON.stringify(views.pending)} // a list seen differently is no news
        tickets={pending.data?.tickets}
      />
      <div
        id={panelId(tab)}
        role="tabpanel"
        aria-labelledby={`${panelId(tab)}-tab`}
        className={classes["panel"]}
      >
        {shown.data === undefined ? (
          <Missing error={shown.error} onRetry={() => void shown.refetch()} />
        ) : null}
        {shown.data?.tickets.length === 0 ? (
          <Nothing tab={tab} isLoading={shown.data.hasMore} />
        ) : null}
        {shown.data && shown.data.tickets.length > 0 ? (
          <TicketList
            // Another view starts at its top.
            key={JSON.stringify(views[tab])}
            view={views[tab]}
            pages={shown.data}
            selectedUuid={props.selectedUuid}
            acceptingId={props.acceptingId}
            focusWish={props.focusWish}
            onAccept={props.onAccept}
          />
        ) : null}
      </div>
    </section>
  );
}

/** No data: on their way, or not to be had. */
function Missing({ error, onRetry }: { error: Error | null; onRetry: () => void }): ReactNode {
  const { t } = useTranslation();
  if (error === null) return <ListSkeleton rows={6} />;
  return (
    <EmptyState
      icon={IconCloudOff}
      title={t("common.loadFailedTitle")}
      text={errorText(t, error)}
      action={
        <Button variant="default" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      }
    />
  );
}

const nothingIcons: Readonly<Record<TicketStatus, Icon>> = {
  open: IconMessages,
  pending: IconInbox,
  closed: IconRosetteDiscountCheck,
};

/** No ticket: none there, or (`isLoading`) all that were loaded have gone and the rest is on its way. */
function Nothing({ tab, isLoading }: { tab: TicketStatus; isLoading: boolean }): ReactNode {
  const { t } = useTranslation();
  if (isLoading) return <ListSkeleton rows={6} />;
  const texts = {
    open: [t("tickets.emptyOpenTitle"), t("tickets.emptyOpenText")],
    pending: [t("tickets.emptyPendingTitle"), t("tickets.emptyPendingText")],
    closed: [t("tickets.emptyClosedTitle"), t("tickets.emptyClosedText")],
  } as const;
  const [title, text] = texts[tab];
  return <EmptyState icon={nothingIcons[tab]} title={title} text={text} />;
}
