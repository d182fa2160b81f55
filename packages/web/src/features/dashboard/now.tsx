import { limits } from "@balcao/contract/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { CSSProperties, ReactNode } from "react";
import { call } from "../../api/client.ts";
import { onCompanyEvent, readAgain } from "../../realtime/live.ts";
import { useNow } from "../../ui/clock.ts";
import { QueueDot } from "../../ui/marks.tsx";
import type { Choice } from "../reports/index.ts";
import { wireChoice } from "../reports/index.ts";

const nowKey = ["dashboard", "now"] as const;

/** "Agora": what waits and is served, and today's figures, live. The numbers of the last filter stay until those of the next. */
export function useNowFigures(choice: Choice) {
  return useQuery({
    queryKey: [...nowKey, choice],
    queryFn: ({ signal }) => call("GET /dashboard/now", { query: wireChoice(choice) }, { signal }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}

// At most once in two seconds.
onCompanyEvent("figures", () => void readAgain({ queryKey: nowKey }));

/** The present time on the server's clock, from which waits count. */
export function useServerNow(at: string, readAtMs: number): number {
  const nowMs = useNow(limits.timeLabelRefreshMs);
  return Math.max(nowMs, readAtMs) + Date.parse(at) - readAtMs;
}

/** The address of the lists of tickets with a choice; "without one" cannot be asked for there. */
export function ticketsAddress({ queueIds, userIds, tagIds, whatsappIds }: Choice): string {
  const named = { queues: queueIds, agents: userIds, tags: tagIds, connections: whatsappIds };
  const parts = Object.entries(named).flatMap(([name, ids = []]) => {
    const known = ids.filter((id) => id !== null);
    return known.length === 0 ? [] : [`${name}=${known.join(",")}`];
  });
  return parts.length === 0 ? "/tickets" : `/tickets?${parts.join("&")}`;
}

const ring: CSSProperties = {
  ...{ flex: "none", boxSizing: "border-box", width: 8, height: 8 },
  ...{ border: "2px solid var(--bc-ink3)", borderRadius: "50%" },
};

/** The colour of a queue; a ring without one. */
export function QueueMark({ color }: { color: string }): ReactNode {
  if (color === "") return <span style={ring} aria-hidden="true" />;
  return <QueueDot color={color} />;
}
