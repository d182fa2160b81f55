import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { ProviderFailure } from "../port.ts";
import { failureOfCode } from "./graph-errors.ts";
import type { UploadedFile } from "./upload-form.ts";
import { uploadForm } from "./upload-form.ts";

export type GraphSettings = {
  /** Without slash at its end. */
  baseUrl: string;
  version: string;
  /** Longest wait for an answer. */
  callMs: number;
  /** The same with a file on the way. */
  fileMs: number;
};

export type GraphAccess = { accessToken: string };

/**
 * The Graph API did not do it. `isCertain` is false where nobody can say so: the request had left and no answer that
 * could be understood came back.
 */
export class GraphError extends Error {
  readonly failure: ProviderFailure;
  readonly isCertain: boolean;

  constructor(failure: ProviderFailure, { isCertain }: { isCertain: boolean }, cause?: unknown) {
    super(`the Graph API answered ${failure.kind} ${failure.code ?? ""}`.trimEnd(), { cause });
    this.name = "GraphError";
    this.failure = failure;
    this.isCertain = isCertain;
  }
}

export type GraphCall = {
  method: "GET" | "POST";
  /** Below the version. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal;
};

export type Graph = ReturnType<typeof createGraph>;

const refusal = z.looseObject({ error: z.looseObject({ code: z.number() }) });

/** Longest answer that is read: a page of templates. */
const ANSWER_BYTES = 8 * 1024 * 1024;

/** Failures of the connection before anything of the request has left. */
const NEVER_LEFT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Meta's Graph API over plain HTTP; every call has its time limit. Throws GraphError. */
export function createGraph(settings: GraphSettings) {
  const { baseUrl, version, callMs, fileMs } = settings;

  function addressOf({ path, query = {} }: Pick<GraphCall, "path" | "query">): URL {
    const url = new URL(`${baseUrl}/${version}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  /** One call; answers the JSON body. */
  async function call({ accessToken }: GraphAccess, wanted: GraphCall): Promise<unknown> {
    const { method, body, signal } = wanted;
    const limit = AbortSignal.timeout(callMs);
    try {
      const reply = await fetch(addressOf(wanted), {
        method,
        redirect: "error",
        headers: {
          authorization: `Bearer ${accessToken}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
      });
      return readAnswer(
        reply.status,
        await limitedText(reply.status, reply.body ?? Readable.from([])),
      );
    } catch (error) {
      throw toGraphError(error);
    }
  }

  /** Sends a file to the number's media; answers the id under which messages refer to it. */
  async function upload(
    { accessToken, phoneNumberId }: GraphAccess & { phoneNumberId: string },
    file: UploadedFile,
    signal: AbortSignal,
  ): Promise<string> {
    const url = addressOf({ path: `${phoneNumberId}/media` });
    const form = uploadForm(file);
    // Not by `fetch`: with a stream it leaves the length out, and the body would go in chunks.
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${accessToken}`,
        "content-type": form.contentType,
        "content-length": form.bytes,
      },
      signal: AbortSignal.any([AbortSignal.timeout(fileMs), signal]),
    });
    try {
      const answered = answerOf(request);
      const sent = pipeline(form.content, request);
      // An early refusal breaks the upload off: what it says counts, not the broken pipe.
      const { status, body } = await Promise.race([
        answered,
        sent.then(
          () => answered,
          () => answered,
        ),
      ]);
      const uploaded = z.looseObject({ id: z.string() }).safeParse(readAnswer(status, body));
      if (!uploaded.success) throw unreadable(status);
      return uploaded.data.id;
    } catch (error) {
      throw toGraphError(error);
    } finally {
      request.destroy();
    }
  }

  return { call, upload, settings };
}

async function answerOf(request: ClientRequest): Promise<{ status: number; body: string }> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", reject);
  });
  const status = reply.statusCode ?? 0;
  return { status, body: await limitedText(status, reply) };
}

async function limitedText(status: number, body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > ANSWER_BYTES) throw unreadable(status);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readAnswer(status: number, body: string): unknown {
  const answer = parseJson(body);
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  const refused = refusal.safeParse(answer);
  if (refused.success) {
    throw new GraphError(failureOfCode(refused.data.error.code), { isCertain: true });
  }
  throw unreadable(status);
}

/** Something in between answered: with 4xx it has certainly not let the request through. */
function unreadable(status: number): GraphError {
  const code = `http-${status}`;
  if (status === 401 || status === 403) {
    return new GraphError({ kind: "auth", code }, { isCertain: true });
  }
  if (status >= 400 && status < 500) {
    return new GraphError({ kind: "bad-request", code }, { isCertain: true });
  }
  return new GraphError({ kind: "temporary", code }, { isCertain: false });
}

function toGraphError(error: unknown): GraphError {
  if (error instanceof GraphError) return error;
  const code = codeOf(error);
  const isCertain = code !== undefined && NEVER_LEFT.has(code);
  const kind = isCertain ? "not-connected" : "temporary";
  return new GraphError({ kind, ...(code ? { code } : {}) }, { isCertain }, error);
}

/** `fetch` hides the socket's error in its cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code: unknown = Reflect.get(error, "code");
  if (typeof code === "string") return code;
  return codeOf(error.cause) ?? (error.name === "TimeoutError" ? "timeout" : undefined);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A proxy's page, or nothing.
    return undefined;
  }
}
