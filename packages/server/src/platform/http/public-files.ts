import type { Readable } from "node:stream";
import type { CompanyId } from "@balcao/contract";
import { companyId as companyIdSchema } from "@balcao/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../authenticator.ts";
import { DomainError } from "../context.ts";
import { readRange } from "./byte-range.ts";
import { dispositionOf } from "./disposition.ts";
import { bearerOf } from "./guard.ts";

export type PublicFile = {
  mime: string;
  bytes: number;
  /** Changes with the content. */
  tag: string;
  /** Under which it is saved; null when it has none. */
  name: string | null;
  /** The content from `start` to `end` (inclusive); null when it is gone. */
  open(range?: { start: number; end: number }): Promise<Readable | null>;
};

export type PublicFileRequest = {
  companyId: CompanyId;
  key: string;
  /** What the address carries to open without a bearer. */
  signature: { exp: string; sig: string } | null;
  /** Whose company's bearer came along; null without a valid one. */
  bearerCompanyId(): Promise<CompanyId | null>;
};

/** The file of an address; null for whoever may not have it, as if there were none. */
export type FindPublicFile = (request: PublicFileRequest) => Promise<PublicFile | null>;

const FOLDER = /^company(\d{1,10})$/;

/** What browsers show by themselves and cannot be made to run (wire-contract 8.3); all else is saved. */
const SHOWN =
  /^(image\/(jpeg|png|gif|webp)|audio\/(mpeg|ogg|mp4|aac|amr|wav|webm|flac)|video\/(mp4|webm|quicktime|3gpp|ogg))(;|$)/;
const PDF = "application/pdf";

/** Whatever a file holds, it may not load, run or be framed. A browser's viewer of PDFs does not work in a sandbox. */
const CSP = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox";
const PDF_CSP =
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/** Serves `/public/company<id>/<key>`, whole or in parts, to who has a signed address or a bearer of the company. */
export function servePublicFiles(
  app: FastifyInstance,
  { authenticator, find }: { authenticator: Authenticator; find: FindPublicFile },
): void {
  app.route<{ Params: { folder: string; key: string }; Querystring: Record<string, unknown> }>({
    method: ["GET", "HEAD"],
    url: "/public/:folder/:key",
    schema: { hide: true },
    handler: async (request, reply) => {
      const { params, query } = request;
      const companyId = companyIdSchema.safeParse(FOLDER.exec(params.folder)?.[1]);
      const file = companyId.success
        ? await find({
            companyId: companyId.data,
            key: params.key,
            signature: signatureOf(query),
            bearerCompanyId: () => companyOfBearer(authenticator, request),
          })
        : null;
      if (file === null) throw new DomainError("ERR_ROUTE_NOT_FOUND");
      return sendFile(request, reply, file, { isSaved: query["download"] !== undefined });
    },
  });
}

function signatureOf({ exp, sig }: Record<string, unknown>): PublicFileRequest["signature"] {
  return typeof exp === "string" && typeof sig === "string" ? { exp, sig } : null;
}

async function companyOfBearer(
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<CompanyId | null> {
  const token = bearerOf(request);
  const identity = token === null ? null : await authenticator.identify(token);
  if (identity === null) return null;
  try {
    return (await authenticator.authorise(identity, null, request.id)).companyId;
  } catch (error) {
    // His session has ended: then he is nobody, and hears nothing about the file.
    if (error instanceof DomainError) return null;
    throw error;
  }
}

async function sendFile(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  file: PublicFile,
  { isSaved }: { isSaved: boolean },
): Promise<FastifyReply> {
  const etag = `"${file.tag}"`;
  const isPdf = file.mime === PDF;
  const isShown = !isSaved && (isPdf || SHOWN.test(file.mime));
  reply.headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=86400, immutable",
    vary: "authorization, origin",
    "content-security-policy": isPdf && isShown ? PDF_CSP : CSP,
    "x-content-type-options": "nosniff",
  });
  if (headers["if-none-match"] === etag) return reply.status(304).send();

  const isSameAsBefore = headers["if-range"] === undefined || headers["if-range"] === etag;
  const range = readRange(isSameAsBefore ? headers.range : undefined, file.bytes);
  if (range === "unsatisfiable") {
    return reply.status(416).header("content-range", `bytes */${file.bytes}`).send();
  }
  reply.headers({
    "content-type": file.mime,
    "content-disposition": dispositionOf(isShown ? "inline" : "attachment", file.name),
    "content-length": range === null ? file.bytes : range.end - range.start + 1,
  });
  if (range !== null) {
    reply.status(206).header("content-range", `bytes ${range.start}-${range.end}/${file.bytes}`);
  }
  if (method === "HEAD") return reply.send();
  const content = await file.open(range ?? undefined);
  if (content === null) throw new DomainError("ERR_ROUTE_NOT_FOUND");
  return reply.send(content);
}
