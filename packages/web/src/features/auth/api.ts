import type { Plan, RequestOf } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { startSession } from "../../api/session-store.ts";
import { currentLanguage } from "../../i18n/index.ts";

export type Credentials = { email: string; password: string };

/** Signs in on this browser. Throws `ApiError`. */
export async function signIn({ email, password }: Credentials): Promise<void> {
  const { token, user } = await call("POST /auth/login", {
    body: { email: email.trim(), password },
  });
  startSession(token, user);
}

/** Has a code sent to a user. Returns until when it is valid; null when nobody has this e-mail. */
export async function askForCode(email: string): Promise<string | null> {
  const language = currentLanguage();
  const { validUntil } = await call("POST /forgetpassword", { body: { email, language } });
  return validUntil ?? null;
}

/** Sets a new password by a code. Throws `ApiError`. */
export async function setPassword(body: RequestOf<"POST /resetpasswords">["body"]): Promise<void> {
  await call("POST /resetpasswords", { body });
}

const readSetting = async (key: "allowregister" | "viewregister" | "trial", signal: AbortSignal) =>
  (await call("GET /settings/:key", { params: { key } }, { signal })).value;

/** Whether the sign-in page leads to the sign-up. */
export async function isSignUpShown(signal: AbortSignal): Promise<boolean> {
  const read = (["allowregister", "viewregister"] as const).map((key) => readSetting(key, signal));
  return (await Promise.all(read)).every((value) => value === "enabled");
}

const DAY_MS = 86_400_000;

export type Offer = {
  isOpen: boolean;
  trialDays: number;
  /** The first day that costs. */
  costsFrom: string;
  plans: readonly Plan[];
};

/** Whether and for which plans companies may sign up; the cheapest plan first. */
export async function readOffer(signal: AbortSignal): Promise<Offer> {
  const [allowed, trial, plans] = await Promise.all([
    readSetting("allowregister", signal),
    readSetting("trial", signal),
    call("GET /plans/register", {}, { signal }),
  ]);
  const trialDays = Number(trial);
  const costsFrom = new Date(Date.now() + trialDays * DAY_MS).toISOString();
  return { isOpen: allowed === "enabled", trialDays, costsFrom, plans };
}

/** A company signs up. Throws `ApiError`. */
export async function signUp(body: RequestOf<"POST /companies/cadastro">["body"]): Promise<void> {
  await call("POST /companies/cadastro", { body });
}
