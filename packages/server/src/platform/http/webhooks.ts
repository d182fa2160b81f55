import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";

/** The largest body that a service delivers (Meta says 3 MB). */
const BODY_BYTES = 4 * 1024 * 1024;

export type WebhookDelivery = {
  /** As it came, for its signature. */
  body: Buffer;
  headers: IncomingHttpHeaders;
};

/** What a chat service calls, at an address that only it was told. Errors become replies as everywhere. */
export type Webhook = {
  /** The service asks whether the address is ours; answers the text that proves it. */
  verify(key: string, query: Readonly<Record<string, unknown>>): Promise<string>;
  /** Resolves when the delivery is stored: only then does the service hear 200. */
  receive(key: string, delivery: WebhookDelivery): Promise<void>;
};

/** Serves `<path>/<key>` outside of the API, with bodies that nobody has parsed. */
export function serveWebhook(app: FastifyInstance, path: string, webhook: Webhook): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser<Buffer>(
      "*",
      { parseAs: "buffer", bodyLimit: BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.get<{ Params: { key: string }; Querystring: Record<string, unknown> }>(
      `${path}/:key`,
      { schema: { hide: true } },
      async ({ params, query }, reply) => {
        const proof = await webhook.verify(params.key, query);
        return reply.type("text/plain; charset=utf-8").send(proof);
      },
    );
    scope.post<{ Params: { key: string } }>(
      `${path}/:key`,
      { schema: { hide: true }, bodyLimit: BODY_BYTES },
      async ({ params, body, headers }, reply) => {
        await webhook.receive(params.key, {
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
          headers,
        });
        return reply.type("text/plain; charset=utf-8").send("EVENT_RECEIVED");
      },
    );
  });
}
