import type { ErrorCode } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";

const unsendable: ReadonlySet<ErrorCode> = new Set([
  "ERR_WAPP_NOT_INITIALIZED",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_WAPP_WINDOW_CLOSED",
]);

/** Whether a ticket has nobody or nothing to send a text by; found out before anything is written. */
export function isUnsendable(error: unknown): boolean {
  return error instanceof DomainError && unsendable.has(error.code);
}
