import type { SessionId, UserId } from "@balcao/contract";
import { companyId, limits, sessionId, supportVisitId, userId } from "@balcao/contract";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { JWTPayload } from "jose";
import { SignJWT } from "jose";
import type { KeyObject } from "node:crypto";
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Identity } from "../../platform/context.ts";
import type { Clock } from "../../platform/sources.ts";
import type { AccountRow } from "../users/index.ts";

const ACCESS_TOKEN_SECONDS = 60 * 60;
/** For the checkout of an expired company. */
const PAY_TOKEN_SECONDS = 30 * 60;
/** For setting up a second factor. */
const SET_UP_SECONDS = 15 * 60;
const VISIT_SECONDS = limits.supportVisitMinutes * 60;
/** A session that is not renewed for so long is over. */
export const REFRESH_TOKEN_SECONDS = 14 * 24 * 60 * 60;

export type TokenSecrets = { accessToken: string; refreshToken: string };

/** The claims of a refresh token; `generation` counts the refreshes of the session. */
export type RefreshClaims = Identity & { generation: number };

const identityClaims = z.object({
  ...{ id: userId, companyId, tokenVersion: z.int(), exp: z.number() },
  sid: sessionId.optional(),
  pays: z.literal(true).optional(),
  setsUp: z.literal(true).optional(),
  visit: supportVisitId.optional(),
});
const refreshClaims = identityClaims.extend({ generation: z.int() });

/** A browser that has signed in to the accounts of these users; the latest first. */
export type KnownBrowser = { id: string; userIds: UserId[] };

const browserClaims = z.object({ browser: z.string(), users: z.array(userId), exp: z.number() });

/** Browsers keep no cookie longer. */
const KNOWN_BROWSER_SECONDS = 400 * 24 * 60 * 60;

/** The part of a session that its tokens name. */
export type TokenSession = { id: SessionId; generation: number };

export type Tokens = {
  signAccess(account: AccountRow, session: TokenSession | null): Promise<string>;
  /** A token for the calls of an expired company alone. */
  signPay(account: AccountRow): Promise<string>;
  /** A token for the calls that set up a second factor. */
  signSetUp(account: AccountRow): Promise<string>;
  /** A token of a visit, with the rights of the account as long as the visit lasts. */
  signVisit(
    account: AccountRow,
    visit: Pick<Identity, "tokenVersion" | "visitId">,
  ): Promise<string>;
  signRefresh(account: AccountRow, session: TokenSession): Promise<string>;
  /** Null when the token is not ours, was altered or has expired. */
  readAccess(token: string): Promise<Identity | null>;
  readRefresh(token: string): Promise<RefreshClaims | null>;
  signBrowser(browser: KnownBrowser): Promise<string>;
  readBrowser(token: string): KnownBrowser | null;
};

/** Access and refresh tokens (wire-contract 3.1): HS256 with a secret each, so that neither passes for the other. */
export function createTokens(deps: { secrets: TokenSecrets; clock: Clock }): Tokens {
  const { secrets, clock } = deps;
  const accessKey = keyOf(secrets.accessToken);
  const refreshKey = keyOf(secrets.refreshToken);
  const browserKey = createSecretKey(
    createHmac("sha256", refreshKey).update("known browser").digest(),
  );

  function sign(claims: JWTPayload, seconds: number, key: KeyObject): Promise<string> {
    const issuedAt = nowSeconds();
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .sign(key);
  }

  /** The claims; null when the token is not ours, was altered or has expired. */
  function read<Claims extends { exp: number }>(
    token: string,
    key: KeyObject,
    schema: z.ZodType<Claims>,
  ): Claims | null {
    const claims = schema.safeParse(readSigned(token, key));
    return claims.success && claims.data.exp > nowSeconds() ? claims.data : null;
  }

  const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);

  return {
    signAccess: (account, session) =>
      // `usarname` is the family's spelling.
      sign(
        {
          usarname: account.name,
          profile: account.profile,
          id: account.id,
          companyId: account.companyId,
          tokenVersion: account.tokenVersion,
          ...(session === null ? {} : { sid: session.id }),
        },
        ACCESS_TOKEN_SECONDS,
        accessKey,
      ),

    signPay: ({ id, companyId, tokenVersion }) =>
      sign({ id, companyId, tokenVersion, pays: true }, PAY_TOKEN_SECONDS, accessKey),

    signSetUp: ({ id, companyId, tokenVersion }) =>
      sign({ id, companyId, tokenVersion, setsUp: true }, SET_UP_SECONDS, accessKey),

    signVisit: ({ id, companyId }, { tokenVersion, visitId }) =>
      sign({ id, companyId, tokenVersion, visit: visitId }, VISIT_SECONDS, accessKey),

    signRefresh: (account, session) =>
      sign(
        {
          id: account.id,
          tokenVersion: account.tokenVersion,
          companyId: account.companyId,
          sid: session.id,
          generation: session.generation,
        },
        REFRESH_TOKEN_SECONDS,
        refreshKey,
      ),

    signBrowser: ({ id, userIds }) =>
      sign({ browser: id, users: userIds }, KNOWN_BROWSER_SECONDS, browserKey),

    readBrowser(token) {
      const claims = read(token, browserKey, browserClaims);
      return claims && { id: claims.browser, userIds: claims.users };
    },

    async readAccess(token) {
      const claims = read(token, accessKey, identityClaims);
      return claims && identityOf(claims);
    },

    async readRefresh(token) {
      const claims = read(token, refreshKey, refreshClaims);
      return claims && { ...identityOf(claims), generation: claims.generation };
    },
  };
}

