import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import { expect, test } from "vitest";
import { startWake } from "../../platform/db/wake.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { newConnection } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { startProcess } from "../testing/process.ts";
import { saveAccount } from "./accounts.ts";
import { createCloudApi } from "./index.ts";
import { storeDelivery } from "./rows.ts";
import { startGraphStub } from "./testing/graph-stub.ts";
import { contactOf, delivery, textMessage } from "./testing/webhook-bodies.ts";

const CHATS = 10;
const EACH = 40;

test("processes that are killed while they take deliveries lose none, double none and mix up no chat", async () => {
  const database = await testDatabase();
  const stub = await startGraphStub();
  const account = stub.newAccount();
  const seal = createSeal(database.secrets.seal);
  const line = await newConnection(database.db, { channel: "cloud-api" });
  await database.db.transaction(line, async (tx) => {
    await saveAccount(tx, seal, line, { ...account, webhookKey: v7() });
    for (let number = 0; number < EACH; number += 1) {
      for (let chat = 0; chat < CHATS; chat += 1) {
        const person = { phone: `551191111${String(1_000 + chat)}` };
        const value = {
          contacts: [contactOf(person)],
          messages: [textMessage(person, String(number))],
        };
        const body = JSON.stringify(delivery(account, value));
        await storeDelivery(tx, line, body);
        // Meta delivers twice now and then.
        if (number % 7 === 0) await storeDelivery(tx, line, body);
      }
    }
  });

  const received = () =>
    database.db.acrossCompanies((tx) =>
      tx.query<{ chat: string; body: string }>(
        sql`select chat, body from test_received where connection_id = ${line.connectionId} order by n`,
      ),
    );
  let seen = 0;
  for (let life = 0; life < 4; life += 1) {
    const wake = startWake({ url: database.ownerUrl, log: quietLog() });
    atEndOfFile(() => wake.close());
    const cloudApi = createCloudApi({
      db: database.db,
      wake,
      seal,
      sources: systemSources,
      log: quietLog(),
      publicUrl: undefined,
      settings: {
        baseUrl: stub.url,
        version: stub.version,
        bsuidField: "recipient",
        lookEveryMs: 50,
      },
    });
    const process = await startProcess(database, {
      adapters: [["cloud-api", cloudApi.adapter]],
    });
    process.runChannels();
    const isLast = life === 3;
    const wanted = isLast ? CHATS * EACH : seen + 1;
    await eventually(async () => expect((await received()).length).toBeGreaterThanOrEqual(wanted));
    seen = (await received()).length;
    if (isLast) {
      await eventually(async () => {
        const [left] = await database.db.acrossCompanies((tx) =>
          tx.query<{ count: number }>(
            sql`select count(*) as count from cloud_deliveries where connection_id = ${line.connectionId}`,
          ),
        );
        expect(left?.count).toBe(0);
      });
    } else await process.crash();
    cloudApi.close();
    if (seen === CHATS * EACH && !isLast) break;
  }

  const all = await received();
  expect(all).toHaveLength(CHATS * EACH);
  for (let chat = 0; chat < CHATS; chat += 1) {
    const bodies = all.filter((one) => one.chat === `551191111${String(1_000 + chat)}`);
    expect(bodies.map(({ body }) => Number(body))).toEqual([...Array(EACH).keys()]);
  }
}, 60_000);
