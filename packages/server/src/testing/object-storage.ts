import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEndOfFile } from "./end-of-file.ts";

/** An object storage on this machine that speaks the real protocol, with signatures checked. */
export type TestObjectStorage = {
  /** What a process needs to keep its files there. */
  environment: Record<string, string>;
  /** Decides about each request: `fail` answers 500, `hang` never answers, `cut` closes the connection. */
  behave(how: (request: IncomingMessage) => "serve" | "fail" | "hang" | "cut"): void;
  /** Uploads in parts that were neither completed nor ended. */
  openUploads(): string[];
  /** `GET /bucket/name` and the like, in order. */
  requests: string[];
};

/** The part of the package, which has no types, that is used here. */
type StorageServer = new (options: Record<string, unknown>) => {
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
  middleware: ((context: StorageContext, next: () => Promise<void>) => Promise<void>)[];
};
type StorageContext = { path: string; mountPath?: string; state: { vhost?: boolean } };

const BUCKET = "balcao";
/** The keys that the server accepts. */
const KEY = "S3RVER";

/** Starts it in a folder of its own; both are gone at the end of the file. */
export async function startObjectStorage(): Promise<TestObjectStorage> {
  const directory = await mkdtemp(join(tmpdir(), "balcao-objects-"));
  atEndOfFile(() => rm(directory, { recursive: true, force: true }));
  const require = createRequire(import.meta.url);
  const Server = require("@20minutes/s3rver") as StorageServer;
  const storage = new Server({
    ...{ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: BUCKET }] },
  });
  await storage.configureBuckets();
  // It forgets the slash after the bucket when it checks the signature, but not where the bucket is the host.
  storage.middleware.splice(-1, 0, (context, next) => {
    if (context.path === `/${BUCKET}/`) {
      context.state.vhost = true;
      context.mountPath = "/";
    }
    return next();
  });
  const serve = storage.callback();
  const requests: string[] = [];
  let decide: Parameters<TestObjectStorage["behave"]>[0] = () => "serve";
  const uploads = join(directory, BUCKET, "._S3rver_uploads");

  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    requests.push(`${method} ${decodeURIComponent(url)}`);
    const how = decide(request);
    if (how === "hang") return;
    if (how === "cut") return void request.socket.destroy();
    if (how === "fail") return void response.writeHead(500).end();
    if (!answerUploads(uploads, request, response)) serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    environment: {
      BALCAO_MEDIA: `s3://${BUCKET}/inbox`,
      BALCAO_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      BALCAO_S3_ACCESS_KEY: KEY,
      BALCAO_S3_SECRET_KEY: KEY,
    },
    behave: (how) => {
      decide = how;
    },
    openUploads: () => uploadsIn(uploads),
    requests,
  };
}

/**
 * Lists and ends uploads in parts, which the server's package cannot; the rest of the protocol is its own. Answers whether
 * it was such a request.
 */
function answerUploads(
  folder: string,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { searchParams: query } = new URL(url, "http://storage");
  const ended = query.get("uploadId");
  if (method === "DELETE" && ended !== null) {
    rmSync(join(folder, ended), { recursive: true });
    response.writeHead(204).end();
    return true;
  }
  if (method !== "GET" || !query.has("uploads")) return false;
  const prefix = query.get("prefix") ?? "";
  const open = uploadsIn(folder).flatMap((id) => {
    const key = readFileSync(join(folder, id, "key"), "utf8");
    if (!key.startsWith(prefix)) return [];
    const begun = statSync(join(folder, id, "key")).mtime.toISOString();
    return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun}</Initiated></Upload>`;
  });
  response.writeHead(200, { "content-type": "application/xml" });
  response.end(
    `<ListMultipartUploadsResult>${open.join("")}<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>`,
  );
  return true;
}

function uploadsIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
