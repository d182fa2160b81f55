import type { AgentState, CompanyEvents } from "@balcao/contract";
import { viewerForgottenMs } from "@balcao/contract/event-names";

/** A colleague with the ticket open in some window. */
export type TicketViewer = Readonly<{ user: { id: number; name: string }; state: AgentState }>;

type ViewersEvent = CompanyEvents["ticketViewers"];
type Known = { event: ViewersEvent; seenMs: number };

const none: readonly TicketViewer[] = [];
/** Of several windows of one person the busiest counts. */
const busyness: Readonly<Record<AgentState, number>> = {
  left: 0,
  viewing: 1,
  recording: 2,
  typing: 3,
};

/** Who has which ticket open, from what the windows of others say; a window that falls silent is forgotten. */
export function createViewers() {
  const windows = new Map<string, Known>();
  const byTicket = new Map<number, readonly TicketViewer[]>();

  function workOut(ticketId: number): void {
    const byUser = new Map<number, TicketViewer>();
    for (const { event } of windows.values()) {
      if (event.ticketId !== ticketId) continue;
      const known = byUser.get(event.user.id);
      if (known && busyness[known.state] >= busyness[event.state]) continue;
      byUser.set(event.user.id, { user: event.user, state: event.state });
    }
    const viewers = [...byUser.values()].toSorted((a, b) => (a.user.name < b.user.name ? -1 : 1));
    const before = byTicket.get(ticketId) ?? none;
    const isSame =
      before.length === viewers.length &&
      before.every((one, index) => isEqual(one, viewers[index] ?? one));
    if (!isSame) byTicket.set(ticketId, viewers);
  }

  return {
    /** The same list until something changes in it. */
    of: (ticketId: number): readonly TicketViewer[] => byTicket.get(ticketId) ?? none,
    /** Takes in one event; true when its window was not known in this ticket. */
    note(event: ViewersEvent, nowMs: number): boolean {
      const before = windows.get(event.windowId)?.event ?? null;
      if (event.state === "left") windows.delete(event.windowId);
      else windows.set(event.windowId, { event, seenMs: nowMs });
      workOut(event.ticketId);
      if (before !== null && before.ticketId !== event.ticketId) workOut(before.ticketId);
      return event.state !== "left" && before?.ticketId !== event.ticketId;
    },
    /** Forgets the silent ones; gives the moment when the next one may have to go, null when nobody is known. */
    forget(nowMs: number): number | null {
      let nextMs: number | null = null;
      for (const [windowId, { event, seenMs }] of windows) {
        const endsMs = seenMs + viewerForgottenMs;
        if (endsMs <= nowMs) {
          windows.delete(windowId);
          workOut(event.ticketId);
        } else if (nextMs === null || endsMs < nextMs) {
          nextMs = endsMs;
        }
      }
      return nextMs;
    },
  };
}

function isEqual(a: TicketViewer, b: TicketViewer): boolean {
  return a.user.id === b.user.id && a.user.name === b.user.name && a.state === b.state;
}
