import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { DomainError } from "../context.ts";
import { API_PREFIX } from "./docs.ts";

const manifest = z.object({ name: z.string(), version: z.string(), files: z.array(z.string()) });

/**
 * Serves a built package of the repository as npm installs it: `npm i https://…/api/v1/client.tgz`. It is packed at the first request;
 * an installation without its build answers 404.
 */
export function servePackage(app: FastifyInstance, folder: string): void {
  let packed: ReturnType<typeof pack> | undefined;
  app.get(`${API_PREFIX}/v1/client.tgz`, { schema: { hide: true } }, async (_request, reply) => {
    packed ??= pack(folder);
    const made = await packed.catch(() => {
      packed = undefined;
      throw new DomainError("ERR_ROUTE_NOT_FOUND");
    });
    return reply
      .type("application/gzip")
      .headers({
        "cache-control": "no-cache",
        "content-disposition": `attachment; filename="${made.name}"`,
      })
      .send(made.content);
  });
}

async function pack(folder: string): Promise<{ name: string; content: Buffer }> {
  const text = await readFile(join(folder, "package.json"), "utf8");
  const { name, version, files } = manifest.parse(JSON.parse(text));
  const paths = ["package.json", "README.md", ...files];
  const parts: Buffer[] = [];
  for (const path of paths) {
    const content = await readFile(join(folder, path));
    parts.push(headerOf(`package/${path}`, content.length), content);
    parts.push(Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
  }
  const content = await promisify(gzip)(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
  return { name: `${name.replace("@", "").replace("/", "-")}-${version}.tgz`, content };
}

const BLOCK = 512;

/** The header of a file in a tar archive (POSIX ustar), with a name of up to 100 bytes. */
function headerOf(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string =>
    `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  // The sum counts itself as spaces.
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
