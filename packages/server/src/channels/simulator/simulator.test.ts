import type {
  CompanyId,
  ConnectionId,
  SimulatorChat,
  SimulatorConnection,
  SimulatorMessage,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelRuntime } from "../runtime/index.ts";
import { createDirectory } from "../runtime/index.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { phonesOf } from "../testing/phones.ts";
import type { TestProcess } from "../testing/process.ts";
import { adminOf, ctxOf, startProcess } from "../testing/process.ts";
import { seedSimulator } from "./index.ts";
import type { LineRef } from "./line.ts";
import { formsOf, lineNumber } from "./line.ts";
import type { SimulatorSettings } from "./provider.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const phone = "5511940000001";

type World = { line: LineRef; process: TestProcess };

async function newWorld(simulatorSettings: Partial<SimulatorSettings> = {}): Promise<World> {
  const line = await newConnection(database.db);
  const process = await startProcess(database, { simulatorSettings });
  return { line, process };
}

async function linkedWorld(): Promise<World & { channels: ChannelRuntime }> {
  const world = await newWorld();
  await world.process.link(world.line);
  const channels = world.process.runChannels();
  await expectState(world.line, { status: "CONNECTED" });
  return { ...world, channels };
}

const expectState = (line: LineRef, state: object) =>
  eventually(async () => expect(await stateOf(database.db, line)).toMatchObject(state));

const lineCall = ({ process, line }: World) => {
  const params = { connectionId: line.connectionId };
  const inChat = { ...params, phone };
  return {
    connections: () =>
      process.call("GET /simulator/connections", line, {}) as Promise<SimulatorConnection[]>,
    scan: (code: string) =>
      process.call("POST /simulator/connections/:connectionId/scan", line, {
        params,
        body: { code },
      }),
    unlink: () =>
      process.call("POST /simulator/connections/:connectionId/unlink", line, { params }),
    network: (body: object) =>
      process.call("PUT /simulator/connections/:connectionId/network", line, {
        params,
        body,
      }) as Promise<SimulatorConnection>,
    chats: (searchParam = "") =>
      process.call("GET /simulator/connections/:connectionId/chats", line, {
        params,
        query: { searchParam },
      }) as Promise<SimulatorChat[]>,
    addChat: (body: { name: string; phone?: string }) =>
      process.call("POST /simulator/connections/:connectionId/chats", line, {
        params,
        body,
      }) as Promise<SimulatorChat>,
    messages: (beforeId?: string) =>
      process.call("GET /simulator/connections/:connectionId/chats/:phone/messages", line, {
        params: inChat,
        query: { beforeId },
      }) as Promise<SimulatorMessage[]>,
    write: (body: string, messageId?: string, to = phone) =>
      process.call("POST /simulator/connections/:connectionId/chats/:phone/messages", line, {
        params: { ...params, phone: to },
        body: { body, messageId },
      }) as Promise<SimulatorMessage>,
    read: () =>
      process.call("POST /simulator/connections/:connectionId/chats/:phone/read", line, {
        params: inChat,
      }),
    typing: (on: boolean) =>
      process.call("POST /simulator/connections/:connectionId/chats/:phone/typing", line, {
        params: inChat,
        body: { on },
      }),
  };
};

async function acksOf(providerId: string): Promise<number[]> {
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query<{ level: number }>(
      sql`select level from test_acks where id = ${providerId} order by n`,
    ),
  );
  return rows.map(({ level }) => level);
}

test("an unlinked line shows a code, and scanning it links and connects with the line's number", async () => {
  const world = await newWorld();
  const { line, process } = world;
  process.runChannels();
  await expectState(line, { status: "qrcode" });
  const { qrcode } = await stateOf(database.db, line);
  expect(qrcode).not.toBe("");
  await expect(lineCall(world).scan("another code")).rejects.toThrow("ERR_SIMULATOR_CODE");
  await lineCall(world).scan(qrcode);
  await expectState(line, {
    status: "CONNECTED",
    qrcode: "",
    retries: 0,
    number: lineNumber(line.connectionId),
  });
  expect(await lineCall(world).connections()).toMatchObject([
    { linked: true, status: "CONNECTED" },
  ]);
  const told = () =>
    process.published
      .filter(({ subject }) => subject === "whatsappSession")
      .map(({ payload }) => (payload as { session: { status: string } }).session.status);
  // Told after it is committed, which others may see a little earlier.
  await eventually(() =>
    expect([...new Set(told())]).toEqual(["OPENING", "qrcode", "PAIRING", "CONNECTED"]),
  );
  await expect(lineCall(world).scan(qrcode)).rejects.toThrow("ERR_SIMULATOR_CODE");
});

