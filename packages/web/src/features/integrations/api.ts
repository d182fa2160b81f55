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
import type { Permission } from "@balcao/contract/permissions";
import type { InfiniteData } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useKeysetPages } from "../../api/keyset-pages.ts";
import { queryClient } from "../../api/query-client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { livePages } from "../../realtime/live-list.ts";
import { onCompanyEvent, readAgain } from "../../realtime/live.ts";
import type { Store } from "../../store/index.ts";
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
  readLogAgain(integrationLog);
}

type OwnNames = "integrationId" | "integrationName";
type Received = { receiverId: number; receiverName: string };
/** A delivery, whatever it goes to. */
export type LogRow = Omit<Delivery, OwnNames> & Received;
export type ShownRow = Omit<ShownDelivery, OwnNames> & Received;

/** What the log of deliveries is narrowed to; null for no filter. */
export type LogFilter = Readonly<{
  receiverId: number | null;
  onlyFailed: boolean;
  ticketId: number | null;
}>;

type LogReply = {
  deliveries: readonly LogRow[];
  hasMore: boolean;
  /** Null where the server does not count them. */
  failed: number | null;
};

type LogCalls = {
  /** What the deliveries go to. Names texts, and the receiver in the address of the page. */
  receiver: "integration" | "webhook";
  /** Who reads signing secrets. */
  secretPermission: Permission;
  /** The page before a row; null for the newest ones. */
  readPage: (filter: LogFilter, before: number | null, signal: AbortSignal) => Promise<LogReply>;
  readOne: (deliveryId: number, signal: AbortSignal) => Promise<ShownRow>;
  sendAgain: (deliveryIds: DeliveryId[]) => Promise<{ again: number }>;
  readSecret: (receiverId: number) => Promise<{ secret: string }>;
  renewSecret: (receiverId: number) => Promise<{ secret: string }>;
};

/** The log of what goes to receivers of one sort. */
export type DeliveryLog = LogCalls & {
  listKey: readonly [string];
  oneKey: readonly [string];
  hasNewer: Store<boolean>;
};

type Log = InfiniteData<LogReply>;

/** A longer log is read again only when the user asks: each event would read all its pages. */
const LIVE_PAGES = 3;

/** Keeps a log current by events while it is shown. */
export function createDeliveryLog(calls: LogCalls): DeliveryLog {
  const listKey = [`${calls.receiver}-deliveries`] as const;
  const oneKey = [`${calls.receiver}-delivery`] as const;
  const hasNewer = createStore(false);
  onCompanyEvent("integrationDelivery", () => {
    void readAgain({ queryKey: oneKey });
    for (const [queryKey, log] of queryClient.getQueriesData<Log>({ queryKey: listKey })) {
      if ((log?.pages.length ?? 0) > LIVE_PAGES) hasNewer.set(true);
      else void readAgain({ queryKey, exact: true });
    }
  });
  return { ...calls, listKey, oneKey, hasNewer };
}

/** Reads a log again after a change of one's own. */
export function readLogAgain({ listKey, oneKey }: DeliveryLog): void {
  void readAgain({ queryKey: oneKey });
  void readAgain({ queryKey: listKey });
}

export type LogPages = Pages<LogRow> & {
  /** Failed ones of the last 24 hours under the same filter; null while unknown. */
  failed: number | null;
  /** Shows the newest ones; null while they are shown. */
  showNewest: (() => void) | null;
};

/** The deliveries of the last 30 days, the newest first. */
export function useDeliveries(
  { listKey, hasNewer, readPage }: DeliveryLog,
  filter: LogFilter,
): LogPages {
  const queryKey = [...listKey, filter];
  const { first, pageCount, ...pages } = useKeysetPages<LogRow, LogReply>(queryKey, {
    read: (before, signal) => readPage(filter, before, signal),
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
export const useDelivery = ({ oneKey, readOne }: DeliveryLog, deliveryId: number) =>
  useQuery({
    queryKey: [...oneKey, deliveryId],
    queryFn: ({ signal }) => readOne(deliveryId, signal),
  });

/** The most that one call sends again. */
const AGAIN_MAX = 200;

/** Sends ended deliveries again with their ids. Returns how many it will send. */
export async function sendAgain(
  log: DeliveryLog,
  deliveryIds: readonly DeliveryId[],
): Promise<number> {
  let sum = 0;
  for (let from = 0; from < deliveryIds.length; from += AGAIN_MAX) {
    sum += (await log.sendAgain(deliveryIds.slice(from, from + AGAIN_MAX))).again;
  }
  readLogAgain(log);
  return sum;
}

function received<Row extends Pick<Delivery, OwnNames>>({
  integrationId: receiverId,
  integrationName: receiverName,
  ...row
}: Row) {
  return { ...row, receiverId, receiverName };
}

type SecretCall = `${"GET" | "POST"} /queueIntegration/:integrationId/secret`;

/** The signing secret. It is not kept. */
const secretBy = (name: SecretCall) => (integrationId: number) =>
  call(name, { params: { integrationId } });

export const integrationLog = createDeliveryLog({
  receiver: "integration",
  secretPermission: "integrations:read-secrets",
  async readPage({ receiverId, onlyFailed, ticketId }, before, signal) {
    const query = {
      ...(receiverId === null ? {} : { integrationId: receiverId }),
      ...(ticketId === null ? {} : { ticketId }),
      ...(onlyFailed ? { state: "failed" as const } : {}),
      ...(before === null ? {} : { before }),
    };
    const reply = await call("GET /integration-deliveries", { query }, { signal });
    return { ...reply, deliveries: reply.deliveries.map(received) };
  },
  async readOne(deliveryId, signal) {
    const params = { deliveryId };
    return received(await call("GET /integration-deliveries/:deliveryId", { params }, { signal }));
  },
  sendAgain: (deliveryIds) => call("POST /integration-deliveries/again", { body: { deliveryIds } }),
  readSecret: secretBy("GET /queueIntegration/:integrationId/secret"),
  renewSecret: secretBy("POST /queueIntegration/:integrationId/secret"),
});

onCompanyEvent("integrationDelivery", () => integrationPages.readAgain());
