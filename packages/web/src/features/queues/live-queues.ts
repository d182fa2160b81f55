import type { Queue } from "@balcao/contract";
import { queryClient } from "../../api/query-client.ts";
import { batchPerFrame, useCompanyEvent } from "../../realtime/index.ts";

/** Every screen that offers queues reads them by this key. */
export const queuesKey = ["queues"] as const;

/** Keeps the queues of every screen current. Renders nothing; one for all signed-in pages. */
export function LiveQueues(): null {
  useCompanyEvent("queue", (event) =>
    batchPerFrame(() => {
      if (event.action === "delete") removeQueue(event.queueId);
      else writeQueue(event.queue);
    }),
  );
  return null;
}

/** Puts a queue as the server has it now onto every screen, at its place. */
export function writeQueue(incoming: Queue): void {
  change((queues) => {
    const known = queues.find(({ id }) => id === incoming.id);
    if (known && known.updatedAt > incoming.updatedAt) return queues;
    return [...queues.filter(({ id }) => id !== incoming.id), incoming].toSorted(byOrder);
  });
}

export function removeQueue(queueId: number): void {
  change((queues) => queues.filter(({ id }) => id !== queueId));
}

/** Reads the queues again, for what no event may have told. */
export function refreshQueues(): void {
  void queryClient.invalidateQueries({ queryKey: queuesKey });
}

/** As menus number them: by their order, those without one last. */
function byOrder(a: Queue, b: Queue): number {
  const order = (queue: Queue): number => queue.orderQueue ?? Number.MAX_SAFE_INTEGER;
  return order(a) - order(b) || a.id - b.id;
}

function change(make: (queues: Queue[]) => Queue[]): void {
  queryClient.setQueryData<Queue[]>(queuesKey, (queues) => (queues ? make(queues) : queues));
}
