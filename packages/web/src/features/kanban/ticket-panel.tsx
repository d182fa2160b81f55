import type { Ticket } from "@balcao/contract";
import { IconChevronDown, IconExternalLink, IconX } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { Suspense, useEffect, useMemo, useState } from "react";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useNavigate } from "../../router/index.tsx";
import { IconButton, ListSkeleton, LoadFailed, notifyError, QueueDot } from "../../ui/index.ts";
import { IconMessageOff } from "@tabler/icons-react";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import { useSession } from "../auth/index.ts";
import { showSearch } from "../messages/index.ts";
import { pinTicket, undoTicketChange, unsnoozeTicket, useTicket } from "../tickets/index.ts";
import type { Leave, TicketAction } from "../tickets/index.ts";
import { useTicketAction } from "../tickets/index.ts";
import type { TicketCommand } from "../tickets/index.ts";
import { commandsFor } from "../tickets/index.ts";
import type { TicketDialog } from "../tickets/index.ts";
import { ScheduleHost, TicketDialogs } from "../tickets/index.ts";
import { useIsPinned } from "../tickets/index.ts";
import { LazyConversationPane, useNewest } from "../tickets/index.ts";
import type { BoardLane } from "./board-data.ts";
import { laneOf } from "./board-data.ts";
import classes from "./kanban.module.css";

const MoveMenu = lazyPart(
  async () => (await import("./kanban-menus.tsx")).MoveMenu,
  "inline",
  "kanban",
);

type Props = {
  ticketUuid: string;
  lanes: readonly BoardLane[];
  isNarrow: boolean;
  onMove: (ticketId: number, from: number | null, to: number | null) => void;
  /** The ticket was changed here. */
  onChanged: (ticket: Ticket) => void;
  onClose: () => void;
};

/** The conversation of a card, beside the board. */
export function TicketPanel(props: Props): ReactNode {
  const { ticketUuid, isNarrow, onClose } = props;
  const { t } = useTranslation();
  const opened = useTicket(ticketUuid);
  const newest = useNewest(onClose);
  const { error } = opened;
  const isGone =
    hasCode(error, "ERR_NO_TICKET_FOUND") ||
    hasCode(error, "ERR_TICKET_FORBIDDEN") ||
    hasCode(error, "ERR_INVALID_REQUEST");
  useEffect(() => {
    if (!isGone) return;
    notifyError(error);
    newest.current();
  }, [isGone, error, newest]);
  useEffect(() => {
    // Whatever is open inside of the panel takes the key first.
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("[role=dialog], [role=menu], [role=listbox]")) return;
      newest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [newest]);
  const close = (
    <IconButton label={t("kanban.close")} shortcut="Esc" icon={IconX} onClick={onClose} />
  );
  return (
    <aside
      className={classes["panel"]}
      aria-label={t("kanban.panel")}
      data-narrow={isNarrow || undefined}
    >
      {opened.data ? (
        <OpenedTicket {...props} ticket={opened.data} close={close} />
      ) : (
        <>
          <div className={classes["panelTop"]}>{close}</div>
          {error && !isGone ? (
            <LoadFailed icon={IconMessageOff} error={error} onRetry={() => void opened.refetch()} />
          ) : (
            <ListSkeleton />
          )}
        </>
      )}
    </aside>
  );
}

