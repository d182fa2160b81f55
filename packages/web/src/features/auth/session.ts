import type { Plan, SessionUser } from "@balcao/contract";
import type { Permission, PlanFlags } from "@balcao/contract/permissions";
import { isAllowed, isOnlyPlanMissing } from "@balcao/contract/permissions";
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import { call, endOnServer, renewToken } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import {
  currentSession,
  endSession,
  hasCampaigns,
  subscribeToSession,
} from "../../api/session-store.ts";
import type { StoredSession } from "../../api/session-store.ts";
import { createStore, useStore } from "../../store/index.ts";
import { epochMs } from "../../ui/clock.ts";

/** Features of a plan are hidden until the plan is known. */
const noPlan: PlanFlags = {
  useCampaigns: false,
  useKanban: false,
  useOpenAi: false,
  useIntegrations: false,
  useSchedules: false,
  useInternalChat: false,
  useExternalApi: false,
};

export type SignedIn = {
  user: SessionUser;
  logout: () => Promise<void>;
  /** The subscription has ended: until the payment the server accepts only calls of `invoices:pay`. */
  isLocked: boolean;
  can: (permission: Permission) => boolean;
  /** The same while the subscription runs: what the menu names. */
  holds: (permission: Permission) => boolean;
  /** The plan, which is still being read, decides about the permission. */
  isUndecided: (permission: Permission) => boolean;
  /** The plan alone keeps it from the user, as far as it is known. */
  lacksPlan: (permission: Permission) => boolean;
};

/** The stored session; null without one. */
export function useStoredSession(): StoredSession | null {
  return useSyncExternalStore(subscribeToSession, currentSession);
}

/**
 * The session that a private page is drawn for. One that ends while React draws a part of the page in several steps would be
 * missing for the parts that come later.
 */
export const PageSession = createContext<StoredSession | null>(null);

/** The signed-in user and the user's permissions. Only below `SignedInOnly`. */
export function useSession(): SignedIn {
  const stored = useStoredSession();
  const session = useContext(PageSession) ?? stored;
  const isLocked = useStore(locked);
  const known = session?.user.company.plan;
  const companyId = session?.user.companyId ?? null;
  const { data, isPending } = usePlan(known || isLocked ? null : companyId);
  const plan = known ?? data ?? noPlan;
  if (!session) throw new Error("useSession is for signed-in pages");
  const { user } = session;
  const holder = holderOf(session, plan);
  const holds = (permission: Permission): boolean => isAllowed(holder, permission);
  const lacksPlan = (permission: Permission): boolean =>
    !isLocked && isOnlyPlanMissing(holder, permission);
  return {
    user,
    logout,
    isLocked,
    lacksPlan,
    can: (permission) => (!isLocked || permission === "invoices:pay") && holds(permission),
    holds,
    isUndecided: (permission) => !known && isPending && lacksPlan(permission),
  };
}

const DAY_MS = 86_400_000;
/** How long before its end a subscription is read again: a payment may have moved it. */
const READ_AGAIN_MS = 60_000;

/** Whether the subscription of the session's company has ended. Super users keep their access (wire-contract 3.5). */
const locked = createStore(false);
let lockTimer: ReturnType<typeof setTimeout> | undefined;

function reviewLock(): void {
  clearTimeout(lockTimer);
  const session = currentSession();
  const isBound = session?.user.super === false && !session.visit;
  const dueDate = isBound ? session.user.company.dueDate : null;
  const leftMs = dueDate === null ? Number.POSITIVE_INFINITY : Date.parse(dueDate) - epochMs();
  locked.set(leftMs <= 0);
  // An earlier change of the session, such as a renewed token, reviews the rest.
  if (leftMs <= 0 || leftMs > DAY_MS) return;
  lockTimer =
    leftMs > READ_AGAIN_MS
      ? setTimeout(readAgainBeforeTheEnd, leftMs - READ_AGAIN_MS)
      : setTimeout(reviewLock, leftMs);
}

function readAgainBeforeTheEnd(): void {
  void renewToken(currentSession()?.token ?? null)
    .catch(() => undefined)
    .then(reviewLock);
}

reviewLock();
subscribeToSession(reviewLock);
// Timers do not run while a computer sleeps.
document.addEventListener("visibilitychange", reviewLock);

/** Who holds permissions: campaigns take the plan and the user's own flag. */
function holderOf({ user, visit }: StoredSession, plan: PlanFlags) {
  const useCampaigns = plan.useCampaigns && hasCampaigns(user);
  const { profile, super: isSuper, role } = user;
  return {
    ...{ profile, super: isSuper, permissions: role?.permissions },
    ...{ isVisitor: !!visit, plan: { ...plan, useCampaigns } },
  };
}

/** Whether the user sees every ticket, for code without `can`. */
export const seesAllTickets = (user: SessionUser): boolean =>
  isAllowed({ ...user, permissions: user.role?.permissions, plan: noPlan }, "tickets:see-all");

/** Signs out locally even if the server cannot be reached, so that no session stays on a shared computer. */
async function logout(): Promise<void> {
  // What is still being read would be refused.
  void queryClient.cancelQueries();
  const told = endOnServer().catch(() => undefined);
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  endSession("logout");
}

/** The plan, for a session that was stored without it; null reads nothing. */
function usePlan(companyId: SessionUser["companyId"] | null) {
  return useQuery({
    queryKey: ["plan", companyId],
    queryFn: ({ signal }): Promise<Plan> => fetchPlan(companyId, signal),
    enabled: companyId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: false },
  });
}

async function fetchPlan(companyId: number | null, signal: AbortSignal): Promise<Plan> {
  if (companyId === null) throw new Error("no company");
  const request = { params: { companyId } };
  return (await call("GET /companies/listPlan/:companyId", request, { signal })).plan;
}
