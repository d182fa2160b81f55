import type { CompanyEvents, SessionUser, Ticket } from "@balcao/contract";
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { i18n } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { useSession } from "../auth/index.ts";
import { playAlert } from "./sound.ts";
import { isSpeaker, joinSpeakers } from "./speaking-tab.ts";
import { isNotifiedOf } from "./unread-tickets.ts";
import { currentVolume } from "./volume.ts";

type Alert = { ticket: Ticket; title: string; text: string };

/** A burst of messages is one sound. */
const QUIET_MS = 1_500;
const TEXT_MAX = 120;

/** What a live event is worth an alert for this user; null for nothing. */
export function alertOf(
  event: CompanyEvents["appMessage"],
  user: SessionUser,
  shownTicketUuid: string | null,
): Alert | null {
  if (event.action !== "create" || event.message.fromMe) return null;
  const { ticket, contact, message } = event;
  // Read elsewhere, of a colleague, or before one's eyes already.
  if (!isNotifiedOf(user, ticket) || ticket.uuid === shownTicketUuid) return null;
  const isPlain = message.media === null && message.details === null;
  const text = isPlain ? message.body : ticket.lastMessage;
  return { ticket, title: contact.name, text: text.slice(0, TEXT_MAX) };
}

/** Sound and desktop notifications for new messages of customers. Mounted once, in the shell. */
export function useAlerts(): void {
  const { user } = useSession();
  const navigate = useNavigate();
  useEffect(joinSpeakers, []);
  useEffect(() => {
    lastSoundMs = Number.NEGATIVE_INFINITY;
  }, []);
  useCompanyEvent("appMessage", (event) => {
    const alert = alertOf(event, user, shownTicketUuid());
    if (alert === null || !isSpeaker()) return;
    soundOnce();
    showOnDesktop(alert, () => void navigate(addressOf(alert.ticket), stateOf(alert.ticket)));
  });
}

/** Where a notification leads: an open ticket, or the list in which a waiting one can be accepted. */
export function addressOf(ticket: Ticket): string {
  return ticket.status === "pending" ? "/tickets" : `/tickets/${ticket.uuid}`;
}

/** What the tickets page is told beside the address. */
export function stateOf(ticket: Ticket): { state?: { waitingTicketId: number } } {
  return ticket.status === "pending" ? { state: { waitingTicketId: ticket.id } } : {};
}

let lastSoundMs = Number.NEGATIVE_INFINITY;

function soundOnce(): void {
  if (performance.now() - lastSoundMs < QUIET_MS) return;
  lastSoundMs = performance.now();
  playAlert(currentVolume()).catch(reportError);
}

/** The ticket whose conversation is before the user's eyes. */
function shownTicketUuid(): string | null {
  if (document.visibilityState !== "visible" || !document.hasFocus()) return null;
  return /^\/tickets\/([^/]+)/.exec(window.location.pathname)?.[1] ?? null;
}

function showOnDesktop(alert: Alert, onOpen: () => void): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  if (document.hasFocus()) return;
  const notification = new Notification(alert.title, {
    body: alert.text,
    // One for each ticket: the newer takes the older one's place.
    tag: `balcao-ticket-${alert.ticket.id}`,
    lang: i18n.language,
    icon: "/icon.svg",
  });
  notification.addEventListener("click", () => {
    window.focus();
    notification.close();
    onOpen();
  });
}
