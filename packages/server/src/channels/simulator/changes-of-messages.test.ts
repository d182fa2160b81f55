import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { MessageRef, OutboundChange } from "../port.ts";
import { newConnection, newTicket } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { phonesOf } from "../testing/phones.ts";
import type { Answer } from "../testing/process.ts";
import { startProcess } from "../testing/process.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const phone = "5511942000001";
const chat = { kind: "pn", value: phone } as const;
const refOf = (id: string, fromMe: boolean): MessageRef => ({ chat, id, fromMe });

async function newWorld() {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  const phones = phonesOf(process, line);
  const ticketId = await newTicket(database.db, line);
  const answer = (text: string) => process.answer(line, ticketId, phone, text);
  const change = ({ messageId }: Answer, wanted: OutboundChange) =>
    process.change(line, phone, { messageId, change: wanted, before: "{}" });
  /** How the last change of a message ended. */
  const outcome = async ({ messageId }: Answer) => (await process.sent(messageId)).at(-1);
  return { line, process, channels, phones, answer, change, outcome };
}

test("a customer's edit, reaction and deletion arrive in order and are shown on the phone", async () => {
  const { line, process, phones, channels } = await newWorld();
  const { id } = await phones.write(phone, { body: "Oi" });
  expect(await phones.edit(id, "Olá")).toMatchObject({ body: "Olá", isEdited: true });
  expect(await phones.react(id, "👍")).toMatchObject({
    reactions: [{ emoji: "👍", fromCompany: false, phone }],
  });
  expect(await phones.react(id, "")).toMatchObject({ reactions: [] });
  expect(await phones.remove(id)).toMatchObject({ isDeleted: true });
  await channels.idle();
  const target = { chat, id, fromMe: false };
  expect(await process.events(line)).toMatchObject([
    { type: "edit", target, text: "Olá" },
    { type: "reaction", target, emoji: "👍", fromMe: false },
    { type: "reaction", target, emoji: null },
    { type: "revoke", target },
  ]);
  expect(await phones.messages(phone)).toHaveLength(1);
  expect(await phones.chats()).toMatchObject([{ lastMessage: "🚫" }]);
});

test("a change and a later message arrive in the order in which the customer made them", async () => {
  const { line, process, phones, channels } = await newWorld();
  await phones.network({ online: false });
  const { id } = await phones.write(phone, { body: "um" });
  await phones.edit(id, "dois");
  await phones.write(phone, { body: "três", isForwarded: true });
  await phones.network({ online: true });
  await eventually(async () => expect(await process.events(line)).toHaveLength(2));
  await channels.idle();
  expect(await process.events(line)).toMatchObject([
    { type: "edit", text: "dois" },
    { type: "message", content: { text: "três" } },
  ]);
});

test("a customer can change only own messages, and none that is deleted or unknown", async () => {
  const { phones, channels, answer } = await newWorld();
  const { providerId } = await answer("da empresa");
  await channels.idle();
  const refused = "ERR_NO_MESSAGE_FOUND";
  await expect(phones.edit(providerId, "x")).rejects.toThrow(refused);
  await expect(phones.remove(providerId)).rejects.toThrow(refused);
  await expect(phones.edit("unknown", "x")).rejects.toThrow(refused);
  const { id } = await phones.write(phone, { body: "Oi" });
  await phones.remove(id);
  await expect(phones.edit(id, "x")).rejects.toThrow(refused);
  await expect(phones.react(id, "👍")).rejects.toThrow(refused);
  // Reacting is for all messages.
  expect(await phones.react(providerId, "👍")).toMatchObject({ reactions: [{ phone }] });
});

test("the company's edit, reaction and deletion are shown on the phone", async () => {
  const { phones, channels, answer, change, outcome } = await newWorld();
  const theirs = await phones.write(phone, { body: "Oi" });
  const ours = await answer("Bom dia");
  const target = refOf(ours.providerId, true);
  await change(ours, { kind: "edit", target, text: "Boa tarde" });
  await change(ours, { kind: "reaction", target: refOf(theirs.id, false), emoji: "❤️" });
  await channels.idle();
  expect(await outcome(ours)).toMatchObject({ command: "reaction", result: "accepted" });
  expect(await phones.messages(phone)).toMatchObject([
    { id: theirs.id, reactions: [{ emoji: "❤️", fromCompany: true, phone: null }] },
    { id: ours.providerId, body: "Boa tarde", isEdited: true, ack: 3 },
  ]);
  expect(await phones.chats()).toMatchObject([{ lastMessage: "Boa tarde", unread: 1 }]);
  await change(ours, { kind: "reaction", target: refOf(theirs.id, false), emoji: null });
  await change(ours, { kind: "revoke", target });
  await channels.idle();
  expect(await phones.messages(phone)).toMatchObject([{ reactions: [] }, { isDeleted: true }]);
});

test("the network refuses to change what it does not know, what is a customer's, and what is too old", async () => {
  const { line, phones, channels, answer, change, outcome } = await newWorld();
  const theirs = await phones.write(phone, { body: "Oi" });
  const ours = await answer("Bom dia");
  await channels.idle();
  const refused = { result: "failed", kind: "bad-request" };
  for (const target of [refOf("unknown", true), refOf(theirs.id, true)]) {
    await change(ours, { kind: "edit", target, text: "x" });
    await channels.idle();
    expect(await outcome(ours)).toMatchObject({ ...refused, command: "edit", before: "{}" });
  }
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update simulator_messages set created_at = now() - interval '16 minutes'
                  where connection_id = ${line.connectionId}`),
  );
  const target = refOf(ours.providerId, true);
  await change(ours, { kind: "edit", target, text: "x" });
  await channels.idle();
  expect(await outcome(ours)).toMatchObject(refused);
  // The same message may still be deleted.
  await change(ours, { kind: "revoke", target });
  await channels.idle();
  expect(await outcome(ours)).toMatchObject({ command: "revoke", result: "accepted" });
  expect(await phones.messages(phone)).toMatchObject([
    { body: "Oi", isEdited: false },
    { body: "Bom dia", isEdited: false, isDeleted: true },
  ]);
});

test("a socket that drops in the middle of a change has it happen once, and later ones after it", async () => {
  const { line, phones, channels, answer, change } = await newWorld();
  const ours = await answer("0");
  await channels.idle();
  await phones.network({ sendMode: "disconnect" });
  const target = refOf(ours.providerId, true);
  const first = await change(ours, { kind: "edit", target, text: "1" });
  await change(ours, { kind: "edit", target, text: "2" });
  const tries = async () => {
    const [row] = await database.db.acrossCompanies((tx) =>
      tx.query<{ attempt: number }>(
        sql`select attempt from outbound where provider_id = ${first.providerId}`,
      ),
    );
    return row?.attempt ?? 0;
  };
  await eventually(async () => expect(await tries()).toBeGreaterThan(0));
  await phones.network({ sendMode: "deliver" });
  await eventually(async () => expect(await phones.messages(phone)).toMatchObject([{ body: "2" }]));
  await channels.idle();
  const changes = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from simulator_messages
                  where connection_id = ${line.connectionId} and change is not null`),
  );
  expect(changes).toHaveLength(2);
});
