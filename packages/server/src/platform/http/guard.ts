import type { Endpoint, EndpointName } from "@balcao/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Authenticator, Identity } from "../authenticator.ts";
import type { UserCtx } from "../context.ts";
import { DomainError, requirePermission } from "../context.ts";
import { claimedAddress } from "./forwarded.ts";
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
  /** Per known browser, else per address, for signing in and renewing. */
  authPerMinute: number;
};

/** All visitors of a proxy that is not trusted have so many times what one has. */
const VISITORS_OF_A_PROXY = 10;

type Guard = (request: FastifyRequest) => Promise<void>;

const WINDOW_MS = 10_000;
const perWindow = (perMinute: number) => Math.ceil((perMinute * WINDOW_MS) / 60_000);

/**
 * Decides who may make a call, before its body is read: well-formed address, request limits, session, permission.
 * Limits are per process, against runaway clients; guessing passwords is limited in the database.
 */
export function createGuards(
  app: FastifyInstance,
  deps: { authenticator: Authenticator; limits: RequestLimits; trustProxy: boolean },
): (name: EndpointName, endpoint: Endpoint) => Guard {
  const { authenticator, limits, trustProxy } = deps;
  const limiterOf = (perMinute: number, keyOf: (request: FastifyRequest) => string) => {
    const use = app.createRateLimit({
      max: perWindow(perMinute),
      timeWindow: WINDOW_MS,
      keyGenerator: keyOf,
    });
    return async (request: FastifyRequest): Promise<void> => {
      const { isAllowed, ...state } = await use(request);
      if (isAllowed || !("isExceeded" in state) || !state.isExceeded) return;
      throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: state.ttlInSeconds });
    };
  };
  const general = limiterOf(limits.perMinute, ({ rateKey }) => rateKey);
  const auth = limiterOf(limits.authPerMinute, ({ rateKey }) => rateKey);
  const authOfAll = limiterOf(limits.authPerMinute * VISITORS_OF_A_PROXY, ({ ip }) => ip);

  /** Visitors behind a proxy that is not trusted share an address: one of them must not use up what is for all. */
  async function limitSignIn(request: FastifyRequest): Promise<void> {
    const browser = authenticator.knownBrowser(request.cookies);
    const claimed = trustProxy ? null : claimedAddress(request);
    if (browser !== null) request.rateKey = `browser:${browser}`;
    else if (claimed !== null) request.rateKey = `${request.rateKey} for ${claimed}`;
    // Addresses can be made up.
    if (browser === null && claimed !== null) await authOfAll(request);
    await auth(request);
  }

  return (name, endpoint) => {
    const limit = isSignIn(name) ? limitSignIn : general;

    return async (request) => {
      if (request.url.includes("%00")) throw malformed("url", "must not contain NUL");
      const token = endpoint.auth === "bearer" ? bearerOf(request) : null;
      const identity = token === null ? null : await authenticator.identify(token);
      request.rateKey = rateKeyOf(request, identity);
      await limit(request);
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
