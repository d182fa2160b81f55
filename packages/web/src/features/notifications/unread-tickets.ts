import type { SessionUser, Ticket } from "@balcao/contract";
import { pageSizes } from "@balcao/contract/limits";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { createEventJournal } from "../../realtime/live.ts";
import { batchPerFrame, onceLive, useCompanyEvent, useRoom } from "../../realtime/index.ts";
import { useTitleCount } from "../../ui/page-title.ts";
import { seesAllTickets, useSession } from "../auth/index.ts";
import { mentionList } from "./mentions.ts";

/** Own and waiting tickets with unread messages, newest first, and their total number. */
type UnreadTickets = Readonly<{
  tickets: readonly Ticket[];
  count: number;
  /** The count may be wrong: a ticket that is not loaded changed. */
  mustCount: boolean;
}>;

type UnreadEvent =
  | Readonly<{ action: "update"; ticket: Ticket }>
  | Readonly<{ action: "delete" | "updateUnread"; ticketId: number }>;

/** True if a ticket belongs to this user's notifications (behaviour 2.15, `withUnreadMessages`). */
export function isNotifiedOf(user: SessionUser, ticket: Ticket): boolean {
  if (ticket.unreadMessages === 0 || ticket.status === "closed") return false;
  if (ticket.status === "open") return ticket.userId === user.id;
  if (seesAllTickets(user)) return true;
  if (ticket.queueId === null) return seesTicketsWithoutQueue(user.allTicket);
  return user.queues.some(({ id }) => id === ticket.queueId);
}

/** The server's reply as a list that live events change. */
export function unreadTicketsOf(reply: {
  tickets: readonly Ticket[];
  count: number;
}): UnreadTickets {
  return { tickets: reply.tickets, count: reply.count, mustCount: false };
}

/** Applies an event to the list. Applying it twice is harmless; an older version of a ticket changes nothing. */
export function applyUnreadEvent(
  known: UnreadTickets,
  event: UnreadEvent,
  user: SessionUser,
): UnreadTickets {
  if (event.action !== "update") return without(known, event.ticketId);
  const { ticket } = event;
  const before = known.tickets.find(({ id }) => id === ticket.id);
  if (before && ticket.updatedAt < before.updatedAt) return known;
  if (!isNotifiedOf(user, ticket)) return without(known, ticket.id);
  const others = known.tickets.filter(({ id }) => id !== ticket.id);
  const at = others.findIndex((other) => other.updatedAt < ticket.updatedAt);
  const tickets = others
    .toSpliced(at === -1 ? others.length : at, 0, ticket)
    .slice(0, pageSizes.tickets);
  if (before) return { ...known, tickets };
  // For a ticket that is not loaded, it is unknown whether the count includes it.
  const isAllLoaded = known.count <= known.tickets.length;
  return { tickets, count: known.count + 1, mustCount: known.mustCount || !isAllLoaded };
}

function without(known: UnreadTickets, ticketId: number): UnreadTickets {
  const tickets = known.tickets.filter(({ id }) => id !== ticketId);
  const isAllLoaded = known.count <= known.tickets.length;
  if (tickets.length < known.tickets.length) {
    return { tickets, count: known.count - 1, mustCount: known.mustCount || !isAllLoaded };
  }
  return isAllLoaded || known.mustCount ? known : { ...known, mustCount: true };
}

const queryKey = ["tickets", "unread"] as const;
const none: UnreadTickets = { tickets: [], count: 0, mustCount: false };

/** The shortest time between two requests for the count. */
const COUNT_AGAIN_MS = 5_000;

const journal = createEventJournal<UnreadEvent>();

/**
 * Keeps the unread tickets and mentions current and counts them in the title of the browser's tab. Renders nothing; mounted
 * once, in the shell.
 */
export function FollowUnread(): null {
  const { user } = useSession();
  useRoom({ kind: "notification" });
  const { data = none } = useQuery({
    queryKey,
    queryFn: async ({ queryKey: key, signal }): Promise<UnreadTickets> => {
      const query = {
        withUnreadMessages: "true",
        queueIds: undefined,
        tags: undefined,
        users: undefined,
      } as const;
      const { reply, missed } = await onceLive(key, () =>
        journal.during(() => call("GET /tickets", { query }, { signal })),
      );
      return missed.reduce(
        (known, event) => applyUnreadEvent(known, event, user),
        unreadTicketsOf(reply),
      );
    },
  });

  function write(event: UnreadEvent): void {
    journal.record(event);
    batchPerFrame(() => {
      queryClient.setQueryData<UnreadTickets>(queryKey, (known) =>
        known ? applyUnreadEvent(known, event, user) : known,
      );
    });
  }
  useCompanyEvent("ticket", (event) => {
    // An ack of our own message does not change what is unread.
    if (event.action !== "ack") write(event);
  });
  useCompanyEvent("appMessage", (event) => {
    if (event.action !== "delete" && event.ticket)
      write({ action: "update", ticket: event.ticket });
  });

  const { mustCount } = data;
  useEffect(() => {
    if (!mustCount) return undefined;
    const timer = setTimeout(
      () => void queryClient.invalidateQueries({ queryKey }),
      COUNT_AGAIN_MS,
    );
    return () => clearTimeout(timer);
  }, [mustCount]);
  const { data: mentions } = useQuery(mentionList.query);
  useTitleCount(data.count + (mentions?.length ?? 0));
  return null;
}

/** The same list, for components that only show it. */
export function useUnreadTickets(): UnreadTickets {
  const { data = none } = useQuery<UnreadTickets>({ queryKey, enabled: false });
  return data;
}
