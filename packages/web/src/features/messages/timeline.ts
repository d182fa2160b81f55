import type { Attendance, TicketNote } from "@balcao/contract";

/** What stands between the messages: a step of the attendance, or a note of the team. */
export type TimelineEntry = Readonly<{ key: string; at: string } & (TimelineLine | TimelineNote)>;

export type TimelineLine = {
  kind: "waiting" | "started" | "resolved";
  /** Who did it; null when nobody is known. */
  name: string | null;
};

type TimelineNote = { kind: "note"; note: TicketNote };

/** A ticket that was taken this soon after it was made never waited. */
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
    lines.push({ kind: "resolved", key: `resolved ${id}`, at: finishedAt, name });
  }
  return lines;
}
