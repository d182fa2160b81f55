import type { ListedPlan, Plan, PlanId, RequestOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { liveList, livePages } from "../../realtime/live-list.ts";

/** The plans whose name contains the words, each with the number of its companies. No event tells of them. */
export const planPages = livePages<ListedPlan>({
  key: ["plans", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { plans: rows, ...totals } = await call("GET /plans", { query }, { signal });
    return { rows, ...totals };
  },
});

const planList = liveList<Plan, number>({
  key: ["plans", "all"],
  read: (signal) => call("GET /plans/all", {}, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
});

/** All plans by name, to choose from; undefined while unknown. */
export const usePlans = (): readonly Plan[] | undefined => useQuery(planList.query).data;

export type PlanBody = RequestOf<"POST /plans">["body"];

/** Saves a new plan (`id` null) or a known one. */
export async function savePlan(id: number | null, body: PlanBody): Promise<Plan> {
  const row =
    id === null
      ? await call("POST /plans", { body })
      : await call("PUT /plans/:planId", { params: { planId: id }, body });
  planList.apply({ row });
  planPages.readAgain();
  return row;
}

export async function deletePlan(id: PlanId): Promise<void> {
  await call("DELETE /plans/:planId", { params: { planId: id } });
  planList.apply({ removedId: id });
  planPages.readAgain();
}
