import type { UserId } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, requireHeld, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { note } from "../audit/index.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccount, findAccountByEmailAcrossCompanies, permissionsOf } from "../users/index.ts";
import { listOwnSignIns, listSignIns } from "./history.ts";
import type { OpenedSession, SignInDeps } from "./opening.ts";
import { endSessions } from "./opening.ts";
import {
  addPasskey,
  dropPasskeys,
  listPasskeys,
  passkeyOptions,
  passkeySignInOptions,
  removePasskey,
  renamePasskey,
  signInByPasskey,
  siteOf,
} from "./passkeys.ts";
import {
  answerFactor,
  confirmFactor,
  dropFactor,
  forgetBrowsers,
  newRecoveryCodes,
  removeFactor,
  showFactor,
  startFactor,
  trustBrowser,
} from "./second-factor.ts";
import type { SessionsDeps, Visitor } from "./sessions.ts";
import { endOtherSessions, endSession, listSessions, requireOwner } from "./sessions.ts";
import type { KnownBrowser } from "./tokens.ts";

export type NamedVisitor = Visitor & { browser: KnownBrowser };

/** The handling of browsers that all calls about signing in share. */
type Browsers = {
  visitorOf(request: FastifyRequest): NamedVisitor;
  enter(
    request: FastifyRequest,
    reply: FastifyReply,
    opened: OpenedSession,
    browser: KnownBrowser,
  ): Promise<void>;
  keepBrowser(request: FastifyRequest, reply: FastifyReply, browser: KnownBrowser): Promise<void>;
};

/** Second factor, passkeys, sessions and the history of sign-ins. */
export function registerAccountSecurity(
  deps: SignInDeps,
  routes: Routes,
  { visitorOf, enter, keepBrowser }: Browsers,
): void {
  const site = (request: FastifyRequest) => siteOf(request, deps.publicUrl);

  routes.handle("POST /auth/second-factor", async ({ body, request, reply }) => {
    const visitor = visitorOf(request);
    // A browser that is trusted has a new name, which nobody can have given to it before.
    const id = body.trustBrowser ? deps.random.hex(16) : visitor.browser.id;
    const browser = { ...visitor.browser, id };
    const opened = await answerFactor(deps, body, visitor, browser);
    const { id: userId, companyId } = opened.session.user;
    if (body.trustBrowser) await trustBrowser(deps, { companyId, userId }, id);
    await enter(request, reply, opened, browser);
    return opened.session;
  });
  routes.handle("GET /auth/security", async ({ ctx, request }) => ({
    ...(await showFactor(deps, ctx)),
    passkeys: await listPasskeys(deps, ctx),
    offersPasskeys: site(request) !== null,
  }));
  routes.handle("POST /auth/factor", ({ ctx, body }) => startFactor(deps, ctx, body.password));
  routes.handle("POST /auth/factor/confirm", async ({ ctx, body, request, reply }) => {
    const visitor = visitorOf(request);
    const { recoveryCodes, opened } = await confirmFactor(deps, ctx, body.code, visitor);
    if (opened) await enter(request, reply, opened, visitor.browser);
    return { recoveryCodes, session: opened?.session ?? null };
  });
  routes.handle("POST /auth/factor/remove", async ({ ctx, body }) => {
    await removeFactor(deps, ctx, body.password);
    return undefined;
  });
  routes.handle("POST /auth/recovery-codes", async ({ ctx, body }) => ({
    recoveryCodes: await newRecoveryCodes(deps, ctx, body.password),
  }));
  routes.handle("DELETE /auth/trusted-browsers", async ({ ctx }) => {
    requireOwner(ctx);
    const owner = { companyId: ctx.companyId, userId: ctx.actor.userId };
    await deps.db.acrossCompanies((tx) => forgetBrowsers(tx, owner));
    return undefined;
  });

  routes.handle("POST /auth/passkeys/options", async ({ ctx, body, request, reply }) => {
    const { browser } = visitorOf(request);
    const from = { site: site(request), browserId: browser.id };
    const made = await passkeyOptions(deps, ctx, body.password, from);
    await keepBrowser(request, reply, browser);
    return made;
  });
  routes.handle("POST /auth/passkeys", ({ ctx, body, request }) =>
    addPasskey(deps, ctx, body, { site: site(request), browser: visitorOf(request).browser }),
  );
  routes.handle("PUT /auth/passkeys/:passkeyId", ({ ctx, params, body }) =>
    renamePasskey(deps, ctx, params.passkeyId, body.name),
  );
  routes.handle("POST /auth/passkeys/:passkeyId/remove", async ({ ctx, params, body }) => {
    await removePasskey(deps, ctx, params.passkeyId, body.password);
    return undefined;
  });
  routes.handle("POST /auth/passkey/options", async ({ request, reply }) => {
    const visitor = visitorOf(request);
    const made = await passkeySignInOptions(deps, visitor, site(request));
    await keepBrowser(request, reply, visitor.browser);
    return made;
  });
  routes.handle("POST /auth/passkey", async ({ body, request, reply }) => {
    const visitor = visitorOf(request);
    const opened = await signInByPasskey(deps, body, visitor, site(request));
    await enter(request, reply, opened, visitor.browser);
    return opened.session;
  });

  routes.handle("GET /auth/sessions", ({ ctx }) => listSessions(deps, ctx));
  routes.handle("DELETE /auth/sessions/:sessionId", async ({ ctx, params }) => {
    await endSession(deps, ctx, params.sessionId);
    return undefined;
  });
  routes.handle("DELETE /auth/sessions", async ({ ctx }) => ({
    count: await endOtherSessions(deps, ctx),
  }));

  routes.handle("GET /auth/sign-ins", ({ ctx }) => listOwnSignIns(deps, ctx));
  routes.handle("GET /users/:userId/sign-ins", ({ ctx, params, query }) =>
    listSignIns(deps, ctx, params.userId, query),
  );
  routes.handle("DELETE /users/:userId/sessions", async ({ ctx, params }) => {
    await endSessionsOf(deps, ctx, params.userId);
    return undefined;
  });
  routes.handle("DELETE /users/:userId/factor", async ({ ctx, params }) => {
    await resetFactorOf(deps, ctx, params.userId);
    return undefined;
  });
}

