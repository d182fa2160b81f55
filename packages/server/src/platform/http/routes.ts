import { Readable } from "node:stream";
import type {
  CompanyId,
  Endpoint,
  EndpointName,
  Endpoints,
  ErrorCode,
  ErrorReply,
  InputOf,
  ResultOf,
  SentFile,
  TokenKind,
  UploadFieldsOf,
} from "@balcao/contract";
import {
  endpoints,
  errorStatus,
  errorWireText,
  isAllowed,
  isOnlyPlanMissing,
} from "@balcao/contract";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  hasZodFastifySchemaValidationErrors,
  ResponseSerializationError,
} from "fastify-type-provider-zod";
import type { z } from "zod";
import type { Authenticator, Programs, ReadToken, TokenCtx, UserCtx } from "../context.ts";
import { DomainError, requirePermission, requireScope } from "../context.ts";
import { isUnavailable } from "../db/database.ts";
import type { CompanyShares } from "../jobs/company-shares.ts";
import type { Logger } from "../logging/logger.ts";
import { malformed, MULTIPART } from "./body.ts";
import { API_PREFIX, schemaOf } from "./docs.ts";
import { routeOf } from "./observe.ts";
import { originOf } from "./origin.ts";
import type { BusyCallers, LimitDeps } from "./security.ts";
import { bearerOf, createRequestLimits, knownTokens, rateKeyOf } from "./security.ts";
import type { ReceivedUpload, UploadedFile } from "./upload.ts";
import { emptyUpload, receiveUpload } from "./upload.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The signed-in user; null on calls without a bearer. */
    ctx: UserCtx | null;
    /** The company of a program's token; null unless the call needs one. */
    tokenCtx: TokenCtx | null;
    /** The user or address whose request limit this request counts against. */
    rateKey: string;
    /** The code of the refusal, once it has been answered. */
    refusal: ErrorCode | null;
    /** What the log of a program's calls says, where a call's own name and reply do not say it. */
    noted: { call: string; status: number; code: ErrorCode | null } | null;
  }
}

/**
 * A multipart request while it arrives. Only the text fields are kept in memory: files arrive as fast as the handler reads
 * them. Both methods reject with ERR_INVALID_REQUEST when the body is malformed or incomplete, even in the middle of a file.
 */
export type Upload<K extends EndpointName> = {
  /** The text fields, parsed: all of them after the last file; before that, at least those in front of the first file. */
  fields(): Promise<UploadFieldsOf<K>>;
  /** The files in their order. Iterate once, to the end. */
  files(): AsyncIterable<UploadedFile>;
};

/** The body as JSON or multipart: where a call takes both, exactly one of `body` and `upload` is set. */
type Sent<K extends EndpointName> = Endpoints[K] extends { upload: unknown }
  ? Endpoints[K] extends { body: unknown }
    ?
        | (InputOf<K> & { upload: null })
        | (Omit<InputOf<K>, "body"> & { body: undefined; upload: Upload<K> })
    : InputOf<K> & { upload: Upload<K> }
  : InputOf<K> & { upload: null };

/** The caller: a signed-in user, another program with its token, or null for an anonymous call. */
export type Asker<Auth extends Endpoint["auth"]> = Auth extends "bearer"
  ? UserCtx
  : Auth extends TokenKind
    ? TokenCtx
    : null;

