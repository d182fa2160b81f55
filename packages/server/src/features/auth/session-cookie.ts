import type { FastifyReply, FastifyRequest } from "fastify";
import { REFRESH_TOKEN_SECONDS } from "./tokens.ts";

const COOKIE = "jrt";

export type SessionCookieOptions = {
  /** A client on another site uses this server: the cookie must travel there, which browsers allow over https only. */
  crossSite: boolean;
};

/** The refresh cookie (wire-contract 3.1). It is cleared with the attributes it was set with, else it would stay. */
export function createSessionCookie({ crossSite }: SessionCookieOptions) {
  const attributes = (request: FastifyRequest) =>
    ({
      path: "/",
      httpOnly: true,
      sameSite: crossSite ? "none" : "lax",
      secure: crossSite || request.protocol === "https",
    }) as const;

  return {
    read: (request: FastifyRequest): string | null => request.cookies[COOKIE] ?? null,
    set(request: FastifyRequest, reply: FastifyReply, token: string): void {
      reply.setCookie(COOKIE, token, { ...attributes(request), maxAge: REFRESH_TOKEN_SECONDS });
    },
    clear(request: FastifyRequest, reply: FastifyReply): void {
      reply.clearCookie(COOKIE, attributes(request));
    },
  };
}
