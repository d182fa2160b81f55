import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { createEventJournal } from "../../realtime/event-journal.ts";
import { batchPerFrame, useCompanyEvent, useRoom } from "../../realtime/index.ts";
import { useSession } from "../auth/index.ts";
import type { UnreadEvent, UnreadTickets } from "./unread-tickets.ts";
import { applyUnreadEvent, unreadTicketsOf } from "./unread-tickets.ts";

const queryKey = ["tickets", "unread"] as const;
const none: UnreadTickets = { tickets: [], count: 0, mustCount: false };

/** However much changes, the server counts at most this often. */
const COUNT_AGAIN_MS = 5_000;

const journal = createEventJournal<UnreadEvent>();

/** The tickets with unread messages, kept current by live events. Mounted once, in the shell. */
export function useFollowUnread(): UnreadTickets {
  const { user } = useSession();
  useRoom({ kind: "notification" });
  const { data = none } = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<UnreadTickets> => {
      const query = {
        withUnreadMessages: "true",
        queueIds: undefined,
        tags: undefined,
        users: undefined,
      } as const;
      const { reply, missed } = await journal.during(() =>
        call("GET /tickets", { query }, { signal }),
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
    // How far our own message came says nothing of what is unread.
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
  return data;
}

/** The same list for what only shows it. */
export function useUnreadTickets(): UnreadTickets {
  const { data = none } = useQuery<UnreadTickets>({ queryKey, enabled: false });
  return data;
}
