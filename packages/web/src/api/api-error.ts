import type { ErrorCode } from "@balcao/contract";

/** Failures the browser finds by itself, beside the server's codes. */
export type LocalErrorCode = "ERR_NETWORK" | "ERR_TIMEOUT";

/**
 * A call that did not succeed. `code` is the contract's code, a local one, or the server's text when it sent no code;
 * `message` is the text of the wire; `status` is 0 when no reply came.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: ErrorCode | LocalErrorCode | (string & {});
  readonly data: unknown;

  constructor(failure: {
    status: number;
    code: string;
    message?: string;
    data?: unknown;
    cause?: unknown;
  }) {
    super(failure.message ?? failure.code, { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code;
    this.data = failure.data;
  }
}

/** Whether `error` is a failed call with this code. */
export function hasCode(error: unknown, code: ErrorCode | LocalErrorCode): boolean {
  return error instanceof ApiError && error.code === code;
}