test("a code is replaced by the next one, and an old one links nothing", async () => {
  const world = await newWorld({ codeMs: 300 });
  world.process.runChannels();
  await expectState(world.line, { status: "qrcode" });
  const { qrcode } = await stateOf(database.db, world.line);
  await eventually(async () =>
    expect((await stateOf(database.db, world.line)).qrcode).not.toBe(qrcode),
  );
  await expect(lineCall(world).scan(qrcode)).rejects.toThrow("ERR_SIMULATOR_CODE");
});

test("after three unused codes the connection stops, and a start shows a code again", async () => {
  const { line, process } = await newWorld({ codeMs: 30 });
  process.runChannels();
  await expectState(line, { status: "DISCONNECTED", closeReason: "qr-expired", qrcode: "" });
  const codes = new Set(
    process.published.flatMap(({ subject, payload }) => {
      if (subject !== "whatsappSession") return [];
      const { qrcode } = (payload as { session: { qrcode?: string } }).session;
      return qrcode ? [qrcode] : [];
    }),
  );
  expect(codes.size).toBe(3);
  await process.connections.start(adminOf(line), line.connectionId);
  await expectState(line, { status: "qrcode" });
});

test("a linked line connects without a code, also after a new start", async () => {
  const { line, process } = await linkedWorld();
  await process.connections.start(adminOf(line), line.connectionId);
  await expectState(line, { status: "CONNECTED" });
});

test("the phone removes the link: the connection stops and needs a new code", async () => {
  const world = await linkedWorld();
  const { line, process } = world;
  await lineCall(world).unlink();
  await expectState(line, { status: "DISCONNECTED", closeReason: "logged-out", wanted: false });
  await expect(lineCall(world).unlink()).rejects.toThrow("ERR_SIMULATOR_NOT_LINKED");
  await process.connections.start(adminOf(line), line.connectionId);
  await expectState(line, { status: "qrcode" });
});

test("the product removes the link: a new QR shows a code, a disconnect stops", async () => {
  const world = await linkedWorld();
  const { line, process } = world;
  await process.connections.startUnlinked(adminOf(line), line.connectionId);
  await expectState(line, { status: "qrcode" });
  await lineCall(world).scan((await stateOf(database.db, line)).qrcode);
  await expectState(line, { status: "CONNECTED" });
  await process.connections.disconnect(adminOf(line), line.connectionId);
  await expectState(line, { status: "DISCONNECTED", unlinkRequested: false, qrcode: "" });
  expect(await lineCall(world).connections()).toMatchObject([{ linked: false }]);
});

test("while the network is away customers' messages wait, and arrive in order as offline ones when it is back", async () => {
  const line = await newConnection(database.db);
  const origins: string[] = [];
  const process = await startProcess(database, {
    beforeReceive: (event) => void (event.type === "message" && origins.push(event.origin)),
  });
  const world = { line, process };
  await process.link(line);
  const channels = process.runChannels();
  await expectState(line, { status: "CONNECTED" });
  await lineCall(world).write("before");
  await channels.idle();
  await lineCall(world).network({ online: false });
  await expectState(line, { status: "TIMEOUT", closeReason: "network" });
  for (const body of ["1", "2", "3"])
    expect(await lineCall(world).write(body)).toMatchObject({ ack: 1 });
  await channels.idle();
  expect(await process.received(line)).toHaveLength(1);
  await lineCall(world).network({ online: true });
  await expectState(line, { status: "CONNECTED", closeReason: null });
  await lineCall(world).write("after");
  await channels.idle();
  expect((await process.received(line)).map(({ body }) => body)).toEqual([
    "before",
    "1",
    "2",
    "3",
    "after",
  ]);
  expect(origins).toEqual(["live", "offline", "offline", "offline", "live"]);
  expect((await lineCall(world).messages()).map(({ ack }) => ack)).toEqual([2, 2, 2, 2, 2]);
});

