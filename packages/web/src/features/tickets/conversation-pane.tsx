import type { Ticket } from "@balcao/contract";
import { IconMessages } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState } from "../../ui/index.ts";
import { Composer, MessageList, useMessageEvents } from "../messages/index.ts";
import type { TicketAction } from "./actions.ts";
import { ConversationHeader } from "./conversation-header.tsx";
import { ConversationNotice } from "./conversation-notice.tsx";
import classes from "./conversation-pane.module.css";

type Props = {
  ticket: Ticket;
  user: { id: number; name: string };
  /** Under 600 px, where one pane is on the screen at a time. */
  isNarrow: boolean;
  /** The action under way, if any. */
  busyWith: TicketAction | null;
  mustFocusComposer: boolean;
  onAction: (action: TicketAction, ticket: Ticket) => void;
  onBack: () => void;
};

/** The right pane: who it is, what was said, and where to answer. Mount it anew for each ticket. */
export function ConversationPane(props: Props): ReactNode {
  const { ticket, user, isNarrow, busyWith, mustFocusComposer, onAction, onBack } = props;
  const { t } = useTranslation();
  useMessageEvents(ticket.id);
  const disabledReasons = {
    open: null,
    pending: t("tickets.mustAccept"),
    closed: t("tickets.mustReopen"),
  };
  return (
    <section className={classes["pane"]} aria-label={ticket.contact.name}>
      <ConversationHeader
        ticket={ticket}
        isNarrow={isNarrow}
        busyWith={busyWith}
        onAction={onAction}
        onBack={onBack}
      />
      <ConversationNotice connectionId={ticket.whatsappId} />
      <div className={classes["canvas"]}>
        <MessageList
          ticketId={ticket.id}
          customerName={ticket.contact.name}
          unread={ticket.unreadMessages}
          isReader={ticket.userId === user.id}
        />
        <Composer
          ticketId={ticket.id}
          customerName={ticket.contact.name}
          user={user}
          disabledReason={disabledReasons[ticket.status]}
          mustFocus={mustFocusComposer}
        />
      </div>
    </section>
  );
}

/** No ticket is chosen. */
export function NoConversation(): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["empty"]} aria-label={t("tickets.paneTicket")}>
      <EmptyState
        icon={IconMessages}
        title={t("tickets.chooseTitle")}
        text={t("tickets.chooseText")}
      />
    </section>
  );
}
