import type { Ticket } from "@balcao/contract";
import { Button, Menu } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowBackUp,
  IconCheck,
  IconChevronLeft,
  IconDotsVertical,
  IconRotate,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, IconButton, QueueDot } from "../../ui/index.ts";
import { useCustomerActivity } from "../messages/index.ts";
import type { TicketAction } from "./actions.ts";
import classes from "./conversation-header.module.css";

type Props = {
  ticket: Ticket;
  isNarrow: boolean;
  busyWith: TicketAction | null;
  onAction: (action: TicketAction, ticket: Ticket) => void;
  onBack: () => void;
};

/** The one action that each state is about. */
const primaryActions = {
  pending: { action: "accept", icon: IconCheck, keys: "Alt+A" },
  open: { action: "resolve", icon: IconCheck, keys: "Alt+R" },
  closed: { action: "reopen", icon: IconRotate, keys: undefined },
} as const satisfies Record<
  Ticket["status"],
  { action: TicketAction; icon: Icon; keys: string | undefined }
>;

/** Who is being served, and what can be done to the ticket. */
export function ConversationHeader(props: Props): ReactNode {
  const { ticket, isNarrow, busyWith, onAction, onBack } = props;
  const { t } = useTranslation();
  const primary = primaryActions[ticket.status];
  const PrimaryIcon = primary.icon;
  const canReturn = ticket.status === "open";
  const isBusy = busyWith !== null;
  // Where the list is not on the screen, this is the first heading of it.
  const Heading = isNarrow ? "h1" : "h2";

  return (
    <header className={classes["header"]}>
      {isNarrow ? (
        <IconButton
          className={classes["back"]}
          label={t("tickets.back")}
          icon={IconChevronLeft}
          onClick={onBack}
        />
      ) : null}
      <AppAvatar name={ticket.contact.name} id={ticket.contact.id} size={40} />
      <div className={classes["who"]}>
        <Heading className={classes["name"]}>{ticket.contact.name}</Heading>
        <Line ticket={ticket} isNarrow={isNarrow} />
      </div>
      <div className={classes["actions"]}>
        {canReturn && !isNarrow ? (
          <IconButton
            label={t("tickets.return")}
            icon={IconArrowBackUp}
            disabled={isBusy}
            onClick={() => onAction("return", ticket)}
          />
        ) : null}
        <Button
          className={classes["primary"]}
          leftSection={<PrimaryIcon size={17} stroke={1.9} aria-hidden="true" />}
          loading={busyWith === primary.action}
          disabled={isBusy && busyWith !== primary.action}
          aria-keyshortcuts={primary.keys}
          title={primary.keys?.replace("+", " ")}
          onClick={() => onAction(primary.action, ticket)}
        >
          {t(`tickets.${primary.action}`)}
        </Button>
        {canReturn && isNarrow ? (
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <IconButton label={t("tickets.more")} icon={IconDotsVertical} disabled={isBusy} />
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                leftSection={<IconArrowBackUp size={15} stroke={1.7} aria-hidden="true" />}
                onClick={() => onAction("return", ticket)}
              >
                {t("tickets.return")}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null}
      </div>
    </header>
  );
}

/** Queue and number; while the customer writes, that. */
function Line({ ticket, isNarrow }: { ticket: Ticket; isNarrow: boolean }): ReactNode {
  const { t } = useTranslation();
  const activity = useCustomerActivity(ticket.id);
  if (activity !== null) {
    return (
      <p className={classes["activity"]} role="status">
        {t(`messages.${activity}`)}
      </p>
    );
  }
  const queue = ticket.queue?.name ?? t("tickets.noQueue");
  return (
    <p className={classes["line"]}>
      <QueueDot color={ticket.queue?.color ?? "var(--bc-line2)"} />
      <span className={classes["cut"]}>
        {isNarrow ? queue : `${queue}, ${t("tickets.number", { id: ticket.id })}`}
      </span>
    </p>
  );
}