test("the network's delay holds messages in both directions", async () => {
  const world = await linkedWorld();
  const { line, process } = world;
  await lineCall(world).network({ delayMs: 400 });
  const arrivals = async (work: () => Promise<unknown>, arrived: () => Promise<unknown[]>) => {
    const beganMs = performance.now();
    await work();
    await eventually(async () => expect(await arrived()).toHaveLength(1));
    return performance.now() - beganMs;
  };
  const inMs = await arrivals(
    () => lineCall(world).write("Oi"),
    () => process.received(line),
  );
  const ticketId = await newTicket(database.db, line);
  const outMs = await arrivals(
    () => process.answer(line, ticketId, phone, "Olá"),
    async () => (await lineCall(world).messages()).filter(({ fromCustomer }) => !fromCustomer),
  );
  expect(Math.min(inMs, outMs)).toBeGreaterThan(390);
});

test("phones that are off take nothing until they are on, and reading is acknowledged after delivery", async () => {
  const world = await linkedWorld();
  const { line, process } = world;
  await lineCall(world).network({ autoDeliver: false });
  const ticketId = await newTicket(database.db, line);
  const { providerId } = await process.answer(line, ticketId, phone, "Olá");
  await eventually(async () => expect(await acksOf(providerId)).toEqual([2]));
  expect(await lineCall(world).chats()).toMatchObject([{ phone, unread: 1, lastMessage: "Olá" }]);
  await lineCall(world).network({ autoDeliver: true });
  await eventually(async () => expect(await acksOf(providerId)).toEqual([2, 3]));
  await lineCall(world).read();
  await eventually(async () => expect(await acksOf(providerId)).toEqual([2, 3, 4]));
  expect(await lineCall(world).chats()).toMatchObject([{ phone, unread: 0 }]);
  expect(await lineCall(world).messages()).toMatchObject([{ fromCustomer: false, ack: 4 }]);
});

test("customers who read at once acknowledge every step", async () => {
  const world = await linkedWorld();
  await lineCall(world).network({ autoRead: true });
  const ticketId = await newTicket(database.db, world.line);
  const { providerId } = await world.process.answer(world.line, ticketId, phone, "Olá");
  await eventually(async () => expect(await acksOf(providerId)).toEqual([2, 3, 4]));
  expect(await lineCall(world).chats()).toMatchObject([{ unread: 0 }]);
});

test("typing reaches the connection while it is connected and is forgotten otherwise", async () => {
  const world = await linkedWorld();
  await lineCall(world).write("Oi");
  await lineCall(world).typing(true);
  await lineCall(world).typing(false);
  await eventually(() =>
    expect(world.process.presences).toMatchObject([
      { type: "presence", state: "composing", chat: { kind: "pn", value: phone } },
      { type: "presence", state: "paused" },
    ]),
  );
  await lineCall(world).network({ online: false });
  await expectState(world.line, { status: "TIMEOUT" });
  await lineCall(world).typing(true);
  expect(world.process.presences).toHaveLength(2);
});

test("the same message id twice is one message, and another chat's id is refused", async () => {
  const world = await linkedWorld();
  const first = await lineCall(world).write("Oi", "ID-1");
  const second = await lineCall(world).write("Oi de novo", "ID-1");
  expect(second).toMatchObject({ id: "ID-1", body: "Oi", at: first.at });
  await expect(lineCall(world).write("Oi", "ID-1", "5511940000002")).rejects.toThrow(
    "ERR_INVALID_REQUEST",
  );
  await eventually(async () => expect(await world.process.received(world.line)).toHaveLength(1));
  expect(await lineCall(world).messages()).toHaveLength(1);
  expect(await lineCall(world).chats()).toMatchObject([{ phone, lastMessage: "Oi" }]);
});

test("a conversation is read from its end, a hundred messages at a time", async () => {
  const world = await newWorld();
  for (let number = 0; number < 130; number += 1) await lineCall(world).write(String(number));
  const last = await lineCall(world).messages();
  expect(last.map(({ body }) => body)).toEqual(
    Array.from({ length: 100 }, (_, n) => String(n + 30)),
  );
  const older = await lineCall(world).messages(last[0]?.id);
  expect(older.map(({ body }) => body)).toEqual(Array.from({ length: 30 }, (_, n) => String(n)));
});

