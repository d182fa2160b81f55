import { call } from "../../api/client.ts";
import { startSession } from "../../api/session-store.ts";

export type Credentials = { email: string; password: string };

/** Signs in on this browser. Throws `ApiError`. */
export async function signIn({ email, password }: Credentials): Promise<void> {
  const { token, user } = await call("POST /auth/login", {
    body: { email: email.trim(), password },
  });
  startSession(token, user);
}
