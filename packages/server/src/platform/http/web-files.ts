import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../context.ts";

/** Paths that belong to the program and are never a page. */
const PROGRAM_PATHS = /^\/(api|public|webhooks|socket\.io|metrics)(\/|$|\?)/;

/**
 * The built web page: files whose names carry a hash are kept for ever, all others are asked for again, and every
 * other address that a browser opens is the page itself. Without `root` only the API is served.
 */
export async function serveWeb(app: FastifyInstance, root: string | null): Promise<void> {
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
    app.get("/", { schema: { hide: true } }, async (_request, reply) => sendPage(reply));
  }

  app.setNotFoundHandler(async (request, reply) => {
    if (root !== null && wantsPage(request)) return sendPage(reply);
    throw new DomainError("ERR_ROUTE_NOT_FOUND");
  });
}

/**
 * What the security policy calls the scripts that stand in the page itself: they run before the first paint, and a file of
 * their own would cost a round trip. Read at start; nothing of a request ever gets into the page.
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

function sendPage(reply: FastifyReply): FastifyReply {
  return reply.status(200).sendFile("index.html");
}
