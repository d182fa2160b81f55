import { Agent, request } from "node:http";

/** A message that another program sends again and again. */
export type Call = { url: string; token: string; body: object };
/** Work for the callers: each has its own calls and makes them in turns, without pause, until the time is over. */
export type CallWish = { callers: Call[][]; forMs: number };
export type CallResult = { latenciesMs: number[] } | { error: string };

/** A process of its own, so that the product is not charged with the work of those who call it. */
process.on("message", (wish: CallWish) => {
  void callAll(wish)
    .then((latenciesMs) => ({ latenciesMs }))
    .catch((error: unknown) => ({ error: String(error) }))
    .then((result: CallResult) => process.send?.(result));
});
// The benchmark ended, or broke.
process.on("disconnect", () => process.exit());

const agent = new Agent({ keepAlive: true });

async function callAll({ callers, forMs }: CallWish): Promise<number[]> {
  const latenciesMs: number[] = [];
  const endMs = performance.now() + forMs;
  const caller = async (calls: readonly Call[]): Promise<void> => {
    for (let n = 0; performance.now() < endMs; n += 1) {
      const call = calls[n % calls.length];
      if (!call) throw new Error("a caller without calls");
      const beginMs = performance.now();
      await post(call);
      latenciesMs.push(performance.now() - beginMs);
    }
  };
  await Promise.all(callers.map(caller));
  return latenciesMs;
}

/** Resolves when the whole reply is there. */
function post({ url, token, body }: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const content = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(content),
    };
    const sent = request(url, { method: "POST", agent, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () => {
        if (reply.statusCode === 200 || reply.statusCode === 201) resolve();
        else reject(new Error(`${url}: ${reply.statusCode} ${Buffer.concat(chunks).toString()}`));
      });
    });
    sent.on("error", reject);
    sent.end(content);
  });
}
