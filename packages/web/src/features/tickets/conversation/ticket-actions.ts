import type { Ticket } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { hasCode } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useNavigate } from "../../../router/index.tsx";
import { notifyError, notifyInfo } from "../../../ui/index.ts";
import type { UndoOffer } from "../../../ui/undo.tsx";
import { offerUndo, UNDO_ASKED_SECONDS } from "../../../ui/undo.tsx";
import { useSession } from "../../auth/index.ts";
import { sendTemplate } from "../../messages/index.ts";
import type { Changed } from "../api.ts";
import { changeTicket, undoTicketChange } from "../api.ts";
import { successorOf } from "../list/card-focus.ts";
import { addressOf } from "../list/card-texts.ts";
import { panelId } from "../list/list-tabs.tsx";
import { loadedList, writeTicketEvent } from "../list/ticket-pages.ts";
import type { ListTab, TicketView } from "../list/ticket-view.ts";

type Change = Parameters<typeof changeTicket>[1];

/** The actions on a whole ticket (spec 4). `finish` is the button of a card, `resolve` the header's. */
export type TicketAction = "accept" | "return" | "resolve" | "finish" | "reopen";

type Wish = { ticket: Ticket; reasonId: number | null };

/**
 * Changes a ticket's state. On success the lists and the opened ticket change at once; errors show a toast.
 * `onReasonRequired`: the company requires a reason to resolve it.
 */
export function useTicketAction(action: TicketAction, onReasonRequired: (ticket: Ticket) => void) {
  const { t } = useTranslation();
  const { user } = useSession();
  return useMutation({
    mutationKey: ["tickets", action],
    mutationFn: ({ ticket, reasonId }: Wish) =>
      changeTicket(ticket.id, changeOf(action, ticket, user.id, reasonId)),
    onSuccess: ({ ticket }) => {
      if (action === "accept") greetCustomer(ticket, user.name).catch(notifyError);
    },
    onError: (error, { ticket }) => {
      if (hasCode(error, "ERR_REASON_REQUIRED")) {
        onReasonRequired(ticket);
        return;
      }
      const holder = holderOf(error);
      if (holder) {
        // Another agent was faster: the card is removed at once, before the live event.
        writeTicketEvent({ action: "delete", ticketId: ticket.id });
        notifyInfo(t("tickets.alreadyServed", { name: holder.name }));
        return;
      }
      if (hasCode(error, "ERR_NO_TICKET_FOUND") || hasCode(error, "ERR_TICKET_FORBIDDEN")) {
        writeTicketEvent({ action: "delete", ticketId: ticket.id });
      }
      notifyError(error);
    },
  });
}

/** The request body of each action (wire-contract 6.1). */
function changeOf(
  action: TicketAction,
  ticket: Ticket,
  userId: number,
  reasonId: number | null,
): Change {
  const { useIntegration, promptId, integrationId } = ticket;
  const undoSeconds = UNDO_ASKED_SECONDS;
  const resolved = {
    status: "closed",
    userId,
    useIntegration: false,
    promptId: null,
    integrationId: null,
    undoSeconds,
    ...(reasonId === null ? {} : { reasonId }),
  } as const;
  const changes: Readonly<Record<TicketAction, Change>> = {
    accept: { status: "open", userId },
    // Without a queue the server restores the last one.
    reopen: { status: "open", userId },
    return: {
      ...{ status: "pending", userId: null, undoSeconds },
      ...{ useIntegration, promptId, integrationId },
    },
    resolve: resolved,
    finish: { ...resolved, queueId: ticket.queueId },
  };
  return changes[action];
}

/** The user who accepted the ticket first, from the error of the refused acceptance; null if it names none. */
export function holderOf(error: unknown): { name: string } | null {
  if (!hasCode(error, "ERR_OTHER_OPEN_TICKET") || !(error instanceof Error)) return null;
  const data = "data" in error ? error.data : null;
  if (typeof data !== "object" || data === null || !("user" in data)) return null;
  const { user } = data;
  if (typeof user !== "object" || user === null || !("name" in user)) return null;
  return typeof user.name === "string" && user.name !== "" ? { name: user.name } : null;
}

/**
 * Greets the customer of an accepted ticket, if the company enabled it and the ticket is no group. As the family of clients does,
 * the client sends the text (wire-contract 6.1); the server fills its other variables.
 */
async function greetCustomer(ticket: Ticket, userName: string): Promise<void> {
  if (ticket.isGroup) return;
  // Needed only after an accept, so it is not part of the first load.
  const { readAutomaticText, readSetting } = await import("../../settings/index.ts");
  if ((await readSetting("sendGreetingAccepted")) !== "enabled") return;
  const text = await readAutomaticText("greetingOnAccept");
  await sendTemplate(
    ticket.id,
    text.replaceAll("{{user}}", () => userName),
  );
}

const opensNextKey = (userId: number): string => `balcao.opens-next.${userId}`;

