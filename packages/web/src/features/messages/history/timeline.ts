import type { Attendance, TicketNote } from "@balcao/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { call } from "../../../api/client.ts";
import { onceLive, oncePainted, useCompanyEvent } from "../../../realtime/index.ts";

const noAttendances: readonly Attendance[] = [];
const noNotes: readonly TicketNote[] = [];

/** The steps of the ticket's attendances within the loaded messages, and its notes, ascending by time. */
export function useTimeline(
  ticketId: number,
  loadedFrom: string | undefined,
  notes: readonly TicketNote[] = noNotes,
): readonly TimelineEntry[] {
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["messages", "attendances", ticketId],
    queryFn: ({ queryKey, pageParam, signal }) =>
      oncePainted(queryKey, () =>
        onceLive(queryKey, () =>
          call(
            "GET /tickets/:ticketId/attendances",
            { params: { ticketId }, query: { pageNumber: pageParam } },
            { signal },
          ),
        ),
      ),
    initialPageParam: 1,
    getNextPageParam: (page, pages) => (page.hasMore ? pages.length + 1 : undefined),
    select: ({ pages }) => pages.flatMap((page) => page.attendances),
    staleTime: 0,
    // A chat of the team has none.
    enabled: ticketId > 0,
  });
  const oldestAt = data?.at(-1)?.createdAt;
  useEffect(() => {
    const mustReadOn = hasNextPage && !isFetching && loadedFrom !== undefined;
    if (mustReadOn && oldestAt !== undefined && oldestAt > loadedFrom) void fetchNextPage();
  }, [hasNextPage, isFetching, loadedFrom, oldestAt, fetchNextPage]);
  useReadAfterStep(ticketId, () => void refetch());
  return useMemo(() => timelineOf(data ?? noAttendances, notes), [data, notes]);
}

/** An attendance changes with agent, status and snooze of the ticket, not with each message. */
function useReadAfterStep(ticketId: number, read: () => void): void {
  const known = useRef<string | null>(null);
  useCompanyEvent("ticket", (event) => {
    if (event.action !== "update" || event.ticket.id !== ticketId) return;
    const { status, userId, snooze } = event.ticket;
    const step = JSON.stringify([status, userId, snooze]);
    if (step !== known.current) read();
    known.current = step;
  });
}

/** An entry between the messages: a step of the attendance, its snooze or the end of that, or a note of the team. */
export type TimelineEntry = Readonly<
  { key: string; at: string } & (TimelineLine | TimelineSnooze | TimelineNote)
>;

type TimelineLine = {
  kind: "waiting" | "started" | "resolved";
  /** The user of the step; null if unknown. */
  name: string | null;
  /** Why it was resolved. */
  reason?: string | undefined;
};

export type TimelineSnooze = {
  kind: "snoozed" | "back";
  snooze: Attendance["snoozes"][number];
};

type TimelineNote = { kind: "note"; note: TicketNote };

/** A ticket accepted this soon after its creation never waited. */
const AT_ONCE_MS = 1_000;

/** The steps of attendances and the notes, ascending by time. */
export function timelineOf(
  attendances: readonly Attendance[],
  notes: readonly TicketNote[],
): readonly TimelineEntry[] {
  const entries = [
    ...attendances.flatMap(linesOf),
    ...notes.map((note): TimelineEntry => {
      return { kind: "note", key: `note ${note.id}`, at: note.createdAt, note };
    }),
  ];
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

function linesOf(attendance: Attendance): TimelineEntry[] {
  const { id, startedAt, finishedAt } = attendance;
  const waitingAt = attendance.queuedAt ?? attendance.createdAt;
  const lines: TimelineEntry[] = [];
  const isTakenAtOnce =
    startedAt !== null && Date.parse(startedAt) - Date.parse(waitingAt) < AT_ONCE_MS;
  if (!isTakenAtOnce) {
    lines.push({ kind: "waiting", key: `waiting ${id}`, at: waitingAt, name: null });
  }
  if (startedAt !== null) {
    const name = attendance.user?.name ?? null;
    lines.push({ kind: "started", key: `started ${id}`, at: startedAt, name });
  }
  if (finishedAt !== null) {
    const name = attendance.closedBy?.name ?? null;
    const reason = attendance.reason?.name;
    lines.push({ kind: "resolved", key: `resolved ${id}`, at: finishedAt, name, reason });
  }
  return [...lines, ...attendance.snoozes.flatMap(linesOfSnooze)];
}

/** Another status, user or queue has a line of its own. */
function linesOfSnooze(snooze: Attendance["snoozes"][number]): TimelineEntry[] {
  const { id, at, endedAt, ended } = snooze;
  const begin: TimelineEntry = { kind: "snoozed", key: `snoozed ${id}`, at, snooze };
  if (endedAt === null || ended === "changed") return [begin];
  return [begin, { kind: "back", key: `back ${id}`, at: endedAt, snooze }];
}