function identityOf({
  id,
  companyId,
  tokenVersion,
  sid,
  pays,
  setsUp,
  visit,
}: z.output<typeof identityClaims>): Identity {
  const kind = {
    ...(sid === undefined ? {} : { sessionId: sid }),
    ...(pays ? { pays } : {}),
    ...(setsUp ? { setsUp } : {}),
    ...(visit === undefined ? {} : { visitId: visit }),
  };
  return { userId: id, companyId, tokenVersion, ...kind };
}

function keyOf(secret: string): KeyObject {
  if (secret.length < 32) throw new Error("a token secret needs at least 32 characters");
  return createSecretKey(Buffer.from(secret));
}

/**
 * The unparsed claims of a token (HS256) that this key signed; null for an altered token or another signature. The key
 * signs only our tokens, so the header is not checked. Not done by the library, because it verifies in the thread
 * pool, which costs each request 0.3 ms of this process (docs/performance.md).
 */
export function readSigned(token: string, key: KeyObject): unknown {
  const [header, payload, signature, ...rest] = token.split(".");
  if (payload === undefined || signature === undefined || rest.length > 0) return null;
  const expected = createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url");
  if (!isSame(signature, expected)) return null;
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const bytes = Buffer.from(given);
  const wanted = Buffer.from(expected);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

/** Tabs of one browser renew at the same moment with the same cookie; only one of them is first. */
const PARALLEL_GRACE_MS = 60_000;

/** A session, or an account whose token is older than sessions. */
export type StoredSession = {
  tokenVersion: number;
  generation: number;
  renewedAt: Date | null;
  isEnded: boolean;
};

/**
 * Decides about a genuine refresh token. `rotate`: it is the newest one and is replaced. `repeat`: it is the one before,
 * used by another tab a moment ago, and gets the current one. `reuse`: an older one came back, so it was copied, and the
 * session ends for everybody. `ended`: its session has already ended.
 */
export function judgeRefresh(
  claims: Pick<RefreshClaims, "tokenVersion" | "generation">,
  stored: StoredSession,
  now: Date,
): "rotate" | "repeat" | "reuse" | "ended" {
  if (stored.isEnded || claims.tokenVersion !== stored.tokenVersion) return "ended";
  const age = stored.generation - claims.generation;
  if (age === 0) return "rotate";
  if (age < 0) return "ended";
  const isParallel =
    age === 1 &&
    stored.renewedAt !== null &&
    differenceInMilliseconds(now, stored.renewedAt) <= PARALLEL_GRACE_MS;
  return isParallel ? "repeat" : "reuse";
}

const SESSION = { name: "jrt", path: "/", maxAge: REFRESH_TOKEN_SECONDS };
/** Read only by sign-in and renewal. */
const BROWSER = { name: "jkb", path: "/api/auth", maxAge: KNOWN_BROWSER_SECONDS };

export type SessionCookieOptions = {
  /**
   * Origins of separately hosted clients: with one, the cookie must travel from another site, which browsers allow over
   * https only.
   */
  frontendOrigins: readonly string[];
  /** The product's own address for browsers, if configured. */
  publicUrl?: string | undefined;
};

/** The cookies of the refresh token (wire-contract 3.1) and of the known browser (`KnownBrowser`). */
export function createSessionCookies(options: SessionCookieOptions) {
  const crossSite = options.frontendOrigins.length > 0;
  return { session: cookie(SESSION, crossSite), browser: cookie(BROWSER, crossSite) };
}

/**
 * Whether a request may use the cookie: a cross-site cookie is also sent with requests that a foreign page makes for the
 * user. Browsers name the page's origin with every POST.
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

/** The known browser's token among a request's cookies. */
export function browserTokenOf(cookies: Cookies): string | null {
  return cookies[BROWSER.name] ?? null;
}

type Cookies = Readonly<Record<string, string | undefined>>;

/** Clearing needs the same attributes as setting, otherwise the browser keeps the cookie. */
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
