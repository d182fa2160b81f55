import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "node:http";
import { sharedClockMs } from "./clock.ts";

/** One call of a user or a program; `{mark}` in a body becomes a new mark each time. */
export type Call = {
  kind: string;
  method: "GET" | "POST";
  url: string;
  token: string;
  body?: object;
  /** Base64 of a picture that is sent as multipart. */
  picture?: string;
};
/** Makes the calls at random moments, `perSecond` on average, whether earlier ones are answered or not. */
export type CallWish = { calls: Call[]; perSecond: number; forMs: number; prefix: string };
export type Answered = { kind: string; status: number; ms: number; retryAfter: string | null };
export type CallResult =
  | { answered: Answered[]; sentAtMs: Record<string, number> }
  | { error: string };

/** A process of its own, so that the product is not charged with the work of those who call it. */
process.on("message", (wish: CallWish) => {
  void callAll(wish)
    .catch((error: unknown) => ({ error: String(error) }))
    .then((result: CallResult) => process.send?.(result));
});
// The benchmark ended, or broke.
process.on("disconnect", () => process.exit());

const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const BOUNDARY = "----balcao-bench";

async function callAll({ calls, perSecond, forMs, prefix }: CallWish): Promise<CallResult> {
  const sentAtMs: Record<string, number> = {};
  const answers: Promise<Answered>[] = [];
  const endMs = sharedClockMs() + forMs;
  let dueMs = sharedClockMs();
  for (;;) {
    dueMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond;
    if (dueMs > endMs) break;
    const waitMs = dueMs - sharedClockMs();
    if (waitMs > 0) await delay(Math.ceil(waitMs));
    const call = calls[Math.floor(Math.random() * calls.length)];
    if (!call) throw new Error("nothing to call");
    const mark = `${prefix}-${answers.length}`;
    sentAtMs[mark] = sharedClockMs();
    const answering = make(call, mark);
    answering.catch(() => undefined); // reported below
    answers.push(answering);
  }
  return { answered: await Promise.all(answers), sentAtMs };
}

/** Resolves when the whole reply is there. */
function make({ kind, method, url, token, body, picture }: Call, mark: string): Promise<Answered> {
  const content = picture
    ? multipart(Buffer.from(picture, "base64"))
    : Buffer.from(body ? JSON.stringify(body).replaceAll("{mark}", mark) : "");
  const type = picture ? `multipart/form-data; boundary=${BOUNDARY}` : "application/json";
  const headers = {
    authorization: `Bearer ${token}`,
    ...(method === "POST" ? { "content-type": type, "content-length": content.length } : {}),
  };
  const beginMs = sharedClockMs();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (reply) => {
      reply.resume();
      reply.on("error", reject);
      reply.on("end", () =>
        resolve({
          ...{ kind, status: reply.statusCode ?? 0, ms: sharedClockMs() - beginMs },
          retryAfter: reply.headers["retry-after"] ?? null,
        }),
      );
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? content : undefined);
  });
}

function multipart(picture: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="medias"; filename="foto.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}
