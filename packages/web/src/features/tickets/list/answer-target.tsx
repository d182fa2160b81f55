import type { CountedHours, Queue, Ticket } from "@balcao/contract";
import { targetLeftMs, targetOf } from "@balcao/contract/answer-targets";
import { hoursAt } from "@balcao/contract/hours-at";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { dayKey, formatDayLabel, formatHour } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useSession } from "../../auth/index.ts";
import { useCompany, useSetting } from "../../settings/index.ts";
import classes from "./answer-target.module.css";

type Props = {
  ticket: Ticket;
  /** The ticket's queue. */
  queue: Queue;
  nowMs: number;
  place: "card" | "header";
};

const MINUTE_MS = 60_000;
/** From this share of the time on it is urgent. */
const URGENT_FROM = 0.75;

/** How much time is left for the answer that the customer waits for, within opening hours; empty without a target. */
export function AnswerTarget({ ticket, queue, nowMs, place }: Props): ReactNode {
  const { t } = useTranslation();
  const hours = useCountedHours(queue);
  const target = targetOf(
    { ...ticket, waitingSince: dateOf(ticket.waitingSince), queuedAt: dateOf(ticket.queuedAt) },
    queue,
  );
  if (target === null || hours === null) return null;
  const now = new Date(nowMs);
  const leftMs = targetLeftMs(target, now, hours);
  const used = 1 - leftMs / (target.minutes * MINUTE_MS);
  if (leftMs <= 0) {
    return (
      <span className={classes["target"]} data-place={place} data-tone="bad">
        <IconAlertTriangle size={13} stroke={1.9} aria-hidden="true" />
        {missedText(t, leftMs)}
      </span>
    );
  }
  const ring: CSSProperties & Record<"--used", string> = { "--used": `${Math.round(used * 100)}%` };
  const closed =
    hours.days === null ? null : hoursAt(hours.days, now, hours.timeZone, hours.holidays);
  const resumes = closed === null || closed.isOpen ? null : closed.until;
  return (
    <span
      className={classes["target"]}
      data-place={place}
      data-tone={used >= URGENT_FROM && resumes === null ? "warn" : undefined}
    >
      <span className={classes["ring"]} style={ring} aria-hidden="true" />
      {text()}
    </span>
  );

  function text(): string {
    if (resumes !== null) return resumesText(t, resumes, now);
    const minutes = Math.ceil(leftMs / MINUTE_MS);
    const time = timeText(t, minutes);
    if (place === "header" && target) return t(`tickets.target.${target.kind}`, { time });
    const hours = Math.floor(minutes / MINUTES_PER_HOUR);
    // The longest target is a day: one day is left at most.
    const count = hours === 0 ? minutes : hours % HOURS_PER_DAY || 1;
    return t("tickets.target.left", { count, time });
  }
}

const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;

/** Null while the company's hours are unknown. */
function useCountedHours(queue: Queue): CountedHours | null {
  const { user } = useSession();
  const { timeZone } = user.company;
  const type = useSetting("scheduleType");
  const isLimited = type === "queue" || type === "company";
  const { data } = useCompany(user.companyId, { enabled: isLimited });
  if (!isLimited) return { days: null, timeZone, holidays: null };
  if (!data) return null;
  const days = type === "queue" ? queue.schedules : data.schedules;
  return { days, timeZone, holidays: data.holidays };
}

const dateOf = (iso: string | null): Date | null => (iso === null ? null : new Date(iso));

function timeText(t: TFunction, minutes: number): string {
  if (minutes < MINUTES_PER_HOUR) return t("tickets.minutes", { value: minutes });
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  if (hours < HOURS_PER_DAY) return t("tickets.hours", { value: hours });
  return t("tickets.days", { value: Math.floor(hours / HOURS_PER_DAY) });
}

function missedText(t: TFunction, leftMs: number): string {
  const minutes = Math.floor(-leftMs / MINUTE_MS);
  if (minutes === 0) return t("tickets.target.missedNow");
  return t("tickets.target.missed", { time: timeText(t, minutes) });
}

/** The day is named unless it is today's or tomorrow's opening. */
function resumesText(t: TFunction, at: Date, now: Date): string {
  const time = formatHour(at.toISOString());
  const isSoon = at.getTime() - now.getTime() < HOURS_PER_DAY * MINUTES_PER_HOUR * MINUTE_MS;
  if (isSoon || dayKey(at.toISOString()) === dayKey(now.toISOString())) {
    return t("tickets.target.resumes", { time });
  }
  return t("tickets.target.resumesOn", {
    day: formatDayLabel(at.toISOString(), now.getTime()),
    time,
  });
}
