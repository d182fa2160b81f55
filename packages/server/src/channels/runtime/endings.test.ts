import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { adminOf, startProcess } from "../testing/process.ts";
import type { Script } from "../testing/scripted-service.ts";
import { createScriptedService } from "../testing/scripted-service.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

async function newWorld(script: Script = {}, settings = {}) {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const service = createScriptedService(script);
  const cloud = createScriptedService();
  const process = await startProcess(database, {
    adapters: [
      ["whatsapp-web", service.adapter],
      ["cloud-api", cloud.adapter],
    ],
    settings,
  });
  const admin = adminOf(line);
  const id = line.connectionId;
  const expectState = (state: object) =>
    eventually(async () => expect(await stateOf(database.db, line)).toMatchObject(state));
  /** Statuses as everybody was told them, in order. */
  const told = () =>
    process.published.flatMap(({ subject, payload, except }) =>
      subject === "whatsappSession" && except.length > 0
        ? [(payload as { session: { status: string } }).session.status]
        : [],
    );
  return { line, id, service, cloud, process, admin, expectState, told };
}

test("after the link is made the next session starts at once and is shown as pairing until it is connected", async () => {
  const { service, process, expectState, told } = await newWorld(
    {
      onStart: async ({ context, end }) => {
        if (service.sessions.length > 1) {
          await context.sink.tell({ type: "state", status: "OPENING" });
          await context.sink.tell({ type: "state", status: "CONNECTED" });
          return;
        }
        await context.sink.tell({ type: "qr", text: "um" });
        await end("restart");
      },
    },
    { reconnectDelaysMs: [60_000], serviceDelaysMs: [60_000] },
  );
  process.runChannels();
  await expectState({ status: "CONNECTED", qrcode: "", retries: 0 });
  expect(told()).toEqual(["OPENING", "qrcode", "PAIRING", "PAIRING", "CONNECTED"]);
});

test("a restart that the service asks of a linked session is no pairing", async () => {
  const { service, process, expectState, told } = await newWorld();
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  await service.sessions[0]?.end("restart");
  await eventually(() => expect(service.started()).toHaveLength(2));
  await expectState({ status: "CONNECTED" });
  expect(told()).toEqual(["OPENING", "CONNECTED", "OPENING", "CONNECTED"]);
});

test("a service that fails is tried again after a wait of its own, which people see", async () => {
  const { service, process, expectState } = await newWorld(
    {},
    { reconnectDelaysMs: [60_000], serviceDelaysMs: [200] },
  );
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  await service.sessions[0]?.end("service");
  await expectState({ status: "TIMEOUT", closeReason: "service", wanted: true });
  await expectState({ status: "CONNECTED", closeReason: null });
  expect(service.started()).toHaveLength(2);
});

test.each(["banned", "outdated", "untrusted", "auth", "link-refused", "logged-out"] as const)(
  "a session that ends as %s says why and is not tried again",
  async (reason) => {
    const { service, process, expectState } = await newWorld();
    const channels = process.runChannels();
    await expectState({ status: "CONNECTED" });
    await service.sessions[0]?.end(reason);
    await expectState({ status: "DISCONNECTED", closeReason: reason, wanted: false });
    await channels.idle();
    expect(service.sessions).toHaveLength(1);
  },
);

test("the phone to link is passed to the session of its start request only", async () => {
  const { service, process, expectState, admin, id } = await newWorld({
    onStart: ({ context }) =>
      context.pairingPhone === null
        ? context.sink.tell({ type: "qr", text: "um" })
        : context.sink.tell({ type: "pairing-code", text: "ABCD-EFGH" }),
  });
  process.runChannels();
  await expectState({ status: "qrcode", qrcode: "um" });
  await process.connections.startUnlinked(admin, id, "5511987654321");
  await eventually(async () =>
    expect(await process.connections.get(admin, id)).toMatchObject({
      status: "qrcode",
      qrcode: "",
      pairingCode: "ABCD-EFGH",
    }),
  );
  expect(service.sessions.at(-1)?.context.pairingPhone).toBe("5511987654321");
  const codes = process.published.filter(({ payload }) => JSON.stringify(payload).includes("ABCD"));
  expect(codes.length).toBeGreaterThan(0);
  for (const { to } of codes) expect(to).toEqual([`c${admin.companyId}:may:connections:manage`]);
  await process.connections.startUnlinked(admin, id);
  await expectState({ status: "qrcode", qrcode: "um" });
  expect(await process.connections.get(admin, id)).toMatchObject({ pairingCode: "" });
  expect(service.sessions.at(-1)?.context.pairingPhone).toBeNull();
});

test("a connection that moves to another channel loses its old link, starts there and keeps its tickets", async () => {
  const { service, cloud, process, expectState, line, id } = await newWorld();
  const ticketId = await newTicket(database.db, line);
  process.runChannels();
  await expectState({ status: "CONNECTED" });
  // As `PUT /whatsapp/:connectionId` leaves it.
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update connections set channel = 'cloud-api', unlink_channel = 'whatsapp-web', unlink_requested = true,
             start_generation = start_generation + 1, status = 'OPENING' where id = ${id}`),
  );
  await eventually(() => expect(cloud.started()).toHaveLength(1));
  await expectState({ status: "CONNECTED", unlinkRequested: false });
  expect(service.sessions.map(({ calls }) => calls)).toEqual([
    ["start", "stop"],
    ["unlink", "stop"],
  ]);
  expect(cloud.sessions.map(({ calls }) => calls)).toEqual([["start"]]);
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from tickets where id = ${ticketId} and connection_id = ${id}`),
  );
  expect(rows).toHaveLength(1);
});

test("the process that owns a connection reports its figures", async () => {
  const { service, process, expectState, line, id } = await newWorld();
  const channels = process.runChannels();
  await expectState({ status: "CONNECTED" });
  await service.sessions[0]?.end("network");
  await eventually(() => expect(service.started()).toHaveLength(2));
  await expectState({ status: "CONNECTED" });
  await process.answer(line, await newTicket(database.db, line), "5511900000001", "Oi");
  await eventually(() =>
    expect(channels.figures().find(({ connectionId }) => connectionId === id)).toMatchObject({
      ...{ connectionId: id, status: "CONNECTED", received: 0, sent: 1, reconnects: 1 },
    }),
  );
});
