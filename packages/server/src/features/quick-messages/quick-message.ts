import type { CompanyId, QuickMessage, QuickMessageId, UserId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import { toIso } from "../../platform/db/row-dates.ts";

export type QuickMessageRow = {
  id: QuickMessageId;
  companyId: CompanyId;
  /** Null once the owner is gone. */
  userId: UserId | null;
  shortcode: string;
  message: string;
  geral: boolean;
  status: boolean;
  fileKey: string | null;
  fileName: string | null;
  fileMime: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Makes the address of a company's file. */
export type AddressOf = (companyId: CompanyId, key: string) => string;

export function toQuickMessageDto(row: QuickMessageRow, addressOf: AddressOf): QuickMessage {
  return {
    id: row.id,
    shortcode: row.shortcode,
    message: row.message,
    geral: row.geral,
    status: row.status,
    isMedia: row.fileKey !== null,
    mediaPath: row.fileKey === null ? null : addressOf(row.companyId, row.fileKey),
    mediaName: row.fileName,
    mediaMime: row.fileMime,
    userId: row.userId,
    companyId: row.companyId,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

/** The row as the caller may see it: his own and the company's; admins see every one. */
export function assertVisible(
  ctx: UserCtx,
  row: QuickMessageRow | undefined,
): asserts row is QuickMessageRow {
  const isVisible = row && (row.geral || row.userId === ctx.actor.userId || managesAll(ctx));
  if (!isVisible) throw new DomainError("ERR_NO_QUICKMESSAGE_FOUND");
}

/** What everybody has is the admins' to make and to change (wire-contract 4.2). */
export function assertMayWrite(ctx: Ctx, { geral }: Pick<QuickMessageRow, "geral">): void {
  if (geral && !managesAll(ctx)) throw new DomainError("ERR_NO_PERMISSION");
}

function managesAll(ctx: Ctx): boolean {
  return hasPermission(ctx, "quick-messages:manage-all");
}
