import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { isForwarded } from "./forwarded.ts";
import { bearerOf } from "./guard.ts";

/** Probes and page files come too often to be worth a line. */
const QUIET_ROUTES = /^(\/api\/health(\/.*)?|\/metrics|\/\*)$/;

/**
 * One log line and one sample per request. The route's pattern stands for the address: paths and queries may carry
 * secrets and must not be written anywhere.
 */
export function observeRequests(
  app: FastifyInstance,
  { log, metrics }: { log: Logger; metrics: Metrics },
): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });

  app.addHook("onResponse", async (request, reply) => {
    const sample = {
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
    };
    metrics.observeRequest({ ...sample, seconds: reply.elapsedTime / 1_000 });
    const level = QUIET_ROUTES.test(sample.route) ? "debug" : "info";
    log[level](
      {
        ...sample,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        requestId: request.id,
        ...(request.ctx ? { companyId: request.ctx.companyId, userId: userOf(request) } : {}),
      },
      "request",
    );
  });
}

/** The pattern of the route that answered, for logs and numbers. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "(none)";
}

function userOf(request: FastifyRequest): number | undefined {
  return request.ctx?.actor.userId;
}

/** The request id is the caller's when it is sane, so that a proxy's and our logs meet. */
const SANE_REQUEST_ID = /^[\w-]{8,64}$/;

export function requestIdOf(header: string | string[] | undefined, fresh: () => string): string {
  return typeof header === "string" && SANE_REQUEST_ID.test(header) ? header : fresh();
}

/**
 * Prometheus reads `/metrics`, from this machine as it likes, from elsewhere with the token. What a proxy brings is from
 * elsewhere, and a proxy that is trusted may bring anything.
 */
export function serveMetrics(
  app: FastifyInstance,
  deps: { metrics: Metrics; token: string | null; isBehindProxy: boolean },
): void {
  const { metrics, token, isBehindProxy } = deps;
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    const isLocal = !isBehindProxy && !isForwarded(request) && isFromThisMachine(request);
    if (!isLocal && !(token !== null && isSame(bearerOf(request) ?? "", token))) {
      return callNotFound(reply);
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

function callNotFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound();
  return reply;
}

/** In a time that does not depend on how much of it is right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

function isFromThisMachine({ raw }: FastifyRequest): boolean {
  return LOOPBACK.test(raw.socket.remoteAddress ?? "");
}
