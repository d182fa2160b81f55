import type { Calls, FileToSend, Message, Scope, Template, Ticket, Contact } from "./calls.ts";

export type { Calls, Contact, FileToSend, Message, Scope, Template, Ticket };

export type BalcaoOptions = {
  /** The address of the installation, such as `https://chat.loja.com.br`. */
  url: string;
  /** A token of the page API, or that of a connection for `connection.send` alone. */
  token: string;
  /** In place of the global one. */
  fetch?: typeof fetch;
  /** How often a request is repeated at most that the server did not take; 3 unless given. */
  retries?: number;
  /** The time limit of one try; 60 seconds if it is left out. */
  timeoutMs?: number;
};

export type CallOptions = { signal?: AbortSignal };
export type SendOptions = CallOptions & {
  /** The same key with the same request sends once, also from another process. Without one, each call has its own. */
  idempotencyKey?: string;
  /** In place of a text, with `body` as caption. */
  files?: readonly FileToSend[];
};

/** A refusal of the server, or no answer at all (`status` 0, `code` `ERR_NETWORK`). Decide by `code`. */
export class BalcaoError extends Error {
  readonly status: number;
  readonly code: string;
  readonly data: unknown;
  /** For the support of the installation. */
  readonly requestId: string | null;
  /** Seconds after which the request may be repeated; null where the server says nothing. */
  readonly retryAfter: number | null;

  constructor(
    code: string,
    details: Partial<
      Pick<BalcaoError, "status" | "data" | "requestId" | "retryAfter" | "cause">
    > = {},
  ) {
    super(code, { cause: details.cause });
    this.name = "BalcaoError";
    this.code = code;
    this.status = details.status ?? 0;
    this.data = details.data;
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

type Name = keyof Calls;
type Request<K extends Name> = Calls[K]["request"];
type Reply<K extends Name> = Calls[K]["reply"];
type Body<K extends Name> = Request<K> extends { body: infer B } ? B : never;
type Query<K extends Name> = Request<K> extends { query: infer Q } ? Q : never;
type Paged<K extends Name> = Reply<K> extends { data: (infer Item)[] } ? Item : never;

type QueryValues = Record<string, string | number | readonly number[] | undefined>;
type Parts = {
  params?: Record<string, number>;
  query?: QueryValues;
  body?: unknown;
  files?: readonly FileToSend[] | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

const RETRIES = 3;
const TIMEOUT_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;

/** The API of an installation. Requests that were not taken are repeated after a pause; a message is never sent twice by that. */
export function createBalcao(options: BalcaoOptions) {
  const call = <K extends Name>(name: K, parts: Parts): Promise<Reply<K>> =>
    // The server answers as the contract says, from which the types are made.
    callWithRetries(options, name, parts) as Promise<Reply<K>>;

  /** One page, and all items of the pages from there on. */
  function listOf<K extends Name>(name: K) {
    const page = (query: Query<K>, given: CallOptions = {}): Promise<Reply<K>> =>
      call(name, { query: query as QueryValues, signal: given.signal });
    async function* list(query: Query<K>, given: CallOptions = {}): AsyncGenerator<Paged<K>, void> {
      let next: Query<K> | null = query;
      while (next !== null) {
        const reply = (await page(next, given)) as { data: Paged<K>[]; nextCursor: string | null };
        yield* reply.data;
        const cursor = reply.nextCursor;
        // Every list takes the cursor that it answers.
        next = cursor === null ? null : ({ ...(query as object), cursor } as Query<K>);
      }
    }
    return { page, list };
  }
  const send = <K extends "POST /v1/messages" | "POST /messages/send">(
    name: K,
    body: Body<K>,
    { files, signal, idempotencyKey = newKey() }: SendOptions,
  ) => call(name, { body, files, signal, idempotencyKey });

  return {
    messages: {
      /** Sends a text, a template or files, in a ticket or to a number. */
      send: (body: Body<"POST /v1/messages">, given: SendOptions = {}) =>
        send("POST /v1/messages", body, given),
      /** The messages of a ticket, the newest first. */
      ...listOf("GET /v1/messages"),
    },
    contacts: {
      ...listOf("GET /v1/contacts"),
      get: (contactId: number, given: CallOptions = {}) =>
        call("GET /v1/contacts/:contactId", { params: { contactId }, ...given }),
      create: (body: Body<"POST /v1/contacts">, given: CallOptions = {}) =>
        call("POST /v1/contacts", { body, ...given }),
      update: (
        contactId: number,
        body: Body<"PUT /v1/contacts/:contactId">,
        given: CallOptions = {},
      ) => call("PUT /v1/contacts/:contactId", { params: { contactId }, body, ...given }),
    },
    tickets: {
      ...listOf("GET /v1/tickets"),
      get: (ticketId: number, given: CallOptions = {}) =>
        call("GET /v1/tickets/:ticketId", { params: { ticketId }, ...given }),
      /** Accepts, returns, resolves, reopens or transfers it. */
      update: (
        ticketId: number,
        body: Body<"PUT /v1/tickets/:ticketId">,
        given: CallOptions = {},
      ) => call("PUT /v1/tickets/:ticketId", { params: { ticketId }, body, ...given }),
      /** Makes these its only tags. */
      setTags: (ticketId: number, tagIds: number[], given: CallOptions = {}) =>
        call("PUT /v1/tickets/:ticketId/tags", {
          params: { ticketId },
          body: { tagIds },
          ...given,
        }),
      /** Proposes an answer, which a person reads before it is sent. */
      draft: (ticketId: number, body: string, given: CallOptions = {}) =>
        call("POST /v1/tickets/:ticketId/draft", {
          params: { ticketId },
          body: { body },
          ...given,
        }),
    },
    tags: listOf("GET /v1/tags"),
    queues: {
      /** All of them, in their order. */
      list: async (given: CallOptions = {}) => (await call("GET /v1/queues", given)).data,
    },
    templates: {
      /** The approved ones of a connection. */
      list: async (connectionId: number, given: CallOptions = {}) =>
        (await call("GET /v1/templates", { query: { connectionId }, ...given })).data,
    },
    connection: {
      /** `POST /api/messages/send`, with the token of a connection. */
      send: (body: Body<"POST /messages/send">, given: SendOptions = {}) =>
        send("POST /messages/send", body, given),
    },
  };
}

export type Balcao = ReturnType<typeof createBalcao>;

async function callWithRetries(options: BalcaoOptions, name: Name, parts: Parts): Promise<unknown> {
  const { retries = RETRIES } = options;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await callOnce(options, name, parts);
    } catch (error) {
      if (!(error instanceof BalcaoError) || attempt >= retries) throw error;
      if (!mayRepeat(error, name, parts)) throw error;
      const pauseMs = error.retryAfter === null ? 1_000 * 2 ** attempt : error.retryAfter * 1_000;
      if (pauseMs > LONGEST_WAIT_MS) throw error;
      await pause(pauseMs, parts.signal);
    }
  }
}

/** A refused call is repeated if the server asks for it, or if repeating it changes nothing. */
function mayRepeat({ status, code }: BalcaoError, name: Name, { idempotencyKey }: Parts): boolean {
  if (status === 429 || code === "ERR_IDEMPOTENCY_RUNNING") return true;
  const isRepeatable = idempotencyKey !== undefined || !name.startsWith("POST ");
  return isRepeatable && (status === 503 || code === "ERR_NETWORK");
}

async function callOnce(options: BalcaoOptions, name: Name, parts: Parts): Promise<unknown> {
  const { token, fetch: ask = fetch, timeoutMs = TIMEOUT_MS } = options;
  const [method = "", path = ""] = name.split(" ");
  const { idempotencyKey, signal } = parts;
  const headers = new Headers({ authorization: `Bearer ${token}` });
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  const body = bodyOf(parts);
  if (typeof body === "string") headers.set("content-type", "application/json");
  const limit = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await ask(urlOf(options.url, path, parts), {
      ...{ method, headers, redirect: "error" },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body === undefined ? {} : { body }),
    });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new BalcaoError("ERR_NETWORK", { cause });
  }
  if (response.ok) return parsed(text, response);
  throw refusalOf(response, text);
}

