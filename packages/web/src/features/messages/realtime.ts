import type { CompanyEvents } from "@balcao/contract";
import { useEffect, useState } from "react";
import { batchPerFrame, useCompanyEvent, useRoom } from "../../realtime/index.ts";
import { writeMessageEvent } from "./history/message-history.ts";
import { settleUnsent } from "./sending/sending.ts";
import { useTellViewing, useViewerEvents } from "./presence/viewers.tsx";

/**
 * Joins the ticket's room, keeps every loaded conversation current and tells colleagues that the ticket is open here.
 * `isLookingOnly`: a waiting ticket is only read here, and colleagues are not told.
 */
export function useMessageEvents(
  ticketId: number,
  options: { isLookingOnly?: boolean } = {},
): void {
  useRoom({ kind: "chatBox", ticketId });
  useTellViewing(options.isLookingOnly === true ? null : ticketId); // after the room: the server relays it only there
  useViewerEvents();
  useCompanyEvent("appMessage", (event) => {
    batchPerFrame(() => {
      const { message } = event;
      writeMessageEvent(event);
      if (message.clientId !== null) settleUnsent(message.ticketId, message.clientId);
    });
  });
}

export type Presence = CompanyEvents["presence"]["presence"];

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
