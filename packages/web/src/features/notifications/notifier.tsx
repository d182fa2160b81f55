import type { CompanyEvents, SessionUser, Ticket } from "@balcao/contract";
import { useEffect } from "react";
import { useNavigate } from "../../router/index.tsx";
import { i18n, withTexts } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { useSession } from "../auth/index.ts";
import { isNotifiedOf } from "./unread-tickets.ts";
import { currentVolume } from "./volume.ts";
import { epochMs } from "../../ui/clock.ts";
import { notifyInfo } from "../../ui/index.ts";

type AlertTicket = Pick<Ticket, "id" | "uuid" | "status">;
type Alert = { ticket: AlertTicket; title: string; text: string };

/** A burst of messages is one sound. */
const QUIET_MS = 1_500;
const TEXT_MAX = 120;

/** The alert for a live event, or null if this user gets none. */
export function alertOf(
  event: CompanyEvents["appMessage"],
  user: SessionUser,
  shownTicketUuid: string | null,
): Alert | null {
  if (event.action !== "create" || event.message.fromMe) return null;
  const { ticket, contact, message } = event;
  // Read elsewhere, another user's ticket, or visible already.
  if (!isNotifiedOf(user, ticket) || ticket.uuid === shownTicketUuid) return null;
  const isPlain = message.media === null && message.details === null;
  const isText = isPlain && !message.body.startsWith(`[${message.mediaType}]`);
  const text = isText ? message.body : ticket.lastMessage;
  return { ticket, title: contact.name, text: text.slice(0, TEXT_MAX) };
}

/** Sound and desktop notifications for new messages of customers. Renders nothing; mounted once, in the shell. */
export function Notifier(): null {
  const { user } = useSession();
  const navigate = useNavigate();
  useEffect(joinSpeakers, []);
  useEffect(() => {
    lastSoundMs = Number.NEGATIVE_INFINITY;
  }, []);
  useCompanyEvent("appMessage", (event) => {
    const alert = alertOf(event, user, shownUuid("tickets"));
    if (alert === null || !isSpeaker()) return;
    soundOnce();
    const shown = { ...alert, tag: `balcao-ticket-${alert.ticket.id}` };
    showOnDesktop(shown, () => navigate(addressOf(alert.ticket), stateOf(alert.ticket)));
  });
  useCompanyEvent("mention", (event) => {
    if (event.action !== "create" || !isSpeaker()) return;
    const { note, ticketUuid } = event.mention;
    if (ticketUuid === shownUuid("tickets")) return;
    soundOnce();
    const shown = {
      title: `${note.user.name}, ${note.contact.name}`,
      text: note.note.slice(0, TEXT_MAX),
      tag: `balcao-note-${note.id}`,
    };
    showOnDesktop(shown, () => navigate(`/tickets/${ticketUuid}`));
  });
  useCompanyEvent("chat", (event) => {
    if (event.action === "delete") return;
    const { chat, newMessage } = event;
    const unreads = chat.users.find(({ userId }) => userId === user.id)?.unreads ?? 0;
    if (unreads === 0) alertedChats.delete(chat.id);
    if (event.action !== "new-message" || newMessage?.senderId === user.id || unreads === 0) return;
    if (alertedChats.has(chat.id) || chat.uuid === shownUuid("chats") || !isSpeaker()) return;
    // Once until it is read.
    alertedChats.add(chat.id);
    soundOnce();
    const shown = {
      title: chat.title,
      text: chat.lastMessage.slice(0, TEXT_MAX),
      tag: `balcao-chat-${chat.id}`,
    };
    showOnDesktop(shown, () => navigate(`/chats/${chat.uuid}`));
  });
  // Only admins and supervisors of the queue hear it.
  useCompanyEvent("targetMiss", (event) => {
    if (!isSpeaker()) return;
    soundOnce();
    withTexts("later", import("./target-alarm.ts"))
      .then(({ targetAlarm }) => {
        const { ticket } = event;
        const alarm = targetAlarm(event);
        notifyInfo(`${alarm.title}. ${alarm.text}`);
        showOnDesktop(alarm, () => navigate(addressOf(ticket), stateOf(ticket)));
      })
      .catch(reportError);
  });
  return null;
}

/** The target of a notification: an open ticket, or the list where a waiting one can be accepted. */
export function addressOf(ticket: AlertTicket): string {
  return ticket.status === "pending" ? "/tickets" : `/tickets/${ticket.uuid}`;
}

/** The history state that the tickets page receives. */
export function stateOf(ticket: AlertTicket): { state?: { waitingTicketId: number } } {
  return ticket.status === "pending" ? { state: { waitingTicketId: ticket.id } } : {};
}

let lastSoundMs = Number.NEGATIVE_INFINITY;

