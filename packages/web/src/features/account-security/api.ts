import type { AccountSecurity, OpenSession, Passkey, ReplyOf, SignInEntry } from "@balcao/contract";
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { startSession } from "../../api/session-store.ts";

const KEY = "account-security";

/** The caller's second factor and passkeys. */
export const useSecurity = () =>
  useQuery<AccountSecurity>({
    queryKey: [KEY, "state"],
    queryFn: ({ signal }) => call("GET /auth/security", {}, { signal }),
    meta: { live: false },
  });

export const useSessions = () =>
  useQuery<OpenSession[]>({
    queryKey: [KEY, "sessions"],
    queryFn: ({ signal }) => call("GET /auth/sessions", {}, { signal }),
    meta: { live: false },
  });

export const useSignIns = () =>
  useQuery<SignInEntry[]>({
    queryKey: [KEY, "sign-ins"],
    queryFn: ({ signal }) => call("GET /auth/sign-ins", {}, { signal }),
    meta: { live: false },
  });

/** Reads all of it again. */
export const readSecurityAgain = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: [KEY] });

/** The second step of a sign-in, with a code of the app or a recovery code. */
export async function answerStep(
  challenge: string,
  given: { code: string } | { recoveryCode: string },
  trustBrowser: boolean,
): Promise<void> {
  const body = { challenge, trustBrowser, ...given };
  const { token, user } = await call("POST /auth/second-factor", { body });
  startSession(token, user);
}

export type Confirmed = ReplyOf<"POST /auth/factor/confirm">;

export const startFactor = (password: string) => call("POST /auth/factor", { body: { password } });
export const confirmFactor = (code: string): Promise<Confirmed> =>
  call("POST /auth/factor/confirm", { body: { code } });
export const removeFactor = (password: string) =>
  call("POST /auth/factor/remove", { body: { password } });
export const renewCodes = async (password: string): Promise<string[]> =>
  (await call("POST /auth/recovery-codes", { body: { password } })).recoveryCodes;
export const forgetBrowsers = () => call("DELETE /auth/trusted-browsers", {});
export const endSession = (sessionId: string) =>
  call("DELETE /auth/sessions/:sessionId", { params: { sessionId } });
export const endOtherSessions = () => call("DELETE /auth/sessions", {});

/** Has the browser make a passkey and adds it to the account. */
export async function addPasskey(password: string, name: string): Promise<void> {
  const { step, options } = await call("POST /auth/passkeys/options", { body: { password } });
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await startRegistration({ optionsJSON });
  await call("POST /auth/passkeys", { body: { step, name, credential: { ...credential } } });
}

export const renamePasskey = ({ id }: Passkey, name: string) =>
  call("PUT /auth/passkeys/:passkeyId", { params: { passkeyId: id }, body: { name } });
export const removePasskey = ({ id }: Passkey, password: string) =>
  call("POST /auth/passkeys/:passkeyId/remove", { params: { passkeyId: id }, body: { password } });

/** Signs in with a passkey that the user chooses in the browser. False when the user chose none. */
export async function signInWithPasskey(): Promise<boolean> {
  const { step, options } = await call("POST /auth/passkey/options", {});
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const credential = await startAuthentication({ optionsJSON }).catch(unlessRefused);
  if (credential === null) return false;
  const body = { step, credential: { ...credential } };
  const { token, user } = await call("POST /auth/passkey", { body });
  startSession(token, user);
  return true;
}

/** Null for a user who has closed the browser's question, or has no passkey here. */
export function unlessRefused(error: unknown): null {
  if (error instanceof Error && /^(NotAllowedError|AbortError)$/.test(error.name)) return null;
  throw error;
}

/** Saves what the company demands of a sign-in; a live event brings it to all windows. */
export const saveDemand = (
  key: "secondFactor" | "severalSessions" | "newDeviceMail",
  value: string,
) => call("PUT /settings/:key", { params: { key }, body: { value } });

/** The sign-ins of a colleague, with the state of the account's security. */
export const readSignIns = (userId: number, pageNumber: number, signal: AbortSignal) =>
  call("GET /users/:userId/sign-ins", { params: { userId }, query: { pageNumber } }, { signal });
export const endSessionsOf = (userId: number) =>
  call("DELETE /users/:userId/sessions", { params: { userId } });
export const resetFactorOf = (userId: number) =>
  call("DELETE /users/:userId/factor", { params: { userId } });
