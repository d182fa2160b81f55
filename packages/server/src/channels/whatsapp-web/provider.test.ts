import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { WhatsAppWorld } from "../testing/whatsapp.ts";
import { linkWhatsApp, newWhatsAppWorld, shownCode } from "../testing/whatsapp.ts";
import type { LineRef } from "../simulator/line.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const CUSTOMER = "5511988880001";

async function linkedWorld(): Promise<WhatsAppWorld> {
  const world = await newWhatsAppWorld(database);
  world.process.runChannels();
  await linkWhatsApp(database, world);
  return world;
}

const expectState = (line: LineRef, state: object) =>
  eventually(async () => expect(await stateOf(database.db, line)).toMatchObject(state));

const rows = (line: LineRef, table: string) =>
  database.db.acrossCompanies((tx) =>
    tx.query<{ data: Buffer }>(
      sql`select data from ${sql.raw(table)} where connection_id = ${line.connectionId}`,
    ),
  );

const acksOf = (line: LineRef, id: string) =>
  database.db.acrossCompanies(async (tx) => {
    const acks = await tx.query<{ level: number }>(
      sql`select level from test_acks where connection_id = ${line.connectionId} and id = ${id} order by n`,
    );
    return acks.map(({ level }) => level);
  });

test("a connection shows a code, is linked with it, starts again by itself and is used", async () => {
  const { process, account, line, peer } = await newWhatsAppWorld(database);
  process.runChannels();

  const code = await shownCode(database, line);
  expect(await stateOf(database.db, line)).toMatchObject({ status: "qrcode" });
  await account.scanQr(code);

  await expectState(line, { status: "CONNECTED", number: account.phoneNumber, qrcode: "" });
  expect(account.linkedDevices()).toBe(1);
  expect(peer.errors()).toEqual([]);
});

test("texts go both ways, and their acks come back", async () => {
  const { process, account, line, peer } = await linkedWorld();
  const customer = account.contact(CUSTOMER, { name: "Ana" });

  const inbound = await customer.sends("bom dia");
  await eventually(async () => {
    expect(await process.received(line)).toMatchObject([{ id: inbound, body: "bom dia" }]);
  });

  const ticketId = await newTicket(database.db, line);
  const { providerId } = await process.answer(line, ticketId, CUSTOMER, "bom dia, Ana");
  expect(await customer.receivesId(providerId)).toMatchObject({ text: "bom dia, Ana", copies: 1 });
  await eventually(async () => {
    expect(new Set(await acksOf(line, providerId))).toEqual(new Set([2, 3]));
  });
  customer.reads(providerId);
  await eventually(async () => expect(await acksOf(line, providerId)).toContain(4));
  expect(peer.errors()).toEqual([]);
});

test("messages written on the company's phone arrive as its own", async () => {
  const { process, account, line } = await linkedWorld();
  const customer = account.contact(CUSTOMER);
  const id = await account.phone.sends(customer, "do celular");
  await eventually(async () => expect(await process.received(line)).toMatchObject([{ id }]));
  const events = await process.events(line);
  expect(events).not.toContainEqual(expect.objectContaining({ type: "call" }));
});

test("after a lost connection it is back without a code, with what was written meanwhile", async () => {
  const { process, account, line } = await linkedWorld();
  const customer = account.contact(CUSTOMER);
  await customer.sends("antes");
  await eventually(async () => expect(await process.received(line)).toHaveLength(1));

  account.drop();
  await customer.sends("durante");
  await expectState(line, { status: "CONNECTED" });
  await customer.sends("depois");

  await eventually(async () => {
    const bodies = (await process.received(line)).map(({ body }) => body);
    expect(bodies).toEqual(["antes", "durante", "depois"]);
  });
  expect(account.linkedDevices()).toBe(1);
});

test("a frame that cannot be read ends its own session only, which starts again and says why", async () => {
  const quick = { serviceDelaysMs: [20, 40, 80, 160] };
  const { process, account, line, peer } = await newWhatsAppWorld(database, { settings: quick });
  const other = await newConnection(database.db, { channel: "whatsapp-web" });
  const otherAccount = peer.account("5511977770001");
  process.runChannels();
  await linkWhatsApp(database, { account, line });
  await linkWhatsApp(database, { account: otherAccount, line: other });
  const otherLogins = otherAccount.logins();

  for (const frame of ["encryption", "node", "compression", "empty"] as const) {
    const logins = account.logins();
    const told = process.published.length;
    account.sendBroken(frame);
    await eventually(() => expect(account.logins()).toBe(logins + 1));
    await expectState(line, { status: "CONNECTED" });
    expect(process.published.slice(told).map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({
        session: expect.objectContaining({ status: "TIMEOUT", closeReason: "unreadable" }),
      }),
    );
  }

  const [inbound, toOther] = [
    await account.contact(CUSTOMER).sends("ainda aqui"),
    await otherAccount.contact(CUSTOMER).sends("também"),
  ];
  await eventually(async () => {
    expect(await process.received(line)).toMatchObject([{ id: inbound }]);
    expect(await process.received(other)).toMatchObject([{ id: toOther }]);
  });
  expect(otherAccount.logins()).toBe(otherLogins);
});