test("new customers get free Brazilian mobile numbers, known phones a new name, and both are found", async () => {
  const world = await newWorld();
  const { phone: chosen } = await lineCall(world).addChat({ name: "José Conceição" });
  expect(chosen).toMatch(/^55\d{2}9\d{8}$/);
  await lineCall(world).addChat({ name: "Lia", phone });
  await lineCall(world).addChat({ name: "Lia Prado", phone });
  expect(await lineCall(world).chats()).toHaveLength(2);
  expect(await lineCall(world).chats("conceicao")).toMatchObject([{ phone: chosen }]);
  expect(await lineCall(world).chats(phone)).toMatchObject([{ name: "Lia Prado" }]);
  expect(await lineCall(world).chats("nobody")).toEqual([]);
});

test("a line of another company, or of another channel, is not found", async () => {
  const world = await newWorld();
  const stranger = { line: { ...(await newConnection(database.db)) }, process: world.process };
  const other = await newConnection(database.db, { channel: "whatsapp-web", wanted: false });
  const foreign = {
    line: { companyId: stranger.line.companyId, connectionId: world.line.connectionId },
    process: world.process,
  };
  for (const unknown of [foreign, { line: other, process: world.process }]) {
    const calls = lineCall(unknown);
    for (const call of [
      () => calls.scan("x"),
      calls.unlink,
      () => calls.network({ online: false }),
      () => calls.chats(),
      () => calls.addChat({ name: "Lia" }),
      () => calls.messages(),
      () => calls.write("Oi"),
      calls.read,
      () => calls.typing(true),
    ]) {
      await expect(call()).rejects.toThrow("ERR_NO_WAPP_FOUND");
    }
  }
  // The control: the same calls of the owner find it.
  await lineCall(world).write("Oi");
  expect(await lineCall(world).messages()).toHaveLength(1);
  expect((await lineCall(world).connections()).map(({ id }) => id)).toEqual([
    world.line.connectionId,
  ]);
});

test("every change is told to the company's admins, gathered by chat", async () => {
  const world = await linkedWorld();
  const { line, process } = world;
  await eventually(() => expect(process.published.length).toBeGreaterThan(0));
  process.published.length = 0;
  await Promise.all(
    Array.from({ length: 20 }, (_, number) => lineCall(world).write(String(number))),
  );
  const changes = () =>
    process.published.filter(
      ({ subject, payload }) =>
        subject === "simulator" && (payload as { phone: string | null }).phone === phone,
    );
  await eventually(() => expect(changes().length).toBeGreaterThan(0));
  expect(changes()[0]).toMatchObject({
    payload: { connectionId: line.connectionId, phone },
    to: [`c${line.companyId}:may:simulator:use`],
  });
  expect(changes().length).toBeLessThan(20);
});

test.each([
  ["5511987654321", ["5511987654321", "551187654321"]],
  ["551187654321", ["551187654321", "5511987654321"]],
  ["551133334444", ["551133334444"]],
  ["351912345678", ["351912345678"]],
])("the forms of %s are %j", (phone, forms) => {
  expect(formsOf(phone)).toEqual(forms);
});

test("numbers are known to the network except those that end in 0000, in the form that the customer has", async () => {
  const { line, process } = await linkedWorld();
  const phones = phonesOf(process, line);
  await phones.addCustomer("Lia", "551187654321");
  await phones.addCustomer("Rui", "5511977776666");
  const directory = createDirectory({ ...process, sources: systemSources });
  const check = (digits: string) => directory.checkNumber(ctxOf(line), line.connectionId, digits);
  const answers = await Promise.all(
    [
      "11987654321",
      "5511987654321",
      "1177776666",
      "11955554444",
      "11955550000",
      "351912345678",
    ].map(check),
  );
  expect(answers.map(({ exists, number }) => [exists, number])).toEqual([
    [true, "551187654321"],
    [true, "551187654321"],
    [true, "5511977776666"],
    [true, "5511955554444"],
    [false, "5511955550000"],
    [true, "351912345678"],
  ]);
});

