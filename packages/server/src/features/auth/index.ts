import type { SheetLanguage, UserId } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { bearerOf } from "../../platform/http/security.ts";
import type { Random } from "../../platform/sources.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccount } from "../users/index.ts";
import type { MailsFeature } from "../mails/index.ts";
import type { LoginLimits } from "./login-limit.ts";
import { defaultLoginLimits, sweepAttempts } from "./login-limit.ts";
import type { PasswordResetDeps } from "./password-reset.ts";
import { inviteUser, resetPassword, sendResetCode, sweepPasswordResets } from "./password-reset.ts";
import type { Owner, SignInDeps } from "./sign-in.ts";
import {
  confirmPassword,
  createPasswordCheck,
  endSessions,
  hashPassword,
  renewSession,
  signIn,
  signOut,
} from "./sign-in.ts";
import { leaveCompany, listVisits, visitCompanyAcrossCompanies } from "./support.ts";
import type { KnownBrowser, SessionCookieOptions, TokenSecrets } from "./tokens.ts";
import { createOriginCheck, createSessionCookies, createTokens } from "./tokens.ts";

export {
  createAuthenticator,
  planFlagColumns,
  subscriptionState,
  userQueueColumns,
} from "./authenticator.ts";
export { countSignUp } from "./login-limit.ts";
export { hashPassword } from "./sign-in.ts";

type AuthDeps = Omit<SignInDeps, "tokens" | "passwords" | "loginLimits"> & {
  random: Random;
  secrets: TokenSecrets;
  cookie: SessionCookieOptions;
  mails: Pick<MailsFeature, "add">;
  loginLimits?: LoginLimits;
};

/** A shared computer at a counter has a few users. */
const ACCOUNTS_PER_BROWSER = 10;

/** Signing in and out, and renewing sessions (wire-contract 3). */
export async function createAuthFeature(deps: AuthDeps) {
  const { random, secrets, db, clock, loginLimits = defaultLoginLimits } = deps;
  const tokens = createTokens({ secrets, clock });
  const passwords = await createPasswordCheck(random.hex(16));
  const signInDeps: SignInDeps = { ...deps, loginLimits, tokens, passwords };
  const { mails } = deps;
  const resetDeps: PasswordResetDeps = {
    ...{ ...signInDeps, random, mails },
    publicUrl: deps.cookie.publicUrl,
  };
  const { session: cookie, browser: browserCookie } = createSessionCookies(deps.cookie);
  const isFromOurPage = createOriginCheck(deps.cookie);

  function browserOf(request: FastifyRequest): KnownBrowser | null {
    const token = browserCookie.read(request);
    return token === null ? null : tokens.readBrowser(token);
  }

  /** Adds the account to those that have signed in with this browser. */
  async function remember(request: FastifyRequest, reply: FastifyReply, id: UserId): Promise<void> {
    const known = browserOf(request);
    const others = (known?.userIds ?? []).filter((other) => other !== id);
    const userIds = [id, ...others].slice(0, ACCOUNTS_PER_BROWSER);
    const browser = { id: known?.id ?? random.hex(16), userIds };
    browserCookie.set(request, reply, await tokens.signBrowser(browser));
  }

  return {
    /** For the job runner. */
    sweepLoginAttempts: () =>
      db.acrossCompanies((tx) => sweepAttempts(tx, loginLimits, clock.now())),
    sweepPasswordResets: () => sweepPasswordResets(resetDeps),

    /** Has a new user set the own password by a code that an e-mail brings. */
    async invite(tx: Tx, { companyId, userId }: Owner, language: SheetLanguage): Promise<void> {
      const account = await findAccount(tx, companyId, userId);
      if (!account) throw new DomainError("ERR_NO_USER_FOUND");
      await inviteUser(resetDeps, tx, account, language);
    },

    /** For accounts whose password or rights change. */
    sessions: {
      hashPassword,
      confirmPassword: (account: AccountRow, password: string) =>
        confirmPassword(signInDeps, account, password),
      end: (tx: Tx, owner: Owner, limit: { afterMs: number }) =>
        endSessions(signInDeps, tx, owner, limit),
      /**
       * Callers who end their own sessions go on: the browser gets the refresh token of the new session. The old access
       * token is void, so the next call, in every tab, renews by the cookie. A client without cookies signs in again.
       */
      async goOn(request: FastifyRequest, reply: FastifyReply, account: AccountRow): Promise<void> {
        cookie.set(request, reply, await tokens.signRefresh(account));
      },
    },

    register(routes: Routes): void {
      routes.handle("POST /auth/login", async ({ body, request, reply }) => {
        const opened = await signIn(signInDeps, body, {
          address: request.ip,
          browser: browserOf(request),
        });
        cookie.set(request, reply, opened.refreshToken);
        await remember(request, reply, opened.session.user.id);
        return opened.session;
      });

      routes.handle("POST /auth/signup", () =>
        Promise.reject(new DomainError("ERR_USER_CREATION_DISABLED")),
      );

      routes.handle("POST /auth/refresh_token", async ({ request, reply }) => {
        if (!isFromOurPage(request)) throw new DomainError("ERR_NO_PERMISSION");
        try {
          const opened = await renewSession(signInDeps, cookie.read(request));
          cookie.set(request, reply, opened.refreshToken);
          await remember(request, reply, opened.session.user.id);
          return opened.session;
        } catch (error) {
          // Only a refusal clears the cookie: while the database is unreachable the session may still be valid.
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
        await signOut(signInDeps, bearerOf(request), cookie.read(request));
        return { message: "Sessão encerrada" };
      });

      routes.handle(
        "POST /companies/:companyId/support",
        ({ ctx, params: { companyId }, body: { reason } }) =>
          visitCompanyAcrossCompanies(signInDeps, ctx, companyId, reason),
      );
      routes.handle("DELETE /support", async ({ ctx }) => {
        await leaveCompany(signInDeps, ctx);
        return undefined;
      });
      routes.handle("GET /support-visits", ({ ctx, query }) => listVisits(signInDeps, ctx, query));

      routes.handle("POST /forgetpassword", ({ body, request }) =>
        sendResetCode(resetDeps, body, request.ip),
      );
      routes.handle("POST /forgetpassword/:email", ({ params, request }) =>
        sendResetCode(resetDeps, { ...params, language: "pt" }, request.ip),
      );
      routes.handle("POST /resetpasswords", ({ body, request }) =>
        resetPassword(resetDeps, body, request.ip),
      );
      routes.handle("POST /resetpasswords/:email/:token/:password", ({ params, request }) =>
        resetPassword(resetDeps, params, request.ip),
      );
    },
  };
}
