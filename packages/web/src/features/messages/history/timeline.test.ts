import type { Attendance } from "@balcao/contract";
import { attendance } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import { timelineOf } from "./timeline.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();

function givenAttendance(
  id: number,
  fields: Partial<Record<keyof Attendance, unknown>>,
): Attendance {
  return attendance.parse({
    id,
    ticketId: 1,
    ticketUuid: "u",
    whatsapp: null,
    queue: null,
    user: null,
    closedBy: null,
    createdAt: at(0),
    queuedAt: null,
    startedAt: null,
    finishedAt: null,
    rated: false,
    reason: null,
    snoozes: [],
    firstMessageId: null,
    ...fields,
  });
}

const lines = (...attendances: Attendance[]): string[] =>
  timelineOf(attendances, []).map((entry) =>
    "name" in entry ? `${entry.kind} ${entry.name ?? "-"} ${entry.at.slice(14, 16)}` : entry.kind,
  );

describe("the steps of an attendance", () => {
  test("are waiting, started by a user, resolved by a user", () => {
    const ana = { id: 1, name: "Ana" };
    const bruno = { id: 2, name: "Bruno" };
    const steps = { user: ana, closedBy: bruno, startedAt: at(5), finishedAt: at(9) };
    expect(lines(givenAttendance(1, steps))).toEqual([
      "waiting - 00",
      "started Ana 05",
      "resolved Bruno 09",
    ]);
  });

  test("start to wait when the ticket entered the queue", () => {
    expect(lines(givenAttendance(1, { queuedAt: at(2) }))).toEqual(["waiting - 02"]);
  });

  test("have no waiting if the ticket was accepted at its creation", () => {
    expect(lines(givenAttendance(1, { startedAt: at(0) }))).toEqual(["started - 00"]);
  });

  test("have a line when the ticket was put off, and one when it came back, unless its change has one", () => {
    const snooze = (id: number, ended: string) => ({
      ...{ id, at: at(id), user: null, until: at(40), endedAt: at(id + 1), ended },
    });
    const steps = { startedAt: at(0), snoozes: [snooze(2, "time"), snooze(5, "changed")] };
    expect(lines(givenAttendance(1, steps))).toEqual([
      "started - 00",
      "snoozed",
      "back",
      "snoozed",
    ]);
  });

  test("are sorted by time, also on an unsorted page", () => {
    const older = givenAttendance(1, { createdAt: at(1), finishedAt: at(3) });
    const newer = givenAttendance(2, { createdAt: at(7) });
    expect(lines(newer, older)).toEqual(["waiting - 01", "resolved - 03", "waiting - 07"]);
  });
});
