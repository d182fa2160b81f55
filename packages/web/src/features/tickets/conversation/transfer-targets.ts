import type { Queue, TeamMember } from "@balcao/contract";
import type { HolidayCalendar } from "@balcao/contract/holidays";
import type { DayHours, HoursState } from "@balcao/contract/hours-at";
import { hoursAt } from "@balcao/contract/hours-at";
import type { TFunction } from "../../../i18n/index.ts";
import { matches } from "../../../ui/matches.ts";
import type { Team } from "../../team/index.ts";
import { byReadiness, stateOf } from "../../team/index.ts";

/** A person or a queue that a ticket can be transferred to. */
export type Target =
  | Readonly<{ kind: "person"; id: number; member: TeamMember }>
  | Readonly<{ kind: "queue"; id: number; queue: TargetQueue }>;

export type TargetQueue = Readonly<{
  id: number;
  name: string;
  color: string;
  waiting: number;
  /** People of the queue who can take a ticket now. */
  available: number;
  hours: QueueHours;
}>;

/** `unchecked`: the company does not check the hours of queues. */
export type QueueHours =
  | { kind: "unchecked" }
  | { kind: "open"; untilTime: string | null }
  | { kind: "closed"; opensAt: string | null };

type HoursOf = (queue: Queue) => QueueHours;

/** People and queues whose names have the words: those who can take it now first; the queues in their order. */
export function targetsOf(
  team: Team,
  queues: readonly Queue[],
  { words, holderId, hoursOf }: { words: string; holderId: number | null; hoursOf: HoursOf },
): { people: Target[]; queues: Target[] } {
  const people = team.people
    .filter(({ id, name }) => id !== holderId && matches(name, words))
    .toSorted(byReadiness)
    .map((member): Target => ({ kind: "person", id: member.id, member }));
  const found = queues.filter(({ name }) => matches(name, words));
  return {
    people,
    queues: found.map((queue): Target => {
      const { id, name, color } = queue;
      const waiting = team.queues.find((one) => one.id === id)?.waiting ?? 0;
      const available = availableIn(team, id);
      return {
        kind: "queue",
        id,
        queue: { id, name, color, waiting, available, hours: hoursOf(queue) },
      };
    }),
  };
}

/** People of the queue who can take a ticket now. */
function availableIn(team: Team, queueId: number): number {
  return team.people.filter((member) => isIn(member, queueId) && stateOf(member) === "free").length;
}

function isIn({ queueIds }: TeamMember, queueId: number): boolean {
  return queueIds.some((id) => id === queueId);
}

/** How many can take a ticket now. */
export function availableText(t: TFunction, count: number): string {
  return count === 0
    ? t("tickets.transferTo.nobody")
    : t("tickets.transferTo.available", { count });
}

export function isSame(one: Target | null, other: Target | null): boolean {
  return one !== null && other !== null && one.kind === other.kind && one.id === other.id;
}

type Step = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/** The target that an arrow key leads to: up and down through both lists as one, left and right to the other column. */
export function stepFrom(
  chosen: Target | null,
  step: Step,
  { people, queues }: { people: readonly Target[]; queues: readonly Target[] },
): Target | null {
  const all = [...people, ...queues];
  const at = all.findIndex((one) => isSame(one, chosen));
  if (step === "ArrowDown") return all[Math.min(at + 1, all.length - 1)] ?? null;
  if (step === "ArrowUp") return all[at === -1 ? 0 : Math.max(at - 1, 0)] ?? null;
  const column = step === "ArrowLeft" ? people : queues;
  if (chosen === null || column.some((one) => isSame(one, chosen))) return column[0] ?? chosen;
  const row = (chosen.kind === "person" ? people : queues).findIndex((one) => isSame(one, chosen));
  return column[Math.min(row, column.length - 1)] ?? chosen;
}

/** The queue of a transfer to a person: the present one if it is one of the person's, or the person has none, else the first. */
export function queueFor(
  member: TeamMember,
  presentId: number | null,
  queues: readonly { id: number }[],
): number | null {
  if (presentId !== null && isIn(member, presentId)) return presentId;
  return queues.find(({ id }) => isIn(member, id))?.id ?? presentId;
}

/** The hours of a queue or company now, as the dialog says them. */
export function hoursNow(
  days: readonly DayHours[],
  now: Date,
  timeZone: string,
  holidays: HolidayCalendar | null,
): QueueHours {
  const state: HoursState = hoursAt(days, now, timeZone, holidays);
  if (!state.isOpen) {
    return { kind: "closed", opensAt: state.until?.toISOString() ?? null };
  }
  return { kind: "open", untilTime: closingTime(days, now, timeZone) };
}

/** When the interval of today that contains the moment ends, HH:MM; null where no hours of today say so. */
function closingTime(days: readonly DayHours[], now: Date, timeZone: string): string | null {
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  }).formatToParts(now);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  const time = `${part("hour")}:${part("minute")}`;
  const today = days.find(({ weekdayEn }) => weekdayEn === part("weekday").toLowerCase());
  const intervals = [
    [today?.startTime, today?.endTime],
    [today?.startTimeB, today?.endTimeB],
  ];
  for (const [start, end] of intervals) {
    if (!start || !end || start > time) continue;
    if (time < end || end < start) return end;
  }
  return null;
}
