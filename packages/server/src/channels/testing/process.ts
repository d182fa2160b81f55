import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ChannelKind,
  ConnectionId,
  EndpointName,
  MessageId,
  TicketId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { onTestFinished } from "vitest";
import type { ConnectionsDeps } from "../../features/connections/editing.ts";
import { listConnections, showConnection } from "../../features/connections/editing.ts";
import type { ConnectionsFeature } from "../../features/connections/index.ts";
import { createConnectionsFeature } from "../../features/connections/index.ts";
import { disconnect, startConnection, startUnlinked } from "../../features/connections/sessions.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { openDatabase } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { startWake } from "../../platform/db/wake.ts";
import { createDomainEvents } from "../../platform/events.ts";
import type { RouteHandler, RouteInput } from "../../platform/http/routes.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { openMediaFolder } from "../../platform/media/media-store.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type {
  Address,
  ChannelAdapter,
  OutboundBody,
  OutboundChange,
  TransientEvent,
} from "../port.ts";
import type { ChannelRuntime, ChannelSettings, Outbox } from "../runtime/index.ts";
import type { OutboundMessage } from "../runtime/outbound.ts";
import {
  connectionsChanged,
  createOutbox,
  retryConnection,
  startChannels,
} from "../runtime/index.ts";
import { createSimulator } from "../simulator/index.ts";
import type { LineRef } from "../simulator/line.ts";
import { linkLine } from "../simulator/line.ts";
import type { SimulatorSettings } from "../simulator/provider.ts";
import { insertMessage, newMessageId } from "./company.ts";
import type { ProductOptions } from "./product.ts";
import { createProduct, productTables } from "./product.ts";

/** Times for tests: as the real ones, a good ten times quicker. */
const quickSettings: Partial<ChannelSettings> = {
  leaseMs: 8_000,
  renewEveryMs: 1_000,
  closeAfterMs: 6_000,
  lookEveryMs: 150,
  reconnectDelaysMs: [20, 40, 80],
  openingMs: 5_000,
  replacedRetryMs: 50,
  inboundRetriesMs: [2, 4, 8, 16],
  sendMs: 2_000,
  outboundRetriesMs: [20, 40, 80, 160],
};

type Published = { subject: string; payload: unknown; to: Room[]; except: Room[] };

type Received = { chat: string; id: string; body: string };
type Sent = {
  messageId: MessageId;
  result: string;
  kind: string | null;
  command: string;
  before: string | null;
};

function callConnections(deps: ConnectionsDeps) {
  return {
    list: (ctx: Ctx) => listConnections(deps, ctx),
    get: (ctx: Ctx, id: ConnectionId) => showConnection(deps, ctx, id),
    start: (ctx: Ctx, id: ConnectionId) => startConnection(deps, ctx, id),
    startUnlinked: (ctx: Ctx, id: ConnectionId, pairingPhone?: string) =>
      startUnlinked(deps, ctx, id, pairingPhone),
    disconnect: (ctx: Ctx, id: ConnectionId) => disconnect(deps, ctx, id),
  };
}

type Adapters = [ChannelKind, ChannelAdapter][];

export type ProcessOptions = ProductOptions & {
  settings?: Partial<ChannelSettings>;
  simulatorSettings?: Partial<SimulatorSettings>;
  /** Beside the simulator; a function gets the process's own database. */
  adapters?: Adapters | ((db: Database) => Adapters);
  poolSize?: number;
};

/** A process of the product as far as channels are concerned, over the file's database. */
export type TestProcess = {
  db: Database;
  wake: Wake;
  outbox: Outbox;
  connections: ReturnType<typeof callConnections>;
  /** The handler of a connection's states and codes. */
  tell: ConnectionsFeature["tell"];
  published: Published[];
  presences: TransientEvent[];
  statements: { take(): string[] };
  /** Runs the sessions of connections that nobody owns. */
  runChannels(): ChannelRuntime;
  /** Calls the handler of an endpoint as an admin of the line's company. */
  call: <K extends EndpointName>(name: K, line: LineRef, input: Input<K>) => Promise<unknown>;
  /** A customer writes, through the simulator's call. */
  write(line: LineRef, phone: string, body: string, messageId?: string): Promise<void>;
  /** An agent answers: the message row and its outbound row, in one transaction. Answers the message's ids. */
  answer(
    line: LineRef,
    ticketId: TicketId,
    to: string | Address,
    body: string | OutboundBody,
    more?: Answering,
  ): Promise<Answer>;
  link(line: LineRef): Promise<void>;
  received(line: LineRef): Promise<Received[]>;
  /** An agent edits, deletes or reacts; `before` comes back with the outcome. */
  change(line: LineRef, phone: string, request: ChangeRequest): Promise<Answer>;
  /** Everything the product was told, in order, dates as texts. */
  events(line: LineRef): Promise<unknown[]>;
  /** A message whose file is to be fetched, with what was made of the file: its text, or `unavailable`. */
  download(line: LineRef, ticketId: TicketId, locator: string): Promise<MessageId>;
  files(messageId: MessageId): Promise<string[]>;
  sent(messageId: MessageId): Promise<Sent[]>;
  /** Breaks the connections to the database, as a restart of it does; the process goes on. */
  breakConnections(): Promise<void>;
  /**
   * Gone from one moment to the next, as by SIGKILL: the database sees broken connections. Its leases have run out, unless the
   * test waits for that itself.
   */
  crash(wish?: { keepsLeases?: boolean }): Promise<void>;
  stop(): Promise<void>;
};

