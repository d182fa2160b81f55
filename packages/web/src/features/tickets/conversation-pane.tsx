import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { Suspense, useCallback, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Composer, LazyEmojiPicker } from "../composer/index.ts";
import { useConnection } from "../connections/index.ts";
import type { SharedContact } from "../messages/index.ts";
import { MessageList, useMessageEvents, ViewerStrip } from "../messages/index.ts";
import { useTicketNotes } from "../notes/index.ts";
import { LazyTemplateDialog, LazyWindowChip, useFreeTextWindow } from "../templates/index.ts";
import type { TicketAction } from "./actions.ts";
import { ConversationHeader } from "./conversation-header.tsx";
import { ConversationNotice } from "./conversation-notice.tsx";
import classes from "./conversation-pane.module.css";
import { openNewTicket } from "./new-ticket.ts";
import type { TicketCommand } from "./ticket-commands.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const TagStrip = lazyPart(async () => (await import("../tags/index.ts")).TagStrip);

type Props = {
  ticket: Ticket;
  user: { id: number; name: string };
  /** Under 600 px, where one pane is on the screen at a time. */
  isNarrow: boolean;
  /** The action under way, if any. */
  busyWith: TicketAction | null;
  /** What may be done to the ticket now. */
  commands: readonly TicketCommand[];
  mustFocusComposer: boolean;
  isContactOpen: boolean;
  onCommand: (command: TicketCommand, ticket: Ticket) => void;
  /** Schedules what was written; undefined where messages cannot be scheduled. */
  onSendLater: ((text: string) => void) | undefined;
  onBack: () => void;
};

/** The right pane: who it is, what was said, and where to answer. Mount it anew for each ticket. */
export function ConversationPane(props: Props): ReactNode {
  const { ticket, user, isNarrow, mustFocusComposer, onCommand } = props;
  const { t } = useTranslation();
  useMessageEvents(ticket.id);
  const { notes } = useTicketNotes(ticket.id);
  const freeText = useFreeTextWindow(ticket.freeTextUntil);
  const connection = useConnection(ticket.whatsappId);
  const [isChoosingTemplate, setChoosingTemplate] = useState(false);
  const chooseTemplate = useCallback(() => setChoosingTemplate(true), []);
  const mayTemplate = connection?.channel === "cloud-api" && ticket.status === "open";
  const disabledReasons = {
    open: freeText === "closed" ? t("templates.closed") : null,
    pending: t("tickets.mustAccept"),
    closed: t("tickets.mustReopen"),
  };
  return (
    <section className={classes["pane"]} aria-label={ticket.contact.name} data-conversation="">
      <ConversationHeader
        ticket={ticket}
        isNarrow={isNarrow}
        busyWith={props.busyWith}
        commands={props.commands}
        isContactOpen={props.isContactOpen}
        onCommand={(command) => onCommand(command, ticket)}
        onBack={props.onBack}
      />
      <div className={classes["tags"]}>
        <Suspense fallback={null}>
          <TagStrip ticket={ticket} />
        </Suspense>
      </div>
      <ConversationNotice ticket={ticket} />
      <div className={classes["canvas"]}>
        <MessageList
          ticketId={ticket.id}
          customerName={ticket.contact.name}
          unread={ticket.unreadMessages}
          isReader={ticket.userId === user.id}
          isGroup={ticket.isGroup}
          canWrite={ticket.status === "open"}
          notes={notes}
          onTalkTo={talkTo}
          EmojiPicker={LazyEmojiPicker}
        />
        <ViewerStrip ticketId={ticket.id} />
        <Suspense fallback={null}>
          {freeText === "closing" && ticket.freeTextUntil !== null && ticket.status === "open" ? (
            <LazyWindowChip until={ticket.freeTextUntil} />
          ) : null}
          {isChoosingTemplate && connection ? (
            <LazyTemplateDialog
              ticketId={ticket.id}
              connectionId={connection.id}
              customerName={ticket.contact.name}
              onClose={() => setChoosingTemplate(false)}
            />
          ) : null}
        </Suspense>
        <Composer
          ticket={ticket}
          user={user}
          disabledReason={disabledReasons[ticket.status]}
          mustFocus={mustFocusComposer}
          onSendLater={props.onSendLater}
          onTemplate={mayTemplate ? chooseTemplate : undefined}
        />
      </div>
    </section>
  );
}

/** Only a press on a shared contact card leads here: showing one makes no contact. */
function talkTo({ name, phone }: SharedContact): void {
  openNewTicket({ number: phone, name });
}
