import type { CalendarEntry, CalendarState, ReplyOf, Schedule } from "@balcao/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { livePages } from "../../realtime/live-list.ts";
import { batchPerFrame, onCompanyEvent, readAgain } from "../../realtime/live.ts";

/** Which messages of the calendar are shown; null is all. */
export type CalendarFilter = {
  userId: number | null;
  connectionId: number | null;
  contactId: number | null;
  states: readonly CalendarState[] | null;
};

const filterQuery = ({ userId, connectionId, contactId, states }: CalendarFilter) => ({
  ...(userId === null ? {} : { userId: String(userId) }),
  ...(connectionId === null ? {} : { whatsappId: String(connectionId) }),
  ...(contactId === null ? {} : { contactId: String(contactId) }),
  ...(states === null ? {} : { states: JSON.stringify(states) }),
});

/** Messages by contact or text over all dates, the latest first. */
export const foundSchedules = livePages<Schedule, CalendarFilter & { words: string }>({
  key: ["schedules", "found"],
  identify: ({ id }) => id,
  async read({ words, ...filter }, pageNumber, signal) {
    const query = {
      ...filterQuery(filter),
      ...({ searchParam: words, latestFirst: "true", pageNumber } as const),
    };
    const { schedules, count, hasMore } = await call("GET /schedules", { query }, { signal });
    return { rows: schedules, count, hasMore };
  },
}).follow("schedule");

export type CalendarRange = CalendarFilter & { first: string; last: string; perDay: number };
export type Calendar = ReplyOf<"GET /schedules/calendar">;
export type ShownSchedule = Schedule & Partial<Pick<CalendarEntry, "connection">>;

const calendarKey = ["schedules", "calendar"];

/** The messages in view. The old ones stay while another range is read. */
export function useCalendar(range: CalendarRange, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: [...calendarKey, range],
    queryFn: ({ signal }): Promise<Calendar> => {
      const { first, last, perDay, ...filter } = range;
      const days = { dateStart: first, dateEnd: last, perDay: String(perDay) };
      const query = { ...filterQuery(filter), ...days };
      return call("GET /schedules/calendar", { query }, { signal });
    },
    placeholderData: keepPreviousData,
    enabled,
  });
}

// An event does not say whether a filter lets the message through, or whether it is one of the first of its day.
onCompanyEvent("schedule", () => batchPerFrame(() => void readAgain({ queryKey: calendarKey })));

/** The users of the company by name, for a filter. */
export function useUserNames({ enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ["schedules", "users"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (users) => users.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: 60_000,
    enabled,
  });
}

/** A contact that the address names. */
export function useContactName(contactId: number | null) {
  return useQuery({
    queryKey: ["schedules", "contact-name", contactId],
    queryFn: ({ signal }) =>
      call("GET /contacts/:contactId", { params: { contactId: contactId ?? 0 } }, { signal }),
    enabled: contactId !== null,
  });
}
