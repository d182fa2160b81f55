import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../context.ts";

/** More than the largest body of a delivery (3 MB, according to Meta). */
const BODY_BYTES = 4 * 1024 * 1024;

/** Requests of one address per window, until one of them was genuine. */
const UNPROVEN_REQUESTS = 60;
const WINDOW_MS = 10_000;
/** Beyond this number the oldest entries are forgotten. */
const MOST_PROVEN = 10_000;

export type WebhookDelivery = {
  /** Unparsed, to verify its signature. */
  body: Buffer;
  headers: IncomingHttpHeaders;
};

/** Handles the requests of a chat service to a secret address. Errors become replies as in every call. */
export type Webhook = {
  /** Throws when the request cannot come from the service, before its body is read or its key is looked up. */
  screen(request: { method: string; key: string; headers: IncomingHttpHeaders }): void;
  /** Answers the service's check that the address is ours; resolves to the text that proves it. */
  verify(key: string, query: Readonly<Record<string, unknown>>): Promise<string>;
  /** Resolves when the delivery is stored; only then the service gets status 200. */
  receive(key: string, delivery: WebhookDelivery): Promise<void>;
};

type Keyed = { Params: { key: string } };

/**
 * Serves `<path>/<key>` outside the API, with unparsed bodies. Anybody can call it, so an address is limited until one of
 * its deliveries to this key was genuine.
 */
export function serveWebhook(app: FastifyInstance, path: string, webhook: Webhook): void {
  const proven = new Set<string>();
  const sourceOf = ({ ip, params }: FastifyRequest<Keyed>) => `${ip} ${params.key}`;
  const use = app.createRateLimit({
    max: UNPROVEN_REQUESTS,
    timeWindow: WINDOW_MS,
    keyGenerator: ({ ip }) => ip,
  });

  async function admit(request: FastifyRequest<Keyed>): Promise<void> {
    if (!proven.has(sourceOf(request))) {
      const state = await use(request);
      if (!state.isAllowed && state.isExceeded) {
        throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: state.ttlInSeconds });
      }
    }
    const { method, params, headers } = request;
    webhook.screen({ method, key: params.key, headers });
  }

  function remember(source: string): void {
    proven.add(source);
    const [oldest] = proven;
    if (proven.size > MOST_PROVEN && oldest !== undefined) proven.delete(oldest);
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser<Buffer>(
      "*",
      { parseAs: "buffer", bodyLimit: BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.get<Keyed & { Querystring: Record<string, unknown> }>(
      `${path}/:key`,
      { schema: { hide: true }, onRequest: admit },
      async ({ params, query }, reply) => {
        const proof = await webhook.verify(params.key, query);
        return reply.type("text/plain; charset=utf-8").send(proof);
      },
    );
    scope.post<Keyed>(
      `${path}/:key`,
      { schema: { hide: true }, bodyLimit: BODY_BYTES, onRequest: admit },
      async (request, reply) => {
        const { params, body, headers } = request;
        await webhook.receive(params.key, {
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
          headers,
        });
        remember(sourceOf(request));
        return reply.type("text/plain; charset=utf-8").send("EVENT_RECEIVED");
      },
    );
  });
}
