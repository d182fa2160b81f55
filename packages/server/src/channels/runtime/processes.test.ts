import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelAdapter, ProviderContext } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { plainProvider } from "../testing/provider.ts";
import type { TestProcess } from "../testing/process.ts";
import { adminOf, startProcess } from "../testing/process.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const phone = "5511930000001";

async function leaseOf({ connectionId }: LineRef): Promise<{ owner: string; fence: number }> {
  const [lease] = await database.db.acrossCompanies((tx) =>
    tx.query<{ owner: string; fence: number }>(
      sql`select owner, fence from connection_leases where connection_id = ${connectionId}`,
    ),
  );
  if (!lease) throw new Error("no lease");
  return lease;
}

/** Its owner stands still for as long as the lease lasts, all at once. */
const expireLease = ({ connectionId }: LineRef) =>
  database.db.acrossCompanies((tx) =>
    tx.query(
      sql`update connection_leases set expires_at = now() where connection_id = ${connectionId}`,
    ),
  );

/** A process that neither renews a lease nor notices that it has lost it. */
const standingStill = {
  renewEveryMs: 600_000,
  closeAfterMs: 500_000,
  leaseMs: 600_000,
  lookEveryMs: 600_000,
};

const expectStatus = (line: LineRef, status: string) =>
  eventually(async () => expect((await stateOf(database.db, line)).status).toBe(status));

async function bodiesShown(line: LineRef): Promise<string[]> {
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query<{ body: string }>(
      sql`select body from simulator_messages where connection_id = ${line.connectionId} order by seq`,
    ),
  );
  return rows.map(({ body }) => body);
}

/** `done` once the network has acknowledged it, whether that came before or after the outcome of the send. */
async function outboundState(messageId: string): Promise<string | undefined> {
  const [row] = await database.db.acrossCompanies((tx) =>
    tx.query<{ state: string }>(sql`select state from outbound where message_id = ${messageId}`),
  );
  return row?.state;
}

test("the calls of one process reach the connection that another one owns", async () => {
  const line = await newConnection(database.db);
  const [api, owner] = [await startProcess(database), await startProcess(database)];
  await api.link(line);
  owner.runChannels();
  await expectStatus(line, "CONNECTED");
  await api.write(line, phone, "Oi");
  await eventually(async () => expect(await api.received(line)).toMatchObject([{ body: "Oi" }]));
  const answer = await api.answer(line, await newTicket(database.db, line), phone, "Bom dia!");
  await eventually(async () => expect(await bodiesShown(line)).toEqual(["Oi", "Bom dia!"]));
  await eventually(async () => expect(await outboundState(answer.messageId)).toBe("done"));
  await api.connections.disconnect(adminOf(line), line.connectionId);
  await eventually(async () =>
    expect(await stateOf(database.db, line)).toMatchObject({ unlinkRequested: false }),
  );
  await expectStatus(line, "DISCONNECTED");
});

test("polling finds messages whose wake-up was lost", async () => {
  const line = await newConnection(database.db);
  const [api, owner] = [await startProcess(database), await startProcess(database)];
  await api.link(line);
  owner.runChannels();
  await expectStatus(line, "CONNECTED");
  await api.wake.close();
  const answer = await api.answer(line, await newTicket(database.db, line), phone, "Bom dia!");
  await eventually(async () => expect(await outboundState(answer.messageId)).toBe("done"));
  await api.write(line, phone, "Oi");
  await eventually(async () => expect(await api.received(line)).toMatchObject([{ body: "Oi" }]));
});