/** A colleague's account that the caller may end the sessions of. */
async function colleague(tx: Tx, ctx: UserCtx, userId: UserId): Promise<AccountRow> {
  const account = await findAccount(tx, ctx.companyId, userId);
  if (!account) throw new DomainError("ERR_NO_USER_FOUND");
  if (userId === ctx.actor.userId) throw new DomainError("ERR_USER_IS_SELF");
  // As for every change of an account: only super users do it to another super user.
  if (account.super && !ctx.actor.super) throw new DomainError("ERR_NO_SUPER");
  // Without its factor an account is easier to enter, so the caller must hold all its permissions.
  requireHeld(ctx, permissionsOf(account));
  return account;
}

async function endSessionsOf(deps: SignInDeps, ctx: UserCtx, userId: UserId): Promise<void> {
  await deps.db.acrossCompanies(async (tx) => {
    const { name } = await colleague(tx, ctx, userId);
    await endSessions(deps, tx, { companyId: ctx.companyId, userId }, { afterMs: 0 });
    await note(tx, ctx, { action: "ended", kind: "session", id: userId, label: name });
  }, ctx);
}

/** For a colleague who has lost the app and the recovery codes. */
async function resetFactorOf(deps: SignInDeps, ctx: UserCtx, userId: UserId): Promise<void> {
  await deps.db.acrossCompanies(
    async (tx) => dropProofs(deps, tx, ctx, await colleague(tx, ctx, userId)),
    ctx,
  );
}

/** Leaves the password alone: whoever has the lost device is signed out too. */
async function dropProofs(
  deps: Pick<SessionsDeps, "clock" | "realtime">,
  tx: Tx,
  ctx: Ctx,
  { companyId, id: userId, name }: AccountRow,
): Promise<void> {
  const owner = { companyId, userId };
  await dropFactor(tx, owner);
  await dropPasskeys(tx, owner);
  await endSessions(deps, tx, owner, { afterMs: 0 });
  await note(tx, ctx, { action: "removed", kind: "factor", id: userId, label: name });
}

/**
 * Removes the second factor and the passkeys of the account with this address, and ends its sessions: for the operator, where
 * nobody else can help. Returns whose account it is; null where there is none.
 */
export async function resetSignInAcrossCompanies(
  { db, clock, ids }: Pick<SignInDeps, "db" | "clock" | "ids">,
  email: string,
): Promise<Pick<AccountRow, "name" | "companyName"> | null> {
  // No client is connected to the process of a command.
  const none = () => undefined;
  const realtime = { disconnectSession: none, disconnectUser: none, disconnectVisit: none };
  return db.acrossCompanies(async (tx) => {
    const account = await findAccountByEmailAcrossCompanies(tx, email.trim().toLowerCase());
    if (!account) return null;
    const ctx = systemCtx(account.companyId, "reset-sign-in", ids.uuid());
    await dropProofs({ clock, realtime }, tx, ctx, account);
    return account;
  });
}
