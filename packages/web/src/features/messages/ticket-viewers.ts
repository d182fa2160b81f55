import type { AgentState, CompanyEvents } from "@balcao/contract";
import { viewerHeartbeatMs } from "@balcao/contract/event-names";
import { useEffect, useSyncExternalStore } from "react";
import { randomUuid } from "../../api/random-uuid.ts";
import { currentSession } from "../../api/session-store.ts";
import { sendLive, useCompanyEvent, useLiveStatus } from "../../realtime/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { useIsPageVisible } from "./use-mark-read.ts";
import type { TicketViewer } from "./viewers.ts";
import { createViewers } from "./viewers.ts";

/** Somebody who pauses that long no longer writes. */
const WRITING_PAUSE_MS = 5_000;
/** Newcomers are answered together after this long. */
const ANSWER_MS = 300;

const windowId = randomUuid();
const viewers = createViewers();
const listeners = new Set<() => void>();
let forgetTimer: ReturnType<typeof setTimeout> | undefined;

/** What this window does with the ticket that is open in it. */
const own: { ticketId: number | null; state: AgentState } = { ticketId: null, state: "viewing" };
let pauseTimer: ReturnType<typeof setTimeout> | undefined;
let answerTimer: ReturnType<typeof setTimeout> | undefined;

/** The colleagues who have the ticket open, by name; never the user himself. */
export function useTicketViewers(ticketId: number): readonly TicketViewer[] {
  return useSyncExternalStore(subscribe, () => viewers.of(ticketId));
}

/** Says that the agent writes in the ticket (`typing`), records in it, or stopped (`viewing`). */
export function tellWriting(ticketId: number, state: Exclude<AgentState, "left">): void {
  if (own.ticketId !== ticketId) return;
  clearTimeout(pauseTimer);
  if (state === "typing") {
    pauseTimer = setTimeout(() => tellWriting(ticketId, "viewing"), WRITING_PAUSE_MS);
  }
  if (own.state === state) return;
  own.state = state;
  tell(state);
}

/** While mounted and on the screen, colleagues are told that the ticket is open here; null tells nothing. */
export function useTellViewing(ticketId: number | null): void {
  const isVisible = useIsPageVisible();
  const isOnline = useLiveStatus().state === "online";
  useEffect(() => {
    if (ticketId === null || !isVisible || !isOnline) return undefined;
    own.ticketId = ticketId;
    own.state = "viewing";
    tell("viewing");
    const heartbeat = setInterval(() => tell(own.state), viewerHeartbeatMs);
    return () => {
      clearInterval(heartbeat);
      clearTimeout(pauseTimer);
      clearTimeout(answerTimer);
      answerTimer = undefined;
      tell("left");
      own.ticketId = null;
    };
  }, [ticketId, isVisible, isOnline]);
}

/** Keeps the list of who is there. */
export function useViewerEvents(): void {
  useCompanyEvent("ticketViewers", noteEvent);
}

function noteEvent(event: CompanyEvents["ticketViewers"]): void {
  if (event.user.id === currentSession()?.user.id) return;
  const isNew = viewers.note(event, epochMs());
  tellListeners();
  waitToForget();
  // Whoever has just come does not know yet who is here.
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
  forgetTimer = setTimeout(() => {
    waitToForget();
    tellListeners();
  }, nextMs - nowMs);
}

function tell(state: AgentState): void {
  sendLive("ticketViewing", { ticketId: own.ticketId, state, windowId });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tellListeners(): void {
  for (const listener of listeners) listener();
}