/** Whether the user wants the next conversation opened after resolving one; kept on this device. */
export function opensNext(userId: number): boolean {
  return localStorage.getItem(opensNextKey(userId)) === "true";
}

export function keepOpensNext(userId: number, isWanted: boolean): void {
  localStorage.setItem(opensNextKey(userId), String(isWanted));
}

/** A change of a ticket that the agent leaves, and how to undo it. */
type Done = Pick<UndoOffer, "kind" | "name"> & Pick<Changed, "undo">;
/** Leaves a ticket after it has gone, and offers to undo that. */
export type Leave = (done?: Done) => void;

/**
 * The navigation after an action: an accepted or reopened ticket is opened, a returned or resolved one is left, with
 * the focus on the next card, or on the tab without one (spec 4, ui.md section 5).
 */
export function useTicketFlow(screen: {
  tab: ListTab;
  /** The list on the screen. */
  view: TicketView;
  openedUuid: string | undefined;
  onTab: (tab: ListTab) => void;
  onReasonRequired: (ticket: Ticket) => void;
}) {
  const { tab, view, openedUuid, onTab, onReasonRequired } = screen;
  const navigate = useNavigate();
  const { user } = useSession();
  // A new object requests the focus again.
  const [focusWish, setFocusWish] = useState<Readonly<{ ticketId: number }> | null>(null);
  const mutations = {
    accept: useTicketAction("accept", onReasonRequired),
    return: useTicketAction("return", onReasonRequired),
    resolve: useTicketAction("resolve", onReasonRequired),
    finish: useTicketAction("finish", onReasonRequired),
    reopen: useTicketAction("reopen", onReasonRequired),
  };

  const open = useCallback(
    (ticket: Ticket): void => {
      // A ticket opened from a search keeps the results on the screen.
      if (tab !== "search") onTab("open");
      navigate(`/tickets/${ticket.uuid}`);
    },
    [tab, onTab, navigate],
  );

  const wishFocus = useCallback((ticket: { id: number }) => {
    setFocusWish({ ticketId: ticket.id });
  }, []);

  /**
   * Call it before a ticket leaves the list, and its result afterwards: the ticket is left, the next card gets the focus,
   * and an undo is offered. `isOpeningNext`: the next conversation is opened.
   */
  const leaving = useCallback(
    (ticket: Ticket, { isOpeningNext = false } = {}): Leave => {
      const successor = successorOf(loadedList(view)?.tickets ?? [], ticket.id);
      const following = successor?.status === "open" ? successor : undefined;
      const wasOpened = openedUuid === ticket.uuid;
      const openNext = (): void => {
        if (!following) return;
        wishFocus(following);
        navigate(addressOf(following));
      };
      const bringBack = async (undoId: string): Promise<void> => {
        const restored = await undoTicketChange(ticket.id, undoId);
        onTab(tab);
        if (wasOpened) navigate(`/tickets/${restored.uuid}`);
        wishFocus(restored);
      };
      return (done) => {
        const goesOn = isOpeningNext && wasOpened && following !== undefined;
        if (goesOn) openNext();
        else {
          if (wasOpened) navigate("/tickets");
          const listed = loadedList(view)?.tickets ?? [];
          // A search result stays in the list after the action.
          const isStillThere = tab === "search" && listed.some(({ id }) => id === ticket.id);
          const next = isStillThere ? ticket : successor;
          if (next) wishFocus(next);
          else focusTab(tab);
        }
        const undoId = done?.undo?.id;
        if (done === undefined || undoId === undefined) return;
        const { kind, name } = done;
        const next =
          goesOn || !following ? undefined : { name: following.contact.name, run: openNext };
        offerUndo({ kind, name, next, undo: () => bringBack(undoId) });
      };
    },
    [tab, view, openedUuid, navigate, onTab, wishFocus],
  );

  function run(action: TicketAction, ticket: Ticket, reasonId: number | null = null): void {
    const wish = { ticket, reasonId };
    if (action === "accept" || action === "reopen") {
      mutations[action].mutate(wish, { onSuccess: (changed) => open(changed.ticket) });
      return;
    }
    const { name } = ticket.contact;
    const kind = action === "return" ? "returned" : "resolved";
    const leave = leaving(ticket, {
      isOpeningNext: action !== "return" && opensNext(user.id),
    });
    mutations[action].mutate(wish, { onSuccess: ({ undo }) => leave({ kind, name, undo }) });
  }

  const busyAction = (["accept", "return", "resolve", "finish", "reopen"] as const).find(
    (action) => mutations[action].isPending,
  );
  const busyTicketId = busyAction ? mutations[busyAction].variables?.ticket.id : undefined;
  const busy = useMemo(
    () =>
      busyAction && busyTicketId !== undefined
        ? { action: busyAction, ticketId: busyTicketId }
        : null,
    [busyAction, busyTicketId],
  );
  return { run, busy, focusWish, wishFocus, leaving };
}

/** The focus target if no card is left. */
function focusTab(tab: ListTab): void {
  document.getElementById(`${panelId(tab)}-tab`)?.focus({ preventScroll: true });
}
