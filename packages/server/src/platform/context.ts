import type {
  ApiScope,
  ApiTokenId,
  CompanyId,
  ConnectionId,
  Endpoint,
  ErrorCode,
  ErrorData,
  Permission,
  PlanFlags,
  Profile,
  QueueId,
  SessionId,
  SupportVisitId,
  TokenKind,
  UserId,
} from "@balcao/contract";
import { isAllowed, permissionsOfProfile } from "@balcao/contract";

/** A signed-in user, read from the database for this request. */
export type UserActor = {
  kind: "user";
  userId: UserId;
  name: string;
  profile: Profile;
  super: boolean;
  /** Those of the user's role; absent without one: then the profile's hold. */
  permissions?: readonly Permission[];
  /** Sees pending tickets without a queue (spec 6, allTicket). */
  seesNoQueue: boolean;
  /** Includes deleted queues whose history went to one of these. */
  queueIds: readonly QueueId[];
  /** Deleted queues whose history went to no other: everybody who sees a ticket reads it. */
  ownerlessQueueIds: readonly QueueId[];
  plan: PlanFlags;
  /** The moment at which the company's subscription, or the visit, ends; absent or null without an end. */
  worksUntil?: Date | null;
  /** The visit of somebody of the provider, who has the rights of this user. */
  visitId?: SupportVisitId;
  isVisitor?: boolean;
  /** The session that acts; absent for tokens of programs, for visits and for tokens that are older than sessions. */
  sessionId?: SessionId;
  /** The password was right, but the company demands a second factor and the user has none: opens only the calls that set one up. */
  setsUp?: true;
};

/** The product itself: channels, jobs, provisioning. */
export type SystemActor = { kind: "system"; name: string };

export type Actor = UserActor | SystemActor;

/** Company, actor and request: the first argument of functions that work for a company. */
export type Ctx = {
  companyId: CompanyId;
  actor: Actor;
  requestId: string;
  /** The place that the request came from; absent for the product's own work. */
  origin?: { address: string; device: string };
};
/**
 * The context of another program, by its token: the actor is the company itself, or the owner of a personal token, with the
 * owner's present rights.
 */
export type TokenCtx = Ctx & { token: ProgramToken };
/** The token of a program. `connectionId` is set where it belongs to a connection. */
export type ProgramToken = {
  id: ApiTokenId | null;
  connectionId: ConnectionId | null;
  name: string;
  /** Null: good for every call of its kind. */
  scopes: readonly ApiScope[] | null;
};
/** A context whose actor is a signed-in user. */
export type UserCtx = Ctx & { actor: UserActor };

/** An expected refusal; the HTTP edge turns the code into status and body by the contract's table. */
export class DomainError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly data: C extends keyof ErrorData ? ErrorData[C] : unknown;

  constructor(code: C, data?: C extends keyof ErrorData ? ErrorData[C] : unknown) {
    super(code);
    this.name = "DomainError";
    this.code = code;
    this.data = data as C extends keyof ErrorData ? ErrorData[C] : unknown;
  }
}

/** Whether the actor holds a permission; the system holds all. */
export function hasPermission(ctx: Ctx, permission: Permission): boolean {
  return ctx.actor.kind === "system" || isAllowed(ctx.actor, permission);
}

/** Throws ERR_NO_PERMISSION unless the actor holds the permission. */
export function requirePermission(ctx: Ctx, permission: Permission): void {
  if (!hasPermission(ctx, permission)) throw new DomainError("ERR_NO_PERMISSION");
}

/**
 * Throws ERR_ROLE_BEYOND_OWN unless the caller holds all these, for what gives them to others or opens as much. The plan is the
 * company's and no part of it.
 */
export function requireHeld({ actor }: UserCtx, permissions: readonly Permission[]): void {
  if (actor.super) return;
  const own: readonly Permission[] = actor.permissions ?? permissionsOfProfile(actor.profile);
  const missing = permissions.filter((permission) => !own.includes(permission));
  if (missing.length > 0) throw new DomainError("ERR_ROLE_BEYOND_OWN", { permissions: missing });
}

/** Throws ERR_API_SCOPE unless a program's token has the scope. */
export function requireScope({ token: { scopes } }: TokenCtx, scope: ApiScope): void {
  if (scopes !== null && !scopes.includes(scope)) throw new DomainError("ERR_API_SCOPE", { scope });
}

/** The acting user; null for the product itself and for other programs of the company. */
export function actingUser({ actor }: Ctx): UserId | null {
  return actor.kind === "user" ? actor.userId : null;
}

/** Context of the product's own work in a company. */
export function systemCtx(
  companyId: CompanyId,
  name: string,
  requestId: string,
): Ctx & { actor: SystemActor } {
  return { companyId, actor: { kind: "system", name }, requestId };
}

/** The user of a valid access token. The user's rights are read again for each request. */
export type Identity = {
  companyId: CompanyId;
  userId: UserId;
  tokenVersion: number;
  /** Absent in tokens that are older than sessions, or that are for less than one. */
  sessionId?: SessionId;
  /** The token is for the calls of an expired company alone. */
  pays?: true;
  /** The token is for setting up a second factor alone. */
  setsUp?: true;
  /** A visit of somebody of the provider; `tokenVersion` is of that account. */
  visitId?: SupportVisitId;
};

/** Authenticates requests. The auth feature implements it; HTTP and sockets use it. */
export type Authenticator = {
  /** The holder of an access token; null when it is not ours, altered or expired. Reads no database. */
  identify(accessToken: string): Promise<Identity | null>;
  /** The id of a browser that signed in before, from its cookies; null for any other. Reads no database. */
  knownBrowser(cookies: Readonly<Record<string, string | undefined>>): string | null;
  /**
   * The holder's present rights for a call; `call` is null for a socket or a file. Throws ERR_TOKEN_EXPIRED when the
   * session was ended or the visit is over, and ERR_SESSION_EXPIRED when the user was removed or the company is suspended. If the company is
   * past its due date, a call that is not `openToExpired` throws ERR_NO_PERMISSION, and null ERR_SESSION_EXPIRED.
   */
  authorise(
    identity: Identity,
    call: Pick<Endpoint, "openToExpired" | "openToSetUp"> | null,
    requestId: string,
  ): Promise<UserCtx>;
  /** The rights of a user whose session is already authenticated; null when the user may no longer work. */
  reload(companyId: CompanyId, userId: UserId, requestId: string): Promise<UserCtx | null>;
};

/**
 * Finds the company of a token, which is never empty; null for an unknown one. Throws ERR_NO_PERMISSION for a company that may
 * not work now.
 */
export type ReadToken = (
  token: string,
  requestId: string,
) => Promise<{ ctx: TokenCtx; plan: PlanFlags } | null>;

/** The reader of each kind of token. The server does not start when a call needs a missing one. */
export type TokenReaders = Partial<Record<TokenKind, ReadToken>>;

/** A call of another program that has been answered. */
export type ProgramCall = {
  ctx: TokenCtx;
  /** As the contract names it. */
  call: string;
  status: number;
  tookMs: number;
  code: ErrorCode | null;
  /** Where it came from. */
  address: string;
};

/** The part of the server that serves other programs. */
export type Programs = {
  readers: TokenReaders;
  /** Is told of every call with a known token. */
  onCall?(call: ProgramCall): void;
};
