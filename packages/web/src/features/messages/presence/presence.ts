import type { AgentState, CompanyEvents } from "@balcao/contract";
import { useEffect, useState, useSyncExternalStore } from "react";
import { randomUuid } from "../../../api/random-uuid.ts";
import { sendLive, useCompanyEvent } from "../../../realtime/index.ts";

/** After this pause a user no longer counts as writing. */
const WRITING_PAUSE_MS = 5_000;

const windowId = randomUuid();

/** This window's activity in its open ticket. */
export const own: { ticketId: number | null; state: AgentState } = {
  ticketId: null,
  state: "viewing",
};
let pauseTimer: ReturnType<typeof setTimeout> | undefined;

/** The ticket is open and on the screen from now on. */
export function enter(ticketId: number): void {
  own.ticketId = ticketId;
  own.state = "viewing";
  tell("viewing");
}

/** The opened ticket is no longer on the screen. */
export function leave(): void {
  clearTimeout(pauseTimer);
  tell("left");
  own.ticketId = null;
}

/** Reports that the agent writes in the ticket (`typing`), records, or stopped (`viewing`). */
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

/** Tells colleagues what happens in the open ticket. */
export function tell(state: AgentState): void {
  sendLive("ticketViewing", { ticketId: own.ticketId, state, windowId });
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** True if this tab is visible. */
export function useIsPageVisible(): boolean {
  return useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === "visible");
}

type Presence = CompanyEvents["presence"]["presence"];

/** The chat app reports the end of writing, but not a phone that goes offline. */
const PRESENCE_LASTS_MS = 20_000;

/** Whether the customer of a ticket writes or records right now; null if neither. */
export function useCustomerActivity(ticketId: number): "composing" | "recording" | null {
  const [activity, setActivity] = useState<{ ticketId: number; presence: Presence } | null>(null);
  useCompanyEvent("presence", (event) => {
    if (event.ticketId === ticketId) setActivity({ ticketId, presence: event.presence });
  });
  useCompanyEvent("appMessage", (event) => {
    const isFromCustomer = event.action === "create" && !event.message.fromMe;
    if (isFromCustomer && event.message.ticketId === ticketId) setActivity(null);
  });
  useEffect(() => {
    if (activity === null) return undefined;
    const timer = setTimeout(() => setActivity(null), PRESENCE_LASTS_MS);
    return () => clearTimeout(timer);
  }, [activity]);
  if (activity?.ticketId !== ticketId) return null;
  const { presence } = activity;
  return presence === "composing" || presence === "recording" ? presence : null;
}
