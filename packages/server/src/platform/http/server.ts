import type { Server } from "node:http";
import type { ErrorCode, ErrorReply } from "@balcao/contract";
import { errorStatus, errorWireText, limits } from "@balcao/contract";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from "fastify";
import { fastify, LogController } from "fastify";
import {
  hasZodFastifySchemaValidationErrors,
  jsonSchemaTransform,
  ResponseSerializationError,
} from "fastify-type-provider-zod";
import type { z } from "zod";
import type { Authenticator, TokenReaders } from "../context.ts";
import { DomainError } from "../context.ts";
import { isUnavailable } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { IdSource } from "../sources.ts";
import { acceptBodies, limitArrival, LONGEST_REQUEST_MS, validateParts } from "./body.ts";
import type { EndpointRoutes, RequestLimits } from "./routes.ts";
import { API_PREFIX, createEndpointRoutes } from "./routes.ts";
import type { FindPublicFile } from "./files.ts";
import { inlineScripts, servePublicFiles, serveWeb } from "./files.ts";
import { observeRequests, requestIdOf, routeOf, serveMetrics } from "./observe.ts";
import type { SecurityOptions } from "./security.ts";
import { addSecurity, warnOfProxy } from "./security.ts";
import type { Webhook } from "./webhooks.ts";
import { serveWebhook } from "./webhooks.ts";

export type HttpServerOptions = SecurityOptions & {
  /** Trust the forwarded headers of the nearest proxy only: any client can forge the earlier entries. */
  trustProxy: boolean;
  /** Token for `/metrics` from other machines and through a proxy; null allows this machine only. */
  metricsToken: string | null;
  requestLimits: RequestLimits;
  /** Folder of the built web page, null to serve the API only. */
  webRoot: string | null;
  version: string;
};

export type HttpServerDeps = {
  options: HttpServerOptions;
  log: Logger;
  ids: IdSource;
  metrics: Metrics;
  authenticator: Authenticator;
  /** For tokens of other programs. */
  tokenReaders?: TokenReaders;
};

export type HttpServer = EndpointRoutes & {
  /** Node's server, for the sockets to attach to. */
  server: Server;
  /** Serves the companies' files, outside `/api`. */
  serveFiles(find: FindPublicFile): void;
  /** Serves a chat service's webhook at `<path>/<key>`, outside `/api`. */
  serveWebhook(path: string, webhook: Webhook): void;
  /** Resolves to the port. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Accepts no new requests; running ones finish. */
  close(): Promise<void>;
};

/** Creates the HTTP server without the product's calls, which features add through `routes`. It does not listen yet. */
export async function createHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const { options, log, ids, metrics, authenticator } = deps;
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    // observe.ts writes one line per request.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: LONGEST_REQUEST_MS,
    forceCloseConnections: "idle",
    // Fastify's own reply differs from our errors: see refuseWhenClosing.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 500,
    },
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"], () => ids.uuid()),
    frameworkErrors: (error, request, reply) => answerError(error, request, reply, log),
    clientErrorHandler: (error, socket) => {
      if ("code" in error && error.code === "ECONNRESET") return;
      if (socket.writable) socket.write(UNREADABLE_REQUEST);
      socket.destroy(error);
    },
  });

  app.decorateRequest("ctx", null);
  app.decorateRequest("tokenCtx", null);
  app.decorateRequest("rateKey", "");
  app.setValidatorCompiler(validateParts);
  app.setSerializerCompiler(({ schema, method, url }) => stripAndSerialise(schema, method, url));
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    answerError(error, request, reply, log),
  );

  observeRequests(app, { log, metrics });
  refuseWhenClosing(app);
  if (!options.trustProxy) warnOfProxy(app, log);
  limitArrival(app);
  await addSecurity(app, { ...options, inlineScripts: await inlineScripts(options.webRoot) });
  acceptBodies(app);
  await serveDocs(app, options.version);
  serveMetrics(app, {
    metrics,
    token: options.metricsToken,
    isBehindProxy: options.trustProxy,
  });
  await serveWeb(app, options.webRoot);

  const endpointRoutes = createEndpointRoutes(app, {
    authenticator,
    tokenReaders: deps.tokenReaders ?? {},
    limits: options.requestLimits,
    trustProxy: options.trustProxy,
  });

  return {
    ...endpointRoutes,
    server: app.server,
    serveFiles: (find) => servePublicFiles(app, { authenticator, find }),
    serveWebhook: (path, webhook) => serveWebhook(app, path, webhook),
    async listen({ host, port }) {
      // With the name "localhost", Fastify opens a second server for IPv6, which the sockets are not attached to.
      await app.listen({ host: host === "localhost" ? "127.0.0.1" : host, port });
      const address = app.server.address();
      if (address === null || typeof address === "string") throw new Error("no TCP address");
      return address.port;
    },
    async close() {
      // Fastify closes idle connections once. A connection that becomes idle later would keep the process alive for as long
      // as its client likes.
      const looking = setInterval(() => app.server.closeIdleConnections(), IDLE_LOOK_MS);
      await app.close().finally(() => clearInterval(looking));
    },
  };
}

const IDLE_LOOK_MS = 100;

/** Refuses requests on open connections while the process stops; clients repeat them elsewhere or after the start. */
function refuseWhenClosing(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", async () => {
    if (isClosing) throw new DomainError("ERR_UNAVAILABLE");
  });
}

/** The reply to a request that is not valid HTTP. */
const UNREADABLE_BODY = JSON.stringify({
  error: "ERR_INVALID_REQUEST",
  code: "ERR_INVALID_REQUEST",
});
const UNREADABLE_REQUEST = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${UNREADABLE_BODY.length}\r\nConnection: close\r\n\r\n${UNREADABLE_BODY}`;

/**
 * Serialises a reply through its schema: undeclared fields are dropped, and a mismatch is a defect of ours. Zod's
 * compiled parser takes 60 µs for a page of 40 tickets (JSON.stringify alone 40 µs), so no other serialiser is needed.
 * (Encoding, the library's own way, refuses schemas with transforms, which ids have.)
 */
function stripAndSerialise(
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

function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): void {
  const answer = toErrorAnswer(error, request.id);
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

/** Serves the API description for people (`/api/docs`) and programs (`/api/docs/json`), generated from the routes. */
async function serveDocs(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Balcão", version, description: "Every call of the product." },
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          connectionToken: { type: "http", scheme: "bearer" },
          apiToken: { type: "http", scheme: "bearer" },
          cookie: { type: "apiKey", in: "cookie", name: "jrt" },
        },
      },
    },
    transform: jsonSchemaTransform,
    hideUntagged: true,
  });
  await app.register(swaggerUi, {
    routePrefix: `${API_PREFIX}/docs`,
    staticCSP: DOCS_CSP,
    uiConfig: { docExpansion: "none" },
  });
}

/** The viewer needs inline styles and data images. */
const DOCS_CSP =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'self'";
