import type { ErrorCode, ErrorReply } from "@balcao/contract";
import { errorStatus, errorWireText } from "@balcao/contract";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { DomainError } from "../context.ts";
import { isUnavailable } from "../db/unavailable.ts";

/** How an error leaves the server, and whether people must hear of it. */
export type ErrorAnswer = {
  status: number;
  body: ErrorReply;
  retryAfterSeconds?: number;
  /** `expected`: the caller's affair. `unavailable`: the installation's state. `fault`: a defect of ours. */
  kind: "expected" | "unavailable" | "fault";
};

const RETRY_AFTER_SECONDS = 5;
const MAX_ISSUES = 20;

/** The only place where errors become replies (wire-contract 1, "Errors"; 10). */
export function toErrorAnswer(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof DomainError) return ofDomainError(error, requestId);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const part = error.validationContext ?? "request";
    // Paths and messages only: values may be secrets.
    const issues = error.validation.slice(0, MAX_ISSUES).map(({ instancePath, message }) => ({
      path: [part, ...instancePath.split("/").filter((step) => step !== "")].join("."),
      message: message ?? "",
    }));
    return answer("ERR_INVALID_REQUEST", requestId, { issues });
  }
  const status = statusOf(error);
  if (isUnavailable(error) || status === 503) return unavailable(requestId);
  if (status === 413) return answer("ERR_BODY_TOO_LARGE", requestId);
  if (status === 415) return answer("ERR_UNSUPPORTED_MEDIA_TYPE", requestId);
  if (status === 404) return answer("ERR_ROUTE_NOT_FOUND", requestId);
  if (status >= 400 && status < 500) return answer("ERR_INVALID_REQUEST", requestId);
  return answer("ERR_INTERNAL", requestId);
}

function ofDomainError(error: DomainError, requestId: string): ErrorAnswer {
  if (error.code === "ERR_UNAVAILABLE") return unavailable(requestId);
  const result = answer(error.code, requestId, error.data);
  const wait = fieldOf(error.data, "retryAfterSeconds");
  return typeof wait === "number" ? { ...result, retryAfterSeconds: wait } : result;
}

function unavailable(requestId: string): ErrorAnswer {
  return { ...answer("ERR_UNAVAILABLE", requestId), retryAfterSeconds: RETRY_AFTER_SECONDS };
}

function answer(code: ErrorCode, requestId: string, data?: unknown): ErrorAnswer {
  const status = errorStatus[code];
  const body: ErrorReply = { error: wireText(code, data), code, requestId };
  if (data !== undefined) body.data = data;
  if (code === "ERR_WAPP_INVALID_CONTACT") body.invalido = true;
  return { status, body, kind: kindOf(status) };
}

function kindOf(status: number): ErrorAnswer["kind"] {
  if (status === 503) return "unavailable";
  return status >= 500 ? "fault" : "expected";
}

function wireText(code: ErrorCode, data: unknown): string {
  // Clients of the family read the ticket out of the text (wire-contract 6.3).
  if (code === "ERR_TICKET_EXISTS") return JSON.stringify(data);
  const texts: Partial<Record<ErrorCode, string>> = errorWireText;
  // `{date}`, `{max}`: fields of the error's data.
  return (texts[code] ?? code).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fieldOf(data, name);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  });
}

function fieldOf(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined;
}

/** The status the framework or a plugin chose; 500 without one. */
function statusOf(error: unknown): number {
  const status = fieldOf(error, "statusCode");
  return typeof status === "number" ? status : 500;
}
