import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../context.ts";

export type SecurityOptions = {
  /** Origins of separately hosted clients: exactly these, with credentials. */
  frontendOrigins: readonly string[];
  /** Mean delay of the event loop above which calls are answered 503; 0 never. */
  maxEventLoopDelayMs: number;
  /** Scripts that may stand in the page itself, by their hash. */
  inlineScripts?: readonly string[];
};

/** Headers, cookies, origins and the plugins the guards need. */
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
    // Only this host: its parent domain is the customer's, and other hosts there are none of our business.
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
        // A busy process lives: killing it for that would make things worse.
        if (request.routeOptions.url?.startsWith("/api/health/live")) return;
        // A page with half of its files is broken for good, and a file costs next to nothing.
        if (!request.url.startsWith("/api/")) return;
        throw new DomainError("ERR_UNAVAILABLE");
      },
    });
  }
}
