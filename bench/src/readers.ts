import { Agent, get } from "node:http";

/** Work for the readers: this many at the same time ask for one address until the time is over. */
export type ReadWish = { url: string; token: string; readers: number; forMs: number };
export type ReadResult = { latenciesMs: number[] } | { error: string };

/** A process of its own, so that the product is not charged with the work of those who call it. */
process.on("message", (wish: ReadWish) => {
  void read(wish)
    .then((latenciesMs) => ({ latenciesMs }))
    .catch((error: unknown) => ({ error: String(error) }))
    .then((result: ReadResult) => process.send?.(result));
});
// The benchmark ended, or broke.
process.on("disconnect", () => process.exit());

const agents = new Map<number, Agent>();

async function read({ url, token, readers, forMs }: ReadWish): Promise<number[]> {
  const agent = agents.get(readers) ?? new Agent({ keepAlive: true, maxSockets: readers });
  agents.set(readers, agent);
  const latenciesMs: number[] = [];
  const endMs = performance.now() + forMs;
  const reader = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const beginMs = performance.now();
      await call(url, token, agent);
      latenciesMs.push(performance.now() - beginMs);
    }
  };
  await Promise.all(Array.from({ length: readers }, reader));
  return latenciesMs;
}

/** Resolves when the whole reply is there. */
function call(url: string, token: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
      reply.on("error", reject);
      reply.on("end", () => {
        if (reply.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${reply.statusCode}`));
      });
      reply.resume();
    });
    request.on("error", reject);
  });
}
