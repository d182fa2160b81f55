import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { limits } from "@balcao/contract";
import type { FastifyBaseLogger, FastifyError, FastifyInstance } from "fastify";
import { fastify, LogController } from "fastify";
import type { Authenticator, Programs } from "../context.ts";
import { DomainError } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { acceptBodies, limitArrival, LONGEST_REQUEST_MS, validateParts } from "./body.ts";
import { serveDocs } from "./docs.ts";
import type { CallShares, EndpointRoutes, NoteFile } from "./routes.ts";
import { answerError, createEndpointRoutes, stripAndSerialise } from "./routes.ts";
import type { HashedFile } from "./app-files.ts";
import type { FindPublicFile } from "./files.ts";
import { inlineScripts, serveHashedFiles, servePublicFiles, serveWeb } from "./files.ts";
import { observeRequests, requestIdOf, serveMetrics } from "./observe.ts";
import { servePackage } from "./package.ts";
import type { LookOfHost } from "./page.ts";
import type { Arrivals, RequestLimits, SecurityOptions } from "./security.ts";
import {
  addSecurity,
  BARE_HEADERS,
  refuseBusyCallers,
  warnOfProxy,
  watchArrivals,
} from "./security.ts";
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
  /** Folder of the typed client, which is served as a package. */
  clientRoot?: string;
  version: string;
};

export type HttpServerDeps = {
  options: HttpServerOptions;
  log: Logger;
  metrics: Metrics;
  authenticator: Authenticator;
  /** Other programs with their tokens. */
  programs?: Programs;
  /** How companies share this process. Absent: not at all. */
  companies?: CallShares;
  /** For the audit. */
  noteFile?: NoteFile;
};

/** An image of a brand by the last part of its address. */
type FindImage = (name: string) => Promise<HashedFile | null>;

export type HttpServer = EndpointRoutes & {
  /** Node's server, for the sockets to attach to. */
  server: Server;
  /** How requests have come since the start. */
  arrivals: Readonly<Arrivals>;
  /** Serves the companies' files, outside `/api`. */
  serveFiles(find: FindPublicFile): void;
  /** Serves files whose address changes with their content, to everybody, outside `/api`. */
  serveHashedFiles(path: string, find: (name: string) => Promise<HashedFile | null>): void;
  /** Has the page, and the app made of it, look as its host says. Without it all hosts have the product's own. */
  dressPages(lookOf: LookOfHost, findImage?: FindImage): void;
  /** Serves a chat service's webhook at `<path>/<key>`, outside `/api`. */
  serveWebhook(path: string, webhook: Webhook): void;
  /** Resolves to the port. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Accepts no new requests; running ones finish. */
  close(): Promise<void>;
};

/** Creates the HTTP server without the product's calls, which features add through `routes`. It does not listen yet. */
export async function createHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const { options, log, metrics, authenticator } = deps;
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
    genReqId: (request) => requestIdOf(request.headers["x-request-id"], randomUUID),
    // No hook has run, so none of the usual headers is there.
    frameworkErrors: (error, request, reply) =>
      answerError(error, request, reply.headers(BARE_HEADERS), log),
    clientErrorHandler: (error, socket) => {
      if ("code" in error && error.code === "ECONNRESET") return;
      if (socket.writable) socket.write(UNREADABLE_REQUEST);
      socket.destroy(error);
    },
  });

  app.decorateRequest("ctx", null);
  app.decorateRequest("tokenCtx", null);
  app.decorateRequest("rateKey", "");
  app.decorateRequest("refusal", null);
  app.decorateRequest("noted", null);
  app.setValidatorCompiler(validateParts);
  app.setSerializerCompiler(({ schema, method, url }) => stripAndSerialise(schema, method, url));
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    answerError(error, request, reply, log),
  );

  limitArrival(app);
  const busyCallers = deps.companies && refuseBusyCallers(app, deps.companies, options);
  observeRequests(app, { log, metrics });
  refuseWhenClosing(app);
  if (!options.trustProxy) warnOfProxy(app, log);
  const arrivals = watchArrivals(app);
  await addSecurity(app, { ...options, inlineScripts: await inlineScripts(options.webRoot) });
  acceptBodies(app);
  await serveDocs(app, options.version);
  if (options.clientRoot !== undefined) servePackage(app, options.clientRoot);
  serveMetrics(app, {
    metrics,
    token: options.metricsToken,
    isBehindProxy: options.trustProxy,
  });
  let lookOf: LookOfHost = async () => null;
  let findImage: FindImage = async () => null;
  await serveWeb(
    app,
    options.webRoot,
    (host) => lookOf(host),
    (name) => findImage(name),
  );

  const endpointRoutes = createEndpointRoutes(app, {
    authenticator,
    programs: deps.programs ?? { readers: {} },
    limits: options.requestLimits,
    trustProxy: options.trustProxy,
    ...(deps.companies ? { companies: deps.companies } : {}),
    ...(busyCallers ? { busyCallers } : {}),
    ...(deps.noteFile ? { noteFile: deps.noteFile } : {}),
  });

  return {
    ...endpointRoutes,
    server: app.server,
    arrivals,
    serveFiles: (find) => servePublicFiles(app, { authenticator, find }),
    serveHashedFiles: (path, find) => serveHashedFiles(app, path, find),
    dressPages: (find, image) => {
      lookOf = find;
      if (image) findImage = image;
    },
    serveWebhook: (path, webhook) => serveWebhook(app, path, webhook),
    async listen({ host, port }) {
      // With the name "localhost", Fastify opens a second server for IPv6, which the sockets are not attached to.
      await app.listen({ host: host === "localhost" ? "127.0.0.1" : host, port });
      const address = app.server.address();
      if (address === null || typeof address === "string") throw new Error("no TCP address");
      return address.port;
    },
    async close() {
      // Fastify closes idle connections once. A connection that becomes idle later would keep the process running until
      // its client closes it.
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