/** A handler's input: the parsed parts of the request and, where authentication is required, the caller. */
export type RouteInput<K extends EndpointName> = Sent<K> & {
  ctx: Asker<Endpoints[K]["auth"]>;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type RouteHandler<K extends EndpointName> = (input: RouteInput<K>) => Promise<ResultOf<K>>;

/**
 * Registers a call of the product by its name in the contract's registry, which declares its authentication, permission,
 * input and reply. The server does not start when a call is registered twice or not at all.
 */
export type Routes = {
  handle<K extends EndpointName>(name: K, handler: RouteHandler<K>): void;
};

/** `RouteInput` without the contract's types. */
type UntypedInput = {
  params: unknown;
  query: unknown;
  body: unknown;
  upload: ReceivedUpload | null;
  ctx: UserCtx | TokenCtx | null;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type EndpointRoutes = {
  routes: Routes;
  /** Serves a call by its declaration. The product's calls are registered through `routes`. */
  serveEndpoint(
    name: string,
    endpoint: Endpoint,
    handler: (input: UntypedInput) => Promise<unknown>,
  ): void;
  /** Throws when a call of the registry has no handler. */
  assertComplete(): void;
};

/** Turns the registry's calls into routes of the server, behind their guards. */
export function createEndpointRoutes(app: FastifyInstance, deps: GuardDeps): EndpointRoutes {
  const handled = new Set<EndpointName>();
  const guardOf = createGuards(app, deps);

  const serveEndpoint: EndpointRoutes["serveEndpoint"] = (name, endpoint, handler) => {
    const [method, path] = splitName(name);
    const status = endpoint.status ?? 200;
    const url = endpoint.outsideApi ? path : `${API_PREFIX}${path}`;
    if (endpoint.refusesOtherMethods) refuseOtherMethods(app, method, url);

    app.route({
      method,
      url,
      schema: { ...schemaOf(endpoint, status), tags: [path.split("/")[1] ?? ""] },
      config: {
        takesFiles: endpoint.upload !== undefined,
        waitsForCompany: waitsForCompany(endpoint),
      },
      // No cache may keep a company's data, nor a refusal.
      onRequest: [noStore, guardOf(name, endpoint)],
      onResponse: tellCall(name, deps.programs),
      preValidation: async (request) => {
        // A missing body counts as an empty object; the schema decides whether that is valid.
        if (endpoint.body && request.body === undefined) request.body = {};
      },
      handler: async (request, reply) => {
        const { params, query } = request;
        if (isAnsweredWithoutPlan(endpoint, request.ctx)) {
          return reply.status(status).send(endpoint.replyWithoutPlan);
        }
        const ctx = request.ctx ?? request.tokenCtx;
        if (deps.companies && ctx && isSearch(endpoint, query)) {
          const endSearch = await deps.companies.beginSearch(ctx.companyId);
          // The client may have closed the connection while its search waited.
          if (reply.raw.closed) {
            endSearch();
            return reply.hijack();
          }
          reply.raw.once("close", endSearch);
        }
        const upload = uploadOf(endpoint, request);
        const body = upload ? undefined : request.body;
        reply.status(status);
        try {
          const result = await handler({ params, query, body, upload, ctx, request, reply });
          if (endpoint.sendsFile) {
            const file = result as SentFile; // by `EndpointResult`
            if (ctx)
              await deps.noteFile?.(ctx, name, file.name, { ...Object(params), ...Object(query) });
            return await sendMade(reply, file);
          }
          if (endpoint.streams) return await sendList(reply, endpoint, result);
          return reply.send(result);
        } finally {
          upload?.finish();
        }
      },
    });
  };

  return {
    serveEndpoint,
    routes: {
      handle<K extends EndpointName>(name: K, handler: RouteHandler<K>): void {
        if (handled.has(name)) throw new Error(`${name} has two handlers`);
        handled.add(name);
        serveEndpoint(name, endpoints[name], (input: unknown) =>
          // The endpoint's schemas have parsed the parts, and the guard has set `ctx` where a bearer is required. The
          // framework's types know neither.
          handler(input as RouteInput<K>),
        );
      },
    },

    assertComplete() {
      const missing = Object.keys(endpoints).filter((name) => !handled.has(name as EndpointName));
      if (missing.length > 0) throw new Error(`calls without handler: ${missing.join(", ")}`);
    },
  };
}

/** Says that a path has one method alone, as protocols ask that are spoken over HTTP. */
function refuseOtherMethods(app: FastifyInstance, method: string, url: string): void {
  app.route({
    method: ["GET", "DELETE"],
    url,
    schema: { hide: true },
    handler: async (_request, reply) => reply.status(405).header("allow", method).send(),
  });
}

/**
 * Sends a file while it is made, for saving. The call fails with an error's status as long as nothing has been sent; later the
 * connection is cut, so that no client takes half a file for a whole one.
 */
async function sendMade(
  reply: FastifyReply,
  { name, mime, content }: SentFile,
): Promise<FastifyReply> {
  const parts = content[Symbol.asyncIterator]();
  const first = await parts.next();
  const whole = async function* (): AsyncGenerator<string | Uint8Array> {
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => parts };
  };
  return reply
    .headers({
      "content-disposition": `attachment; filename*=UTF-8''${headerText(name)}`,
      "x-content-type-options": "nosniff",
    })
    .type(mime)
    .send(Readable.from(whole(), { objectMode: false }));
}

/** RFC 8187, value-chars. */
const headerText = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);

