import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { TicketAction } from "./actions.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

// Opened by hand only, so what dialogs are made of is fetched with the first one.
const ResolveDialog = lazyPart(
  async () => (await import("./resolve-dialog.tsx")).ResolveDialog,
  "over",
);
const TransferDialog = lazyPart(
  async () => (await import("./transfer-dialog.tsx")).TransferDialog,
  "over",
);
const DeleteDialog = lazyPart(
  async () => (await import("./delete-dialog.tsx")).DeleteDialog,
  "over",
);
const SpyDialog = lazyPart(async () => (await import("./spy-dialog.tsx")).SpyDialog, "over");

/** A dialog about one ticket. */
export type TicketDialog = Readonly<{
  kind: "resolve" | "finish" | "transfer" | "delete" | "spy";
  ticket: Ticket;
}>;

type Props = {
  /** Null: none. */
  dialog: TicketDialog | null;
  onRun: (action: TicketAction, ticket: Ticket) => void;
  /** Called before a ticket goes; what it gives is called once it has gone. */
  onLeave: (ticket: Ticket) => () => void;
  onClose: () => void;
};

/** The dialogs of the tickets screen, one at a time. */
export function TicketDialogs({ dialog, onRun, onLeave, onClose }: Props): ReactNode {
  // It stays while it closes, which gives the focus back to its opener.
  const [last, setLast] = useState(dialog);
  if (dialog !== null && dialog !== last) setLast(dialog);
  if (last === null) return null;
  const { kind, ticket } = last;
  const common = { ticket, opened: dialog !== null, onClose };
  const onLeaveIt = (): (() => void) => onLeave(ticket);
  return (
    <Suspense fallback={null}>
      {kind === "resolve" || kind === "finish" ? (
        <ResolveDialog {...common} action={kind} onConfirm={() => onRun(kind, ticket)} />
      ) : null}
      {kind === "transfer" ? <TransferDialog {...common} onLeave={onLeaveIt} /> : null}
      {kind === "delete" ? <DeleteDialog {...common} onLeave={onLeaveIt} /> : null}
      {kind === "spy" ? <SpyDialog {...common} onAccept={() => onRun("accept", ticket)} /> : null}
    </Suspense>
  );
}