type Input<K extends EndpointName> = Partial<
  Pick<RouteInput<K>, "params" | "query" | "body"> & Record<string, unknown>
>;
type ChangeRequest = { messageId: MessageId; change: OutboundChange; before: string };
type Answering = Pick<OutboundMessage, "quote" | "dueAt" | "priority">;
export type Answer = { messageId: MessageId; providerId: string };

export async function startProcess(
  database: TestDatabase,
  options: ProcessOptions = {},
): Promise<TestProcess> {
  await database.db.acrossCompanies((tx) => tx.query(sql.raw(productTables)));
  const owners: string[] = [];
  const newOwner = (): string => {
    const owner = randomUUID();
    owners.push(owner);
    return owner;
  };
  const name = `process-${randomBytes(4).toString("hex")}`;
  const log = createLogger({ level: process.env["LOG"] ?? "silent", pretty: false });
  let statements: string[] = [];
  const open = openDatabase({
    serviceUrl: named(database.serviceUrl, name),
    appUrl: named(database.appUrl, name),
    poolSize: options.poolSize ?? 12,
    log,
    onStatement: (text) => statements.push(text),
  });
  let isDead = false;
  const db = untilDeath(open, () => isDead);
  const wake = startWake({ url: named(database.serviceUrl, name), log });
  await wake.ready();
  const published: Published[] = [];
  const presences: TransientEvent[] = [];
  const realtime: Realtime = {
    publish: (_companyId, subject, payload, to, except = []) =>
      void published.push({ subject, payload, to: [...to], except: [...except] }),
  };
  const connectionsDeps = {
    ...{ db, wake, realtime },
    ...{ accounts: null, channelTables: [] },
    domainEvents: createDomainEvents(),
  };
  const connections = createConnectionsFeature(connectionsDeps);
  const simulator = createSimulator({
    db,
    wake,
    realtime,
    files: await openMediaFolder(await networkFolder()),
    sources: systemSources,
    log,
    retryConnection: (tx, connectionId) => retryConnection(wake, tx, connectionId),
    ...(options.simulatorSettings ? { settings: options.simulatorSettings } : {}),
  });
  const handlers = createProduct(db, connections.tell, presences, options);
  const routes = new Map<string, (input: never) => Promise<unknown>>();
  simulator.registerRoutes({
    handle: <K extends EndpointName>(endpoint: K, handler: RouteHandler<K>) =>
      void routes.set(endpoint, handler),
  });
  const { adapters = [] } = options;
  const furtherAdapters = typeof adapters === "function" ? adapters(db) : adapters;
  const outbox = createOutbox(wake);
  const runtimes: ChannelRuntime[] = [];

  const self: TestProcess = {
    db,
    wake,
    outbox,
    connections: callConnections(connectionsDeps),
    tell: connections.tell,
    published,
    presences,
    statements: {
      take: () => {
        const taken = statements;
        statements = [];
        return taken;
      },
    },
    runChannels: () => {
      const runtime = startChannels({
        db,
        wake,
        adapters: new Map([["simulator", simulator.adapter], ...furtherAdapters]),
        handlers,
        sources: systemSources,
        owner: newOwner(),
        log,
        settings: { ...quickSettings, ...options.settings },
      });
      runtimes.push(runtime);
      return runtime;
    },
    call: async (endpoint, line, input) => {
      const handler = routes.get(endpoint);
      if (!handler) throw new Error(`no handler for ${endpoint}`);
      const given = { query: { searchParam: "" }, body: {}, ...input, ctx: adminOf(line) };
      return handler(given as never);
    },
    write: async (line, phone, body, messageId) => {
      await self.call("POST /simulator/connections/:connectionId/chats/:phone/messages", line, {
        params: { connectionId: line.connectionId, phone },
        body: messageId === undefined ? { body } : { body, messageId },
      });
    },
    answer: async (line, ticketId, to, body, more = {}) => {
      const answer = {
        messageId: newMessageId(),
        providerId: `3EB0${randomBytes(9).toString("hex")}`,
      };
      await db.transaction(line, async (tx) => {
        await tx.query(sql`select 1 from tickets where id = ${ticketId} for update`);
        await tx.query(insertMessage(line, { ...answer, ticketId, id: answer.messageId }));
        await outbox.enqueueOutbound(tx, ctxOf(line), {
          ...answer,
          ...more,
          connectionId: line.connectionId,
          to: typeof to === "string" ? { kind: "pn", value: to } : to,
          body: typeof body === "string" ? { kind: "text", text: body } : body,
        });
      });
      return answer;
    },
    change: async (line, phone, { messageId, change, before }) => {
      const providerId = `3EB0${randomBytes(9).toString("hex")}`;
      const to = { kind: "pn", value: phone } as const;
      const { connectionId } = line;
      await db.transaction(line, (tx) =>
        outbox.enqueueChange(tx, ctxOf(line), {
          connectionId,
          messageId,
          providerId,
          to,
          change,
          before,
        }),
      );
      return { messageId, providerId };
    },
    events: async (line) => {
      const rows = await database.db.acrossCompanies((tx) =>
        tx.query<{ event: unknown }>(
          sql`select event from test_events where connection_id = ${line.connectionId} order by n`,
        ),
      );
      return rows.map(({ event }) => event);
    },
    download: async (line, ticketId, locator) => {
      const id = newMessageId();
      await db.transaction(line, async (tx) => {
        await tx.query(insertMessage(line, { ticketId, id, providerId: `IN${id}` }));
        await outbox.enqueueMediaDownload(tx, ctxOf(line), {
          connectionId: line.connectionId,
          messageId: id,
          file: { media: "image", mime: "image/png", locator },
        });
      });
      return id;
    },
    files: async (messageId) => {
      const rows = await database.db.acrossCompanies((tx) =>
        tx.query<{ content: string }>(
          sql`select content from test_files where message_id = ${messageId} order by n`,
        ),
      );
      return rows.map(({ content }) => content);
    },
    link: (line) =>
      db.acrossCompanies(async (tx) => {
        await linkLine(tx, line);
        connectionsChanged(wake, tx);
      }),
    received: (line) =>
      database.db.acrossCompanies((tx) =>
        tx.query<Received>(
          sql`select chat, id, body from test_received where connection_id = ${line.connectionId} order by n`,
        ),
      ),
    sent: (messageId) =>
      database.db.acrossCompanies((tx) =>
        tx.query<Sent>(
          sql`select message_id as "messageId", result, kind, command, before from test_sent
               where message_id = ${messageId} order by n`,
        ),
      ),
    breakConnections: () => terminate(database.ownerUrl, name),
    crash: async ({ keepsLeases = false } = {}) => {
      isDead = true;
      await terminate(database.ownerUrl, name);
      await wake.close();
      if (keepsLeases || owners.length === 0) return;
      await database.db.acrossCompanies((tx) =>
        tx.query(sql`
          update connection_leases set expires_at = now() - interval '1 second' where owner in ${owners}`),
      );
    },
    stop: async () => {
      await Promise.all(runtimes.map((runtime) => runtime.stop()));
      simulator.close();
      await wake.close();
      await open.close();
    },
  };
  // Its runtime would take the connections of the next test.
  onTestFinished(async () => {
    if (!isDead) await self.stop();
  });
  return self;
}

