import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "../logging/logger.ts";

/** Headers that only a proxy writes, or somebody who pretends to be one. */
const OF_A_PROXY = /^(x-forwarded-.+|forwarded|x-real-ip|via)$/;

/** Whether a proxy may have brought the request: then its address is not the visitor's. */
export function isForwarded(request: FastifyRequest): boolean {
  return Object.keys(request.headers).some((name) => OF_A_PROXY.test(name));
}

/** Behind a proxy that is not trusted all visitors have one address, and cookies are not `Secure`: says so once. */
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
 * Tells visitors behind a proxy that is not trusted apart, as far as it says who they are; null without that. It can be
 * made up: good to share limits fairly, never to believe who somebody is.
 */
export function claimedAddress(request: FastifyRequest): string | null {
  const chain = request.headers["x-forwarded-for"];
  if (typeof chain !== "string") return null;
  return chain.split(",").at(-1)?.trim().slice(0, 64) ?? null;
}
