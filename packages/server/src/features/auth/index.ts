import type { UserId } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../../platform/context.ts";
import { bearerOf } from "../../platform/http/guard.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Random } from "../../platform/sources.ts";
import type { AccountRow } from "../users/index.ts";
import type { LoginLimits } from "./login-limit.ts";
import { defaultLoginLimits } from "./login-limit.ts";
import { createPasswordCheck, hashPassword } from "./passwords.ts";
import type { AuthServiceDeps } from "./service.ts";
import { createAuthService } from "./service.ts";
import type { SessionCookieOptions } from "./session-cookie.ts";
import { createOriginCheck, createSessionCookies } from "./session-cookie.ts";
import type { KnownBrowser, TokenSecrets } from "./tokens.ts";
import { createTokens } from "./tokens.ts";

export { createAuthenticator } from "./authenticator.ts";
export { hashPassword } from "./passwords.ts";

export type AuthDeps = Omit<AuthServiceDeps, "tokens" | "passwords" | "loginLimits"> & {
  random: Random;
  secrets: TokenSecrets;
  cookie: SessionCookieOptions;
  loginLimits?: LoginLimits;
};

/** A shared computer at a counter knows a few people. */
const ACCOUNTS_PER_BROWSER = 10;

/** Sign-in (wire-contract 3). */
export async function createAuthFeature(deps: AuthDeps) {
  const { random, secrets, clock, loginLimits = defaultLoginLimits } = deps;
  const tokens = createTokens({ secrets, clock });
  const service = createAuthService({
    ...deps,
    loginLimits,
    tokens,
    passwords: await createPasswordCheck(random.hex(16)),
  });
  const { session: cookie, browser: browserCookie } = createSessionCookies(deps.cookie);
  const isFromOurPage = createOriginCheck(deps.cookie);

  function browserOf(request: FastifyRequest): KnownBrowser | null {
    const token = browserCookie.read(request);
    return token === null ? null : tokens.readBrowser(token);
  }

  /** From now on the browser is known to this account, beside the others that are used in it. */
  async function remember(request: FastifyRequest, reply: FastifyReply, id: UserId): Promise<void> {
    const known = browserOf(request);
    const others = (known?.userIds ?? []).filter((other) => other !== id);
    const userIds = [id, ...others].slice(0, ACCOUNTS_PER_BROWSER);
    const browser = { id: known?.id ?? random.hex(16), userIds };
    browserCookie.set(request, reply, await tokens.signBrowser(browser));
  }

  return {
    sweepLoginAttempts: () => service.sweepLoginAttempts(),

    /** For accounts whose password or rights change. */
    sessions: {
      hashPassword,
      confirmPassword: service.confirmPassword,
      end: service.endSessions,
      /**
       * The caller has ended his own sessions: his browser gets the refresh token of the new one. Its access token is void, so
       * its next call, in every tab, renews by the cookie and goes on. A client without cookies signs in again.
       */
      async goOn(request: FastifyRequest, reply: FastifyReply, account: AccountRow): Promise<void> {
        cookie.set(request, reply, await service.goOn(account));
      },
    },

    register(routes: Routes): void {
      routes.handle("POST /auth/login", async ({ body, request, reply }) => {
        const opened = await service.login(body, {
          address: request.ip,
          browser: browserOf(request),
        });
        cookie.set(request, reply, opened.refreshToken);
        await remember(request, reply, opened.session.user.id);
        return opened.session;
      });

      routes.handle("POST /auth/refresh_token", async ({ request, reply }) => {
        if (!isFromOurPage(request)) throw new DomainError("ERR_NO_PERMISSION");
        try {
          const opened = await service.refresh(cookie.read(request));
          cookie.set(request, reply, opened.refreshToken);
          await remember(request, reply, opened.session.user.id);
          return opened.session;
        } catch (error) {
          // Only a refusal removes it; while the database is away the session may still be good.
          if (error instanceof DomainError) cookie.clear(request, reply);
          throw error;
        }
      });

      routes.handle("GET /auth/me", async ({ ctx: { actor } }) => ({
        id: actor.userId,
        profile: actor.profile,
        super: actor.super,
      }));

      routes.handle("DELETE /auth/logout", async ({ request, reply }) => {
        cookie.clear(request, reply);
        await service.logout(bearerOf(request), cookie.read(request));
        return { message: "Sessão encerrada" };
      });
    },
  };
}
