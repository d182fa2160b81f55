import type { Endpoint } from "@balcao/contract";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance, FastifySchema } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";

/** Path prefix of the product's calls, except those that the contract marks `outsideApi`. */
export const API_PREFIX = "/api";

/** Serves the API description for people (`/api/docs`) and programs (`/api/docs/json`), generated from the routes. */
export async function serveDocs(app: FastifyInstance, version: string): Promise<void> {
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
