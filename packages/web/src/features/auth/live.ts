import type { CompanyEvents, SessionUser } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useState } from "react";
import { queryClient } from "../../api/query-client.ts";
import {
  currentSession,
  endSession,
  rememberReason,
  updateSessionCompany,
  updateSessionSetting,
  updateSessionUser,
} from "../../api/session-store.ts";
import type { StoredSession } from "../../api/session-store.ts";
import { i18n } from "../../i18n/index.ts";
import { useCompanyEvent, useLiveConnection } from "../../realtime/index.ts";
import { notifyError } from "../../ui/index.ts";

/** The event of our own sign-in can arrive after our socket is connected. */
const OWN_EVENT_MS = 2_000;

/**
 * Opens the live channel of one sign-in, follows changes of the user, and ends the session when the account signs in
 * elsewhere. Renders nothing; mounted once per sign-in.
 */
export function LiveSession({ session }: { session: StoredSession }): null {
  const [own] = useState({ id: session.id, startedAtMs: session.startedAtMs });
  useLiveConnection(session.user.companyId);
  useCompanyEvent("user", applyUserEvent);
  useCompanyEvent("settings", ({ setting }) => updateSessionSetting(setting.key, setting.value));
  useCompanyEvent("payment", ({ company }) => updateSessionCompany(company));
  useCompanyEvent("auth", ({ user }) => {
    // The admin whose rights a visitor has may sign in as often as before.
    if (session.visit || user.id !== session.user.id) return;
    if (isOlderThanSession(own, Date.now())) return;
    rememberReason("elsewhere");
    notifyError(i18n.t("auth.elsewhere"));
    // Not tied to this component: a refused call may end the session first and unmount it.
    setTimeout(() => giveWay(own.id), limits.otherLoginReloadMs);
  });
  return null;
}

function giveWay(sessionId: string): void {
  const session = currentSession();
  // Another tab may have signed in meanwhile; clearing the shared storage would sign it out.
  if (session && session.id !== sessionId) return;
  endSession("elsewhere");
  window.location.reload();
}

/**
 * True if a sign-in event belongs to an earlier sign-in or to our own (wire-contract 3.4): this browser has a newer
 * sign-in than our socket, or ours has just begun.
 */
function isOlderThanSession(
  own: Pick<StoredSession, "id" | "startedAtMs">,
  nowMs: number,
): boolean {
  const stored = currentSession();
  if (stored && stored.id !== own.id) return true;
  return nowMs - own.startedAtMs < OWN_EVENT_MS;
}

function applyUserEvent(event: CompanyEvents["user"]): void {
  const known = currentSession()?.user;
  if (!known) return;
  if (event.action === "delete") {
    if (event.userId === known.id) endSession("expired");
    return;
  }
  if (event.user.id !== known.id) return;
  updateSessionUser(event.user);
  if (hasOtherRights(known, event.user)) void queryClient.invalidateQueries();
}

/** Rights decide the contents of lists, so lists are refetched. */
function hasOtherRights(before: SessionUser, after: SessionUser): boolean {
  const rights = (user: SessionUser): string =>
    JSON.stringify([
      user.profile,
      user.role,
      user.super,
      user.allTicket,
      user.queues.map(({ id }) => id),
    ]);
  return rights(before) !== rights(after);
}
