import type { AgentState, CompanyEvents } from "@balcao/contract";
import { viewerForgottenMs, viewerHeartbeatMs } from "@balcao/contract/event-names";
import { IconEye, IconMicrophone, IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useSyncExternalStore } from "react";
import { currentSession } from "../../../api/session-store.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useCompanyEvent, useLiveStatus } from "../../../realtime/index.ts";
import { createStore } from "../../../store/index.ts";
import { epochMs } from "../../../ui/clock.ts";
import { AppAvatar } from "../../../ui/index.ts";
import { enter, leave, own, tell, useIsPageVisible } from "./presence.ts";
import classes from "./viewers.module.css";

const AVATARS_MAX = 3;
/** Most important first: the strip prevents two replies at once. */
const states = ["typing", "recording", "viewing"] as const satisfies readonly AgentState[];
const icons = { typing: IconPencil, recording: IconMicrophone, viewing: IconEye };

/**
 * Tells colleagues that the ticket is open here, and shows those who have it open or are writing; nothing without any. Mount
 * it once the ticket's room is joined: the server relays only there.
 */
export function Viewers({ ticketId }: { ticketId: number }): ReactNode {
  const { t } = useTranslation();
  useViewing(ticketId);
  const viewers = useTicketViewers(ticketId);
  if (viewers.length === 0) return null;
  const shown = states.find((state) => viewers.some((one) => one.state === state)) ?? "viewing";
  const doing = viewers.filter((one) => one.state === shown).map((one) => one.user.name);
  const StateIcon = icons[shown];
  const text =
    doing.length === 1
      ? t(`messages.viewers.${shown}`, { name: doing[0] ?? "" })
      : t(`messages.viewers.${shown}Several`, { names: doing.join(", ") });
  return (
    <div className={classes["strip"]} role="status" data-state={shown}>
      <span className={classes["avatars"]} title={viewers.map((one) => one.user.name).join(", ")}>
        {viewers.slice(0, AVATARS_MAX).map(({ user }) => (
          <AppAvatar key={user.id} name={user.name} id={user.id} size={20} />
        ))}
      </span>
      <StateIcon size={14} stroke={1.7} aria-hidden="true" />
      <span className="bc-ellipsis">{text}</span>
    </div>
  );
}

/** New windows get one reply after this delay. */
const ANSWER_MS = 300;

const viewers = createViewers();
let forgetTimer: ReturnType<typeof setTimeout> | undefined;

let answerTimer: ReturnType<typeof setTimeout> | undefined;

/** The colleagues who have the ticket open, by name, without the user. */
function useTicketViewers(ticketId: number): readonly TicketViewer[] {
  return useSyncExternalStore(viewers.subscribe, () => viewers.of(ticketId));
}

/** While mounted and on the screen, tells colleagues that the ticket is open here, and keeps the list of its viewers. */
function useViewing(ticketId: number): void {
  useCompanyEvent("ticketViewers", noteEvent);
  const isVisible = useIsPageVisible();
  const isOnline = useLiveStatus().state === "online";
  useEffect(() => {
    if (!isVisible || !isOnline) return undefined;
    enter(ticketId);
    const heartbeat = setInterval(() => tell(own.state), viewerHeartbeatMs);
    return () => {
      clearInterval(heartbeat);
      clearTimeout(answerTimer);
      answerTimer = undefined;
      leave();
    };
  }, [ticketId, isVisible, isOnline]);
}

function noteEvent(event: CompanyEvents["ticketViewers"]): void {
  if (event.user.id === currentSession()?.user.id) return;
  const isNew = viewers.note(event, epochMs());
  waitToForget();
  // A window that has just opened the ticket does not know the viewers yet.
  if (isNew && event.ticketId === own.ticketId) {
    answerTimer ??= setTimeout(() => {
      answerTimer = undefined;
      tell(own.state);
    }, ANSWER_MS);
  }
}

function waitToForget(): void {
  clearTimeout(forgetTimer);
  const nowMs = epochMs();
  const nextMs = viewers.forget(nowMs);
  if (nextMs === null) return;
  forgetTimer = setTimeout(waitToForget, nextMs - nowMs);
}

/** A colleague with the ticket open in some window. */
type TicketViewer = Readonly<{ user: { id: number; name: string }; state: AgentState }>;

type ViewersEvent = CompanyEvents["ticketViewers"];
type Known = { event: ViewersEvent; seenMs: number };

const none: readonly TicketViewer[] = [];
/** The highest number of a user's windows counts. */
const busyness: Readonly<Record<AgentState, number>> = {
  left: 0,
  viewing: 1,
  recording: 2,
  typing: 3,
};

/** The users who have each ticket open, as their windows report it. A window that stops reporting is dropped. */
export function createViewers() {
  const windows = new Map<string, Known>();
  const byTicket = createStore<ReadonlyMap<number, readonly TicketViewer[]>>(new Map());
  const of = (ticketId: number): readonly TicketViewer[] => byTicket.get().get(ticketId) ?? none;

  function workOut(ticketId: number): void {
    const byUser = new Map<number, TicketViewer>();
    for (const { event } of windows.values()) {
      if (event.ticketId !== ticketId) continue;
      const known = byUser.get(event.user.id);
      if (known && busyness[known.state] >= busyness[event.state]) continue;
      byUser.set(event.user.id, { user: event.user, state: event.state });
    }
    const viewers = [...byUser.values()].toSorted((a, b) => (a.user.name < b.user.name ? -1 : 1));
    const before = of(ticketId);
    const isSame =
      before.length === viewers.length &&
      before.every((one, index) => isEqual(one, viewers[index] ?? one));
    if (!isSame) byTicket.set(new Map(byTicket.get()).set(ticketId, viewers));
  }

  return {
    /** A stable list. */
    of,
    subscribe: byTicket.subscribe,
    /** Applies one event; true if its window is new in this ticket. */
    note(event: ViewersEvent, nowMs: number): boolean {
      const before = windows.get(event.windowId)?.event ?? null;
      if (event.state === "left") windows.delete(event.windowId);
      else windows.set(event.windowId, { event, seenMs: nowMs });
      workOut(event.ticketId);
      if (before !== null && before.ticketId !== event.ticketId) workOut(before.ticketId);
      return event.state !== "left" && before?.ticketId !== event.ticketId;
    },
    /** Drops silent windows; returns the time of the next check, or null without any. */
    forget(nowMs: number): number | null {
      let nextMs: number | null = null;
      for (const [windowId, { event, seenMs }] of windows) {
        const endsMs = seenMs + viewerForgottenMs;
        if (endsMs <= nowMs) {
          windows.delete(windowId);
          workOut(event.ticketId);
        } else if (nextMs === null || endsMs < nextMs) {
          nextMs = endsMs;
        }
      }
      return nextMs;
    },
  };
}

function isEqual(a: TicketViewer, b: TicketViewer): boolean {
  return a.user.id === b.user.id && a.user.name === b.user.name && a.state === b.state;
}
