import { randomUUID } from "node:crypto";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { ProviderFailure } from "../port.ts";

export type GraphSettings = {
  /** Without a trailing slash. */
  baseUrl: string;
  version: string;
  /** Longest wait for an answer. */
  callMs: number;
  /** The same for the transfer of a file. */
  fileMs: number;
};

export type GraphAccess = { accessToken: string };

/**
 * A failed call of the Graph API. `isCertain` is false when the call may have had its effect: the request was sent and
 * no readable answer came back.
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

type GraphCall = {
  method: "GET" | "POST";
  /** The path after the version. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal;
};

export type Graph = ReturnType<typeof createGraph>;

const refusal = z.looseObject({ error: z.looseObject({ code: z.number() }) });

/** Longest answer that is read: a page of templates. */
const ANSWER_BYTES = 8 * 1024 * 1024;

/** Connection errors before any part of the request was sent. */
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

  /** Makes one call; returns the JSON body. */
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

  /** Uploads a file to the number's media; returns the id by which messages refer to it. */
  async function upload(
    { accessToken, phoneNumberId }: GraphAccess & { phoneNumberId: string },
    file: UploadedFile,
    signal: AbortSignal,
  ): Promise<string> {
    const url = addressOf({ path: `${phoneNumberId}/media` });
    const form = uploadForm(file);
    // Not with `fetch`, which sends a stream without its length, in chunks.
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
      // An early refusal aborts the upload: its answer counts, not the broken pipe.
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

/** A proxy answered: with 4xx it has certainly not passed the request on. */
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

/** After a burst, Meta accepts one message in six seconds to the same person. */
const PAIR_WAIT_MS = 6_000;
const RATE_WAIT_MS = 10_000;

/** The meaning of a Graph API error code (channels.md 4); the texts change and are never read. */
export function failureOfCode(code: number): ProviderFailure {
  return { ...meaningOf(code), code: String(code) };
}

function meaningOf(code: number): ProviderFailure {
  if (code >= 200 && code <= 299) return { kind: "auth" };
  if (code >= 132_000 && code <= 132_999) return { kind: "bad-request" };
  switch (code) {
    case 0:
    case 10:
    case 190:
    case 131_005:
    case 131_045:
    case 133_010:
      return { kind: "auth" };
    case 4:
    case 80_007:
    case 130_429:
    case 131_048:
      return { kind: "rate-limited", retryAfterMs: RATE_WAIT_MS };
    case 131_056:
      return { kind: "rate-limited", retryAfterMs: PAIR_WAIT_MS };
    case 131_047:
      return { kind: "window-closed" };
    case 131_026:
    case 131_030:
      return { kind: "recipient-unknown" };
    case 131_031:
    case 368:
      return { kind: "banned" };
    case 131_042:
    case 131_049:
    case 131_050:
      return { kind: "restricted" };
    case 131_051:
    case 131_062:
      return { kind: "unsupported" };
    case 131_052:
      return { kind: "media-missing" };
    case 1:
    case 2:
    case 131_000:
    case 131_016:
    case 131_057:
      return { kind: "temporary" };
    default:
      return { kind: "bad-request" };
  }
}

type UploadedFile = {
  mime: string;
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
};

type UploadForm = {
  contentType: string;
  bytes: number;
  content: AsyncIterable<Uint8Array>;
};

/** The multipart body of a media upload, with a known length; streams the file. */
function uploadForm({ mime, name, bytes, content }: UploadedFile): UploadForm {
  const boundary = `balcao-${randomUUID()}`;
  const type = oneLine(mime);
  const head = Buffer.from(
    [
      ...textPart(boundary, "messaging_product", "whatsapp"),
      ...textPart(boundary, "type", type),
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${oneLine(name).replaceAll('"', "%22")}"`,
      `Content-Type: ${type}`,
      "",
      "",
    ].join("\r\n"),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* content;
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: head.byteLength + bytes + tail.byteLength,
    content: body(),
  };
}

function textPart(boundary: string, name: string, value: string): string[] {
  return [`--${boundary}`, `Content-Disposition: form-data; name="${name}"`, "", value];
}

const oneLine = (value: string): string => value.replaceAll(/[\r\n]/g, " ");
