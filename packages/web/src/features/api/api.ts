import type { ApiCall, ApiToken, NewApiToken, ReplyOf } from "@balcao/contract";
import type { ApiTokenKind } from "@balcao/contract/api-choices";
import { apiTokenPrefixes } from "@balcao/contract/api-choices";
import { useQuery } from "@tanstack/react-query";
import { call, failureOf } from "../../api/client.ts";
import { useKeysetPages } from "../../api/keyset-pages.ts";
import { createSessionStore } from "../../api/session-store.ts";
import { readAgain } from "../../realtime/live.ts";
import { useStore } from "../../store/index.ts";
import { epochMs } from "../../ui/clock.ts";

const TOKENS = ["api-tokens"];
const CALLS = ["api-calls"];
/** No event tells of calls. */
const READ_EVERY_MS = 10_000;

export type TokenList = ReplyOf<"GET /api-tokens">;

/** The tokens of the company, and the connections that have one. */
export const useTokens = () =>
  useQuery({
    queryKey: TOKENS,
    queryFn: ({ signal }): Promise<TokenList> => call("GET /api-tokens", {}, { signal }),
    refetchInterval: READ_EVERY_MS,
  });

/** Whole tokens by the key of their row, as far as this session has seen them. They are kept in memory only. */
const wholeTokens = createSessionStore<ReadonlyMap<string, string>>(new Map());

export const useWholeTokens = (): ReadonlyMap<string, string> => useStore(wholeTokens);

export function rememberToken(key: string, token: string): void {
  wholeTokens.set(new Map(wholeTokens.get()).set(key, token));
}

const keyOf = (token: Pick<ApiToken, "id">): string => `token ${token.id}`;

/** A token, or a connection that has one of its own. */
export type TokenRow =
  | { key: string; kind: ApiTokenKind; name: string; token: ApiToken }
  | {
      key: string;
      kind: "legacy";
      name: string;
      connection: TokenList["connections"][number];
    };

/** The tokens first, then the connections. */
export function rowsOf(list: TokenList | undefined): readonly TokenRow[] {
  if (list === undefined) return [];
  return [
    ...list.tokens.map((token): TokenRow => {
      const { kind, name } = token;
      return { key: keyOf(token), kind, name, token };
    }),
    ...list.connections.map((connection): TokenRow => ({
      key: `connection ${connection.connectionId}`,
      kind: "legacy",
      name: connection.name,
      connection,
    })),
  ];
}

/** How the token is shown: its beginning and its end. */
export function maskOf(row: TokenRow): string {
  return row.kind === "legacy"
    ? `…${row.connection.end}`
    : `${apiTokenPrefixes[row.kind]}…${row.token.end}`;
}

export async function createToken(body: NewApiToken): Promise<ReplyOf<"POST /api-tokens">> {
  const made = await call("POST /api-tokens", { body });
  rememberToken(keyOf(made), made.token);
  void readAgain({ queryKey: TOKENS });
  return made;
}

export async function revokeToken({ id }: ApiToken): Promise<void> {
  await call("DELETE /api-tokens/:apiTokenId", { params: { apiTokenId: id } });
  void readAgain({ queryKey: TOKENS });
}

export type CallFilter = Readonly<{
  apiTokenId: number | null;
  connectionId: number | null;
  onlyFailed: boolean;
}>;

/** The calls of other programs in the last 30 days, the newest first. */
export function useApiCalls({ apiTokenId, connectionId, onlyFailed }: CallFilter) {
  const query = {
    ...(apiTokenId === null ? {} : { apiTokenId }),
    ...(connectionId === null ? {} : { connectionId }),
    ...(onlyFailed ? { failed: "true" as const } : {}),
  };
  return useKeysetPages<ApiCall, ReplyOf<"GET /api-calls">>(
    [...CALLS, { apiTokenId, connectionId, onlyFailed }],
    {
      read: (before, signal) =>
        call(
          "GET /api-calls",
          { query: before === null ? query : { ...query, before } },
          { signal },
        ),
      rowsOf: ({ calls }) => calls,
      everyMs: READ_EVERY_MS,
    },
  );
}

/** The values of the trial, which the examples of the reference have too. */
export type Trial = Readonly<{
  /** The row of the chosen token; "" for the first one. */
  tokenKey: string;
  connectionId: number | null;
  number: string;
  body: string;
}>;

const trial = createSessionStore<Trial>({ tokenKey: "", connectionId: null, number: "", body: "" });

export const useTrial = (): Trial => useStore(trial);

export const changeTrial = (next: Partial<Trial>): void => trial.set({ ...trial.get(), ...next });

/** A call as another program makes it, with a token and without the session. */
export type ProgramRequest = Readonly<{
  method: string;
  /** Below the origin: `/api/v1/tickets`. */
  path: string;
  /** Sends the request once, however often it is made. */
  idempotencyKey: string | null;
  json: Readonly<Record<string, unknown>> | null;
  /** A file in place of JSON, with the other values as fields. */
  file: { name: string; content: File | null } | null;
}>;

export type ProgramAnswer = Readonly<{
  status: number;
  tookMs: number;
  /** What is left of the limit, as the headers say. */
  left: number | null;
  limit: number | null;
  requestId: string;
  text: string;
  /** The refusal; null for an answer. */
  error: Error | null;
}>;

/** Files may take a while. */
const LIMIT_MS = 60_000;

/** Makes the call for real. Throws where no answer came. */
export async function makeCall(request: ProgramRequest, token: string): Promise<ProgramAnswer> {
  const headers = new Headers({ authorization: `Bearer ${token}` });
  if (request.idempotencyKey !== null) headers.set("idempotency-key", request.idempotencyKey);
  const begin = epochMs();
  const response = await fetch(request.path, {
    method: request.method,
    headers,
    credentials: "omit",
    signal: AbortSignal.timeout(LIMIT_MS),
    ...bodyOf(request, headers),
  });
  const text = await response.text();
  void readAgain({ queryKey: CALLS });
  void readAgain({ queryKey: TOKENS });
  return {
    status: response.status,
    tookMs: epochMs() - begin,
    left: numberIn(response.headers.get("ratelimit-remaining")),
    limit: numberIn(response.headers.get("ratelimit-limit")),
    requestId: response.headers.get("x-request-id") ?? "",
    text,
    error: response.ok ? null : failureOf(response.status, text),
  };
}

function bodyOf({ json, file }: ProgramRequest, headers: Headers): { body?: BodyInit } {
  if (json === null) return {};
  if (file?.content) {
    const form = new FormData();
    for (const [name, value] of Object.entries(json)) form.set(name, String(value));
    form.append("medias", file.content, file.name);
    return { body: form };
  }
  headers.set("content-type", "application/json");
  return { body: JSON.stringify(json) };
}

function numberIn(text: string | null): number | null {
  const value = Number(text);
  return text === null || Number.isNaN(value) ? null : value;
}

export const OPENAPI = "/api/v1/openapi.json";
export const MCP = "/api/mcp";

/** The description of the calls for other programs. */
export const useOpenApi = () =>
  useQuery({
    queryKey: ["openapi"],
    queryFn: async ({ signal }): Promise<unknown> => {
      const response = await fetch(OPENAPI, { method: "GET", signal, credentials: "omit" });
      const text = await response.text();
      if (!response.ok) throw failureOf(response.status, text);
      return JSON.parse(text) as unknown;
    },
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: false },
  });
