import { companyId, userId } from "@balcao/contract";
import { jwtVerify, SignJWT } from "jose";
import type { CryptoKey, JWTPayload } from "jose";
import { z } from "zod";
import type { Identity } from "../../platform/authenticator.ts";
import type { Clock } from "../../platform/sources.ts";
import type { AccountRow } from "../users/index.ts";

const ACCESS_TOKEN_SECONDS = 60 * 60;
export const REFRESH_TOKEN_SECONDS = 14 * 24 * 60 * 60;

export type TokenSecrets = { accessToken: string; refreshToken: string };

/** What a refresh token claims; `generation` counts the refreshes of the session. */
export type RefreshClaims = Identity & { generation: number };

const identityClaims = z.object({ id: userId, companyId, tokenVersion: z.int() });
const refreshClaims = identityClaims.extend({ generation: z.int() });

export type Tokens = {
  signAccess(account: AccountRow): Promise<string>;
  signRefresh(account: AccountRow): Promise<string>;
  /** Null when the token is not ours, altered or past its end. */
  readAccess(token: string): Promise<Identity | null>;
  readRefresh(token: string): Promise<RefreshClaims | null>;
};

/** Access and refresh tokens (wire-contract 3.1): HS256 with a secret each, so that neither passes for the other. */
export function createTokens(deps: { secrets: TokenSecrets; clock: Clock }): Tokens {
  const { secrets, clock } = deps;
  const accessKey = importKey(secrets.accessToken);
  const refreshKey = importKey(secrets.refreshToken);

  async function sign(
    claims: JWTPayload,
    seconds: number,
    key: Promise<CryptoKey>,
  ): Promise<string> {
    const issuedAt = Math.floor(clock.now().getTime() / 1_000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .sign(await key);
  }

  async function read(token: string, key: Promise<CryptoKey>): Promise<JWTPayload | null> {
    const verificationKey = await key;
    try {
      const { payload } = await jwtVerify(token, verificationKey, {
        algorithms: ["HS256"],
        currentDate: clock.now(),
        requiredClaims: ["exp"],
      });
      return payload;
    } catch {
      return null; // whatever is wrong with it, it proves nothing
    }
  }

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

    async readAccess(token) {
      const claims = identityClaims.safeParse(await read(token, accessKey));
      if (!claims.success) return null;
      const { id, ...rest } = claims.data;
      return { userId: id, ...rest };
    },

    async readRefresh(token) {
      const claims = refreshClaims.safeParse(await read(token, refreshKey));
      if (!claims.success) return null;
      const { id, ...rest } = claims.data;
      return { userId: id, ...rest };
    },
  };
}

/** Imported once: per token it would cost more than the signature. */
function importKey(secret: string): Promise<CryptoKey> {
  if (secret.length < 32) throw new Error("a token secret needs at least 32 characters");
  return crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign", "verify"],
  );
}
