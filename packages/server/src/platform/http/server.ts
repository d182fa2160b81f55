import type { Server } from "node:http";
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from "fastify";
import { fastify, LogController } from "fastify";
import { limits } from "@balcao/contract";
import { ResponseSerializationError } from "fastify-type-provider-zod";
import type { z } from "zod";
import type { Authenticator } from "../authenticator.ts";
import { DomainError } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { IdSource } from "../sources.ts";
import { LONGEST_REQUEST_MS, limitArrival } from "./arrival.ts";
import { serveDocs } from "./docs.ts";
import type { EndpointRoutes } from "./endpoint-routes.ts";
import { createEndpointRoutes } from "./endpoint-routes.ts";
import { toErrorAnswer } from "./error-reply.ts";
import type { FindPublicFile } from "./public-files.ts";
import { servePublicFiles } from "./public-files.ts";
import { warnOfProxy } from "./forwarded.ts";
import type { RequestLimits } from "./guard.ts";
import { createGuards } from "./guard.ts";
import { acceptJsonBodies } from "./json-body.ts";
import { validateParts } from "./multipart-body.ts";
import { observeRequests, requestIdOf, routeOf, serveMetrics } from "./observe.ts";
import type { SecurityOptions } from "./security.ts";
import { addSecurity } from "./security.ts";
import { inlineScripts, serveWeb } from "./web-files.ts";
import type { Webhook } from "./webhooks.ts";
import { serveWebhook } from "./webhooks.ts";

export type HttpServerOptions = SecurityOptions & {
  /** Believe what the proxy in front forwards: the nearest one only, for what stands before it anybody can write. */
  trustProxy: boolean;
  /** Opens `/metrics` to other machines, and through a proxy; null for this machine only. */
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
};

export type HttpServer = EndpointRoutes & {
  /** Node's server, for the sockets to attach to. */
  server: Server;
  /** Serves the companies' files, which lie outside the API. */
  serveFiles(find: FindPublicFile): void;
  /** Serves what a chat service calls, at `<path>/<key>`, which lies outside the API too. */
  serveWebhook(path: string, webhook: Webhook): void;
  /** Answers the port it listens on. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Takes no new requests, lets running ones finish. */
  close(): Promise<void>;
};

/** Builds the HTTP side: everything but the calls, which features add through `routes`. Nothing listens yet. */
export async function createHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const { options, log, ids, metrics, authenticator } = deps;
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    // One line per request of our own, see observe.ts.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: LONGEST_REQUEST_MS,
    forceCloseConnections: "idle",
    // Its own reply has another shape than our errors: see refuseWhenClosing.
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
  acceptJsonBodies(app);
  await serveDocs(app, options.version);
  serveMetrics(app, {
    metrics,
    token: options.metricsToken,
    isBehindProxy: options.trustProxy,
  });
  await serveWeb(app, options.webRoot);

  const guardOf = createGuards(app, {
    authenticator,
    limits: options.requestLimits,
    trustProxy: options.trustProxy,
  });
  const endpointRoutes = createEndpointRoutes(app, guardOf);

  return {
    ...endpointRoutes,
    server: app.server,
    serveFiles: (find) => servePublicFiles(app, { authenticator, find }),
    serveWebhook: (path, webhook) => serveWebhook(app, path, webhook),
    async listen({ host, port }) {
      // By name Fastify opens a second server for IPv6, which the sockets would not be attached to.
      await app.listen({ host: host === "localhost" ? "127.0.0.1" : host, port });
      const address = app.server.address();
      if (address === null || typeof address === "string") throw new Error("no TCP address");
      return address.port;
    },
    close: () => app.close(),
  };
}

/** Requests on open connections while the process stops: another process, or the next start, takes them. */
function refuseWhenClosing(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", async () => {
    if (isClosing) throw new DomainError("ERR_UNAVAILABLE");
  });
}

/** What a caller gets who does not speak HTTP well enough to be answered by a route. */
const UNREADABLE_BODY = JSON.stringify({
  error: "ERR_INVALID_REQUEST",
  code: "ERR_INVALID_REQUEST",
});
const UNREADABLE_REQUEST = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${UNREADABLE_BODY.length}\r\nConnection: close\r\n\r\n${UNREADABLE_BODY}`;

/**
 * Replies leave through their schema: undeclared fields are dropped, and what does not fit is a defect of ours. Zod's
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
