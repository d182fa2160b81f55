import type { FastifyReply, FastifyRequest } from "fastify";
import { KNOWN_BROWSER_SECONDS, REFRESH_TOKEN_SECONDS } from "./tokens.ts";

const SESSION = { name: "jrt", path: "/", maxAge: REFRESH_TOKEN_SECONDS };
/** Only signing in and renewing ask for it. */
const BROWSER = { name: "jkb", path: "/api/auth", maxAge: KNOWN_BROWSER_SECONDS };

export type SessionCookieOptions = {
  /** A client on another site uses this server: the cookie must travel there, which browsers allow over https only. */
  crossSite: boolean;
};

/** The refresh token (wire-contract 3.1), and what says that the browser signed in before (`KnownBrowser`). */
export function createSessionCookies(options: SessionCookieOptions) {
  return { session: cookie(SESSION, options), browser: cookie(BROWSER, options) };
}

/** The token of a known browser among a request's cookies. */
export function browserTokenOf(cookies: Cookies): string | null {
  return cookies[BROWSER.name] ?? null;
}

type Cookies = Record<string, string | undefined>;

/** It is cleared with the attributes it was set with, else it would stay. */
function cookie(
  { name, path, maxAge }: { name: string; path: string; maxAge: number },
  { crossSite }: SessionCookieOptions,
) {
  const attributes = (request: FastifyRequest) =>
    ({
      path,
      httpOnly: true,
      sameSite: crossSite ? "none" : "lax",
      secure: crossSite || request.protocol === "https",
    }) as const;

  return {
    read: (request: FastifyRequest): string | null => request.cookies[name] ?? null,
    set(request: FastifyRequest, reply: FastifyReply, token: string): void {
      reply.setCookie(name, token, { ...attributes(request), maxAge });
    },
    clear(request: FastifyRequest, reply: FastifyReply): void {
      reply.clearCookie(name, attributes(request));
    },
  };
}
