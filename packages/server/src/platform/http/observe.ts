import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { OpenWork } from "../observing/work.ts";
import { beginWork } from "../observing/work.ts";
import { bearerOf, isForwarded, isFromThisMachine } from "./security.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The request as a piece of work for traces and logs; null for probes, page files and calls of a busy company. */
    work: OpenWork | null;
  }
}

/** Probes and page files are too frequent to log. */
const QUIET_ROUTES = /^(\/api\/health(\/.*)?|\/metrics|\/\*)$/;

/**
 * Writes one log line and one sample per request, with the route's pattern instead of the address: paths and queries may
 * carry secrets.
 */
export function observeRequests(
  app: FastifyInstance,
  { log, metrics }: { log: Logger; metrics: Metrics },
): void {
  app.decorateRequest("work", null);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    const route = routeOf(request);
    if (QUIET_ROUTES.test(route)) {
      done();
      return;
    }
    const work = { kind: "request", requestId: request.id } as const;
    request.work = beginWork({ ...work, name: `${request.method} ${route}` });
    request.work.within(done);
  });
  // A body arrives by events of the connection, which belong to no request.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.work) request.work.within(done);
    else done();
  });

  app.addHook("onResponse", async (request, reply) => {
    const sample = {
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
    };
    metrics.observeRequest({ ...sample, seconds: reply.elapsedTime / 1_000 });
    const companyId = request.ctx?.companyId ?? request.tokenCtx?.companyId;
    request.work?.end({
      status: reply.statusCode,
      ...(companyId === undefined ? {} : { companyId }),
    });
    const level = request.work === null ? "debug" : "info";
    log[level](
      {
        ...sample,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        requestId: request.id,
        ...(request.ctx
          ? { companyId: request.ctx.companyId, userId: request.ctx.actor.userId }
          : {}),
        ...(request.tokenCtx ? { companyId: request.tokenCtx.companyId } : {}),
      },
      "request",
    );
  });
}

/** The pattern of the request's route, for logs and metrics. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "(none)";
}

const SANE_REQUEST_ID = /^[\w-]{8,64}$/;

/** Takes the caller's request id when it is sane, so that it is the same in a proxy's log and ours. */
export function requestIdOf(header: string | string[] | undefined, fresh: () => string): string {
  return typeof header === "string" && SANE_REQUEST_ID.test(header) ? header : fresh();
}

/**
 * Serves `/metrics` to this machine without a token, to others with it. Requests through a proxy always need the token, as
 * a proxy may forward requests of any machine.
 */
export function serveMetrics(
  app: FastifyInstance,
  deps: { metrics: Metrics; token: string | null; isBehindProxy: boolean },
): void {
  const { metrics, token, isBehindProxy } = deps;
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    const isLocal = !isBehindProxy && !isForwarded(request) && isFromThisMachine(request);
    if (!isLocal && !(token !== null && isSame(bearerOf(request) ?? "", token))) {
      reply.callNotFound();
      return reply;
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

/** Compares in constant time. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
