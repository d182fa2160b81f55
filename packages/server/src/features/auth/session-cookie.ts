import type { FastifyReply, FastifyRequest } from "fastify";
import { KNOWN_BROWSER_SECONDS, REFRESH_TOKEN_SECONDS } from "./tokens.ts";

const SESSION = { name: "jrt", path: "/", maxAge: REFRESH_TOKEN_SECONDS };
/** Only signing in and renewing ask for it. */
const BROWSER = { name: "jkb", path: "/api/auth", maxAge: KNOWN_BROWSER_SECONDS };

export type SessionCookieOptions = {
  /**
   * Origins of separately hosted clients: with one, the cookie must travel from another site, which browsers allow over
   * https only.
   */
  frontendOrigins: readonly string[];
  /** Where browsers reach the product itself, as far as it was told. */
  publicUrl?: string | undefined;
};

/** The refresh token (wire-contract 3.1), and what says that the browser signed in before (`KnownBrowser`). */
export function createSessionCookies(options: SessionCookieOptions) {
  const crossSite = options.frontendOrigins.length > 0;
  return { session: cookie(SESSION, crossSite), browser: cookie(BROWSER, crossSite) };
}

/**
 * Whether the cookie may be used for what a request asks: a cookie that travels from other sites also comes with what a
 * strange page asks in the user's name. Browsers say which page asks with every POST.
 */
export function createOriginCheck({ frontendOrigins, publicUrl }: SessionCookieOptions) {
  const allowed = new Set(
    [...frontendOrigins, ...(publicUrl === undefined ? [] : [publicUrl])].map(
      (url) => new URL(url).origin,
    ),
  );
  return ({ headers: { origin }, host }: FastifyRequest): boolean => {
    if (frontendOrigins.length === 0) return true;
    if (origin === undefined || !URL.canParse(origin)) return false;
    return allowed.has(origin) || new URL(origin).host === host;
  };
}

/** The token of a known browser among a request's cookies. */
export function browserTokenOf(cookies: Cookies): string | null {
  return cookies[BROWSER.name] ?? null;
}

type Cookies = Readonly<Record<string, string | undefined>>;

/** It is cleared with the attributes it was set with, else it would stay. */
function cookie(
  { name, path, maxAge }: { name: string; path: string; maxAge: number },
  crossSite: boolean,
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
