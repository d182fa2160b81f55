import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../context.ts";

/** The largest body that a service delivers (Meta says 3 MB). */
const BODY_BYTES = 4 * 1024 * 1024;

/** Requests of one address within the window, until one of them has proved to come from the service. */
const UNPROVEN_REQUESTS = 60;
const WINDOW_MS = 10_000;
/** Beyond that the oldest prove it anew. */
const MOST_PROVEN = 10_000;

export type WebhookDelivery = {
  /** As it came, for its signature. */
  body: Buffer;
  headers: IncomingHttpHeaders;
};

/** What a chat service calls, at an address that only it was told. Errors become replies as everywhere. */
export type Webhook = {
  /** Throws on what cannot be the service's by its looks, before a body is read or a key is looked up. */
  screen(request: { method: string; key: string; headers: IncomingHttpHeaders }): void;
  /** The service asks whether the address is ours; answers the text that proves it. */
  verify(key: string, query: Readonly<Record<string, unknown>>): Promise<string>;
  /** Resolves when the delivery is stored: only then does the service hear 200. */
  receive(key: string, delivery: WebhookDelivery): Promise<void>;
};

type Keyed = { Params: { key: string } };

/**
 * Serves `<path>/<key>` outside of the API, with bodies that nobody has parsed. Anybody can call it, so an address has
 * few requests until it has delivered something genuine to this key; from then on it is not limited.
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
