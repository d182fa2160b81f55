import { createHash } from "node:crypto";
import type { CompanyId, ErrorReply } from "@balcao/contract";
import { API_COMPANY_FACTOR, API_REQUESTS_PER_MINUTE, errorStatus } from "@balcao/contract";
import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator, Identity, TokenCtx } from "../context.ts";
import { DomainError } from "../context.ts";
import type { CompanyShares } from "../jobs/company-shares.ts";
import type { Logger } from "../logging/logger.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the call is refused while too much of its company's work waits. */
    waitsForCompany?: boolean;
  }
}

export type SecurityOptions = {
  /** Origins of separately hosted clients: exactly these, with credentials. */
  frontendOrigins: readonly string[];
  /** Mean delay of the event loop above which calls are answered 503; 0 never. */
  maxEventLoopDelayMs: number;
  /** Hashes of the page's inline scripts. */
  inlineScripts?: readonly string[];
};

/** Adds security headers, cookies, allowed origins, and the plugins that the guard needs. */
export async function addSecurity(app: FastifyInstance, options: SecurityOptions): Promise<void> {
  const origins = originsOf(options);

  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // The mp3 encoder of voice messages is WebAssembly.
        scriptSrc: ["'self'", "'wasm-unsafe-eval'", ...(options.inlineScripts ?? [])],
        // The component library writes style tags.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:", "blob:"],
        mediaSrc: ["'self'", "data:", "blob:"],
        fontSrc: ["'self'", "data:"],
        // Covers the socket too: 'self' matches ws and wss of the same host.
        connectSrc: ["'self'"],
        workerSrc: ["'self'", "blob:"],
        // The player of a help video, which the page makes after a press only.
        frameSrc: ["https://www.youtube-nocookie.com"],
        manifestSrc: ["'self'"],
        objectSrc: ["'none'"],
        // The page has no base, and nobody shows it in a frame.
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // Only this host: the other hosts of the domain are not ours.
    hsts: { maxAge: 31_536_000, includeSubDomains: false },
    frameguard: { action: "deny" },
    crossOriginResourcePolicy: { policy: origins.size > 0 ? "cross-origin" : "same-origin" },
    crossOriginOpenerPolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "same-origin" },
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("permissions-policy", PERMISSIONS);
  });

  if (origins.size > 0) {
    await app.register(cors, {
      origin: (origin, done) => done(null, origin !== undefined && origins.has(origin)),
      credentials: true,
      methods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
      allowedHeaders: ["Authorization", "Content-Type", "Idempotency-Key"],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 600,
    });
  }

  await app.register(cookie);
  await app.register(rateLimit, { global: false });

  if (options.maxEventLoopDelayMs > 0) {
    await app.register(underPressure, {
      maxEventLoopDelay: options.maxEventLoopDelayMs,
      pressureHandler: (request) => {
        // A busy process still works: a restart would make things worse.
        if (request.routeOptions.url?.startsWith("/api/health/live")) return;
        // A page that misses a file stays broken, and serving a file costs almost nothing.
        if (!request.url.startsWith("/api/")) return;
        throw new DomainError("ERR_UNAVAILABLE");
      },
    });
  }
}

/** Pages may ask the browser for the microphone and the camera, for messages, and for passkeys; a film may fill the screen. */
const PERMISSIONS = [
  ...["microphone", "camera", "publickey-credentials-get", "publickey-credentials-create"].map(
    (name) => `${name}=(self)`,
  ),
  'fullscreen=(self "https://www.youtube-nocookie.com")',
  ...[
    ...["accelerometer", "bluetooth", "browsing-topics", "display-capture", "geolocation"],
    ...["gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer", "midi", "payment"],
    ...["serial", "usb", "xr-spatial-tracking"],
  ].map((name) => `${name}=()`),
].join(", ");

