import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { SendOutcome } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { adminOf, startProcess } from "../testing/process.ts";
import { textOf } from "../testing/product.ts";
import type { Script, ScriptedService } from "../testing/scripted-service.ts";
import { createScriptedService } from "../testing/scripted-service.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

async function newWorld(script: Script = {}, settings = {}) {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const service = createScriptedService(script);
  const process = await startProcess(database, {
    adapters: [["whatsapp-web", service.adapter]],
    settings,
  });
  const status = async () => (await stateOf(database.db, line)).status;
  const expectState = (state: object) =>
    eventually(async () => expect(await stateOf(database.db, line)).toMatchObject(state));
  return { line, service, process, status, expectState };
}

const startedSessions = ({ started }: ScriptedService) => started();

test("a session that the network closes is followed by another one, and people see it", async () => {
  const { service, process, expectState } = await newWorld({}, { reconnectDelaysMs: [300] });
  process.runChannels();
  await expectState({ status: "CONNECTED", number: "5511", retries: 0 });
  await service.sessions[0]?.end("network");
  await expectState({ status: "TIMEOUT", closeReason: "network" });
  await expectState({ status: "CONNECTED", closeReason: null });
  expect(startedSessions(service)).toHaveLength(2);
  expect(service.sessions[0]?.calls).toEqual(["start", "stop"]);
});

test("starts since the last success are counted, and a success ends the count", async () => {
  let isReachable = false;
  const { service, process, expectState, line } = await newWorld({
    onStart: (session) =>
      isReachable
        ? session.context.sink.tell({ type: "state", status: "CONNECTED" })
        : session.end("network"),
  });
  process.runChannels();
  await eventually(() => expect(startedSessions(service).length).toBeGreaterThan(4));
  expect((await stateOf(database.db, line)).retries).toBeGreaterThan(1);
  isReachable = true;
  await expectState({ status: "CONNECTED", retries: 0 });
});

test.each(["logged-out", "qr-expired"] as const)(
  "a session that ends by %s waits for people, and starts again when they ask",
  async (reason) => {
    const { line, service, process, expectState } = await newWorld();
    const channels = process.runChannels();
    await expectState({ status: "CONNECTED" });
    await service.sessions[0]?.end(reason);
    await expectState({ status: "DISCONNECTED", closeReason: reason, wanted: false });
    await channels.idle();
    expect(service.sessions).toHaveLength(1);
    await process.connections.start(adminOf(line), line.connectionId);
    await expectState({ status: "CONNECTED", closeReason: null });
    expect(service.sessions).toHaveLength(2);
  },
);

test("a link that another client uses is tried once more, then left to it", async () => {
  const { service, process, expectState } = await newWorld();
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  await service.sessions[0]?.end("replaced");
  await eventually(() => expect(service.sessions).toHaveLength(2));
  await expectState({ status: "CONNECTED" });
  await service.sessions[1]?.end("replaced");
  await expectState({ status: "DISCONNECTED", closeReason: "replaced", wanted: false });
  expect(service.sessions).toHaveLength(2);
});

test("events of a closed session are ignored, and it cannot store any", async () => {
  const { line, service, process, expectState, status } = await newWorld();
  const channels = process.runChannels();
  await expectState({ status: "CONNECTED" });
  await process.connections.start(adminOf(line), line.connectionId);
  await eventually(() => expect(service.sessions).toHaveLength(2));
  await expectState({ status: "CONNECTED" });
  const old = service.sessions[0]?.context.sink;
  await old?.tell({ type: "state", status: "DISCONNECTED", reason: "logged-out" });
  await channels.idle();
  expect(await status()).toBe("CONNECTED");
  const chat = { kind: "pn", value: "5511900000001" } as const;
  await expect(old?.store([{ type: "ack", providerId: "x", chat, level: 2 }])).rejects.toThrow(
    LeaseLost,
  );
  expect(service.sessions).toHaveLength(2);
});

test("a session that reports nothing after its start is given up and started again", async () => {
  const { service, process } = await newWorld({ onStart: () => undefined }, { openingMs: 40 });
  process.runChannels();
  await eventually(() => expect(startedSessions(service).length).toBeGreaterThan(1));
  expect(service.sessions[0]?.calls).toEqual(["start", "stop"]);
});

test("a start that throws is tried again and harms no other connection", async () => {
  const { service, process, expectState } = await newWorld({
    onStart: async (session) => {
      if (service.sessions.length < 3) throw new Error("no start");
      await session.context.sink.tell({ type: "state", status: "CONNECTED" });
    },
  });
  const other = await newConnection(database.db);
  await process.link(other);
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  expect(startedSessions(service)).toHaveLength(3);
  await eventually(async () =>
    expect((await stateOf(database.db, other)).status).toBe("CONNECTED"),
  );
});

test("a new QR drops the link before it starts, once", async () => {
  const { line, service, process, expectState } = await newWorld();
  const channels = process.runChannels();
  await expectState({ status: "CONNECTED" });
  await process.connections.startUnlinked(adminOf(line), line.connectionId);
  await eventually(() => expect(startedSessions(service)).toHaveLength(2));
  await expectState({ status: "CONNECTED", unlinkRequested: false });
  await channels.idle();
  expect(service.sessions.map(({ calls }) => calls)).toEqual([
    ["start", "stop"],
    ["unlink", "stop"],
    ["start"],
  ]);
});

