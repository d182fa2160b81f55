import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../context.ts";
import type { Logger } from "../logging/logger.ts";

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
  const origins = new Set(options.frontendOrigins.map((origin) => new URL(origin).origin));

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
        manifestSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
      },
    },
    // Only this host: the other hosts of the domain are not ours.
    hsts: { maxAge: 15_552_000, includeSubDomains: false },
    crossOriginResourcePolicy: { policy: origins.size > 0 ? "cross-origin" : "same-origin" },
    crossOriginOpenerPolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "same-origin" },
  });

  if (origins.size > 0) {
    await app.register(cors, {
      origin: (origin, done) => done(null, origin !== undefined && origins.has(origin)),
      credentials: true,
      methods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
      allowedHeaders: ["Authorization", "Content-Type"],
      exposedHeaders: ["Retry-After", "X-Request-Id"],
      maxAge: 600,
    });
  }

  await app.register(cookie);
  await app.register(rateLimit, { global: false });

  if (options.maxEventLoopDelayMs > 0) {
    await app.register(underPressure, {
      maxEventLoopDelay: options.maxEventLoopDelayMs,
      pressureHandler: (request) => {
        // A busy process is alive: a restart would make things worse.
        if (request.routeOptions.url?.startsWith("/api/health/live")) return;
        // A page that misses a file stays broken, and serving a file costs almost nothing.
        if (!request.url.startsWith("/api/")) return;
        throw new DomainError("ERR_UNAVAILABLE");
      },
    });
  }
}

/** Headers that a proxy adds. A client can forge them. */
const OF_A_PROXY = /^(x-forwarded-.+|forwarded|x-real-ip|via)$/;

/** Whether the request may come through a proxy, so that its address is not the visitor's. */
export function isForwarded(request: FastifyRequest): boolean {
  return Object.keys(request.headers).some((name) => OF_A_PROXY.test(name));
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
export function claimedAddress(request: FastifyRequest): string | null {
  const chain = request.headers["x-forwarded-for"];
  if (typeof chain !== "string") return null;
  return chain.split(",").at(-1)?.trim().slice(0, 64) ?? null;
}