function urlOf(url: string, path: string, { params = {}, query = {} }: Parts): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => String(params[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    search.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  const asked = search.size === 0 ? "" : `?${search}`;
  return `${url.replace(/\/+$/, "")}/api${filled}${asked}`;
}

function bodyOf({ body, files = [] }: Parts): string | FormData | undefined {
  if (files.length === 0) return body === undefined ? undefined : JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(body ?? {})) {
    if (value !== undefined && value !== null) form.set(name, String(value));
  }
  for (const { name, content } of files) form.append("medias", content, name);
  return form;
}

function parsed(text: string, { status }: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BalcaoError("ERR_NO_JSON", { status, cause });
  }
}

function refusalOf({ status, headers }: Response, text: string): BalcaoError {
  let said: { code?: unknown; data?: unknown; requestId?: unknown } = {};
  try {
    said = { ...JSON.parse(text) };
  } catch {
    // A proxy in between answers with a page.
  }
  const after = Number(headers.get("retry-after") ?? "");
  return new BalcaoError(typeof said.code === "string" ? said.code : `HTTP_${status}`, {
    ...{ status, data: said.data, retryAfter: after > 0 ? after : null },
    requestId: typeof said.requestId === "string" ? said.requestId : headers.get("x-request-id"),
  });
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Also in pages without a secure context, which lack `randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The body of a webhook's request. `event` is `test` for a trial from the page. */
export type WebhookEvent =
  | { event: "message.received" | "message.sent"; at: string; ticket: Ticket; message: Message }
  | {
      event: "ticket.changed";
      at: string;
      ticket: Ticket;
      before: { status: Ticket["status"]; queueId: number | null; userId: number | null };
    }
  | { event: "test"; at: string };

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A signature is worth nothing after that, so that nobody sends an old request again. */
const SIGNED_SECONDS = 5 * 60;

/**
 * The event of a webhook's request, whose `body` is the text as it arrived. Throws ERR_SIGNATURE for one that the secret did not
 * sign within the last five minutes. `webhook-id` stays the same when an event comes again.
 */
export async function verifyWebhook(
  headers: HeaderSource,
  body: string,
  secret: string,
): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const at = headerOf(headers, "webhook-timestamp");
  const given = headerOf(headers, "webhook-signature").split(" ");
  const age = Math.abs(Date.now() / 1_000 - Number(at));
  if (id === "" || !(age <= SIGNED_SECONDS)) throw new BalcaoError("ERR_SIGNATURE");
  const key = await crypto.subtle.importKey(
    "raw",
    bytesOf(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const signed = new TextEncoder().encode(`${id}.${at}.${body}`);
  for (const one of given) {
    const [, coded] = /^v1,([\w+/]+=*)$/.exec(one) ?? [];
    if (coded === undefined) continue;
    if (await crypto.subtle.verify("HMAC", key, bytesOf(coded), signed)) {
      return JSON.parse(body) as WebhookEvent; // signed by the server
    }
  }
  throw new BalcaoError("ERR_SIGNATURE");
}

function headerOf(headers: HeaderSource, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const value = headers[name];
  return typeof value === "string" ? value : (value?.[0] ?? "");
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