/** Sends the pages of a list as one JSON array. The call fails with an error's status as long as nothing has been sent. */
async function sendList(
  reply: FastifyReply,
  endpoint: Endpoint,
  pages: unknown,
): Promise<FastifyReply> {
  const texts = listTexts(endpoint.reply, pages as AsyncIterable<unknown[]>); // by `EndpointResult`
  const first = await texts.next();
  const whole = async function* (): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* texts;
  };
  return reply.type("application/json; charset=utf-8").send(Readable.from(whole()));
}

async function* listTexts(
  schema: z.ZodType,
  pages: AsyncIterable<unknown[]>,
): AsyncGenerator<string, void> {
  let before = "[";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(schema.parse(page)).slice(1, -1);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** Searches and exports may take a while, so a company makes only a few of them at once. */
function isSearch({ sendsFile }: Endpoint, query: unknown): boolean {
  const text = fieldOf(query, "searchParam");
  return sendsFile === true || (typeof text === "string" && text.trim() !== "");
}

async function noStore(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

function uploadOf(endpoint: Endpoint, request: FastifyRequest): ReceivedUpload | null {
  if (!endpoint.upload) return null;
  if (request.body === MULTIPART) return receiveUpload(request.raw, endpoint.upload);
  return endpoint.body ? null : emptyUpload(endpoint.upload);
}

function splitName(name: string): ["GET" | "POST" | "PUT" | "DELETE", string] {
  const [method, path] = name.split(" ");
  if (path === undefined) throw new Error(`${name} is no method and path`);
  if (method === "GET" || method === "POST" || method === "PUT" || method === "DELETE") {
    return [method, path];
  }
  throw new Error(`${name} has an unknown method`);
}

/** Tells of the calls with a program's token. */
function tellCall(call: string, { onCall }: Programs) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { tokenCtx: ctx, refusal, noted, ip: address } = request;
    if (ctx === null) return;
    const answered = { call, status: reply.statusCode, code: refusal };
    const tookMs = Math.round(reply.elapsedTime);
    onCall?.({ ctx, ...answered, ...noted, tookMs, address });
  };
}

type GuardDeps = Omit<LimitDeps, "authenticator"> & {
  authenticator: Authenticator;
  programs: Programs;
  /** Absent: companies share nothing. */
  companies?: CallShares;
  busyCallers?: BusyCallers;
  /** Is told of a file that a call has made, before any of it is sent. */
  noteFile?: NoteFile;
};

export type NoteFile = (
  ctx: UserCtx | TokenCtx,
  call: string,
  name: string,
  /** Parameters and query. */
  choices: Readonly<Record<string, unknown>>,
) => Promise<void>;

/** What a call needs of the company's share. */
export type CallShares = Pick<CompanyShares, "admitCall" | "refuseCall" | "beginSearch">;

/** The provider sees what is going on even while its own company is busy. */
function waitsForCompany({ auth, permission }: Endpoint): boolean {
  return auth !== "none" && auth !== "cookie" && permission !== "companies:manage-any";
}

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Checks a request before its body is read: well-formed address, request limits, session, permission.
 */
