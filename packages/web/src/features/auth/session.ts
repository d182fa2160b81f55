import type { Plan, SessionUser } from "@balcao/contract";
import type { Permission, PlanFlags } from "@balcao/contract/permissions";
import { isAllowed, isOnlyPlanMissing } from "@balcao/contract/permissions";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { call, endOnServer } from "../../api/client.ts";
import {
  currentSession,
  endSession,
  hasCampaigns,
  subscribeToSession,
} from "../../api/session-store.ts";
import type { StoredSession } from "../../api/session-store.ts";

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
  can: (permission: Permission) => boolean;
  /** The plan, which is still being read, decides about the permission. */
  isUndecided: (permission: Permission) => boolean;
};

/** The stored session; null without one. */
export function useStoredSession(): StoredSession | null {
  return useSyncExternalStore(subscribeToSession, currentSession);
}

/** The signed-in user and the user's permissions. Only below `SignedInOnly`. */
export function useSession(): SignedIn {
  const session = useStoredSession();
  const known = session?.user.company.plan;
  const { data, isPending } = usePlan(known ? null : (session?.user.companyId ?? null));
  const plan = known ?? data ?? noPlan;
  if (!session) throw new Error("useSession is for signed-in pages");
  const { user } = session;
  const holder = holderOf(user, plan);
  return {
    user,
    logout,
    can: (permission) => isAllowed(holder, permission),
    isUndecided: (permission) => !known && isPending && isOnlyPlanMissing(holder, permission),
  };
}

/** Who holds permissions: campaigns take the plan and the user's own flag. */
function holderOf(user: SessionUser, plan: PlanFlags) {
  const useCampaigns = plan.useCampaigns && hasCampaigns(user);
  return { profile: user.profile, super: user.super, plan: { ...plan, useCampaigns } };
}

/** Signs out locally even if the server cannot be reached, so that no session stays on a shared computer. */
async function logout(): Promise<void> {
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
