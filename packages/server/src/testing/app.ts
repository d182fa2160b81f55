import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EndpointName, ReplyOf } from "@balcao/contract";
import type { App, AppDeps } from "../app.ts";
import { createApp } from "../app.ts";
import { readConfig } from "../platform/config/config.ts";
import type { Logger } from "../platform/logging/logger.ts";
import { createLogger } from "../platform/logging/logger.ts";
import { systemSources } from "../platform/sources.ts";
import type { TestDatabase } from "./database.ts";
import { testDatabase } from "./database.ts";
import { atEndOfFile } from "./end-of-file.ts";
import type { Given, GivenUser } from "./given.ts";
import { createGiven } from "./given.ts";
import type { LiveClient } from "../features/auth/testing/live-client.ts";
import { connectLive } from "../features/auth/testing/live-client.ts";

export type TestClock = { now(): Date; advance(ms: number): void };

export type Reply<T = unknown> = { status: number; body: T; headers: Headers };

export type Api = {
  /** Calls a path below /api; `body` is sent as JSON. */
  request<T = unknown>(method: string, path: string, body?: unknown): Promise<Reply<T>>;
  get<T = unknown>(path: string): Promise<Reply<T>>;
  post<T = unknown>(path: string, body?: unknown): Promise<Reply<T>>;
  put<T = unknown>(path: string, body?: unknown): Promise<Reply<T>>;
  delete<T = unknown>(path: string): Promise<Reply<T>>;
};

export type TestApp = {
  app: App;
  url: string;
  dataDir: string;
  database: TestDatabase;
  clock: TestClock;
  given: Given;
  /** Calls without a bearer. */
  anonymous: Api;
  /** Calls as a user. */
  as(user: GivenUser): Api;
  /** A connected socket of a user. */
  live(user: GivenUser): Promise<LiveClient>;
  /** Resolves when the channels have nothing left to do. */
  idle(): Promise<void>;
  statements: { take(): string[] };
  /** Stops it before the end of the file, as one of several processes. */
  close(): Promise<void>;
};

export type TestAppOptions = Partial<
  Pick<
    AppDeps,
    | "channelSettings"
    | "simulatorSettings"
    | "cloudApiSettings"
    | "bankSettings"
    | "adapters"
    | "alarmAfterMs"
    | "scheduleLookMs"
    | "numberCheckGapMs"
    | "importBatchRows"
    | "assignmentLookMs"
    | "attendantSettings"
    | "askers"
    | "promptSettings"
    | "outsideHosts"
    | "googleAddresses"
    | "deliverySettings"
    | "pushSettings"
    | "billingLookupSettings"
    | "attends"
    | "distributed"
    | "reportEveryMs"
    | "log"
  >
> & {
  /** Two applications on one database are two processes of one installation. One that reads the files of the other is given its data folder as well. */
  database?: TestDatabase;
  environment?: Record<string, string>;
};

/** The body of a call's reply, for tests that say which call they made. */
export type BodyOf<K extends EndpointName> = ReplyOf<K>;

/** The whole product in this process: real PostgreSQL, simulator channel, HTTP and sockets on a free port. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { database = await testDatabase(), environment = {}, ...rest } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "balcao-app-"));
  atEndOfFile(() => rm(dataDir, { recursive: true, force: true }));
  const config = readConfig({
    PORT: "0",
    HOST: "127.0.0.1",
    BALCAO_DATA: dataDir,
    BALCAO_DEMO: "off",
    // No server listens there: no test reaches the real one by accident.
    GRAPH_API_URL: "http://127.0.0.1:1",
    EFI_API_URL: "https://127.0.0.1:1",
    ASAAS_API_URL: "https://127.0.0.1:1",
    BALCAO_REQUESTS_PER_MINUTE: "1000000",
    BALCAO_AUTH_REQUESTS_PER_MINUTE: "1000000",
    BALCAO_API_REQUESTS_PER_MINUTE: "1000000",
    // Tests run in the same process: a blocked event loop is their own doing, no reason to refuse their calls.
    BALCAO_MAX_EVENT_LOOP_DELAY_MS: "0",
    ...environment,
  });
  const clock = createTestClock();
  let seen: string[] = [];
  const app = await createApp({
    config,
    installation: database,
    sources: { ...systemSources, clock },
    log: quietLog(),
    distributed: false,
    checkPayloads: true,
    // Tests count statements.
    reportEveryMs: 3_600_000,
    // Only where a test is about it: customers are not answered by themselves elsewhere.
    attends: options.attendantSettings !== undefined,
    onStatement: (text) => seen.push(text),
    ...rest,
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= app.close());
  atEndOfFile(close);
  const address = await app.listen();
  if (address === null) throw new Error("the test application does not serve");
  const url = address.replace("localhost", "127.0.0.1");

  return {
    app,
    url,
    dataDir,
    database,
    clock,
    given: createGiven({
      ...database,
      sources: { ...systemSources, clock },
      idle: () => app.idle(),
    }),
    anonymous: createApi(url, null),
    as: (user) => createApi(url, user.token),
    live: (user) => connectLive(url, user.token, {}),
    idle: () => app.idle(),
    close,
    statements: {
      take: () => {
        const taken = seen;
        seen = [];
        return taken;
      },
    },
  };
}

/** A logger that speaks only when the process cannot go on. */
export function quietLog(): Logger {
  return createLogger({ level: process.env["BALCAO_TEST_LOG"] ?? "fatal", pretty: false });
}

function createTestClock(): TestClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}

export function createApi(url: string, token: string | null): Api {
  async function request<T>(method: string, path: string, body?: unknown): Promise<Reply<T>> {
    const reply = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      // The caller names the expected shape; the test's assertions are the check.
      body: (text === "" ? undefined : parseJson(text)) as T,
      headers: reply.headers,
    };
  }
  return {
    request,
    get: (path) => request("GET", path),
    post: (path, body) => request("POST", path, body),
    put: (path, body) => request("PUT", path, body),
    delete: (path) => request("DELETE", path),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