function soundOnce(): void {
  if (performance.now() - lastSoundMs < QUIET_MS) return;
  lastSoundMs = performance.now();
  playAlert(currentVolume()).catch(reportError);
}

/** Chats that have alerted since they were read last. */
const alertedChats = new Set<number>();

/** The ticket or chat whose messages are visible. */
function shownUuid(page: "tickets" | "chats"): string | null {
  if (document.visibilityState !== "visible" || !document.hasFocus()) return null;
  const [, first, uuid = null] = window.location.pathname.split("/");
  return first === page ? uuid : null;
}

/** A newer notification with the same tag replaces the older one. */
type DesktopNotice = Readonly<{ title: string; text: string; tag: string }>;

function showOnDesktop(alert: DesktopNotice, onOpen: () => void): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  if (document.hasFocus()) return;
  const notification = new Notification(alert.title, {
    body: alert.text,
    tag: alert.tag,
    lang: i18n.language,
    // The brand of the host has its own.
    icon: "/favicon.ico",
  });
  notification.addEventListener("click", () => {
    window.focus();
    notification.close();
    onOpen();
  });
}

/** With several tabs a message alerts once: in the tab with the focus, else in the one that holds this lock. */
const LOCK = "balcao.alerts";
/** The time when a tab last reported its focus; old reports expire, for tabs that crashed. */
const FOCUS_KEY = "balcao.focus";
const SAY_AGAIN_MS = 20_000;
const FORGOTTEN_MS = 45_000;

let holdsLock = false;

/** Joins the election of the tab that alerts. Returns a function that leaves it. */
function joinSpeakers(): () => void {
  const ended = new AbortController();
  let release: () => void = () => undefined;
  // Undefined on an insecure origin, although the types disagree.
  const { locks }: { locks?: LockManager | null } = navigator;
  if (locks) {
    locks
      .request(LOCK, { signal: ended.signal }, () => {
        holdsLock = true;
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      })
      .catch((error: unknown) => {
        if (!ended.signal.aborted) reportError(error);
      });
  } else {
    // Then every tab alerts.
    holdsLock = true;
  }
  const say = (): void => {
    if (document.hasFocus()) localStorage.setItem(FOCUS_KEY, String(epochMs()));
  };
  const leave = (): void => localStorage.removeItem(FOCUS_KEY);
  say();
  const timer = setInterval(say, SAY_AGAIN_MS);
  window.addEventListener("focus", say);
  window.addEventListener("blur", leave);
  window.addEventListener("pagehide", leave);
  return () => {
    ended.abort();
    release();
    holdsLock = false;
    clearInterval(timer);
    window.removeEventListener("focus", say);
    window.removeEventListener("blur", leave);
    window.removeEventListener("pagehide", leave);
  };
}

/** True if this tab alerts. */
function isSpeaker(): boolean {
  if (document.hasFocus()) return true;
  const saidAt = Number(localStorage.getItem(FOCUS_KEY) ?? 0);
  const isOtherFocused = epochMs() - saidAt < FORGOTTEN_MS;
  return holdsLock && !isOtherFocused;
}

/** Two rising notes in Hz, and the length of each. */
const NOTES_HZ = [660, 880];
const NOTE_SECONDS = 0.14;
/** At full volume; a sine at 1 would be unpleasantly loud. */
const LOUDEST = 0.35;
const PATIENCE_MS = 300;

let context: AudioContext | null = null;

/**
 * Plays the alert at `volume` (0 to 1). Browsers stay silent until the user touched the page; the badge and the tab's
 * title still show the count.
 */
export async function playAlert(volume: number): Promise<void> {
  if (volume === 0) return;
  context ??= new AudioContext();
  const audio = context;
  // Without a gesture the browser would play it later, when it is out of date.
  if (!isRunning(audio)) {
    await Promise.race([
      audio.resume(),
      new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
    ]);
  }
  if (!isRunning(audio)) return;
  NOTES_HZ.forEach((hz, index) => playNote(audio, hz, index * NOTE_SECONDS, volume));
}

function isRunning(audio: AudioContext): boolean {
  return audio.state === "running";
}

function playNote(audio: AudioContext, hz: number, afterSeconds: number, volume: number): void {
  const startsAt = audio.currentTime + afterSeconds;
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  tone.type = "sine";
  tone.frequency.value = hz;
  loudness.gain.setValueAtTime(0, startsAt);
  loudness.gain.linearRampToValueAtTime(volume * LOUDEST, startsAt + 0.015);
  loudness.gain.exponentialRampToValueAtTime(0.0001, startsAt + NOTE_SECONDS);
  tone.connect(loudness).connect(audio.destination);
  tone.start(startsAt);
  tone.stop(startsAt + NOTE_SECONDS);
}