export function ctxOf({ companyId }: LineRef): Ctx {
  return systemCtx(companyId, "test", "test");
}

export function adminOf({ companyId }: LineRef): UserCtx {
  return {
    companyId,
    requestId: "test",
    actor: {
      kind: "user",
      userId: 1 as UserCtx["actor"]["userId"],
      name: "Ana",
      profile: "admin",
      super: false,
      seesNoQueue: true,
      queueIds: [],
      ownerlessQueueIds: [],
      plan: {
        useCampaigns: true,
        useKanban: true,
        useOpenAi: true,
        useIntegrations: true,
        useSchedules: true,
        useInternalChat: true,
        useExternalApi: true,
      },
    },
  };
}

/** Sets `application_name`, which names the process to the server. */
function named(url: string, name: string): string {
  const result = new URL(url);
  result.searchParams.set("application_name", name);
  return result.toString();
}

/** A database that answers nothing any more once its process is dead. */
function untilDeath(db: Database, isDead: () => boolean): Database {
  const never = new Promise<never>(() => undefined);
  // Also what was waiting for a connection that nobody has broken, because it did not exist yet.
  const alive =
    <T>(work: (tx: Tx) => Promise<T>) =>
    (tx: Tx) =>
      isDead() ? never : work(tx);
  return {
    transaction: (scope, work, options) =>
      isDead() ? never : db.transaction(scope, alive(work), options),
    read: (scope, statement, values, planning) =>
      isDead() ? never : db.read(scope, statement, values, planning),
    acrossCompanies: (work) => (isDead() ? never : db.acrossCompanies(alive(work))),
    forLeases: (work) => (isDead() ? never : db.forLeases(alive(work))),
    readAcrossCompanies: (statement, values) =>
      isDead() ? never : db.readAcrossCompanies(statement, values),
    ping: () => db.ping(),
    poolFigures: () => db.poolFigures(),
    close: () => db.close(),
  };
}

/** Breaks all connections of a process, as the operating system does for one that was killed. */
async function terminate(ownerUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1",
    [name],
  );
  await client.end();
}

let folder: Promise<string> | undefined;

/** Where the simulated network keeps files: one place for all processes of a test file. */
function networkFolder(): Promise<string> {
  folder ??= mkdtemp(join(tmpdir(), "balcao-network-")).then((path) => {
    atEndOfFile(async () => {
      // The next test file of this worker has a folder of its own.
      folder = undefined;
      await rm(path, { recursive: true, force: true });
    });
    return path;
  });
  return folder;
}
