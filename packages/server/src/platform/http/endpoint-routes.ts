import type { Endpoint, EndpointName } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { z } from "zod";
import type { RouteHandler, RouteInput, Routes } from "./routes.ts";
import { acceptMultipart, MULTIPART } from "./multipart-body.ts";
import type { ReceivedUpload } from "./upload.ts";
import { emptyUpload, receiveUpload } from "./upload.ts";

/** Where every call of the product lives. */
export const API_PREFIX = "/api";

const errorReply = z.object({
  error: z.string(),
  code: z.string(),
  data: z.unknown().optional(),
  requestId: z.string().optional(),
  invalido: z.literal(true).optional(),
});

export type EndpointRoutes = {
  routes: Routes;
  /** Throws when a call of the registry has no handler. */
  assertComplete(): void;
};

/** Turns the registry's calls into routes of the server; `guardOf` decides who may make them. */
export function createEndpointRoutes(
  app: FastifyInstance,
  guardOf: (name: EndpointName, endpoint: Endpoint) => (request: FastifyRequest) => Promise<void>,
): EndpointRoutes {
  const handled = new Set<EndpointName>();
  acceptMultipart(app);

  return {
    routes: {
      handle<K extends EndpointName>(name: K, handler: RouteHandler<K>): void {
        if (handled.has(name)) throw new Error(`${name} has two handlers`);
        handled.add(name);
        const endpoint: Endpoint = endpoints[name];
        const [method, path] = splitName(name);
        const status = endpoint.status ?? 200;

        app.route({
          method,
          url: `${API_PREFIX}${path}`,
          schema: { ...schemaOf(endpoint, status), tags: [path.split("/")[1] ?? ""] },
          config: { takesFiles: endpoint.upload !== undefined },
          // What a company's people read is kept by no cache, refusals included.
          onRequest: [noStore, guardOf(name, endpoint)],
          preValidation: async (request) => {
            // No body is an empty one; the schema says whether that is enough.
            if (endpoint.body && request.body === undefined) request.body = {};
          },
          handler: async (request, reply) => {
            // The schemas above have parsed these parts, and the guard has set `ctx` where a bearer is required; the
            // framework's types know neither.
            const upload = uploadOf(endpoint, request);
            const input: unknown = {
              params: request.params,
              query: request.query,
              body: upload ? undefined : request.body,
              upload,
              ctx: request.ctx,
              request,
              reply,
            };
            try {
              const result = await handler(input as RouteInput<K>);
              return reply.status(status).send(result);
            } finally {
              upload?.finish();
            }
          },
        });
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
    ? `${body ? "Or files" : "Files"} as multipart/form-data: up to ${upload.maxFiles} in \`${upload.field}\`, after the text fields ${Object.keys(upload.fields.shape).join(", ")}.`
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

function splitName(name: EndpointName): ["GET" | "POST" | "PUT" | "DELETE", string] {
  const [method, path] = name.split(" ");
  if (path === undefined) throw new Error(`${name} is no method and path`);
  if (method === "GET" || method === "POST" || method === "PUT" || method === "DELETE") {
    return [method, path];
  }
  throw new Error(`${name} has an unknown method`);
}