test("both forms of a Brazilian mobile are one account: a message arrives at the customer who is there", async () => {
  const { line, process, channels } = await linkedWorld();
  const phones = phonesOf(process, line);
  await phones.addCustomer("Lia", "551187654321");
  await process.answer(line, await newTicket(database.db, line), "5511987654321", "Oi");
  await channels.idle();
  expect(await phones.messages("551187654321")).toMatchObject([{ body: "Oi", ack: 3 }]);
  expect(await phones.chats()).toHaveLength(1);
});

async function newLine(): Promise<{ companyId: CompanyId; connectionId: ConnectionId }> {
  const [line] = await database.db.acrossCompanies((tx) =>
    tx.query<{ companyId: CompanyId; connectionId: ConnectionId }>(sql`
      with plan as (
        insert into plans (name, users, connections, queues, value_cents)
        values (gen_random_uuid()::text, 1, 1, 1, 0) returning id),
      company as (
        insert into companies (name, email, plan_id)
        select gen_random_uuid()::text, '', id from plan returning id)
      insert into connections (company_id, name, channel) select id, 'Loja', 'simulator' from company
      returning company_id as "companyId", id as "connectionId"`),
  );
  if (!line) throw new Error("no connection");
  return line;
}

const at = (minute: number) => new Date(Date.UTC(2026, 10, 18, 12, minute));

test("a seeded line is linked, and nothing of its conversations is left to deliver or to report", async () => {
  const line = await newLine();
  await database.db.acrossCompanies((tx) =>
    seedSimulator(tx, {
      ...line,
      customers: [
        {
          phone: "5511900000001",
          name: "Helena",
          messages: [
            { id: "A1", fromCustomer: true, body: "Oi", ack: 4, at: at(1) },
            { id: "A2", fromCustomer: false, body: "Bom dia!", ack: 4, at: at(3) },
            { id: "A3", fromCustomer: false, body: "Tudo bem?", ack: 3, at: at(5) },
          ],
        },
        {
          phone: "5511900000002",
          name: "Otávio",
          messages: [{ id: "B1", fromCustomer: true, body: "Olá", ack: 2, at: at(2) }],
        },
        { phone: "5511900000003", name: "Bianca", messages: [] },
      ],
    }),
  );

  const select = <Row>(statement: ReturnType<typeof sql>) =>
    database.db.transaction(line, (tx) => tx.query<Row>(statement));
  expect(await select(sql`select linked, pairing_code as code from simulator_lines`)).toEqual([
    { linked: true, code: null },
  ]);
  expect(
    await select(sql`select name, unread, last_message as last, last_message_at as at
                     from simulator_customers order by phone`),
  ).toEqual([
    { name: "Helena", unread: 1, last: "Tudo bem?", at: at(5) },
    { name: "Otávio", unread: 0, last: "Olá", at: at(2) },
    { name: "Bianca", unread: 0, last: "", at: null },
  ]);
  // In the order in which they were written, over all customers.
  expect(
    await select(sql`select id, ack, created_at as at from simulator_messages order by seq`),
  ).toEqual([
    { id: "A1", ack: 4, at: at(1) },
    { id: "B1", ack: 2, at: at(2) },
    { id: "A2", ack: 4, at: at(3) },
    { id: "A3", ack: 3, at: at(5) },
  ]);
  const waiting = sql`select id from simulator_messages
    where (from_customer and not delivered) or (not from_customer and reported_ack < ack)`;
  expect(await select(waiting)).toEqual([]);
});

test("seeding links a line that showed a pairing code, without any customers too", async () => {
  const line = await newLine();
  const seeded = await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`insert into simulator_lines (connection_id, company_id, pairing_code)
                       values (${line.connectionId}, ${line.companyId}, 'codigo')`);
    return seedSimulator(tx, { ...line, customers: [] });
  });
  expect(seeded).toEqual({ number: lineNumber(line.connectionId) });
  const lines = await database.db.transaction(line, (tx) =>
    tx.query(sql`select linked, pairing_code as code from simulator_lines`),
  );
  expect(lines).toEqual([{ linked: true, code: null }]);
});
