import type {
  Delivery,
  DeliveryId,
  Integration,
  IntegrationChange,
  IntegrationId,
  NewIntegration,
  ReplyOf,
  RequestOf,
  ShownDelivery,
} from "@balcao/contract";
import type { InfiniteData } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useKeysetPages } from "../../api/keyset-pages.ts";
import { queryClient } from "../../api/query-client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { livePages } from "../../realtime/live-list.ts";
import { onCompanyEvent, readAgain } from "../../realtime/live.ts";
import { createStore, useStore } from "../../store/index.ts";

/** The integrations that a search finds, the newest first. */
export const integrationPages = livePages<Integration>({
  key: ["integrations", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { queueIntegrations: rows, ...rest } = await call(
      "GET /queueIntegration",
      { query },
      { signal },
    );
    return { rows, ...rest };
  },
}).follow("queueIntegration");

/** Saves a new (`id` null) or known integration. */
export async function saveIntegration(
  id: number | null,
  body: NewIntegration & IntegrationChange,
): Promise<Integration> {
  const saved =
    id === null
      ? await call("POST /queueIntegration", { body })
      : await call("PUT /queueIntegration/:integrationId", {
          params: { integrationId: id },
          body,
        });
  integrationPages.readAgain();
  return saved;
}

export async function deleteIntegration(integrationId: IntegrationId): Promise<void> {
  await call("DELETE /queueIntegration/:integrationId", { params: { integrationId } });
  integrationPages.readAgain();
}

export type TestAnswer = ReplyOf<"POST /queueIntegration/:integrationId/test">;

/** Sends one harmless event to the receiver of an integration. */
export const testIntegration = (integrationId: IntegrationId): Promise<TestAnswer> =>
  call("POST /queueIntegration/:integrationId/test", { params: { integrationId } });

/** Asks a Dialogflow agent with what stands in the form. */
export const askDialogflow = (
  body: RequestOf<"POST /queueIntegration/testSession">["body"],
): Promise<{ messages: string[] }> => call("POST /queueIntegration/testSession", { body });

/** Delivers again to a stopped receiver. */
export async function resumeIntegration(integrationId: IntegrationId): Promise<void> {
  await call("POST /queueIntegration/:integrationId/resume", { params: { integrationId } });
  integrationPages.readAgain();
  void readAgain({ queryKey: LOG });
}

type SecretCall = `${"GET" | "POST"} /queueIntegration/:integrationId/secret`;

/** The signing secret: the known one, or a new one. It is not kept. */
export async function signingSecret(name: SecretCall, integrationId: number): Promise<string> {
  return (await call(name, { params: { integrationId } })).secret;
}

/** What the log of deliveries is narrowed to; null for no filter. */
export type LogFilter = Readonly<{
  integrationId: number | null;
  onlyFailed: boolean;
  ticketId: number | null;
}>;

type Log = InfiniteData<ReplyOf<"GET /integration-deliveries">>;

const LOG = ["integration-deliveries"];
const ONE = ["integration-delivery"];
/** A longer log is read again only when the user asks: each event would read all its pages. */
const LIVE_PAGES = 3;

const hasNewer = createStore(false);
const pagesIn = (log: Log | undefined): number => log?.pages.length ?? 0;

onCompanyEvent("integrationDelivery", () => {
  integrationPages.readAgain();
  void readAgain({ queryKey: ONE });
  for (const [queryKey, log] of queryClient.getQueriesData<Log>({ queryKey: LOG })) {
    if (pagesIn(log) > LIVE_PAGES) hasNewer.set(true);
    else void readAgain({ queryKey, exact: true });
  }
});

type DeliveryLog = Pages<Delivery> & {
  /** Failed ones of the last 24 hours under the same filter; null while unknown. */
  failed: number | null;
  /** Shows the newest ones; null while they are shown. */
  showNewest: (() => void) | null;
};

/** The deliveries of the last 30 days, the newest first. */
export function useDeliveries({ integrationId, onlyFailed, ticketId }: LogFilter): DeliveryLog {
  const queryKey = [...LOG, { integrationId, onlyFailed, ticketId }];
  const query = {
    ...(integrationId === null ? {} : { integrationId }),
    ...(ticketId === null ? {} : { ticketId }),
    ...(onlyFailed ? { state: "failed" as const } : {}),
  };
  const { first, pageCount, ...pages } = useKeysetPages(queryKey, {
    read: (before, signal) =>
      call(
        "GET /integration-deliveries",
        { query: before === null ? query : { ...query, before } },
        { signal },
      ),
    rowsOf: ({ deliveries }) => deliveries,
  });
  const isOld = useStore(hasNewer) && pageCount > LIVE_PAGES;
  function showNewest(): void {
    hasNewer.set(false);
    queryClient.setQueryData<Log>(
      queryKey,
      (log) => log && { pages: log.pages.slice(0, 1), pageParams: log.pageParams.slice(0, 1) },
    );
    void readAgain({ queryKey });
  }
  return { ...pages, failed: first?.failed ?? null, showNewest: isOld ? showNewest : null };
}

/** One delivery with its request and answer. */
export const useDelivery = (deliveryId: number) =>
  useQuery({
    queryKey: [...ONE, deliveryId],
    queryFn: ({ signal }): Promise<ShownDelivery> =>
      call("GET /integration-deliveries/:deliveryId", { params: { deliveryId } }, { signal }),
  });

/** The most that one call sends again. */
const AGAIN_MAX = 200;

/** Sends ended deliveries again with their ids. Returns how many it will send. */
export async function sendAgain(deliveryIds: readonly DeliveryId[]): Promise<number> {
  let sum = 0;
  for (let from = 0; from < deliveryIds.length; from += AGAIN_MAX) {
    const batch = deliveryIds.slice(from, from + AGAIN_MAX);
    sum += (await call("POST /integration-deliveries/again", { body: { deliveryIds: batch } }))
      .again;
  }
  void readAgain({ queryKey: ONE });
  void readAgain({ queryKey: LOG });
  return sum;
}
