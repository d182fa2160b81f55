import type { CalendarState } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { useSearchParams } from "../../router/index.tsx";
import type { CalendarFilter } from "./calendar-api.ts";
import type { CalendarView } from "./calendar-view.ts";
import { calendarViews, localNow, shownStates } from "./calendar-view.ts";

type Shown = CalendarFilter & { view: CalendarView; day: string; words: string };

/** What the calendar shows, in the address: a reload or a shared link shows the same. */
export type CalendarAddress = Shown & {
  isNarrow: boolean;
  /** The contact for whom a link asks to schedule a message. */
  newFor: number | null;
  /** Shows something else; `newFor` is done with. A function gets what is shown after all changes before this one. */
  change: (next: Partial<Shown> | ((shown: Shown) => Partial<Shown>)) => void;
};

export function useCalendarAddress(): CalendarAddress {
  const [params, setParams] = useSearchParams();
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const usualView = isNarrow ? "agenda" : "month";
  const today = localNow().slice(0, 10);
  const view = calendarViews.find((one) => one === params.get("view")) ?? usualView;
  const shown: Shown = {
    view,
    day: dayOf(params.get("date")) ?? today,
    words: params.get("search") ?? "",
    userId: idOf(params.get("user")),
    connectionId: idOf(params.get("connection")),
    contactId: idOf(params.get("contact")),
    states: statesOf(params.get("states")),
  };
  // The address follows in a transition: keys that are pressed quickly come before it, and so may other renderings.
  const latest = useRef({ shown, address: "" });
  const address = params.toString();
  useEffect(() => {
    if (latest.current.address !== address) latest.current = { shown, address };
  });
  return {
    ...shown,
    isNarrow,
    newFor: idOf(params.get("contactId")),
    change(next) {
      const before = latest.current.shown;
      const all = { ...before, ...(typeof next === "function" ? next(before) : next) };
      latest.current.shown = all;
      const { userId, connectionId, contactId, states, words } = all;
      setParams(
        {
          ...(all.view === usualView ? {} : { view: all.view }),
          ...(all.day === today ? {} : { date: all.day }),
          ...(words === "" ? {} : { search: words }),
          ...(userId === null ? {} : { user: String(userId) }),
          ...(connectionId === null ? {} : { connection: String(connectionId) }),
          ...(contactId === null ? {} : { contact: String(contactId) }),
          ...(states === null ? {} : { states: states.join() }),
        },
        { replace: true },
      );
    },
  };
}

const idOf = (text: string | null): number | null => Number(text) || null;

/** A day of the calendar; null for anything else. */
function dayOf(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = new Date(`${text}T12:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text ? null : text;
}

function statesOf(text: string | null): CalendarState[] | null {
  const chosen = shownStates.filter((state) => text?.split(",").includes(state));
  return chosen.length === 0 ? null : chosen;
}
