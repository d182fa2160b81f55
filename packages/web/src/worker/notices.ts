import type { PushPayload } from "@balcao/contract";
import type { ClickEvent, ShownOptions, WindowClient, WorkerScope } from "./scope.ts";

/** A message of the worker to an open page. */
export type WorkerMessage = { type: "open"; url: string; waitingTicketId?: number };

export type NoticeDeps = {
  scope: Pick<WorkerScope, "registration" | "clients" | "navigator">;
  fetch: typeof fetch;
  uuid: () => string;
};

type Shown = Pick<
  PushPayload,
  "url" | "acceptedUrl" | "tag" | "ticketId" | "action" | "failed" | "userId"
>;

const LIST_OF = { type: "window", includeUncontrolled: true } as const;
/** A longer wait would leave a person in doubt whether the answer has gone. */
const CALL_LIMIT_MS = 20_000;

/** Shows a push message, unless a page of the product is being looked at; notifications of things that are read are closed. */
export async function showPush({ scope }: NoticeDeps, payload: PushPayload): Promise<void> {
  const { registration, clients, navigator } = scope;
  const { open, badge } = payload;
  if (badge !== undefined) await navigator.setAppBadge?.(badge).catch(() => undefined);
  if (open) {
    for (const old of await registration.getNotifications()) {
      if (!open.includes(old.tag) && old.tag !== payload.tag) old.close();
    }
  }
  const pages = await clients.matchAll(LIST_OF);
  if (payload.tag !== "test" && pages.some(isWatched)) return;
  await registration.showNotification(payload.title, optionsOf(payload));
}

const isWatched = ({ focused, visibilityState }: WindowClient): boolean =>
  focused && visibilityState === "visible";

function optionsOf(payload: PushPayload): ShownOptions {
  const { body, tag, lang, at, url, acceptedUrl, ticketId, action, failed, userId } = payload;
  const data: Shown = {
    ...{ url, tag, userId },
    ...(ticketId === undefined ? {} : { ticketId }),
    ...(acceptedUrl === undefined ? {} : { acceptedUrl }),
    ...(action === undefined ? {} : { action }),
    ...(failed === undefined ? {} : { failed }),
  };
  return {
    ...{ body, tag, lang, data, timestamp: Date.parse(at), icon: "/app-icon-192.png" },
    badge: "/app-badge.png",
    // One notification per conversation: a newer one takes its place without another sound.
    renotify: false,
    ...(action === undefined
      ? {}
      : {
          actions: [
            {
              ...{ action: action.kind, title: action.words },
              type: action.kind === "reply" ? ("text" as const) : ("button" as const),
            },
          ],
        }),
  };
}

/** Does what was pressed: answers with the text that was written in the notification, accepts, or opens the page. */
export async function actOnNotice(deps: NoticeDeps, event: ClickEvent): Promise<void> {
  const { notification, action, reply } = event;
  notification.close();
  const shown = notification.data as Shown; // written by `optionsOf`
  const text = reply?.trim() ?? "";
  const isDone =
    (action === "reply" && text !== "" && (await tell(deps, shown, text))) ||
    (action === "accept" && (await tell(deps, shown, null)));
  if (isDone) {
    // The ticket has an address of its own now.
    const { url, acceptedUrl = url, tag, userId } = shown;
    if (action === "accept") await openPage(deps, { url: acceptedUrl, tag, userId });
    return;
  }
  if (action === "reply" && text !== "") {
    // The text must not be lost without a word.
    await deps.scope.registration.showNotification(notification.title, {
      ...{ body: `${shown.failed ?? ""} “${text}”`.trim(), tag: shown.tag, data: shown },
      icon: "/app-icon-192.png",
    });
    return;
  }
  await openPage(deps, shown);
}

/**
 * Sends an answer, or accepts the ticket (null), in the session of this browser, and only if it is still that of the reader of
 * the notification. The answer has one id for all tries: the server stores it once.
 */
async function tell(deps: NoticeDeps, shown: Shown, text: string | null): Promise<boolean> {
  const { ticketId, userId } = shown;
  if (ticketId === undefined) return false;
  const clientId = deps.uuid();
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      const session = await renew(deps);
      if (session?.user.id !== userId) return false;
      const [method, path, body] =
        text === null
          ? ["PUT", `/api/tickets/${ticketId}`, { status: "open", userId }]
          : ["POST", `/api/messages/${ticketId}`, { body: text, clientId, quotedMsg: null }];
      const answer = await call(deps, method, path, body, session.token);
      if (answer.ok) return true;
      if (answer.status < 500) return false;
    } catch {
      // No answer: it may have arrived, and the same id is no second message.
    }
  }
  return false;
}

type Renewed = { token: string; user: { id: number } };

/** A token from the session's cookie, as the page gets it. */
async function renew(deps: NoticeDeps): Promise<Renewed | null> {
  const answer = await call(deps, "POST", "/api/auth/refresh_token", {}, null);
  if (!answer.ok) return null;
  return (await answer.json()) as Renewed; // the server's reply
}

function call(
  deps: NoticeDeps,
  method: string,
  path: string,
  body: unknown,
  token: string | null,
): Promise<Response> {
  return deps.fetch(path, {
    ...{ method, body: JSON.stringify(body), credentials: "same-origin" },
    headers: {
      "content-type": "application/json",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  });
}

/** Brings the page to the front, at the ticket; without an open page a new one. */
async function openPage({ scope }: NoticeDeps, { url, ticketId, action }: Shown): Promise<void> {
  const [page] = await scope.clients.matchAll(LIST_OF);
  if (!page) {
    await scope.clients.openWindow(url);
    return;
  }
  const isWaiting = action?.kind === "accept" && ticketId !== undefined;
  const message: WorkerMessage = {
    ...{ type: "open", url },
    ...(isWaiting ? { waitingTicketId: ticketId } : {}),
  };
  // A page of our own: only windows of other origins are named.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  page.postMessage(message);
  await page.focus();
}
