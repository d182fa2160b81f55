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
import { createSessionCookie } from "./session-cookie.ts";
import type { TokenSecrets } from "./tokens.ts";
import { createTokens } from "./tokens.ts";

export { createAuthenticator } from "./authenticator.ts";
export { hashPassword } from "./passwords.ts";

export type AuthDeps = Omit<AuthServiceDeps, "tokens" | "passwords" | "loginLimits"> & {
  random: Random;
  secrets: TokenSecrets;
  cookie: SessionCookieOptions;
  loginLimits?: LoginLimits;
};

/** Sign-in (wire-contract 3). */
export async function createAuthFeature(deps: AuthDeps) {
  const { random, secrets, clock, loginLimits = defaultLoginLimits } = deps;
  const service = createAuthService({
    ...deps,
    loginLimits,
    tokens: createTokens({ secrets, clock }),
    passwords: await createPasswordCheck(random.hex(16)),
  });
  const cookie = createSessionCookie(deps.cookie);

  return {
    sweepLoginAttempts: () => service.sweepLoginAttempts(),

    /** For accounts whose password or rights change. */
    sessions: {
      hashPassword,
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
        const opened = await service.login(body, request.ip);
        cookie.set(request, reply, opened.refreshToken);
        return opened.session;
      });

      routes.handle("POST /auth/refresh_token", async ({ request, reply }) => {
        try {
          const opened = await service.refresh(cookie.read(request));
          cookie.set(request, reply, opened.refreshToken);
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
