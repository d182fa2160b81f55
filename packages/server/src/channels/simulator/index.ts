import type { CompanyId, ConnectionId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import { sql } from "drizzle-orm";
import type { ChannelAdapter, PersonStore } from "../port.ts";
import { sweepGoneConnections } from "../runtime/index.ts";
import { createNetworkFiles } from "./content.ts";
import type { LineRef } from "./line.ts";
import { Changes, createLines, LINE_TOPIC, lineNumber, linkLine, parseLineTopic } from "./line.ts";
import type { SimulatorSettings } from "./provider.ts";
import { defaultSimulatorSettings, SimulatorProvider } from "./provider.ts";
import { registerMessageRoutes, registerSimulatorRoutes } from "./routes.ts";
import { simulatorCustomers, simulatorMessages } from "./schema.ts";
import { readBusyLinesAcrossCompanies } from "./traffic.ts";

export type { SimulatorSettings } from "./provider.ts";

type SimulatorDeps = {
  db: Database;
  wake: Wake;
  realtime: Realtime;
  /** Files on the network, separate from the product's own. */
  files: MediaStore;
  sources: Sources;
  log: Logger;
  /** Makes a waiting connection reconnect now. */
  retryConnection: (tx: Tx, connectionId: ConnectionId) => void;
  settings?: Partial<SimulatorSettings>;
};

type Simulator = {
  adapter: ChannelAdapter;
  registerRoutes(routes: Routes): void;
  /** Deletes the network's rows of deleted connections. */
  sweep(signal: AbortSignal): Promise<void>;
  people: PersonStore;
  close(): void;
};

/** Polls for changes whose wake-up was missed. */
const LOOK_EVERY_MS = 2_000;

/** The chat network in miniature: an adapter for the channel runtime, and the calls of the customers' phones. */
export function createSimulator(deps: SimulatorDeps): Simulator {
  const { db, wake, realtime, sources, log } = deps;
  const files = createNetworkFiles(deps.files, sources.ids);
  const changes = new Changes(realtime);
  const open = new Map<ConnectionId, SimulatorProvider>();
  const settings = { ...defaultSimulatorSettings, ...deps.settings };

  const unsubscribe = wake.on(LINE_TOPIC, (topic) => {
    const { connectionId, typing } = parseLineTopic(topic);
    const provider = open.get(connectionId);
    if (typing) provider?.typing(typing);
    else provider?.lookSoon();
  });
  const timer = setInterval(() => void lookAtBusyLines(), LOOK_EVERY_MS);
  timer.unref();

  async function lookAtBusyLines(): Promise<void> {
    if (open.size === 0) return;
    try {
      const busy = await db.acrossCompanies((tx) =>
        readBusyLinesAcrossCompanies(tx, [...open.keys()]),
      );
      for (const connectionId of busy) open.get(connectionId)?.lookSoon();
    } catch (error) {
      log.warn({ err: error }, "the simulated lines were not read");
    }
  }

  const register = (provider: SimulatorProvider) => {
    open.set(provider.connectionId, provider);
    return () => {
      if (open.get(provider.connectionId) === provider) open.delete(provider.connectionId);
    };
  };
  const noticeOf = (companyId: CompanyId, connectionId: ConnectionId) => (phone: string | null) =>
    changes.notice(companyId, connectionId, phone);

  return {
    adapter: {
      createProvider: (context) =>
        new SimulatorProvider(context, {
          db,
          files,
          random: sources.random,
          settings,
          log,
          onChange: noticeOf(context.companyId, context.connectionId),
          register,
        }),
    },
    registerRoutes: (routes) => {
      const { random } = sources;
      const lines = createLines({ db, wake, changes, random });
      registerSimulatorRoutes(routes, { db, lines, retryConnection: deps.retryConnection });
      registerMessageRoutes(routes, { lines, files });
    },
    async sweep(signal) {
      const messages = { name: "simulator_messages", key: "g.details #>> '{file,key}'", signal };
      await sweepGoneConnections(db, messages, async (gone) => {
        for (const file of gone) await files.remove(file, file.key);
      });
      await sweepGoneConnections(db, { name: "simulator_customers", signal });
      await sweepGoneConnections(db, { name: "simulator_lines", signal });
    },
    people: peopleOf(db, deps.files),
    close: () => {
      unsubscribe();
      clearInterval(timer);
      changes.close();
    },
  };
}

/** Rows that one statement deletes. */
const FORGOTTEN_AT_ONCE = 500;

/** The simulated network forgets a person too: the conversation, and messages, reactions and memberships in groups. */
function peopleOf(db: Database, files: Pick<MediaStore, "remove">): PersonStore {
  return {
    async count(companyId, { numbers }) {
      const [row] = await db.transaction({ companyId }, (tx) =>
        tx.query<{ count: number }>(sql`
          select (select count(*)::int from simulator_messages where company_id = ${companyId}
                   and (phone = any (${sql.param(numbers)}::text[]) or author = any (${sql.param(numbers)}::text[])))
               + (select count(*)::int from simulator_customers where company_id = ${companyId}
                   and phone = any (${sql.param(numbers)}::text[])) as count`),
      );
      return row?.count ?? 0;
    },
    async forget(companyId, { numbers }, before) {
      const list = sql`(${sql.param(numbers)}::text[])`;
      for (let count = FORGOTTEN_AT_ONCE; count === FORGOTTEN_AT_ONCE;) {
        const rows = await db.transaction({ companyId }, (tx) =>
          tx.query<{ seq: number; key: string | null }>(sql`
            select seq, details #>> '{file,key}' as key from simulator_messages
             where company_id = ${companyId} and (phone = any ${list} or author = any ${list})
               and created_at < ${before} limit ${FORGOTTEN_AT_ONCE}`),
        );
        // The files first: a row is all that names them.
        for (const { key } of rows) if (key !== null) await files.remove({ companyId }, key);
        const seqs = rows.map(({ seq }) => seq);
        await db.transaction({ companyId }, (tx) =>
          tx.query(sql`
            delete from simulator_messages
             where company_id = ${companyId} and seq = any (${sql.param(seqs)}::bigint[])`),
        );
        count = rows.length;
      }
      await db.transaction({ companyId }, async (tx) => {
        await tx.query(sql`
          update simulator_messages set reactions = reactions - ${list}
           where company_id = ${companyId} and reactions ?| ${list}`);
        await tx.query(sql`
          update simulator_customers set last_message = '', members = coalesce((
            select jsonb_agg(m) from jsonb_array_elements(members) m where m ->> 'phone' <> all ${list}), '[]')
           where company_id = ${companyId} and members is not null
             and exists (select from jsonb_array_elements(members) m where m ->> 'phone' = any ${list})`);
        await tx.query(sql`
          delete from simulator_customers c where company_id = ${companyId} and phone = any ${list}
             and not exists (select from simulator_messages m
               where m.company_id = c.company_id and m.connection_id = c.connection_id and m.phone = c.phone)`);
      });
    },
    // The conversation goes with the person; a message in a group is found by its author.
    forgetMessages: async () => undefined,
  };
}

type SeededMessage = {
  id: string;
  fromCustomer: boolean;
  body: string;
  /** Customers' messages: 2 received by the connection, 4 read by an agent. The company's: 2 to 4. */
  ack: number;
  at: Date;
};

type SeededCustomer = {
  phone: string;
  name: string;
  /** Oldest first. */
  messages: readonly SeededMessage[];
};

type SeededLine = LineRef & { customers: readonly SeededCustomer[] };

/**
 * Links a line and puts past conversations on its customers' phones. They count as delivered and their acks as
 * reported, so the connection receives no events for them. Returns the line's number.
 */
export async function seedSimulator(tx: Tx, line: SeededLine): Promise<{ number: string }> {
  const { connectionId, customers } = line;
  await linkLine(tx, line);
  await storeCustomers(tx, line, customers);
  await storeMessages(tx, line, customers);
  return { number: lineNumber(connectionId) };
}

async function storeCustomers(
  tx: Tx,
  { companyId, connectionId }: LineRef,
  customers: readonly SeededCustomer[],
): Promise<void> {
  if (customers.length === 0) return;
  await tx.orm
    .insert(simulatorCustomers)
    .values(customers.map((customer) => ({ companyId, connectionId, ...customerRow(customer) })));
}

async function storeMessages(
  tx: Tx,
  { companyId, connectionId }: LineRef,
  customers: readonly SeededCustomer[],
): Promise<void> {
  const messages = customers
    .flatMap(({ phone, messages }) => messages.map((message) => ({ phone, ...message })))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (messages.length === 0) return;
  await tx.orm.insert(simulatorMessages).values(
    messages.map(({ at, ...message }) => ({
      companyId,
      connectionId,
      ...message,
      reportedAck: message.fromCustomer ? 0 : message.ack,
      delivered: true,
      createdAt: at,
    })),
  );
}

function customerRow({ phone, name, messages }: SeededCustomer) {
  const first = messages[0];
  const last = messages.at(-1);
  return {
    phone,
    name,
    lastMessage: last?.body ?? "",
    lastMessageAt: last?.at ?? null,
    unread: messages.filter(({ fromCustomer, ack }) => !fromCustomer && ack < acks.read).length,
    ...(first && { createdAt: first.at }),
  };
}
