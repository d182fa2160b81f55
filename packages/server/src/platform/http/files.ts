import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { CompanyId } from "@balcao/contract";
import { companyId as companyIdSchema } from "@balcao/contract";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../context.ts";
import { DomainError } from "../context.ts";
import { isUnavailable } from "../db/database.ts";
import type { HashedFile } from "./app-files.ts";
import { serveAppFiles } from "./app-files.ts";
import { API_PREFIX } from "./docs.ts";
import type { LookOfHost } from "./page.ts";
import { createPages } from "./page.ts";
import { bearerOf } from "./security.ts";

/** Bytes from `start` to `end`, both included. */
type ByteRange = { start: number; end: number };

type PublicFile = {
  mime: string;
  bytes: number;
  /** Changes with the content. */
  tag: string;
  /** File name for saving; null when it has none. */
  name: string | null;
  /** The content, or a part of it; null when the file is gone. */
  open(range?: ByteRange): Promise<Readable | null>;
};

type PublicFileRequest = {
  companyId: CompanyId;
  key: string;
  /** From the query; opens the file without a bearer. */
  signature: { exp: string; sig: string } | null;
  /** The company of the request's bearer; null without a valid one. */
  bearerCompanyId(): Promise<CompanyId | null>;
};

/** Finds the file of an address; null when there is none or the request may not have it. */
export type FindPublicFile = (request: PublicFileRequest) => Promise<PublicFile | null>;

const FOLDER = /^company(\d{1,10})$/;

/** Types that browsers display and cannot execute (wire-contract 8.3); all others are downloaded. */
const SHOWN =
  /^(image\/(jpeg|png|gif|webp)|audio\/(mpeg|ogg|mp4|aac|amr|wav|webm|flac)|video\/(mp4|webm|quicktime|3gpp|ogg))(;|$)/;
const PDF = "application/pdf";

/** A file may not load anything, run scripts or be framed. Browsers' PDF viewers do not work in a sandbox. */
const NOWHERE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CSP = `default-src 'none'; style-src 'unsafe-inline'; ${NOWHERE}; sandbox`;
const PDF_CSP = `default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; ${NOWHERE}`;

/**
 * Serves `/public/company<id>/<key>`, whole or in parts, for a signed address or a bearer of the company; also below `/api`:
 * other clients put the path of an address behind their base URL.
 */
export function servePublicFiles(
  app: FastifyInstance,
  { authenticator, find }: { authenticator: Authenticator; find: FindPublicFile },
): void {
  type Parts = { Params: { folder: string; key: string }; Querystring: Record<string, unknown> };
  const serve = async (request: FastifyRequest<Parts>, reply: FastifyReply) => {
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
  };
  for (const prefix of ["", API_PREFIX]) {
    const url = `${prefix}/public/:folder/:key`;
    app.route<Parts>({ method: ["GET", "HEAD"], url, schema: { hide: true }, handler: serve });
  }
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
    // The session has ended: the reply is the same as without a bearer.
    if (error instanceof DomainError && !isUnavailable(error)) return null;
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
  const isKnown = headers["if-none-match"] === etag;
  const isSameAsBefore = headers["if-range"] === undefined || headers["if-range"] === etag;
  const range = readRange(isSameAsBefore ? headers.range : undefined, file.bytes);
  const isSent = !isKnown && range !== "unsatisfiable" && method !== "HEAD";
  // Before the headers: a refusal must not be kept as long as the file.
  const content = isSent ? await file.open(range ?? undefined) : undefined;
  if (content === null) throw new DomainError("ERR_ROUTE_NOT_FOUND");
  reply.headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=86400, immutable",
    vary: "authorization, origin",
    "content-security-policy": isPdf && isShown ? PDF_CSP : CSP,
    "x-content-type-options": "nosniff",
  });
  if (isKnown) return reply.status(304).send();
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
  return reply.send(content);
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part of a file that a Range header asks for; null for the whole file, also when the header is invalid or asks for
 * several ranges (RFC 9110, 14.2).
 */
function readRange(header: string | undefined, bytes: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = ONE_RANGE.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined) return null;
  if (first === "" && last === "") return null;
  if (first === "") {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? "unsatisfiable" : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= bytes) return "unsatisfiable";
  return { start, end: last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}

const NAMELESS = "arquivo";

/** The Content-Disposition header with a name of any script (RFC 6266, RFC 5987). */
function dispositionOf(kind: "inline" | "attachment", name: string | null): string {
  if (name === null) return kind;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_").trim() || NAMELESS;
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeName(name)}`;
}

/** Percent-encodes all but RFC 5987's attr-char; half a surrogate pair becomes a replacement character. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Serves `<path>/<name>`: browsers keep it for a year. */
export function serveHashedFiles(
  app: FastifyInstance,
  path: string,
  find: (name: string) => Promise<HashedFile | null>,
): void {
  app.route<{ Params: { name: string } }>({
    method: ["GET", "HEAD"],
    url: `${path}/:name`,
    schema: { hide: true },
    async handler({ params }, reply) {
      const file = await find(params.name);
      if (file === null) throw new DomainError("ERR_ROUTE_NOT_FOUND");
      reply.headers({
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": CSP,
        "content-type": file.mime,
        "x-content-type-options": "nosniff",
      });
      return reply.send(file.content);
    },
  });
}

/** Paths of the API and other endpoints: never answered with the page. */
const PROGRAM_PATHS = /^\/(api|public|webhooks|socket\.io|metrics)(\/|$|\?)/;

/**
 * Serves the built web page. Browsers keep files with a hash in the name and revalidate the others; any other address
 * that a browser opens gets the page itself, in the look of its host. Without `root` only the API is served.
 */
export async function serveWeb(
  app: FastifyInstance,
  root: string | null,
  lookOf: LookOfHost,
  findImage: (name: string) => Promise<HashedFile | null>,
): Promise<void> {
  const pages = root === null ? null : await createPages(root, lookOf);
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) =>
    (await pages?.send(request, reply)) === true ? reply : reply.status(200).sendFile("index.html");
  if (root !== null) {
    await app.register(fastifyStatic, {
      root,
      prefix: "/",
      index: false,
      dotfiles: "ignore",
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        reply.header("cache-control", cachingOf(path));
      },
    });
    app.get("/", { schema: { hide: true } }, sendPage);
    serveAppFiles(app, { lookOf, findImage });
    // Browsers request it when a picture or file is opened in its own tab.
    app.get("/favicon.ico", { schema: { hide: true } }, async (request, reply) => {
      const icon = await pages?.iconOf(request);
      return reply.header("cache-control", "no-cache").redirect(icon ?? "/icon.svg", 302);
    });
  }

  app.setNotFoundHandler(async (request, reply) => {
    if (root !== null && wantsPage(request)) return sendPage(request, reply);
    throw new DomainError("ERR_ROUTE_NOT_FOUND");
  });
}

/**
 * The hashes, for the content security policy, of the page's inline scripts. They run before the first paint; a separate
 * file would cost a round trip. Read at start: no part of a request ever gets into the page.
 */
export async function inlineScripts(root: string | null): Promise<string[]> {
  if (root === null) return [];
  const page = await readFile(join(root, "index.html"), "utf8");
  return [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, code = ""]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
  );
}

function cachingOf(path: string): string {
  return path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
}

function wantsPage(request: FastifyRequest): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (PROGRAM_PATHS.test(request.url)) return false;
  return (request.headers.accept ?? "").includes("text/html");
}
