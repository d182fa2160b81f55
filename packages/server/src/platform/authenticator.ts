import type { CompanyId, EndpointName, UserId } from "@balcao/contract";
import type { UserCtx } from "./context.ts";

/** Whom a genuine access token names; his rights are read anew for each request. */
export type Identity = { companyId: CompanyId; userId: UserId; tokenVersion: number };

/** Proves who asks. The sign-in feature implements it; HTTP and sockets use it. */
export type Authenticator = {
  /** The holder of an access token; null when it is not ours, altered or past its end. Reads no database. */
  identify(accessToken: string): Promise<Identity | null>;
  /** The id of a browser that signed in before, by its cookies; null of any other. Reads no database. */
  knownBrowser(cookies: Readonly<Record<string, string | undefined>>): string | null;
  /**
   * The holder's rights as they are at this moment. Throws ERR_TOKEN_EXPIRED when the session was ended by a newer
   * one, ERR_SESSION_EXPIRED when the user is gone or the company is disabled or past its due date (which some calls
   * allow: `call` names the one that is made, null is a socket).
   */
  authorise(identity: Identity, call: EndpointName | null, requestId: string): Promise<UserCtx>;
  /** The rights of a user whose session is already proven; null once he may not work any more. */
  reload(companyId: CompanyId, userId: UserId, requestId: string): Promise<UserCtx | null>;
};
