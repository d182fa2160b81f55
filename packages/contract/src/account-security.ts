import { z } from "zod";
import { session } from "./auth.ts";
import { defineEndpoints } from "./endpoint.ts";
import { passkeyId, sessionId, signInId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { emptyReply, isoDate, pageNumber, text } from "./primitives.ts";

/** How an account was signed in to. `password` is the password alone, the other first ones the password and something else. */
export const signInMethods = [
  ...(["password", "code", "recovery-code", "trusted-browser"] as const),
  ...(["passkey", "set-up"] as const),
] as const;
export type SignInMethod = (typeof signInMethods)[number];

/**
 * Why a sign-in to an account was refused. `factor`: the password was right, and the code was asked for. `copied`: an old refresh
 * token came back, so somebody has a copy of it.
 */
export const signInRefusals = [
  ...(["password", "factor", "code", "passkey", "set-up"] as const),
  ...(["subscription", "disabled", "copied"] as const),
] as const;
export type SignInRefusal = (typeof signInRefusals)[number];

export const signInEntry = z.object({
  id: signInId,
  at: isoDate,
  device: z.string(),
  address: z.string(),
  method: z.enum(signInMethods),
  /** Null for one that succeeded. */
  refusal: z.enum(signInRefusals).nullable(),
});
export type SignInEntry = z.output<typeof signInEntry>;

export const openSession = z.object({
  id: sessionId,
  device: z.string(),
  address: z.string(),
  method: z.enum(signInMethods),
  createdAt: isoDate,
  /** When it was renewed last, which happens once an hour. */
  usedAt: isoDate,
  isOwn: z.boolean(),
});
export type OpenSession = z.output<typeof openSession>;

export const passkey = z.object({
  id: passkeyId,
  name: z.string(),
  createdAt: isoDate,
  usedAt: isoDate.nullable(),
});
export type Passkey = z.output<typeof passkey>;

export const accountSecurity = z.object({
  /** Since when a code of an app is asked for; null: the password is enough. */
  factorSince: isoDate.nullable(),
  codesLeft: z.number(),
  passkeys: z.array(passkey),
  /** Browsers that are not asked for a code now. */
  trustedBrowsers: z.number(),
  /** The company demands a second factor of its users. */
  isDemanded: z.boolean(),
  /** The address of the page is one that passkeys can belong to. */
  offersPasskeys: z.boolean(),
});
export type AccountSecurity = z.output<typeof accountSecurity>;

const password = text(limits.passwordMax);
const withPassword = z.object({ password: password.min(1) });
const recoveryCodes = z.array(z.string());
const passkeyName = text(limits.passkeyNameMax).trim().min(1);

/** The answer of a browser; it is read where it is checked. */
const credential = z.record(text(100), z.unknown());

/** The argument of `navigator.credentials`, as JSON. `step` comes back with the answer. */
const passkeyOptions = z.object({ step: z.string(), options: z.record(z.string(), z.unknown()) });

const asksPassword = ["ERR_PASSWORD_WRONG", "ERR_TOO_MANY_REQUESTS", "ERR_NO_PERMISSION"] as const;

/** Errors of every call that opens a session after something else than the password. */
const opens = [
  ...(["ERR_CHALLENGE_OVER", "ERR_TOO_MANY_REQUESTS", "ERR_COMPANY_DISABLED"] as const),
  ...(["ERR_SUBSCRIPTION_EXPIRED", "ERR_NO_PERMISSION", "ERR_INVALID_CREDENTIALS"] as const),
] as const;

export const accountSecurityEndpoints = defineEndpoints({
  "POST /auth/second-factor": {
    summary: "Second step of a sign-in that was answered with ERR_SECOND_FACTOR",
    auth: "none",
    body: z.object({
      challenge: text(200).min(1),
      code: text(20).optional(),
      recoveryCode: text(40).optional(),
      trustBrowser: z.boolean().default(false),
    }),
    reply: session,
    errors: [...opens, "ERR_FACTOR_WRONG"],
  },
  "GET /auth/security": {
    summary: "Second factor and passkeys of the caller",
    auth: "bearer",
    openToSetUp: true,
    reply: accountSecurity,
    errors: [],
  },
  "POST /auth/factor": {
    summary:
      "A new secret for an authenticator app, which counts after its first code. A session sends the password",
    auth: "bearer",
    openToSetUp: true,
    body: z.object({ password: password.default("") }),
    reply: z.object({ secret: z.string(), uri: z.string() }),
    errors: [...asksPassword, "ERR_FACTOR_ON", "ERR_PASSKEY_NEEDED"],
  },
  "POST /auth/factor/confirm": {
    summary:
      "Switches the second factor on by its first code. Without a session before, it opens one",
    auth: "bearer",
    openToSetUp: true,
    body: z.object({ code: text(20).min(1) }),
    reply: z.object({ recoveryCodes, session: session.nullable() }),
    errors: [...opens, "ERR_FACTOR_WRONG", "ERR_FACTOR_ON", "ERR_FACTOR_OFF", "ERR_PASSKEY_NEEDED"],
  },
  "POST /auth/factor/remove": {
    summary: "Switches the second factor off",
    auth: "bearer",
    body: withPassword,
    reply: emptyReply,
    errors: [...asksPassword, "ERR_FACTOR_OFF", "ERR_FACTOR_DEMANDED"],
  },
  "POST /auth/recovery-codes": {
    summary: "Ten new recovery codes; the ones before are void",
    auth: "bearer",
    body: withPassword,
    reply: z.object({ recoveryCodes }),
    errors: [...asksPassword, "ERR_FACTOR_OFF"],
  },
  "DELETE /auth/trusted-browsers": {
    summary: "Every browser of the caller is asked for a code again",
    auth: "bearer",
    reply: emptyReply,
    errors: [],
  },
  "POST /auth/passkeys/options": {
    summary: "What a browser needs to make a passkey",
    auth: "bearer",
    body: withPassword,
    reply: passkeyOptions,
    errors: [...asksPassword, "ERR_PASSKEYS_NOT_OFFERED", "ERR_PASSKEY_LIMIT"],
  },
  "POST /auth/passkeys": {
    summary: "Adds the passkey that the browser made",
    auth: "bearer",
    body: z.object({ step: text(200).min(1), name: passkeyName, credential }),
    reply: passkey,
    status: 201,
    errors: [
      "ERR_CHALLENGE_OVER",
      "ERR_PASSKEY_REFUSED",
      "ERR_PASSKEYS_NOT_OFFERED",
      "ERR_PASSKEY_LIMIT",
    ],
  },
  "PUT /auth/passkeys/:passkeyId": {
    summary: "Names a passkey",
    auth: "bearer",
    params: z.object({ passkeyId }),
    body: z.object({ name: passkeyName }),
    reply: passkey,
    errors: ["ERR_NO_PASSKEY_FOUND"],
  },
  "POST /auth/passkeys/:passkeyId/remove": {
    summary: "Removes a passkey",
    auth: "bearer",
    params: z.object({ passkeyId }),
    body: withPassword,
    reply: emptyReply,
    errors: [...asksPassword, "ERR_NO_PASSKEY_FOUND"],
  },
  "POST /auth/passkey/options": {
    summary: "What a browser needs to sign in with a passkey",
    auth: "none",
    reply: passkeyOptions,
    errors: ["ERR_PASSKEYS_NOT_OFFERED", "ERR_TOO_MANY_REQUESTS"],
  },
  "POST /auth/passkey": {
    summary: "Signs in with a passkey, which stands for the password and the second factor",
    auth: "none",
    body: z.object({ step: text(200).min(1), credential }),
    reply: session,
    errors: [...opens, "ERR_PASSKEY_REFUSED", "ERR_PASSKEYS_NOT_OFFERED"],
  },
  "GET /auth/sessions": {
    summary: "The open sessions of the caller, the last used first",
    auth: "bearer",
    reply: z.array(openSession),
    errors: [],
  },
  "DELETE /auth/sessions/:sessionId": {
    summary: "Ends a session of the caller",
    auth: "bearer",
    params: z.object({ sessionId }),
    reply: emptyReply,
    errors: ["ERR_NO_SESSION_FOUND"],
  },
  "DELETE /auth/sessions": {
    summary: "Ends all sessions of the caller but this one",
    auth: "bearer",
    reply: z.object({ count: z.number() }),
    errors: [],
  },
  "GET /auth/sign-ins": {
    summary: "The last sign-ins to the caller's account",
    auth: "bearer",
    reply: z.array(signInEntry),
    errors: [],
  },
  "GET /users/:userId/sign-ins": {
    summary: "One page of the sign-ins to a user's account, the newest first, with its security",
    auth: "bearer",
    permission: "users:manage",
    params: z.object({ userId }),
    query: z.object({ pageNumber }),
    reply: z.object({
      signIns: z.array(signInEntry),
      count: z.number(),
      hasMore: z.boolean(),
      hasFactor: z.boolean(),
      passkeys: z.number(),
      sessions: z.number(),
    }),
    errors: ["ERR_NO_USER_FOUND"],
  },
  "DELETE /users/:userId/sessions": {
    summary: "Ends all sessions of a user",
    auth: "bearer",
    permission: "users:manage",
    params: z.object({ userId }),
    reply: emptyReply,
    errors: ["ERR_NO_USER_FOUND", "ERR_NO_SUPER", "ERR_USER_IS_SELF", "ERR_ROLE_BEYOND_OWN"],
  },
  "DELETE /users/:userId/factor": {
    summary:
      "Removes the second factor and the passkeys of a user who has lost them, and ends the sessions",
    auth: "bearer",
    permission: "users:manage",
    params: z.object({ userId }),
    reply: emptyReply,
    errors: ["ERR_NO_USER_FOUND", "ERR_NO_SUPER", "ERR_USER_IS_SELF", "ERR_ROLE_BEYOND_OWN"],
  },
});
