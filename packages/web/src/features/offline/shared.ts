import { queryClient } from "../../api/query-client.ts";
import { currentSession, subscribeToSession } from "../../api/session-store.ts";
import { i18n, withTexts } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { notifyError } from "../../ui/toasts.tsx";
import type { SharedList } from "../../worker/shares.ts";
import { SHARE_PATH, SHARED_CACHE, SHARED_MARK } from "../../worker/shares.ts";
import { showStrip } from "./strip.ts";

type Shared = { text: string; files: File[] };

/** Between two looks whether a conversation is open. */
const LOOK_EVERY_MS = 300;
const KEPT_MS = 10 * 60_000;
const NAME_MAX = 40;

/**
 * Takes what the phone's share sheet gave to the worker, and hands it to the composer of the ticket that the user chooses,
 * as a draft. A page that nothing was shared to removes what is left of before.
 */
export async function takeShared(): Promise<void> {
  if (!("caches" in window)) return;
  const isAnnounced = new URLSearchParams(location.search).has(SHARED_MARK);
  const shared = isAnnounced ? await readShared().catch(() => null) : null;
  await caches.delete(SHARED_CACHE);
  if (!isAnnounced) return;
  // A reload of the page shares nothing again.
  history.replaceState(history.state, "", location.pathname);
  await withTexts("trust", Promise.resolve());
  if (shared === null) notifyError(i18n.t("push.sharedFailed"));
  else {
    const endsAtMs = epochMs() + KEPT_MS;
    offer(shared, await nextSession(), endsAtMs);
  }
}

/** A file that no page has taken ends with the session. */
export function forgetShared(): void {
  if ("caches" in window) caches.delete(SHARED_CACHE).catch(() => undefined);
}

async function readShared(): Promise<Shared | null> {
  const cache = await caches.open(SHARED_CACHE);
  const list = (await (await cache.match(SHARE_PATH))?.json()) as SharedList | undefined; // the worker's
  if (!list) return null;
  const files: File[] = [];
  for (const [index, { name, type }] of list.files.entries()) {
    const kept = await cache.match(`${SHARE_PATH}/${index}`);
    if (kept) files.push(new File([await kept.blob()], name, { type }));
  }
  return files.length === 0 && list.text === "" ? null : { text: list.text, files };
}

/** The id of the session; without one, of the next sign-in on this page. */
function nextSession(): Promise<string> {
  return new Promise((resolve) => {
    const look = (): void => {
      const session = currentSession();
      if (!session) return;
      stop();
      resolve(session.id);
    };
    const stop = subscribeToSession(look);
    look();
  });
}

/** Asks for the ticket until the user chooses one, cancels, or waits too long, or the session ends. */
function offer(shared: Shared, sessionId: string, endsAtMs: number): void {
  if (epochMs() > endsAtMs) return;
  const name = nameOf(shared);
  const cancel = { label: i18n.t("common.cancel"), run: end };
  const use = { label: i18n.t("push.sharedUse"), run: () => place(openField()) };
  const strip = showStrip(i18n.t("push.sharedChoose", { name }), [cancel]);
  const timer = setInterval(look, LOOK_EVERY_MS);
  const stopSession = subscribeToSession(() => {
    if (currentSession()?.id !== sessionId) end();
  });
  let placing: ReturnType<typeof setTimeout> | undefined;

  // Another site may have posted it: nothing is put anywhere without a press.
  function look(): void {
    const field = openField();
    if (epochMs() > endsAtMs) end();
    else if (field === null) strip.say(i18n.t("push.sharedChoose", { name }), [cancel]);
    else if (isOpen(field)) strip.say(i18n.t("push.sharedHere", { name }), [use, cancel]);
    else strip.say(i18n.t("push.sharedRefused"), [cancel]);
  }

  function place(field: HTMLTextAreaElement | null): void {
    clearTimeout(placing);
    // Another ticket is open by now.
    if (!field?.isConnected) return;
    // The draft of another device must not come after it.
    if (queryClient.isFetching({ queryKey: ["drafts"] }) > 0) {
      placing = setTimeout(place, LOOK_EVERY_MS, field);
    } else if (isOpen(field) && give(field, shared)) end();
  }

  function end(): void {
    clearTimeout(placing);
    clearInterval(timer);
    stopSession();
    strip.remove();
  }
}

const openField = (): HTMLTextAreaElement | null =>
  document.querySelector("[data-conversation] #composer");

/** A note is written, or the conversation takes no messages now. */
const isOpen = (field: HTMLTextAreaElement): boolean =>
  !field.disabled && field.closest("[hidden]") === null;

/** Gives it to the composer as if it was pasted; false if it takes no files now. */
function give(field: HTMLTextAreaElement, { files, text }: Shared): boolean {
  if (files.length > 0) {
    const clipboardData = new DataTransfer();
    for (const file of files) clipboardData.items.add(file);
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    if (field.dispatchEvent(paste)) return false;
  }
  if (text !== "") {
    const { length } = field.value;
    const room = field.maxLength < 0 ? text.length : field.maxLength - length;
    const added = (length === 0 ? text : `\n${text}`).slice(0, Math.max(0, room));
    field.setRangeText(added, length, length, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
  field.focus({ preventScroll: true });
  return true;
}

function nameOf({ files, text }: Shared): string {
  const [first, ...others] = files;
  const name = first ? first.name : text.replaceAll(/\s+/g, " ");
  const short = name.length > NAME_MAX ? `${name.slice(0, NAME_MAX).toWellFormed()}…` : name;
  return others.length === 0 ? short : `${short} +${others.length}`;
}