function createGuards(
  app: FastifyInstance,
  deps: GuardDeps,
): (name: string, endpoint: Endpoint) => Guard {
  const { authenticator, programs, companies, busyCallers } = deps;
  const limits = createRequestLimits(app, deps);
  const known = knownTokens();

  async function admit(request: FastifyRequest, companyId: CompanyId): Promise<void> {
    try {
      await companies?.admitCall(companyId);
    } catch (error) {
      busyCallers?.add(request, companyId);
      throw error;
    }
  }

  /** Null for a call without a program's token. */
  function tokenReaderOf(name: string, { auth: kind }: Endpoint): ReadToken | null {
    if (kind !== "connectionToken" && kind !== "apiToken") return null;
    const read = programs.readers[kind];
    if (!read) throw new Error(`${name} has no reader of its ${kind}`);
    return read;
  }

  return (name, endpoint) => {
    const readToken = tokenReaderOf(name, endpoint);
    const limit = limits.ofCall(name);

    /** Guessing is limited by address. A known token has limits of its own, however many programs share an address. */
    async function admitProgram(
      request: FastifyRequest,
      reply: FastifyReply,
      read: ReadToken,
    ): Promise<void> {
      const token = bearerOf(request);
      request.rateKey = rateKeyOf(request, null);
      const companyId = token === null ? undefined : known.companyOf(token);
      // A refusal costs little: the token is not read for it.
      if (companyId === undefined) await limit(request);
      else await admit(request, companyId);
      const holder = token === null ? null : await read(token, request.id);
      if (token === null || holder === null) {
        if (token !== null) known.delete(token);
        throw new DomainError("ERR_INVALID_TOKEN");
      }
      const { ctx, plan } = holder;
      known.add(token, ctx.companyId);
      request.tokenCtx = { ...ctx, origin: originOf(request) };
      await limits.ofProgram(request, reply);
      if (companyId === undefined) await admit(request, ctx.companyId);
      if (endpoint.plan && !plan[endpoint.plan]) throw new DomainError("ERR_NO_PERMISSION");
      if (endpoint.scope) requireScope(ctx, endpoint.scope);
      if (endpoint.permission) requirePermission(ctx, endpoint.permission);
    }

    return async (request, reply) => {
      if (request.url.includes("%00")) throw malformed("url", "must not contain NUL");
      if (readToken) return admitProgram(request, reply, readToken);
      const token = endpoint.auth === "bearer" ? bearerOf(request) : null;
      const identity = token === null ? null : await authenticator.identify(token);
      request.rateKey = rateKeyOf(request, identity);
      await limit(request);
      if (endpoint.auth !== "bearer") return;
      if (token === null) throw new DomainError("ERR_SESSION_EXPIRED");
      if (identity === null) throw new DomainError("ERR_TOKEN_EXPIRED");
      if (waitsForCompany(endpoint)) await admit(request, identity.companyId);
      const ctx = await authenticator.authorise(identity, endpoint, request.id);
      request.ctx = { ...ctx, origin: originOf(request) };
      if (endpoint.permission && !isAnsweredWithoutPlan(endpoint, ctx)) {
        requirePermission(ctx, endpoint.permission);
      }
    };
  };
}

/** Whether the call replies with the contract's `replyWithoutPlan`, because plan or role lack what the profile has. */
function isAnsweredWithoutPlan(endpoint: Endpoint, ctx: UserCtx | null): boolean {
  const { permission, replyWithoutPlan } = endpoint;
  if (!permission || !ctx || replyWithoutPlan === undefined) return false;
  if (isAllowed(ctx.actor, permission)) return false;
  const { permissions: _, ...profile } = ctx.actor;
  return (
    [ctx.actor, profile].some((one) => isOnlyPlanMissing(one, permission)) ||
    isAllowed(profile, permission)
  );
}

/**
 * Serialises a reply through its schema: undeclared fields are dropped, and a mismatch is a defect of ours. Zod's
 * compiled parser takes 60 µs for a page of 40 tickets (JSON.stringify alone 40 µs), so no other serialiser is needed.
 * (Encoding, the library's own way, refuses schemas with transforms, which ids have.)
 */
export function stripAndSerialise(
  schema: unknown,
  method: string,
  url: string,
): (data: unknown) => string {
  const reply = schema as z.ZodType;
  return (data) => {
    const result = reply.safeParse(data);
    if (!result.success) throw new ResponseSerializationError(method, url, { cause: result.error });
    return JSON.stringify(result.data);
  };
}

/** Replies to a request that failed, and logs a fault of ours. */
export function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): void {
  const answer = toErrorAnswer(error, request.id);
  request.refusal = answer.body.code;
  const context = {
    err: error,
    requestId: request.id,
    method: request.method,
    route: routeOf(request),
  };
  if (answer.kind === "fault") log.error(context, "request failed");
  else if (answer.kind === "unavailable") log.warn(context, "not available");
  if (answer.retryAfterSeconds !== undefined) reply.header("retry-after", answer.retryAfterSeconds);
  void reply.status(answer.status).type("application/json; charset=utf-8").send(answer.body);
}

/** An error as a reply, and how it is logged. */
type ErrorAnswer = {
  status: number;
  body: ErrorReply;
  retryAfterSeconds?: number;
  /** `expected`: caused by the caller. `unavailable`: a state of the installation. `fault`: a defect of ours. */
  kind: "expected" | "unavailable" | "fault";
};

const RETRY_AFTER_SECONDS = 5;
const MAX_ISSUES = 20;

/** Turns an error into its reply; no other code does (wire-contract 1, "Errors"; 10). */
export function toErrorAnswer(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof DomainError) return ofDomainError(error, requestId);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const part = error.validationContext ?? "request";
    // A word in the place of an id: `/companies/everything` is no company.
    if (part === "params") return answer("ERR_ROUTE_NOT_FOUND", requestId);
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
  // Existing clients read the ticket from the text (wire-contract 6.3).
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