test("keys and credentials are unreadable in the database, and nothing decrypted stays", async () => {
  const { process, account, line } = await linkedWorld();
  await account.contact(CUSTOMER).sends("segredo do cliente");
  await eventually(async () => expect(await process.received(line)).toHaveLength(1));
  await eventually(async () => expect(await rows(line, "whatsapp_plaintexts")).toEqual([]));

  const stored = [
    ...(await rows(line, "whatsapp_credentials")),
    ...(await rows(line, "whatsapp_keys")),
  ];
  expect(stored.length).toBeGreaterThan(100);
  const texts = stored.map(({ data }) => data.toString("latin1"));
  expect(texts.filter((text) => /private|noiseKey|Buffer|segredo/.test(text))).toEqual([]);
});

test("unlinked on the phone it stops with the reason, forgets its keys and does not try again", async () => {
  const { account, line, peer } = await linkedWorld();
  account.unlink();
  await expectState(line, { status: "DISCONNECTED", closeReason: "logged-out", wanted: false });
  expect(await rows(line, "whatsapp_credentials")).toEqual([]);
  expect(await rows(line, "whatsapp_keys")).toEqual([]);
  const attempts = peer.attempts();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(peer.attempts()).toBe(attempts);
});

test("a banned account stops and keeps its keys for an investigation", async () => {
  const { account, line } = await linkedWorld();
  account.ban();
  await expectState(line, { status: "DISCONNECTED", closeReason: "banned", wanted: false });
  expect(await rows(line, "whatsapp_credentials")).toHaveLength(1);
});

test("disconnected by people it is unlinked on the phone too", async () => {
  const { account, line } = await linkedWorld();
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update connections set wanted = false, unlink_requested = true, start_generation = start_generation + 1
       where id = ${line.connectionId}`),
  );
  await eventually(() => expect(account.linkedDevices()).toBe(0));
  await eventually(async () => expect(await rows(line, "whatsapp_keys")).toEqual([]));
  await expectState(line, { status: "DISCONNECTED", unlinkRequested: false });
});

test("unused codes end after their limit", async () => {
  const world = await newWhatsAppWorld(database, { whatsApp: { codes: 2, codeMs: 200 } });
  world.process.runChannels();
  await shownCode(database, world.line);
  await expectState(world.line, { status: "DISCONNECTED", closeReason: "qr-expired", qrcode: "" });
});

test("a typed code links as well", async () => {
  const { account, line, process } = await newWhatsAppWorld(database, { pairingPhone: true });
  process.runChannels();
  const code = await eventually(async () => {
    const [row] = await database.db.acrossCompanies((tx) =>
      tx.query<{ code: string }>(
        sql`select pairing_code as code from connections where id = ${line.connectionId}`,
      ),
    );
    if (!row?.code) throw new Error("no code to type is shown");
    return row.code;
  });
  await account.typeCode(code);
  await expectState(line, { status: "CONNECTED", number: account.phoneNumber });
});

test("a link that is not signed with the code's secret is refused and said so", async () => {
  const { account, line, process } = await newWhatsAppWorld(database);
  process.runChannels();
  const code = await shownCode(database, line);
  account.forgeLink(code).catch(() => undefined);
  await expectState(line, { status: "DISCONNECTED", closeReason: "link-refused" });
  expect(await rows(line, "whatsapp_credentials")).toEqual([]);
});

test("an account that wants a proof that only a person can give ends in a clear reason", async () => {
  const { account, line, process } = await newWhatsAppWorld(database);
  account.setLinking("passkey");
  process.runChannels();
  account.scanQr(await shownCode(database, line)).catch(() => undefined);
  await expectState(line, {
    status: "DISCONNECTED",
    closeReason: "link-refused",
    qrcode: "",
    wanted: false,
  });
});

test("where no code to type is given out, that is the end of it", async () => {
  const { account, line, process } = await newWhatsAppWorld(database, { pairingPhone: true });
  account.setLinking("no-codes");
  process.runChannels();
  await expectState(line, { status: "DISCONNECTED", closeReason: "link-refused", wanted: false });
});

test("a server that cannot prove to be the service is refused", async () => {
  const world = await newWhatsAppWorld(database, { peer: { forgedCertificate: true } });
  world.process.runChannels();
  await expectState(world.line, { status: "DISCONNECTED", closeReason: "untrusted" });
  expect(world.peer.waitingForLink()).toBe(0);
});

test("a link that another client takes is left to it after one more try", async () => {
  const { account, line } = await linkedWorld();
  account.replace();
  await eventually(() => expect(account.logins()).toBe(2));
  await expectState(line, { status: "CONNECTED" });
  account.replace();
  await expectState(line, { status: "DISCONNECTED", closeReason: "replaced", wanted: false });
});
