import type { UserChange, UserId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { AccountRow } from "./session-user.ts";

/** A change without what is no part of the record: a user stays in the company. */
export type PermittedChange = Omit<UserChange, "companyId" | "currentPassword">;

/**
 * What of a change the caller may make. Of himself everybody changes name, e-mail and password; clients of the family send
 * the whole record, so other keys are ignored, not refused (wire-contract 4.2).
 */
export function permittedChange(ctx: UserCtx, change: UserChange): PermittedChange {
  const { name, email, password, companyId: _, currentPassword: __, ...privileged } = change;
  const own = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(password ? { password } : {}),
  };
  return hasPermission(ctx, "users:manage") ? { ...own, ...privileged } : own;
}

/** Whether earlier sessions of the account end: whoever has an old password or profile signs in again. */
export function endsSessions(
  before: Pick<AccountRow, "profile">,
  change: PermittedChange,
): boolean {
  const isOtherProfile = change.profile !== undefined && change.profile !== before.profile;
  return change.password !== undefined || isOtherProfile;
}

/** Whether the change takes over how the account signs in, so that the present password is asked for. */
export function changesSignIn(before: Pick<AccountRow, "email">, change: PermittedChange): boolean {
  const isOtherEmail = change.email !== undefined && change.email !== before.email;
  return change.password !== undefined || isOtherEmail;
}

/** Whether the change takes an admin's profile away. */
export function isDemotion(before: Pick<AccountRow, "profile">, change: PermittedChange): boolean {
  const { profile } = change;
  return before.profile === "admin" && profile !== undefined && profile !== "admin";
}

/** Throws ERR_NO_PERMISSION unless the caller is this user himself or manages users. */
export function requireSelfOrManager(ctx: UserCtx, userId: UserId): void {
  const isSelf = ctx.actor.userId === userId;
  if (!isSelf && !hasPermission(ctx, "users:manage")) throw new DomainError("ERR_NO_PERMISSION");
}

/**
 * Throws ERR_NO_SUPER when an admin would take over, or take away, somebody who may do more than he: a user with the super
 * flag is changed by himself and by his like.
 */
export function requireNoLess(ctx: UserCtx, account: Pick<AccountRow, "id" | "super">): void {
  const isSelf = ctx.actor.userId === account.id;
  if (account.super && !ctx.actor.super && !isSelf) throw new DomainError("ERR_NO_SUPER");
}
