import type { ApiSent, ErrorCode, ResultOf } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { FastifyRequest } from "fastify";
import type { TokenCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { RouteInput, Routes } from "../../platform/http/routes.ts";
import { listCalls } from "./calls.ts";
import type { McpDeps } from "./mcp.ts";
import { answerAssistant } from "./mcp.ts";
import type { PublicDeps } from "./public.ts";
import { registerPublicCalls } from "./public.ts";
import type { Files, SendDeps, Wish } from "./send.ts";
import { noFiles, sendForProgram, withFiles } from "./send.ts";
import type { TokensDeps } from "./tokens.ts";
import { createToken, listTokens, revokeToken } from "./tokens.ts";

export { createCallLog, sweepCallsAcrossCompanies } from "./calls.ts";
export { createTokenReaders } from "./tokens.ts";
export { createWebhooks } from "./webhooks.ts";

type ApiDeps = TokensDeps & SendDeps & PublicDeps & McpDeps;

/** What other programs call, and the tokens with which they do (docs/api.md). */
export function createApiFeature(deps: ApiDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /api-tokens", ({ ctx }) => listTokens(deps, ctx));
      routes.handle("POST /api-tokens", ({ ctx, body }) => createToken(deps, ctx, body));
      routes.handle("DELETE /api-tokens/:apiTokenId", async ({ ctx, params }) => {
        await revokeToken(deps, ctx, params.apiTokenId);
        return { message: "Token revoked" };
      });
      routes.handle("GET /api-calls", ({ ctx, query }) => listCalls(deps, ctx, query));
      routes.handle("POST /messages/send", (input) => sendByConnection(deps, input));
      routes.handle("POST /v1/messages", (input) => sendByToken(deps, input));
      routes.handle("POST /mcp", (input) => answerAssistant(deps, input));
      registerPublicCalls(deps, routes);
    },
  };
}

async function sendByToken(
  deps: ApiDeps,
  input: RouteInput<"POST /v1/messages">,
): Promise<ResultOf<"POST /v1/messages">> {
  const { ctx, request } = input;
  const given = { call: "POST /v1/messages", key: keyOf(request) };
  if (input.upload === null) {
    const { body, ...wish } = input.body;
    return sendWish(deps, ctx, { ...wish, texts: [body], marksRead: false }, noFiles, given);
  }
  const { upload } = input;
  return withFiles(deps, ctx, upload.files(), async (files) => {
    const { body: texts, ...wish } = await upload.fields();
    return sendWish(deps, ctx, { ...wish, texts, marksRead: false }, files, given);
  });
}

function sendWish(
  deps: ApiDeps,
  ctx: TokenCtx,
  wish: Wish,
  files: Files,
  given: { call: string; key: string | null },
): Promise<ApiSent> {
  if (wish.ticketId !== undefined && wish.number !== undefined) {
    const issues = [{ path: "body.ticketId", message: "not together with number" }];
    throw new DomainError("ERR_INVALID_REQUEST", { issues });
  }
  return sendForProgram(deps, ctx, wish, files, given);
}

/** `POST /api/messages/send`, for programs that were written for other products of the family (wire-contract 5.20). */
async function sendByConnection(
  deps: ApiDeps,
  input: RouteInput<"POST /messages/send">,
): Promise<ResultOf<"POST /messages/send">> {
  const { ctx, request } = input;
  const call = "POST /messages/send";
  const send = async (wish: Omit<Wish, "marksRead">, files: Files, key: string | null) => {
    const given = { call, key: keyOf(request) ?? key };
    return sendForProgram(deps, ctx, { ...wish, marksRead: true }, files, given);
  };
  try {
    if (input.upload === null) {
      const { body, idempotencyKey, ...wish } = input.body;
      return told(await send({ ...wish, texts: [body] }, noFiles, idempotencyKey));
    }
    const { upload } = input;
    return await withFiles(deps, ctx, upload.files(), async (files) => {
      const { body: texts, idempotencyKey, ...wish } = await upload.fields();
      return told(await send({ ...wish, texts }, files, idempotencyKey));
    });
  } catch (error) {
    throw asFamilySays(error);
  }
}

function told({ messageIds, ticketId }: ApiSent): ResultOf<"POST /messages/send"> {
  const messageId = messageIds.at(-1);
  if (messageId === undefined) throw new Error("nothing was sent");
  return { mensagem: "Mensagem enviada", messageId, ticketId };
}

/** Refusals that existing programs know under another name. */
const familyCodes: Partial<Record<ErrorCode, ErrorCode>> = {
  ERR_NUMBER_FORMAT: "ERR_CHECK_NUMBER",
  ERR_WAPP_INVALID_CONTACT: "ERR_CHECK_NUMBER",
  ERR_WAPP_CHECK_CONTACT: "ERR_TRY_LATER",
  ERR_WAPP_NOT_INITIALIZED: "ERR_TRY_LATER",
  ERR_CREATING_TICKET: "ERR_TRY_LATER",
};

function asFamilySays(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const code: ErrorCode = error.code;
  const known = familyCodes[code];
  return known ? new DomainError(known) : error;
}

/** The header `Idempotency-Key`; null without one. */
function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  if (typeof key !== "string" || key.trim() === "") return null;
  if (key.length <= limits.idempotencyKeyMax) return key.trim();
  const issues = [{ path: "headers.idempotency-key", message: "is too long" }];
  throw new DomainError("ERR_INVALID_REQUEST", { issues });
}
