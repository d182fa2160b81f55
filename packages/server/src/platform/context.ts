import type {
  CompanyId,
  ErrorCode,
  ErrorData,
  Permission,
  PlanFlags,
  Profile,
  QueueId,
  UserId,
} from "@balcao/contract";
import { isAllowed } from "@balcao/contract";

/** A signed-in user, read from the database for this request. */
export type UserActor = {
  kind: "user";
  userId: UserId;
  name: string;
  profile: Profile;
  super: boolean;
  /** Sees pending tickets without a queue (spec 6, allTicket). */
  seesNoQueue: boolean;
  /** With the deleted ones whose history went to one of these. */
  queueIds: readonly QueueId[];
  /** Deleted ones whose history went to nobody: whoever sees a ticket reads it. */
  ownerlessQueueIds: readonly QueueId[];
  plan: PlanFlags;
  /** The moment at which the company's subscription ends; absent or null without an end. */
  worksUntil?: Date | null;
};

/** The product itself: channels, jobs, provisioning. */
export type SystemActor = { kind: "system"; name: string };

export type Actor = UserActor | SystemActor;

/** For whom and by whom something is done; the first argument of every service and repository function. */
export type Ctx = { companyId: CompanyId; actor: Actor; requestId: string };
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

/** Context of the product's own work in a company. */
export function systemCtx(companyId: CompanyId, name: string, requestId: string): Ctx {
  return { companyId, actor: { kind: "system", name }, requestId };
}
