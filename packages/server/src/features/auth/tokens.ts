import type { KeyObject } from "node:crypto";
import { createHmac, createSecretKey } from "node:crypto";
import type { UserId } from "@balcao/contract";
import { companyId, userId } from "@balcao/contract";
import { SignJWT } from "jose";
import type { JWTPayload } from "jose";
import { z } from "zod";
import type { Identity } from "../../platform/authenticator.ts";
import type { Clock } from "../../platform/sources.ts";
import type { AccountRow } from "../users/index.ts";
import { readSigned } from "./signed-claims.ts";

const ACCESS_TOKEN_SECONDS = 60 * 60;
export const REFRESH_TOKEN_SECONDS = 14 * 24 * 60 * 60;

export type TokenSecrets = { accessToken: string; refreshToken: string };

/** What a refresh token claims; `generation` counts the refreshes of the session. */
export type RefreshClaims = Identity & { generation: number };

const identityClaims = z.object({ id: userId, companyId, tokenVersion: z.int(), exp: z.number() });
const refreshClaims = identityClaims.extend({ generation: z.int() });

/** A browser that signed in before, to the accounts of these users; the latest first. */
export type KnownBrowser = { id: string; userIds: UserId[] };

const browserClaims = z.object({ browser: z.string(), users: z.array(userId), exp: z.number() });

/** Browsers keep no cookie longer. */
export const KNOWN_BROWSER_SECONDS = 400 * 24 * 60 * 60;

export type Tokens = {
  signAccess(account: AccountRow): Promise<string>;
  signRefresh(account: AccountRow): Promise<string>;
  /** Null when the token is not ours, altered or past its end. */
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

  const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);

  return {
    signAccess: (account) =>
      // `usarname` is the family's spelling.
      sign(
        {
          usarname: account.name,
          profile: account.profile,
          id: account.id,
          companyId: account.companyId,
          tokenVersion: account.tokenVersion,
        },
        ACCESS_TOKEN_SECONDS,
        accessKey,
      ),

    signRefresh: (account) =>
      sign(
        {
          id: account.id,
          tokenVersion: account.tokenVersion,
          companyId: account.companyId,
          generation: account.refreshGeneration,
        },
        REFRESH_TOKEN_SECONDS,
        refreshKey,
      ),

    signBrowser: ({ id, userIds }) =>
      sign({ browser: id, users: userIds }, KNOWN_BROWSER_SECONDS, browserKey),

    readBrowser(token) {
      const claims = browserClaims.safeParse(readSigned(token, browserKey));
      if (!claims.success || claims.data.exp <= nowSeconds()) return null;
      return { id: claims.data.browser, userIds: claims.data.users };
    },

    async readAccess(token) {
      const claims = identityClaims.safeParse(readSigned(token, accessKey));
      if (!claims.success || claims.data.exp <= nowSeconds()) return null;
      const { id, companyId, tokenVersion } = claims.data;
      return { userId: id, companyId, tokenVersion };
    },

    async readRefresh(token) {
      const claims = refreshClaims.safeParse(readSigned(token, refreshKey));
      if (!claims.success || claims.data.exp <= nowSeconds()) return null;
      const { id, companyId, tokenVersion, generation } = claims.data;
      return { userId: id, companyId, tokenVersion, generation };
    },
  };
}

function keyOf(secret: string): KeyObject {
  if (secret.length < 32) throw new Error("a token secret needs at least 32 characters");
  return createSecretKey(Buffer.from(secret));
}
