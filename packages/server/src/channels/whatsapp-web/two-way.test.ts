import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { newTicket } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { linkWhatsApp, newWhatsAppWorld } from "../testing/whatsapp.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const EACH = 12;

test("while all write to each other at the same time, everybody reads everything once and in order", async () => {
  const world = await newWhatsAppWorld(database);
  const { account, line, peer, process } = world;
  process.runChannels();
  await linkWhatsApp(database, world);
  const ticketId = await newTicket(database.db, line);
  const customers = ["5511988880001", "5511988880002", "5511988880003"].map((phone) =>
    account.contact(phone),
  );
  const texts = Array.from({ length: EACH }, (_, at) => `texto ${at}`);

  await Promise.all(
    customers.flatMap((customer) => [
      (async () => {
        for (const text of texts) await customer.sends(text);
      })(),
      (async () => {
        for (const text of texts) await process.answer(line, ticketId, customer.phone, text);
      })(),
    ]),
  );

  await eventually(async () => {
    const received = await process.received(line);
    for (const { phone } of customers) {
      const heard = received.filter(({ chat }) => chat === phone);
      expect(heard.map(({ body }) => body)).toEqual(texts);
    }
    for (const customer of customers) {
      expect(customer.received().map(({ text }) => text)).toEqual(texts);
      expect(customer.received().map(({ copies }) => copies)).toEqual(texts.map(() => 1));
    }
  });
  expect(peer.errors()).toEqual([]);
});
