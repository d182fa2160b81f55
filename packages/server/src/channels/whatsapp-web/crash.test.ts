import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelAdapter } from "../port.ts";
import { newTicket, stateOf } from "../testing/company.ts";
import { acksOf } from "../testing/channel-world.ts";
import { eventually } from "../testing/eventually.ts";
import { linkWhatsApp, newWhatsAppWorld, startWhatsAppProcess } from "../testing/whatsapp.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const CUSTOMER = "5511988880001";

/** A process in which nothing that arrives gets as far as the product. */
const deaf = (adapter: ChannelAdapter): ChannelAdapter => ({
  ...adapter,
  createProvider: (context) =>
    adapter.createProvider({
      ...context,
      sink: { ...context.sink, store: () => new Promise(() => undefined) },
    }),
});

test("a message with a receipt is not lost when the process crashes before it is stored", async () => {
  const world = await newWhatsAppWorld(database, { wrap: deaf });
  const { account, line, peer, process } = world;
  process.runChannels();
  await linkWhatsApp(database, world);
  const customer = account.contact(CUSTOMER);
  const ids = [await customer.sends("um"), await customer.sends("dois")];
  for (const id of ids) {
    await eventually(() => expect(customer.receiptsOf(id)).toEqual(["inactive"]));
  }
  expect(await process.received(line)).toEqual([]);
  await process.crash();

  const next = await startWhatsAppProcess(database, peer);
  next.runChannels();
  await eventually(async () => {
    expect(await next.received(line)).toMatchObject([
      { id: ids[0], body: "um" },
      { id: ids[1], body: "dois" },
    ]);
  });
  await eventually(async () => {
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" });
  });
  const third = await customer.sends("três");
  await eventually(async () => expect(await next.received(line)).toHaveLength(3));
  expect((await next.received(line)).at(-1)).toMatchObject({ id: third, body: "três" });
  await eventually(async () => {
    const left = await database.db.acrossCompanies((tx) =>
      tx.query(sql`select 1 from whatsapp_plaintexts where connection_id = ${line.connectionId}`),
    );
    expect(left).toEqual([]);
  });
});

test("an acknowledgement is not lost when the process crashes before it is stored", async () => {
  const world = await newWhatsAppWorld(database, { wrap: deaf });
  const { account, line, peer, process } = world;
  process.runChannels();
  await linkWhatsApp(database, world);
  const customer = account.contact(CUSTOMER);
  const ticketId = await newTicket(database.db, line);
  const answer = await process.answer(line, ticketId, CUSTOMER, "lido");
  await customer.receivesId(answer.providerId);
  customer.reads(answer.providerId);
  // The next message arrives after the receipt, so the receipt has arrived too, and no process has stored it.
  const later = await customer.sends("depois");
  await eventually(() => expect(customer.receiptsOf(later)).toEqual(["inactive"]));
  await process.crash();

  const next = await startWhatsAppProcess(database, peer);
  next.runChannels();
  await eventually(async () => expect(await acksOf({ process: next }, answer)).toContain(4));
  await eventually(() => expect(account.undelivered()).toBe(0));
});

test("a message in transfer during a crash arrives once, and the conversation continues", async () => {
  const world = await newWhatsAppWorld(database);
  const { account, line, peer, process } = world;
  process.runChannels();
  await linkWhatsApp(database, world);
  const customer = account.contact(CUSTOMER);
  const ticketId = await newTicket(database.db, line);
  const before = await process.answer(line, ticketId, CUSTOMER, "antes");
  await customer.receivesId(before.providerId);

  account.setAnswer("mute");
  const during = await process.answer(line, ticketId, CUSTOMER, "durante");
  await customer.receivesId(during.providerId);
  await process.crash();
  account.setAnswer("accept");

  const next = await startWhatsAppProcess(database, peer);
  next.runChannels();
  await eventually(async () => {
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" });
    expect(account.isConnected()).toBe(true);
  });
  const after = await next.answer(line, ticketId, CUSTOMER, "depois");
  await customer.receivesId(after.providerId);
  expect(customer.received().map(({ text }) => text)).toEqual(["antes", "durante", "depois"]);
});