function OpenedTicket(props: Props & { ticket: Ticket; close: ReactNode }): ReactNode {
  const { ticket, lanes, isNarrow, close, onMove, onChanged, onClose } = props;
  const { t } = useTranslation();
  const { user, can } = useSession();
  const navigate = useNavigate();
  const writer = useMemo(() => ({ id: user.id, name: user.name }), [user.id, user.name]);
  const isPinned = useIsPinned(ticket.id);
  const [dialog, setDialog] = useState<TicketDialog | null>(null);
  const [laterText, setLaterText] = useState<string | null>(null);
  const ask = (of: Ticket): void => setDialog({ kind: "resolve", ticket: of });
  const mutations = {
    accept: useTicketAction("accept", ask),
    return: useTicketAction("return", ask),
    resolve: useTicketAction("resolve", ask),
    finish: useTicketAction("finish", ask),
    reopen: useTicketAction("reopen", ask),
  };
  const may = { schedule: can("schedules:use"), delete: can("tickets:delete") };
  const commands = commandsFor(ticket, may, isPinned);
  const busyWith = (Object.keys(mutations) as TicketAction[]).find(
    (one) => mutations[one].isPending,
  );

  /** Call it before the ticket leaves the board, and its result afterwards. */
  function leaving(of: Ticket): Leave {
    return (done) => {
      onClose();
      const undoId = done?.undo?.id;
      if (done === undefined || undoId === undefined) return;
      const { kind, name } = done;
      const undo = async (): Promise<void> => onChanged(await undoTicketChange(of.id, undoId));
      offerUndo({ kind, name, next: undefined, undo });
    };
  }

  function run(action: TicketAction, of: Ticket, reasonId: number | null = null): void {
    const leave = leaving(of);
    mutations[action].mutate(
      { ticket: of, reasonId },
      {
        onSuccess: ({ ticket: changed, undo }) => {
          onChanged(changed);
          if (action === "accept" || action === "reopen") return;
          const kind = action === "return" ? "returned" : "resolved";
          leave({ kind, name: of.contact.name, undo });
        },
      },
    );
  }

  function command(id: TicketCommand, on: Ticket): void {
    switch (id) {
      case "transfer":
      case "delete":
      case "snooze":
        return setDialog({ kind: id, ticket: on });
      case "pin":
      case "unpin":
        return void pinTicket(on.id, id === "pin").catch(notifyError);
      case "unsnooze":
        return void unsnoozeTicket(on.id).catch(notifyError);
      case "contact":
        return navigate(`/contacts/${on.contact.id}`);
      case "schedule":
        return setLaterText("");
      case "resolveAsking":
        return ask(on);
      case "find":
        return showSearch(on.id, true);
      case "accept":
      case "return":
      case "resolve":
      case "reopen":
        return run(id, on);
    }
  }

  const lane = laneOf(lanes, ticket);
  const isLiving = ticket.status !== "closed";
  const stage = (
    <div className={classes["stage"]}>
      {isLiving ? (
        <>
          <span className="bc-small" aria-hidden="true">
            {t("kanban.stage")}
          </span>
          <OnDemand
            part={MoveMenu}
            standIn={<Stage lane={lane} aria-haspopup="menu" aria-expanded={false} />}
          >
            <MoveMenu
              lanes={lanes}
              laneId={lane?.id ?? null}
              target={<Stage lane={lane} />}
              onMove={(to) => onMove(ticket.id, lane?.id ?? null, to)}
            />
          </OnDemand>
        </>
      ) : null}
      <Link to={`/tickets/${ticket.uuid}`} className={classes["whole"]}>
        <IconExternalLink size={15} stroke={1.7} aria-hidden="true" />
        {t("kanban.show")}
      </Link>
    </div>
  );

  return (
    <>
      <Suspense fallback={<ListSkeleton />}>
        <LazyConversationPane
          key={ticket.id}
          ticket={ticket}
          user={writer}
          isNarrow={false}
          busyWith={busyWith ?? null}
          commands={commands}
          mustFocusComposer={!isNarrow}
          isContactOpen={false}
          onCommand={command}
          onSendLater={may.schedule ? setLaterText : undefined}
          onBack={onClose}
          end={close}
          above={stage}
        />
      </Suspense>
      <TicketDialogs
        dialog={dialog}
        onRun={run}
        onLeave={leaving}
        onOpen={() => undefined}
        onClose={() => setDialog(null)}
      />
      {laterText === null ? null : (
        <ScheduleHost
          contact={ticket.contact}
          text={laterText}
          onClose={() => setLaterText(null)}
        />
      )}
    </>
  );
}

type StageProps = ComponentProps<"button"> & { lane: BoardLane | undefined };

/** The lane of the ticket, to be changed. */
function Stage({ lane, ...rest }: StageProps): ReactNode {
  const { t } = useTranslation();
  const isOpen = lane === undefined || lane.id === null;
  const name = isOpen ? t("kanban.open") : lane.name;
  return (
    <button
      {...rest}
      type="button"
      className={classes["stageButton"]}
      aria-label={t("kanban.stageNamed", { name })}
    >
      <QueueDot color={isOpen ? "var(--bc-ink3)" : lane.color} />
      <span className={classes["cut"]}>{name}</span>
      <IconChevronDown size={14} stroke={1.7} aria-hidden="true" />
    </button>
  );
}
