import type { SheetLanguage } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { originOf } from "../../platform/http/origin.ts";
import { bearerOf } from "../../platform/http/security.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccount } from "../users/index.ts";
import type { LoginLimits } from "./login-limit.ts";
import { defaultLoginLimits, sweepAttempts } from "./login-limit.ts";
import type { PasswordResetDeps } from "./password-reset.ts";
import { inviteUser, resetPassword, sendResetCode, sweepPasswordResets } from "./password-reset.ts";
import type { OpenedSession, SignInDeps } from "./opening.ts";
import { confirmPassword, endSessions, goOn, renewSession, signOut } from "./opening.ts";
import { createPasswordCheck, hashPassword } from "./passwords.ts";
import type { NamedVisitor } from "./routes.ts";
import { registerAccountSecurity } from "./routes.ts";
import type { Owner } from "./sessions.ts";
import { sweepSessions } from "./sessions.ts";
import { signIn } from "./sign-in.ts";
import { leaveCompany, listVisits, visitCompanyAcrossCompanies } from "./support.ts";
import type { KnownBrowser, SessionCookieOptions, TokenSecrets } from "./tokens.ts";
import { createOriginCheck, createSessionCookies, createTokens } from "./tokens.ts";

export {
  createAuthenticator,
  planFlagColumns,
  rolePermissionsOf,
  subscriptionState,
  userQueueColumns,
} from "./authenticator.ts";
export { countSignUp } from "./login-limit.ts";
export { hashPassword } from "./passwords.ts";
export { resetSignInAcrossCompanies } from "./routes.ts";
export { oldestUse } from "./sessions.ts";

type AuthDeps = Omit<SignInDeps, "tokens" | "passwords" | "loginLimits" | "publicUrl"> & {
  secrets: TokenSecrets;
  cookie: SessionCookieOptions;
  loginLimits?: LoginLimits;
};

const isNextStep = (error: unknown): boolean =>
  error instanceof DomainError &&
  (error.code === "ERR_SECOND_FACTOR" || error.code === "ERR_FACTOR_SETUP");

/** A shared computer at a counter has a few users. */
const ACCOUNTS_PER_BROWSER = 10;

/** Signing in and out, and renewing sessions (wire-contract 3). */
export async function createAuthFeature(deps: AuthDeps) {
  const { random, secrets, db, clock, loginLimits = defaultLoginLimits } = deps;
  const tokens = createTokens({ secrets, clock });
  const passwords = await createPasswordCheck(random.hex(16));
  const { publicUrl } = deps.cookie;
  const signInDeps: SignInDeps = { ...deps, loginLimits, tokens, passwords, publicUrl };
  const resetDeps: PasswordResetDeps = signInDeps;
  const { session: cookie, browser: browserCookie } = createSessionCookies(deps.cookie);
  const isFromOurPage = createOriginCheck(deps.cookie);

  function browserOf(request: FastifyRequest): KnownBrowser | null {
    const token = browserCookie.read(request);
    return token === null ? null : tokens.readBrowser(token);
  }

  async function keepBrowser(
    request: FastifyRequest,
    reply: FastifyReply,
    browser: KnownBrowser,
  ): Promise<void> {
    browserCookie.set(request, reply, await tokens.signBrowser(browser));
  }

  /** The visitor, in a browser that has a name from now on: the steps of a sign-in are bound to it. */
  const visitorOf = (request: FastifyRequest): NamedVisitor => ({
    ...originOf(request),
    browser: browserOf(request) ?? { id: random.hex(16), userIds: [] },
  });

  /** Gives the browser the session, and adds the account to those that have signed in with it. */
  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, refreshToken }: OpenedSession,
    browser: KnownBrowser,
  ): Promise<void> {
    const { id } = session.user;
    cookie.set(request, reply, refreshToken);
    const others = browser.userIds.filter((other) => other !== id);
    const userIds = [id, ...others].slice(0, ACCOUNTS_PER_BROWSER);
    await keepBrowser(request, reply, { id: browser.id, userIds });
  }

  return {
    /** For the job runner. */
    async sweepLoginAttempts(): Promise<void> {
      await db.acrossCompanies((tx) => sweepAttempts(tx, loginLimits, clock.now()));
      await sweepSessions(signInDeps);
    },
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
        cookie.set(request, reply, await goOn(signInDeps, account, visitorOf(request)));
      },
    },

    register(routes: Routes): void {
      routes.handle("POST /auth/login", async ({ body, request, reply }) => {
        const visitor = visitorOf(request);
        try {
          const opened = await signIn(signInDeps, body, visitor);
          await enter(request, reply, opened, visitor.browser);
          return opened.session;
        } catch (error) {
          // The next step comes from the same browser.
          if (isNextStep(error)) await keepBrowser(request, reply, visitor.browser);
          throw error;
        }
      });

      routes.handle("POST /auth/signup", () =>
        Promise.reject(new DomainError("ERR_USER_CREATION_DISABLED")),
      );

      routes.handle("POST /auth/refresh_token", async ({ request, reply }) => {
        if (!isFromOurPage(request)) throw new DomainError("ERR_NO_PERMISSION");
        try {
          const visitor = visitorOf(request);
          const opened = await renewSession(signInDeps, cookie.read(request), visitor);
          await enter(request, reply, opened, visitor.browser);
          return opened.session;
        } catch (error) {
          // Only a refusal clears the cookie: while the database is unreachable the session may still be valid.
          if (error instanceof DomainError && !isUnavailable(error)) cookie.clear(request, reply);
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

      registerAccountSecurity(signInDeps, routes, { visitorOf, enter, keepBrowser });
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
