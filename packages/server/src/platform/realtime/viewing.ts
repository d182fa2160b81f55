import type { AgentState, TicketId } from "@balcao/contract";
import { ticketViewing } from "@balcao/contract";

/** What a window does with a ticket, as its colleagues are told. */
export type Viewing = { ticketId: TicketId; windowId: string; state: AgentState };

export type ViewingDeps = {
  /** Whether the socket is in the ticket's own room now. */
  isInRoom: (ticketId: TicketId) => boolean;
  /** Tells whoever else has the ticket open. */
  relay: (viewing: Viewing) => void;
};

/**
 * Relays what one socket says of the tickets it has open (wire-contract 7.2). All that is kept is which of them it has
 * spoken of, so that its leaving can be told when it does not say so itself; clients repeat the rest.
 */
export function createViewing({ isInRoom, relay }: ViewingDeps) {
  /** The window by the ticket: a socket belongs to one window. */
  const told = new Map<TicketId, string>();

  function leave(ticketId: TicketId, windowId: string): void {
    told.delete(ticketId);
    relay({ ticketId, windowId, state: "left" });
  }

  return {
    /** Dropped when it is no such thing, and in a ticket that the socket does not hear. */
    tell(argument: unknown): void {
      const parsed = ticketViewing.safeParse(argument);
      if (!parsed.success || !isInRoom(parsed.data.ticketId)) return;
      const { ticketId, windowId, state } = parsed.data;
      const before = told.get(ticketId);
      if (before !== undefined && before !== windowId) leave(ticketId, before);
      if (state === "left") {
        // Somebody who was never there does not leave.
        if (before === windowId) leave(ticketId, windowId);
        return;
      }
      told.set(ticketId, windowId);
      relay({ ticketId, windowId, state });
    },

    /** Tells of the tickets whose rooms the socket is not in any more. */
    review(): void {
      for (const [ticketId, windowId] of told) {
        if (!isInRoom(ticketId)) leave(ticketId, windowId);
      }
    },
  };
}
