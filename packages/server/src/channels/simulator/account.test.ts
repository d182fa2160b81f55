import { beforeAll, expect, test } from "vitest";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { createDirectory } from "../runtime/index.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { phonesOf } from "../testing/phones.ts";
import { ctxOf, startProcess } from "../testing/process.ts";
import { formsOf } from "./account.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

async function newWorld() {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  await eventually(async () =>
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" }),
  );
  return { line, process, channels, phones: phonesOf(process, line) };
}

test.each([
  ["5511987654321", ["5511987654321", "551187654321"]],
  ["551187654321", ["551187654321", "5511987654321"]],
  ["551133334444", ["551133334444"]],
  ["351912345678", ["351912345678"]],
])("the forms of %s are %j", (phone, forms) => {
  expect(formsOf(phone)).toEqual(forms);
});

test("numbers are known to the network except those that end in 0000, in the form that the customer has", async () => {
  const { line, process, phones } = await newWorld();
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
  const { line, process, channels, phones } = await newWorld();
  await phones.addCustomer("Lia", "551187654321");
  await process.answer(line, await newTicket(database.db, line), "5511987654321", "Oi");
  await channels.idle();
  expect(await phones.messages("551187654321")).toMatchObject([{ body: "Oi", ack: 3 }]);
  expect(await phones.chats()).toHaveLength(1);
});
