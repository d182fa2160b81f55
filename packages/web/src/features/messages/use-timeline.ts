import type { Attendance, TicketNote } from "@balcao/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { call } from "../../api/client.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import type { TimelineEntry } from "./timeline.ts";
import { timelineOf } from "./timeline.ts";

const noAttendances: readonly Attendance[] = [];
const noNotes: readonly TicketNote[] = [];

/** The steps of the ticket's attendances as far back as messages are loaded, and its notes, ascending by time. */
export function useTimeline(
  ticketId: number,
  loadedFrom: string | undefined,
  notes: readonly TicketNote[] = noNotes,
): readonly TimelineEntry[] {
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["messages", "attendances", ticketId],
    queryFn: ({ pageParam, signal }) =>
      call(
        "GET /tickets/:ticketId/attendances",
        { params: { ticketId }, query: { pageNumber: pageParam } },
        { signal },
      ),
    initialPageParam: 1,
    getNextPageParam: (page, pages) => (page.hasMore ? pages.length + 1 : undefined),
    select: ({ pages }) => pages.flatMap((page) => page.attendances),
    staleTime: 0,
  });
  const oldestAt = data?.at(-1)?.createdAt;
  useEffect(() => {
    const mustReadOn = hasNextPage && !isFetching && loadedFrom !== undefined;
    if (mustReadOn && oldestAt !== undefined && oldestAt > loadedFrom) void fetchNextPage();
  }, [hasNextPage, isFetching, loadedFrom, oldestAt, fetchNextPage]);
  useReadAfterStep(ticketId, () => void refetch());
  return useMemo(() => timelineOf(data ?? noAttendances, notes), [data, notes]);
}

/** An attendance changes with who has the ticket and where it stands, not with each message. */
function useReadAfterStep(ticketId: number, read: () => void): void {
  const known = useRef<string | null>(null);
  useCompanyEvent("ticket", (event) => {
    if (event.action !== "update" || event.ticket.id !== ticketId) return;
    const step = `${event.ticket.status} ${event.ticket.userId}`;
    if (step !== known.current) read();
    known.current = step;
  });
}
