import type { Endpoint, EndpointUpload } from "@balcao/contract";
import { endpoints, limits } from "@balcao/contract";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance, FastifySchema } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";

/** Path prefix of the product's calls, except those that the contract marks `outsideApi`. */
export const API_PREFIX = "/api";

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  connectionToken: { type: "http", scheme: "bearer" },
  apiToken: { type: "http", scheme: "bearer" },
  cookie: { type: "apiKey", in: "cookie", name: "jrt" },
} as const;

/** Serves the API description for people (`/api/docs`) and programs (`/api/docs/json`), generated from the routes. */
export async function serveDocs(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Balcão", version, description: "Every call of the product." },
      components: { securitySchemes },
    },
    transform: jsonSchemaTransform,
    hideUntagged: true,
  });
  await app.register(swaggerUi, {
    routePrefix: `${API_PREFIX}/docs`,
    staticCSP: DOCS_CSP,
    uiConfig: { docExpansion: "none" },
  });
  let document: object | undefined;
  app.get(`${API_PREFIX}/v1/openapi.json`, { schema: { hide: true } }, async () => {
    document ??= publicPart(app.swagger(), version);
    return document;
  });
}

const PUBLIC_INTRODUCTION = `Calls for other programs. Send the token as \`Authorization: Bearer\`.

Lists answer \`{data, nextCursor}\`: send \`nextCursor\` as \`cursor\` for the next page; null is the end.
Errors answer \`{error, code, data, requestId}\`: decide by \`code\`.
\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds) say how many calls are left; a refused one says \`Retry-After\`.`;

const keyParameter = {
  ...{ in: "header", name: "Idempotency-Key", required: false },
  schema: { type: "string", maxLength: limits.idempotencyKeyMax },
  description: "The same key with the same request does the work once and answers the same.",
};

type Document = { paths?: object };
type Operation = Record<string, unknown> & {
  parameters?: unknown[];
  requestBody?: { content: Record<string, object> };
};

/** The document of the calls for other programs. */
function publicPart(whole: Document, version: string): object {
  const { connectionToken, apiToken } = securitySchemes;
  const all = Object.entries(whole.paths ?? {}) as [string, Record<string, Operation>][];
  const paths = all
    .filter(
      ([path]) => path.startsWith(`${API_PREFIX}/v1/`) || path === `${API_PREFIX}/messages/send`,
    )
    .map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, one]) => [
          method,
          publicOperation(path, method, one),
        ]),
      ),
    ]);
  return {
    openapi: "3.1.0",
    info: { title: "Balcão", version, description: PUBLIC_INTRODUCTION },
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { connectionToken, apiToken } },
  };
}

/** A call with a name for generated clients, its form, and what its headers may say. */
function publicOperation(path: string, method: string, operation: Operation): Operation {
  const words = path
    .slice(API_PREFIX.length)
    .replace("/v1/", "/")
    .split(/[^A-Za-z]+/);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const key = `${method.toUpperCase()} ${path.slice(API_PREFIX.length).replaceAll(/\{(\w+)\}/g, ":$1")}`;
  const known: Partial<Record<string, Endpoint>> = endpoints;
  const { upload, auth } = known[key] ?? {};
  const tags = [words.find((word) => word !== "") ?? ""];
  const parameters = [...(operation.parameters ?? []), ...(upload ? [keyParameter] : [])];
  const { requestBody } = operation;
  const content = {
    ...requestBody?.content,
    ...(upload ? { [MULTIPART_TYPE]: formOf(upload) } : {}),
  };
  return {
    ...operation,
    ...{ operationId: `${method}${name}`, tags, security: [{ [auth ?? "apiToken"]: [] }] },
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody: { ...requestBody, content } } : {}),
  };
}

const MULTIPART_TYPE = "multipart/form-data";

function formOf({ field, maxFiles, fields }: EndpointUpload): object {
  const { properties } = z.toJSONSchema(fields, { io: "input", unrepresentable: "any" });
  const files = { type: "array", maxItems: maxFiles, items: { type: "string", format: "binary" } };
  return { schema: { type: "object", properties: { ...properties, [field]: files } } };
}

/** The viewer needs inline styles and data images. */
const DOCS_CSP =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const errorReply = z.object({
  error: z.string(),
  code: z.string(),
  data: z.unknown().optional(),
  requestId: z.string().optional(),
  invalido: z.literal(true).optional(),
});

function describe({ permission, body, upload }: Endpoint): string {
  const files = upload
    ? `${body ? "Or files" : "Files"} as multipart/form-data: up to ${upload.maxFiles} in \`${upload.field}\`, with the text fields ${Object.keys(upload.fields.shape).join(", ")}.`
    : "";
  return [permission ? `Needs \`${permission}\`.` : "", files].join(" ").trim();
}

/** The schemas of a call, from which its parts are parsed and the API description is made. */
export function schemaOf(endpoint: Endpoint, status: number): FastifySchema {
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
