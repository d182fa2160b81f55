import type {
  Endpoint,
  EndpointName,
  Endpoints,
  InputOf,
  ResultOf,
  TokenKind,
  UploadFieldsOf,
} from "@balcao/contract";
import { endpoints, isOnlyPlanMissing } from "@balcao/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { z } from "zod";
import type {
  Authenticator,
  Identity,
  ReadToken,
  TokenCtx,
  TokenReaders,
  UserCtx,
} from "../context.ts";
import { DomainError, requirePermission } from "../context.ts";
import { malformed, MULTIPART } from "./body.ts";
import { claimedAddress } from "./security.ts";
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

/** Path prefix of the product's calls, except those that the contract marks `outsideApi`. */
export const API_PREFIX = "/api";

const errorReply = z.object({
  error: z.string(),
  code: z.string(),
  data: z.unknown().optional(),
  requestId: z.string().optional(),
  invalido: z.literal(true).optional(),
});

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

    app.route({
      method,
      url: endpoint.outsideApi ? path : `${API_PREFIX}${path}`,
      schema: { ...schemaOf(endpoint, status), tags: [path.split("/")[1] ?? ""] },
      config: { takesFiles: endpoint.upload !== undefined },
      // No cache may keep a company's data, nor a refusal.
      onRequest: [noStore, guardOf(name, endpoint)],
      preValidation: async (request) => {
        // A missing body counts as an empty object; the schema decides whether that is valid.
        if (endpoint.body && request.body === undefined) request.body = {};
      },
      handler: async (request, reply) => {
        const { params, query } = request;
        if (isAnsweredWithoutPlan(endpoint, request.ctx)) {
          return reply.status(status).send(endpoint.replyWithoutPlan);
        }
        const upload = uploadOf(endpoint, request);
        const ctx = request.ctx ?? request.tokenCtx;
        const body = upload ? undefined : request.body;
        try {
          const result = await handler({ params, query, body, upload, ctx, request, reply });
          return reply.status(status).send(result);
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

async function noStore(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

function uploadOf(endpoint: Endpoint, request: FastifyRequest): ReceivedUpload | null {
  if (!endpoint.upload) return null;
  if (request.body === MULTIPART) return receiveUpload(request.raw, endpoint.upload);
  return endpoint.body ? null : emptyUpload(endpoint.upload);
}

function describe({ permission, body, upload }: Endpoint): string {
  const files = upload
    ? `${body ? "Or files" : "Files"} as multipart/form-data: up to ${upload.maxFiles} in \`${upload.field}\`, with the text fields ${Object.keys(upload.fields.shape).join(", ")}.`
    : "";
  return [permission ? `Needs \`${permission}\`.` : "", files].join(" ").trim();
}

function schemaOf(endpoint: Endpoint, status: number): FastifySchema {
  const description = describe(endpoint);
  return {
    summary: endpoint.summary,
    ...(description === "" ? {} : { description }),
    ...(endpoint.auth === "none" ? {} : { security: [{ [endpoint.auth]: [] }] }),
    ...(endpoint.params ? { params: endpoint.params } : {}),
    ...(endpoint.query ? { querystring: endpoint.query } : {}),
    ...(endpoint.body ? { body: endpoint.body } : {}),
    response: {
      [status]: endpoint.reply,
      "4xx": errorReply.describe(endpoint.errors.join(", ") || "A common refusal"),
      "5xx": errorReply.describe("Not available now, or a fault of the server"),
    },
  };
}

function splitName(name: string): ["GET" | "POST" | "PUT" | "DELETE", string] {
  const [method, path] = name.split(" ");
  if (path === undefined) throw new Error(`${name} is no method and path`);
  if (method === "GET" || method === "POST" || method === "PUT" || method === "DELETE") {
    return [method, path];
  }
  throw new Error(`${name} has an unknown method`);
}

export type RequestLimits = {
  /** Per signed-in user, or per address for calls without a bearer. */
  perMinute: number;
  /** Per known browser, else per address, for signing in and renewing. */
  authPerMinute: number;
};

export type GuardDeps = {
  authenticator: Authenticator;
  tokenReaders: TokenReaders;
  limits: RequestLimits;
  trustProxy: boolean;
};

/** The shared limit of all visitors behind an untrusted proxy, as a multiple of one visitor's. */
const VISITORS_OF_A_PROXY = 10;

type Guard = (request: FastifyRequest) => Promise<void>;

const WINDOW_MS = 10_000;
const perWindow = (perMinute: number) => Math.ceil((perMinute * WINDOW_MS) / 60_000);

/**
 * Checks a request before its body is read: well-formed address, request limits, session, permission. The limits are per
 * process, against runaway clients; password guessing is limited in the database.
 */
function createGuards(
  app: FastifyInstance,
  deps: GuardDeps,
): (name: string, endpoint: Endpoint) => Guard {
  const { authenticator, tokenReaders, limits, trustProxy } = deps;
  const limiterOf = (perMinute: number, keyOf: (request: FastifyRequest) => string) => {
    const use = app.createRateLimit({
      max: perWindow(perMinute),
      timeWindow: WINDOW_MS,
      keyGenerator: keyOf,
    });
    return async (request: FastifyRequest): Promise<void> => {
      const { isAllowed, ...state } = await use(request);
      if (isAllowed || !("isExceeded" in state) || !state.isExceeded) return;
      throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: state.ttlInSeconds });
    };
  };
  const general = limiterOf(limits.perMinute, ({ rateKey }) => rateKey);
  const auth = limiterOf(limits.authPerMinute, ({ rateKey }) => rateKey);
  const authOfAll = limiterOf(limits.authPerMinute * VISITORS_OF_A_PROXY, ({ ip }) => ip);

  /** Visitors behind an untrusted proxy share an address: no single one may use up the limit of all. */
  async function limitSignIn(request: FastifyRequest): Promise<void> {
    const browser = authenticator.knownBrowser(request.cookies);
    const claimed = trustProxy ? null : claimedAddress(request);
    if (browser !== null) request.rateKey = `browser:${browser}`;
    else if (claimed !== null) request.rateKey = `${request.rateKey} for ${claimed}`;
    // Claimed addresses can be forged.
    if (browser === null && claimed !== null) await authOfAll(request);
    await auth(request);
  }

  /** Null for a call without a program's token. */
  function tokenReaderOf(name: string, { auth: kind }: Endpoint): ReadToken | null {
    if (kind !== "connectionToken" && kind !== "apiToken") return null;
    const read = tokenReaders[kind];
    if (!read) throw new Error(`${name} has no reader of its ${kind}`);
    return read;
  }

  return (name, endpoint) => {
    const readToken = tokenReaderOf(name, endpoint);
    const limit = isSignIn(name) ? limitSignIn : general;

    return async (request) => {
      if (request.url.includes("%00")) throw malformed("url", "must not contain NUL");
      const token = endpoint.auth === "bearer" ? bearerOf(request) : null;
      const identity = token === null ? null : await authenticator.identify(token);
      request.rateKey = rateKeyOf(request, identity);
      await limit(request);
      if (readToken) request.tokenCtx = await admitProgram(request, endpoint, readToken);
      if (endpoint.auth !== "bearer") return;
      if (token === null) throw new DomainError("ERR_SESSION_EXPIRED");
      if (identity === null) throw new DomainError("ERR_TOKEN_EXPIRED");
      const ctx = await authenticator.authorise(identity, endpoint, request.id);
      request.ctx = ctx;
      if (endpoint.permission && !isAnsweredWithoutPlan(endpoint, ctx)) {
        requirePermission(ctx, endpoint.permission);
      }
    };
  };
}

/** Whether the call replies with the contract's `replyWithoutPlan`, because the company's plan lacks the feature. */
function isAnsweredWithoutPlan(endpoint: Endpoint, ctx: UserCtx | null): boolean {
  const { permission, replyWithoutPlan } = endpoint;
  if (!permission || !ctx || replyWithoutPlan === undefined) return false;
  return isOnlyPlanMissing(ctx.actor, permission);
}

async function admitProgram(
  request: FastifyRequest,
  { plan }: Endpoint,
  read: ReadToken,
): Promise<TokenCtx> {
  const token = bearerOf(request);
  const holder = token === null ? null : await read(token, request.id);
  if (holder === null) throw new DomainError("ERR_INVALID_TOKEN");
  if (plan && !holder.plan[plan]) throw new DomainError("ERR_NO_PERMISSION");
  return holder.ctx;
}

/** The access token of the Authorization header; null without one. */
export function bearerOf(request: FastifyRequest): string | null {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  return scheme?.toLowerCase() === "bearer" && token ? token : null;
}

function isSignIn(name: string): boolean {
  return name === "POST /auth/login" || name === "POST /auth/refresh_token";
}

function rateKeyOf(request: FastifyRequest, identity: Identity | null): string {
  return identity ? `user:${identity.userId}` : `address:${request.ip}`;
}
