import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { LazyScheduleDialog } from "../../schedules/index.ts";
import type { Leave, TicketAction } from "./ticket-actions.ts";

// Opened only by the user, so the code of dialogs loads with the first one.
const ResolveDialog = lazyPart(
  async () => (await import("./ticket-questions.tsx")).ResolveDialog,
  "over",
);
const TransferDialog = lazyPart(
  async () => (await import("./transfer-dialog.tsx")).TransferDialog,
  "over",
);
const DeleteDialog = lazyPart(
  async () => (await import("./ticket-questions.tsx")).DeleteDialog,
  "over",
);
const SnoozeDialog = lazyPart(
  async () => (await import("./snooze-dialog.tsx")).SnoozeDialog,
  "over",
);
const SpyDialog = lazyPart(async () => (await import("./ticket-questions.tsx")).SpyDialog, "over");

/** A dialog about one ticket. */
export type TicketDialog = Readonly<{
  kind: "resolve" | "finish" | "transfer" | "delete" | "snooze" | "spy";
  ticket: Ticket;
}>;

type Props = {
  /** Null: none. */
  dialog: TicketDialog | null;
  onRun: (action: TicketAction, ticket: Ticket, reasonId?: number | null) => void;
  /** Called before a ticket leaves; its result is called afterwards. */
  onLeave: (ticket: Ticket) => Leave;
  /** Opens a waiting ticket without accepting it. */
  onOpen: (ticket: Ticket) => void;
  onClose: () => void;
};

/** The dialogs of the tickets screen, one at a time. */
export function TicketDialogs({ dialog, onRun, onLeave, onOpen, onClose }: Props): ReactNode {
  // It stays mounted while it closes, so that the opener gets the focus back.
  const [last, setLast] = useState(dialog);
  if (dialog !== null && dialog !== last) setLast(dialog);
  if (last === null) return null;
  const { kind, ticket } = last;
  const common = { ticket, opened: dialog !== null, onClose };
  const onLeaveIt = (): Leave => onLeave(ticket);
  return (
    <Suspense fallback={null}>
      {kind === "resolve" || kind === "finish" ? (
        <ResolveDialog
          {...common}
          action={kind}
          onConfirm={(reasonId) => onRun(kind, ticket, reasonId)}
        />
      ) : null}
      {kind === "transfer" ? <TransferDialog {...common} onLeave={onLeaveIt} /> : null}
      {kind === "delete" ? <DeleteDialog {...common} onLeave={onLeaveIt} /> : null}
      {kind === "snooze" ? <SnoozeDialog {...common} onLeave={onLeaveIt} /> : null}
      {kind === "spy" ? (
        <SpyDialog
          {...common}
          onAccept={() => onRun("accept", ticket)}
          onOpen={() => onOpen(ticket)}
        />
      ) : null}
    </Suspense>
  );
}

type ScheduleHostProps = {
  contact: { id: number; name: string };
  /** The unsent text of the composer. */
  text: string;
  onClose: () => void;
};

/** The dialog of a scheduled message, while mounted. */
export function ScheduleHost({ contact, text, onClose }: ScheduleHostProps): ReactNode {
  useFocusBack();
  return (
    <Suspense fallback={null}>
      <LazyScheduleDialog contact={contact} initialText={text} onClose={onClose} />
    </Suspense>
  );
}

/** Returns the focus to the previous element: the dialog unmounts before it could do so itself. */
function useFocusBack(): void {
  useEffect(() => {
    const opener = openerOf(document.activeElement);
    return () => {
      if (opener?.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
}

/** A menu's entry is removed with the menu; the menu's button stays. */
function openerOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]');
  const opener = menu
    ? document.querySelector(`#${CSS.escape(menu.getAttribute("aria-labelledby") ?? "")}`)
    : element;
  return opener instanceof HTMLElement ? opener : null;
}
