import type { IncomingHttpHeaders } from "node:http";
import { Agent, request as openRequest } from "node:http";
import { atEndOfFile } from "../end-of-file.ts";

export type RawRequest = {
  method: string;
  /** Path and query as they go over the wire, unescaped parts included. */
  target: string;
  headers?: Record<string, string>;
  /** Sent as it is; with `chunked` without saying how long it is. */
  body?: string | Buffer;
  chunked?: boolean;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; body: unknown; text: string };

export type Sender = (request: RawRequest) => Promise<Answer>;

/** What a server that answers at all answers within. */
const ANSWER_LIMIT_MS = 10_000;

/** Sends what no client library would send; fails when there is no answer in time. */
export function createSender(url: string): Sender {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  atEndOfFile(async () => agent.destroy());

  return ({ method, target, headers = {}, body, chunked = false }) =>
    new Promise((resolve, reject) => {
      const framing = framingOf(body, chunked);
      const request = openRequest({
        ...{ agent, hostname, port, method, path: target },
        headers: { ...framing, ...headers },
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      let answered = false;
      request.on("response", (reply) => {
        answered = true;
        let text = "";
        reply.setEncoding("utf8");
        reply.on("data", (chunk: string) => {
          text += chunk;
        });
        reply.on("error", reject);
        reply.on("end", () => {
          const { statusCode = 0, headers: replyHeaders } = reply;
          resolve({ status: statusCode, headers: replyHeaders, body: parse(text), text });
        });
      });
      request.on("error", (error) => {
        // A server that refuses a body need not read the rest of it.
        if (!answered) reject(new Error(`${method} ${target.slice(0, 200)}`, { cause: error }));
      });
      request.end(body);
    });
}

/** Said in every case: for some methods the client would send a body without any framing, which is a second request. */
function framingOf(body: RawRequest["body"], chunked: boolean): Record<string, string> {
  if (body === undefined) return {};
  if (chunked) return { "transfer-encoding": "chunked" };
  return { "content-length": String(Buffer.byteLength(body)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
