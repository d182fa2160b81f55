import type { Endpoint, EndpointName } from "@balcao/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Authenticator, Identity } from "../authenticator.ts";
import type { UserCtx } from "../context.ts";
import { DomainError, requirePermission } from "../context.ts";
import { malformed } from "./json-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks; null on calls that need no bearer. */
    ctx: UserCtx | null;
    /** On whose account the request counts. */
    rateKey: string;
  }
}

export type RequestLimits = {
  /** Per signed-in user, or per address for calls without a bearer. */
  perMinute: number;
  /** Per address, for signing in and renewing. */
  authPerMinute: number;
};

type Guard = (request: FastifyRequest) => Promise<void>;

const WINDOW_MS = 10_000;
const perWindow = (perMinute: number) => Math.ceil((perMinute * WINDOW_MS) / 60_000);

/**
 * Decides who may make a call, before its body is read: well-formed address, request limits, session, permission.
 * Limits are per process, against runaway clients; guessing passwords is limited in the database.
 */
export function createGuards(
  app: FastifyInstance,
  deps: { authenticator: Authenticator; limits: RequestLimits },
): (name: EndpointName, endpoint: Endpoint) => Guard {
  const { authenticator, limits } = deps;
  const general = app.createRateLimit({
    max: perWindow(limits.perMinute),
    timeWindow: WINDOW_MS,
    keyGenerator: (request) => request.rateKey,
  });
  const auth = app.createRateLimit({
    max: perWindow(limits.authPerMinute),
    timeWindow: WINDOW_MS,
    keyGenerator: (request) => request.rateKey,
  });

  return (name, endpoint) => {
    const limiter = isSignIn(name) ? auth : general;

    return async (request) => {
      if (request.url.includes("%00")) throw malformed("url", "must not contain NUL");
      const token = endpoint.auth === "bearer" ? bearerOf(request) : null;
      const identity = token === null ? null : await authenticator.identify(token);
      request.rateKey = rateKeyOf(request, identity);
      const use = await limiter(request);
      if (!use.isAllowed && use.isExceeded) {
        throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: use.ttlInSeconds });
      }
      if (endpoint.auth !== "bearer") return;
      if (token === null) throw new DomainError("ERR_SESSION_EXPIRED");
      if (identity === null) throw new DomainError("ERR_TOKEN_EXPIRED");
      const ctx = await authenticator.authorise(identity, name, request.id);
      request.ctx = ctx;
      if (endpoint.permission) requirePermission(ctx, endpoint.permission);
    };
  };
}

/** The access token of the Authorization header; null without one. */
export function bearerOf(request: FastifyRequest): string | null {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  return scheme?.toLowerCase() === "bearer" && token ? token : null;
}

function isSignIn(name: EndpointName): boolean {
  return name === "POST /auth/login" || name === "POST /auth/refresh_token";
}

function rateKeyOf(request: FastifyRequest, identity: Identity | null): string {
  return identity ? `user:${identity.userId}` : `address:${request.ip}`;
}