test("a process leaves another running one its share, and takes it over when that one is gone", async () => {
  const lines = await Promise.all(Array.from({ length: 10 }, () => newConnection(database.db)));
  const [foreign] = lines;
  if (!foreign) throw new Error("no connections");
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`insert into connection_leases (connection_id, company_id, owner, fence, expires_at)
                 values (${foreign.connectionId}, ${foreign.companyId}, gen_random_uuid(), 1, now() + interval '1 hour')`),
  );
  const { owner: other } = await leaseOf(foreign);
  const process = await startProcess(database);
  const channels = process.runChannels();
  const ownedHere = async () => {
    const rows = await database.db.acrossCompanies((tx) =>
      tx.query<{ owner: string }>(
        sql`select owner from connection_leases
             where connection_id in ${lines.map(({ connectionId }) => connectionId)} and expires_at > now()`,
      ),
    );
    return rows.filter(({ owner }) => owner !== other).length;
  };
  // Half of ten, and one for the rounding.
  await eventually(async () => expect(await ownedHere()).toBe(6));
  await channels.idle();
  expect(await ownedHere()).toBe(6);
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update connection_leases set expires_at = now() where owner = ${other}`),
  );
  await eventually(async () => expect(await ownedHere()).toBe(10));
});

test("when a process stops, another one takes its connections at once", async () => {
  const line = await newConnection(database.db);
  const slow = { leaseMs: 60_000, closeAfterMs: 50_000, lookEveryMs: 30_000 };
  const first = await startProcess(database, { settings: slow });
  await first.link(line);
  const channels = first.runChannels();
  await expectStatus(line, "CONNECTED");
  const { owner } = await leaseOf(line);
  const second = await startProcess(database, { settings: slow });
  second.runChannels();
  await channels.stop();
  await eventually(async () => expect((await leaseOf(line)).owner).not.toBe(owner));
  await second.write(line, phone, "Oi");
  await eventually(async () => expect(await second.received(line)).toHaveLength(1));
});

test("a killed process's connections go to another one when their leases have run out", async () => {
  const line = await newConnection(database.db);
  const first = await startProcess(database, {
    settings: { leaseMs: 2_000, renewEveryMs: 200, closeAfterMs: 1_700 },
  });
  await first.link(line);
  first.runChannels();
  await expectStatus(line, "CONNECTED");
  const { fence } = await leaseOf(line);
  await first.crash({ keepsLeases: true });
  const second = await startProcess(database);
  second.runChannels();
  await second.write(line, phone, "Oi");
  await eventually(async () => expect(await second.received(line)).toHaveLength(1));
  expect((await leaseOf(line)).fence).toBe(fence + 1);
});

test("a process that stood still and lost its connection can store, tell and send nothing any more", async () => {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const contexts: { context: ProviderContext; process: string; isStopped: boolean }[] = [];
  const sends: string[] = [];
  const first = await startProcess(database, {
    settings: standingStill,
    adapters: [["whatsapp-web", adapterOf("first")]],
  });
  first.runChannels();
  await expectStatus(line, "CONNECTED");
  await expireLease(line);
  const second = await startProcess(database, {
    adapters: [["whatsapp-web", adapterOf("second")]],
  });
  second.runChannels();
  await eventually(() => expect(contexts.map(({ process }) => process)).toContain("second"));
  await expectStatus(line, "CONNECTED");

  const [old, next] = contexts;
  if (!old || !next) throw new Error("no sessions");
  expect(next.context.fence).toBe(old.context.fence + 1);
  const chat = { kind: "pn", value: phone } as const;
  const message = (id: string) =>
    ({
      type: "message",
      ref: { chat, id, fromMe: false },
      from: { addresses: [chat] },
      at: new Date(),
      origin: "live",
      content: { kind: "text", text: id },
    }) as const;
  await next.context.sink.store([message("from the owner")]);
  await expect(old.context.sink.store([message("too late")])).rejects.toThrow(LeaseLost);
  // The refusal is how it learns that it has lost the connection.
  await eventually(() => expect(old.isStopped).toBe(true));
  expect(old.context.signal.aborted).toBe(true);
  await old.context.sink.tell({ type: "state", status: "DISCONNECTED", reason: "logged-out" });
  await eventually(async () => expect(await second.received(line)).toHaveLength(1));
  expect(await second.received(line)).toMatchObject([{ id: "from the owner" }]);
  await eventually(async () =>
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED", wanted: true }),
  );
  await sendAndExpect("second", second);

  function adapterOf(process: string): ChannelAdapter {
    return {
      createProvider: (context) => {
        const entry = { context, process, isStopped: false };
        contexts.push(entry);
        return {
          ...plainProvider,
          start: () => context.sink.tell({ type: "state", status: "CONNECTED" }),
          stop: async () => void (entry.isStopped = true),
          send: async () => {
            sends.push(process);
            return { result: "accepted" };
          },
        };
      },
    };
  }

  async function sendAndExpect(owner: string, by: TestProcess): Promise<void> {
    const ticketId = await newTicket(database.db, line);
    const { messageId } = await by.answer(line, ticketId, phone, "Bom dia!");
    await eventually(async () => expect(await by.sent(messageId)).toHaveLength(1));
    expect(sends).toEqual([owner]);
  }
});

test("a process whose lease was not renewed opens a new session as soon as the old one is closed, and not before", async () => {
  await newConnection(database.db, { channel: "whatsapp-web" });
  const open = new Set<object>();
  const atOnce: number[] = [];
  const adapter: ChannelAdapter = {
    createProvider: (context) => {
      // A session that is closed before its start is no open one.
      const session = {};
      return {
        ...plainProvider,
        start: async () => {
          open.add(session);
          atOnce.push(open.size);
          await context.sink.tell({ type: "state", status: "CONNECTED" });
        },
        stop: async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          open.delete(session);
        },
      };
    },
  };
  const neverRenewed = {
    renewEveryMs: 600_000,
    leaseMs: 600_000,
    closeAfterMs: 150,
    lookEveryMs: 20,
  };
  const process = await startProcess(database, {
    settings: neverRenewed,
    adapters: [["whatsapp-web", adapter]],
  });
  process.runChannels();
  await eventually(() => expect(atOnce.length).toBeGreaterThan(2));
  expect(new Set(atOnce)).toEqual(new Set([1]));
});

test("when an owner is paused during a send, the next owner sends the message with the same id", async () => {
  const line = await newConnection(database.db);
  const first = await startProcess(database, { settings: standingStill });
  await first.link(line);
  first.runChannels();
  await expectStatus(line, "CONNECTED");
  const ticketId = await newTicket(database.db, line);
  const params = { connectionId: line.connectionId };
  const setNetwork = (body: Record<string, unknown>) =>
    first.call("PUT /simulator/connections/:connectionId/network", line, { params, body });
  await setNetwork({ delayMs: 1_200 });
  const answer = await first.answer(line, ticketId, phone, "Bom dia!");
  await eventually(async () => expect(await outboundState(answer.messageId)).toBe("sending"));
  await setNetwork({ delayMs: 0 });
  await expireLease(line);
  const second = await startProcess(database);
  second.runChannels();
  await eventually(async () => expect(await outboundState(answer.messageId)).toBe("done"));
  // The first one's send goes out late, with the same id, and its record is refused.
  await eventually(() => expect(first.statements.take().join()).toContain("recorded"));
  expect(await bodiesShown(line)).toEqual(["Bom dia!"]);
  expect(await outboundState(answer.messageId)).toBe("done");
  // Null where the acknowledgement was quicker than the outcome of the send.
  expect((await second.sent(answer.messageId)).length).toBeLessThanOrEqual(1);
});