test("a disconnect unlinks and stops, and gives the connection free", async () => {
  const { line, service, process, expectState } = await newWorld();
  const channels = process.runChannels();
  await expectState({ status: "CONNECTED" });
  await process.connections.disconnect(adminOf(line), line.connectionId);
  await expectState({ status: "DISCONNECTED", closeReason: "stopped", unlinkRequested: false });
  await channels.idle();
  expect(service.sessions.map(({ calls }) => calls)).toEqual([
    ["start", "stop"],
    ["unlink", "stop"],
  ]);
  await eventually(async () => {
    const [lease] = await database.db.acrossCompanies((tx) =>
      tx.query<{ isFree: boolean }>(
        sql`select expires_at < now() as "isFree" from connection_leases where connection_id = ${line.connectionId}`,
      ),
    );
    expect(lease).toEqual({ isFree: true });
  });
});

test("a connection of a company that was deactivated stops and starts with the company", async () => {
  const { line, service, process, expectState } = await newWorld();
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  const setActive = (active: boolean) =>
    database.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set status = ${active} where id = ${line.companyId}`),
    );
  await setActive(false);
  await expectState({ status: "DISCONNECTED", closeReason: "stopped", wanted: true });
  await setActive(true);
  await expectState({ status: "CONNECTED" });
  expect(service.sessions[0]?.calls).toEqual(["start", "stop"]);
});

test("a deleted connection's session ends", async () => {
  const { line, service, process, expectState } = await newWorld();
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`delete from connections where id = ${line.connectionId}`),
  );
  await eventually(() => expect(service.sessions[0]?.calls).toEqual(["start", "stop"]));
});

test("a shutdown closes the sessions and keeps their links", async () => {
  const { service, process, expectState } = await newWorld();
  const channels = process.runChannels();
  await expectState({ status: "CONNECTED" });
  await channels.stop();
  expect(service.sessions.map(({ calls }) => calls)).toEqual([["start", "stop"]]);
});

test("a send under way at a shutdown is recorded, and what waits stays for the next process", async () => {
  let finish: (outcome: SendOutcome) => void = () => undefined;
  const world = await newWorld({
    onSend: () => new Promise<SendOutcome>((resolve) => (finish = resolve)),
  });
  const { line, service, process, expectState } = world;
  const channels = process.runChannels();
  await expectState({ status: "CONNECTED" });
  const ticketId = await newTicket(database.db, line);
  const first = await process.answer(line, ticketId, "5511900000001", "a");
  const second = await process.answer(line, ticketId, "5511900000001", "b");
  await eventually(() => expect(service.sends).toHaveLength(1));
  const stopping = channels.stop();
  finish({ result: "accepted" });
  await stopping;
  expect(await process.sent(first.messageId)).toMatchObject([{ result: "accepted" }]);
  expect(await process.sent(second.messageId)).toEqual([]);
  expect(service.sends).toHaveLength(1);
});

test("a later message of a chat waits while an earlier one is tried again, other chats go on", async () => {
  const texts: string[] = [];
  const manyTries = { outboundRetriesMs: Array.from({ length: 500 }, () => 20) };
  const { line, service, process, expectState } = await newWorld(
    {
      onSend: ({ body }) => {
        texts.push(textOf(body));
        return textOf(body) === "a" && !texts.includes("other")
          ? { result: "refused", failure: { kind: "temporary" } }
          : { result: "accepted" };
      },
    },
    manyTries,
  );
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  const ticketId = await newTicket(database.db, line);
  await process.answer(line, ticketId, "5511900000001", "a");
  await eventually(() => expect(texts).toContain("a"));
  await process.answer(line, ticketId, "5511900000001", "b");
  await process.answer(line, ticketId, "5511900000002", "other");
  await eventually(() => expect(texts).toContain("b"));
  // The first try is refused, the last one comes after the other chat's message.
  const tries = texts.filter((text) => text === "a");
  expect(tries.length).toBeGreaterThan(1);
  expect(texts.filter((text) => text !== "other")).toEqual([...tries, "b"]);
  expect(new Set(service.sends.map(({ providerId }) => providerId)).size).toBe(3);
});

test("a message whose fate stays unknown is sent as often as the channel allows, then a person decides", async () => {
  const world = await newWorld({
    onSend: () => ({ result: "unknown", failure: { kind: "temporary" } }),
  });
  const { line, service, process, expectState } = world;
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  const ticketId = await newTicket(database.db, line);
  const answer = await process.answer(line, ticketId, "5511900000001", "a");
  await eventually(async () =>
    expect(await process.sent(answer.messageId)).toMatchObject([
      { result: "failed", kind: "unconfirmed" },
    ]),
  );
  expect(service.sends.map(({ providerId }) => providerId)).toEqual([
    answer.providerId,
    answer.providerId,
  ]);
});

test("a send that is never answered has an unknown outcome", async () => {
  const world = await newWorld(
    { onSend: () => new Promise<never>(() => undefined) },
    { sendMs: 30 },
  );
  const { line, service, process, expectState } = world;
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  const ticketId = await newTicket(database.db, line);
  const answer = await process.answer(line, ticketId, "5511900000001", "a");
  await eventually(async () =>
    expect(await process.sent(answer.messageId)).toMatchObject([{ kind: "unconfirmed" }]),
  );
  expect(service.sends).toHaveLength(2);
});
