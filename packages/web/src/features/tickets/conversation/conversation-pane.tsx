import type { Ticket } from "@balcao/contract";
import { IconLoader, IconPlugConnectedX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useCallback, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { LiveNotice, useLiveStatus } from "../../../realtime/index.ts";
import { useNavigate } from "../../../router/index.tsx";
import { NoticeStrip, notifyError } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { AfterShown } from "../../../ui/after-shown.tsx";
import { useSession } from "../../auth/index.ts";
import { Composer, LazyEmojiPicker } from "../../composer/index.ts";
import { useConnection, useIsDown, useReconnect } from "../../connections/index.ts";
import type { SharedContact } from "../../messages/index.ts";
import { LazyViewers, MessageList, useMessageEvents, useSearchKey } from "../../messages/index.ts";
import { useTicketNotes } from "../../notes/index.ts";
import { useReadMentions } from "../../notifications/index.ts";
import { useSetting } from "../../settings/index.ts";
import { TagStrip } from "../../tags/index.ts";
import { LazyTemplateDialog, LazyWindowChip, useFreeTextWindow } from "../../templates/index.ts";
import { openNewTicket } from "../new-ticket/new-ticket.tsx";
import { ConversationHeader, TicketTarget } from "./conversation-header.tsx";
import classes from "./conversation.module.css";
import type { TicketAction } from "./ticket-actions.ts";
import type { TicketCommand } from "./ticket-commands.ts";

type Props = {
  ticket: Ticket;
  user: { id: number; name: string };
  /** Under 600 px, where one pane is on the screen at a time. */
  isNarrow: boolean;
  /** The action under way, if any. */
  busyWith: TicketAction | null;
  /** The allowed commands of the ticket. */
  commands: readonly TicketCommand[];
  mustFocusComposer: boolean;
  isContactOpen: boolean;
  onCommand: (command: TicketCommand, ticket: Ticket) => void;
  /** Schedules the typed text; undefined if messages cannot be scheduled. */
  onSendLater: ((text: string) => void) | undefined;
  onBack: () => void;
  /** In another screen's panel: at the end of the header, and above the tags. */
  end?: ReactNode;
  above?: ReactNode;
};

/** The right pane: header, conversation and composer. Mount it per ticket. */
export function ConversationPane(props: Props): ReactNode {
  const { ticket, user, isNarrow, mustFocusComposer, onCommand } = props;
  const { t } = useTranslation();
  useMessageEvents(ticket.id);
  useSearchKey(ticket.id);
  const { notes } = useTicketNotes(ticket.id);
  useReadMentions(ticket.id);
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
        end={props.end}
      />
      {props.above}
      <div className={classes["tags"]}>
        <TagStrip ticket={ticket} />
        {isNarrow ? <TicketTarget ticket={ticket} /> : null}
      </div>
      <ConversationNotice ticket={ticket} />
      <div className={classes["canvas"]}>
        <MessageList
          ticketId={ticket.id}
          customerName={ticket.contact.name}
          unread={ticket.unreadMessages}
          waitingSince={ticket.waitingSince}
          isReader={ticket.userId === user.id}
          isGroup={ticket.isGroup}
          canWrite={ticket.status === "open"}
          notes={notes}
          onTalkTo={talkTo}
          EmojiPicker={LazyEmojiPicker}
        />
        <AfterShown>
          <LazyViewers ticketId={ticket.id} />
        </AfterShown>
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
        {ticket.contact.optedOut ? (
          <Suspense fallback={null}>
            <OptedOutNotice />
          </Suspense>
        ) : null}
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

/** Called by a press on a shared contact card: showing one creates no contact. */
function talkTo({ name, phone }: SharedContact): void {
  openNewTicket({ number: phone, name });
}

type ConversationNoticeProps = { ticket: HoursTicket & { whatsappId: number | null } };

/**
 * The notice of the conversation: one at a time, the most important first (ui.md section 3, notices). While the
 * connection is lost, other notices may be outdated.
 */
function ConversationNotice({ ticket }: ConversationNoticeProps): ReactNode {
  return useLiveStatus().wasOffline ? <LiveNotice /> : <TicketNotice ticket={ticket} />;
}

function TicketNotice({ ticket }: ConversationNoticeProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const connection = useConnection(ticket.whatsappId);
  const isDown = useIsDown(connection);
  const reconnect = useReconnect();
  const navigate = useNavigate();
  if (!connection || !isDown) {
    return ticket.status === "pending" ? <LazyPreview /> : <HoursNotice ticket={ticket} />;
  }

  const { name, status } = connection;
  if (status === "OPENING" || status === "PAIRING") {
    return (
      <NoticeStrip tone="warn" icon={IconLoader} title={t("tickets.connectionStarting", { name })}>
        {t("tickets.connectionStartingText")}
      </NoticeStrip>
    );
  }
  // A restart does not help a code that waits to be scanned.
  const action =
    status === "qrcode"
      ? { label: t("tickets.seeConnections"), onClick: () => navigate("/connections") }
      : {
          label: t("tickets.reconnect"),
          onClick: () => reconnect.mutate(connection.id, { onError: notifyError }),
        };
  return (
    <NoticeStrip
      tone="bad"
      icon={IconPlugConnectedX}
      title={t("tickets.connectionDown", { name })}
      action={can("connections:manage") ? action : undefined}
    >
      {t("tickets.connectionDownText")}
    </NoticeStrip>
  );
}

const PreviewNotice = lazyPart(async () => (await import("./notices.tsx")).PreviewNotice);

const OptedOutNotice = lazyPart(async () => (await import("./notices.tsx")).OptedOutNotice);

function LazyPreview(): ReactNode {
  return (
    <Suspense fallback={null}>
      <PreviewNotice />
    </Suspense>
  );
}

const ClosedNotice = lazyPart(async () => (await import("./notices.tsx")).ClosedNotice);

/** The fields of a ticket that decide whose opening hours count. */
type HoursTicket = Pick<Ticket, "status" | "isGroup" | "queue">;

/** Shows that the ticket's company or queue is closed. */
function HoursNotice({ ticket }: { ticket: HoursTicket }): ReactNode {
  const type = useSetting("scheduleType");
  // Hours do not apply to groups and resolved tickets.
  if (ticket.isGroup || ticket.status === "closed") return null;
  const queueId = type === "queue" ? ticket.queue?.id : undefined;
  if (type !== "company" && queueId === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ClosedNotice queueId={queueId ?? null} />
    </Suspense>
  );
}
