import { vi } from "vitest";

/** One request as the server saw it. */
export type SeenRequest = {
  call: string;
  authorization: string | null;
  body: unknown;
};

type Answer = { status?: number; body?: unknown; html?: string } | "unreachable" | "never";
type Handler = (request: SeenRequest) => Answer | Promise<Answer>;

/**
 * Fakes the HTTP server behind `fetch`: replies by method and path, 404 otherwise; a promise holds its reply back.
 * `requests` are in order.
 */
export function fakeServer(handlers: Record<string, Handler>): { requests: SeenRequest[] } {
  const requests: SeenRequest[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit): Promise<Response> => {
    const call = `${init.method} ${url}`;
    const request = {
      call,
      authorization: new Headers(init.headers).get("authorization"),
      body: typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined,
    };
    requests.push(request);
    const handler = handlers[call.split("?")[0] ?? ""];
    const answer = handler ? handler(request) : { status: 404, body: { error: "none" } };
    return answer instanceof Promise
      ? answer.then((later) => replyOf(later, init.signal))
      : replyOf(answer, init.signal);
  });
  return { requests };
}

function replyOf(answer: Answer, signal: AbortSignal | null | undefined): Promise<Response> {
  if (answer === "unreachable") return Promise.reject(new TypeError("fetch failed"));
  if (answer === "never") return untilAborted(signal);
  const text = answer.html ?? (answer.body === undefined ? "" : JSON.stringify(answer.body));
  const status = answer.status ?? 200;
  return Promise.resolve(new Response(status === 204 ? null : text, { status }));
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new DOMException("aborted", "AbortError"));
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort);
  });
}