const EXPOSED_HEADERS = [
  ...["Retry-After", "X-Request-Id"],
  ...["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
];

const originsOf = ({ frontendOrigins }: Pick<SecurityOptions, "frontendOrigins">) =>
  new Set(frontendOrigins.map((origin) => new URL(origin).origin));

/** The headers of a reply that the hooks of `addSecurity` have not seen. */
export const BARE_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

/** Remembers who was refused, so that the next refusal costs little. */
export type BusyCallers = { add(request: FastifyRequest, companyId: CompanyId): void };

/**
 * Refuses a call with the `Authorization` of one that was refused before, as long as its company is busy. The reply is made by
 * hand: the other hooks and the token would take more time than all of Node's own work for the request, and a flood is little
 * else. Add it before all hooks but `limitArrival`. Such a request is no piece of work (observe.ts) and is logged at `debug`.
 */
export function refuseBusyCallers(
  app: FastifyInstance,
  companies: Pick<CompanyShares, "refuseCall">,
  options: Pick<SecurityOptions, "frontendOrigins">,
): BusyCallers {
  const code = "ERR_COMPANY_BUSY";
  const origins = originsOf(options);
  const callers = new Map<string, CompanyId>();

  app.addHook("onRequest", (request, reply, done) => {
    const { authorization, origin } = request.headers;
    const companyId = authorization === undefined ? undefined : callers.get(authorization);
    if (authorization === undefined || companyId === undefined) return done();
    if (request.routeOptions.config.waitsForCompany !== true) return done();
    const retryAfterSeconds = companies.refuseCall(companyId);
    if (retryAfterSeconds === null) {
      callers.delete(authorization);
      return done();
    }
    reply.hijack();
    request.refusal = code;
    const body: ErrorReply = { error: code, code, requestId: request.id };
    body.data = { retryAfterSeconds };
    const allowed = origin !== undefined &&
      origins.has(origin) && {
        ...{ "access-control-allow-origin": origin, "access-control-allow-credentials": "true" },
        ...{ "access-control-expose-headers": EXPOSED_HEADERS.join(", "), vary: "Origin" },
      };
    reply.raw
      .writeHead(errorStatus[code], {
        ...BARE_HEADERS,
        ...allowed,
        "content-type": "application/json; charset=utf-8",
        "retry-after": String(retryAfterSeconds),
        "x-request-id": request.id,
      })
      .end(JSON.stringify(body));
  });

  return {
    add({ headers: { authorization } }, companyId) {
      if (authorization === undefined) return;
      callers.set(authorization, companyId);
      forgetOldest(callers);
    },
  };
}

/** Headers that a proxy adds. A client can forge them. */
const OF_A_PROXY = /^(x-forwarded-.+|forwarded|x-real-ip|via)$/;

/** Whether the request may come through a proxy, so that its address is not the visitor's. */
export function isForwarded(request: FastifyRequest): boolean {
  return Object.keys(request.headers).some((name) => OF_A_PROXY.test(name));
}

/** How requests have come to this process since its start; nothing of a single one. */
export type Arrivals = {
  /** Through a proxy, or from somebody who sends the headers of one. */
  forwarded: boolean;
  /** From another machine without a proxy's headers. */
  direct: boolean;
  /** Through a trusted proxy that said https, and through one that said http or nothing. */
  secure: boolean;
  plain: boolean;
};

/** Probes and Prometheus come without a proxy in many installations. */
const BESIDE_THE_PROXY = /^\/(api\/health|metrics)\b/;

/** Notes how requests come, for the check of the installation (features/operation). */
export function watchArrivals(app: FastifyInstance): Arrivals {
  const seen: Arrivals = { forwarded: false, direct: false, secure: false, plain: false };
  app.addHook("onRequest", (request, _reply, done) => {
    done();
    if (BESIDE_THE_PROXY.test(request.url)) return;
    if (isForwarded(request)) {
      seen.forwarded = true;
      seen[request.protocol === "https" ? "secure" : "plain"] = true;
    } else if (!isFromThisMachine(request)) {
      seen.direct = true;
    }
  });
  return seen;
}

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Whether the connection comes from this machine, whatever its headers say. */
export function isFromThisMachine({ raw }: FastifyRequest): boolean {
  return LOOPBACK.test(raw.socket.remoteAddress ?? "");
}

/** Warns once of an untrusted proxy: behind it all visitors share one address, and cookies are not `Secure`. */
export function warnOfProxy(app: FastifyInstance, log: Logger): void {
  let isSaid = false;
  app.addHook("onRequest", async (request) => {
    if (isSaid || !isForwarded(request)) return;
    isSaid = true;
    log.warn(
      "requests come through a proxy, but BALCAO_TRUST_PROXY is off: all visitors have the proxy's address, and " +
        "cookies are not Secure. Set BALCAO_TRUST_PROXY=on if a proxy of yours is in front and writes " +
        "X-Forwarded-For and X-Forwarded-Proto; else somebody sends these headers, and nothing is to be done.",
    );
  });
}

/**
 * The visitor's address as an untrusted proxy reports it; null when it reports none. It can be forged: use it to share
 * limits fairly, never to identify a visitor.
 */
function claimedAddress(request: FastifyRequest): string | null {
  const chain = request.headers["x-forwarded-for"];
  if (typeof chain !== "string") return null;
  return chain.split(",").at(-1)?.trim().slice(0, 64) ?? null;
}

/** The access token of the Authorization header; null without one. */
export function bearerOf(request: FastifyRequest): string | null {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  return scheme?.toLowerCase() === "bearer" && token ? token : null;
}

export type RequestLimits = {
  /** Per signed-in user, or per address for calls without a bearer. */
  perMinute: number;
  /** Per known browser, else per address, for signing in and renewing. */
  authPerMinute: number;
  /** Per token of another program; a company has `API_COMPANY_FACTOR` times as many. */
  programPerMinute?: number;
};

export type LimitDeps = {
  authenticator: Pick<Authenticator, "knownBrowser">;
  limits: RequestLimits;
  trustProxy: boolean;
};

type Limit = (request: FastifyRequest) => Promise<void>;

/** The shared limit of all visitors behind an untrusted proxy, as a multiple of one visitor's. */
const VISITORS_OF_A_PROXY = 10;

const WINDOW_MS = 10_000;
const perWindow = (perMinute: number) => Math.ceil((perMinute * WINDOW_MS) / 60_000);

/**
 * Limits the requests per user or address, by the call's name. The limits are per process, against runaway clients;
 * password guessing is limited in the database.
 */
export function createRequestLimits(
  app: FastifyInstance,
  { authenticator, limits, trustProxy }: LimitDeps,
): { ofCall: (name: string) => Limit; ofProgram: ReturnType<typeof programLimit> } {
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

  /** Visitors behind an untrusted proxy share an address: no single one may use up the limit of all. */
  async function limitSignIn(request: FastifyRequest): Promise<void> {
    const browser = authenticator.knownBrowser(request.cookies);
    const claimed = trustProxy ? null : claimedAddress(request);
    if (browser !== null) request.rateKey = `browser:${browser}`;
    else if (claimed !== null) request.rateKey = `${request.rateKey} for ${claimed}`;
    // Claimed addresses can be forged.
    if (browser === null && claimed !== null) await authOfAll(request);
    await auth(request);
  }

  return {
    ofCall: (name) => (isSignIn(name) ? limitSignIn : general),
    ofProgram: programLimit(app, limits.programPerMinute ?? API_REQUESTS_PER_MINUTE),
  };
}

const MINUTE_MS = 60_000;

/**
 * Limits the calls with a program's token, and those of all tokens of a company together. The reply says how many of the tighter
 * limit are left, and in how many seconds it begins anew.
 */
function programLimit(app: FastifyInstance, perToken: number) {
  const limiterOf = (max: number, keyOf: (ctx: TokenCtx) => string) =>
    app.createRateLimit({
      max,
      timeWindow: MINUTE_MS,
      keyGenerator: ({ tokenCtx }) => (tokenCtx === null ? "" : keyOf(tokenCtx)),
    });
  const perCompany = perToken * API_COMPANY_FACTOR;
  const ofToken = limiterOf(perToken, ({ token }) =>
    token.id === null ? `connection:${token.connectionId}` : `token:${token.id}`,
  );
  const ofCompany = limiterOf(perCompany, ({ companyId }) => `company:${companyId}`);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let tightest = Number.POSITIVE_INFINITY;
    // A call that its token may not make does not count for the company.
    for (const use of [ofToken, ofCompany]) {
      const state = await use(request);
      if (state.isAllowed) continue;
      if (state.remaining < tightest) {
        tightest = state.remaining;
        reply.header("RateLimit-Limit", state.max);
        reply.header("RateLimit-Remaining", state.remaining);
        reply.header("RateLimit-Reset", state.ttlInSeconds);
      }
      if (!state.isExceeded) continue;
      throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: state.ttlInSeconds });
    }
  };
}

/** Beyond this number the oldest are forgotten. */
const MOST_KNOWN = 10_000;

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}

/** Tokens that were right when they were last seen, as hashes, with their companies. */
export function knownTokens() {
  const known = new Map<string, CompanyId>();
  const hashOf = (token: string) => createHash("sha256").update(token).digest("base64");
  return {
    companyOf: (token: string) => known.get(hashOf(token)),
    delete: (token: string) => known.delete(hashOf(token)),
    add(token: string, companyId: CompanyId): void {
      known.set(hashOf(token), companyId);
      forgetOldest(known);
    },
  };
}

/** Also the calls that give a new password, and the second steps of a sign-in. */
function isSignIn(name: string): boolean {
  return /^POST \/(auth\/(login|refresh_token|second-factor|factor\/confirm|passkey(\/options)?)|forgetpassword|resetpasswords)(\/|$)/.test(
    name,
  );
}

/** The user or address whose request limit a request counts against. */
export function rateKeyOf(request: FastifyRequest, identity: Identity | null): string {
  return identity ? `user:${identity.userId}` : `address:${request.ip}`;
}
