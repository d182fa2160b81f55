import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { newConnection, newTicket } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { phonesOf } from "../testing/phones.ts";
import { startProcess } from "../testing/process.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const ana = { name: "Ana", phone: "5511943000001" };
const bia = { name: "Bia", phone: "5511943000002" };

async function newWorld() {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  const phones = phonesOf(process, line);
  const group = await phones.addGroup("Família", [ana, bia]);
  return { line, process, channels, phones, group };
}

test("a group is a conversation with members, a member without a phone gets a free one", async () => {
  const { phones, group } = await newWorld();
  expect(group).toMatchObject({ name: "Família", isGroup: true, members: [ana, bia] });
  const other = await phones.addGroup("Vizinhos", [{ name: "Caio" }]);
  expect(other.members).toMatchObject([
    { name: "Caio", phone: expect.stringMatching(/^55\d{11}$/) },
  ]);
  expect((await phones.chats()).map(({ isGroup }) => isGroup)).toEqual([true, true]);
});

test("a member of a group writes, and the connection gets group and author", async () => {
  const { line, process, phones, channels, group } = await newWorld();
  const place = { kind: "location", latitude: 1, longitude: 2 } as const;
  const first = await phones.write(group.phone, { content: place });
  const second = await phones.write(group.phone, { content: place, author: bia.phone });
  expect([first.author, second.author]).toEqual([ana, bia]);
  await phones.edit(second.id, "aqui");
  await phones.react(first.id, "👍", bia.phone);
  await channels.idle();
  const chat = { kind: "group", value: group.phone };
  const pn = (value: string) => ({ kind: "pn", value });
  expect(await process.events(line)).toMatchObject([
    {
      ref: { chat, id: first.id, author: pn(ana.phone) },
      from: { addresses: [pn(ana.phone)], displayName: "Ana" },
      chatName: "Família",
    },
    { ref: { chat, author: pn(bia.phone) }, from: { displayName: "Bia" } },
    { type: "edit", target: { chat, id: second.id, fromMe: false, author: pn(bia.phone) } },
    { type: "reaction", target: { id: first.id }, from: { addresses: [pn(bia.phone)] } },
  ]);
});

test("only members can write in a group, and only in an existing one", async () => {
  const { phones, group } = await newWorld();
  const stranger = { body: "Oi", author: "5511943000009" };
  await expect(phones.write(group.phone, stranger)).rejects.toThrow("ERR_INVALID_REQUEST");
  await expect(phones.write("120363999999999999", { body: "Oi" })).rejects.toThrow(
    "ERR_INVALID_REQUEST",
  );
});

test("the company writes to a group and its acknowledgements come back, an unknown group is refused", async () => {
  const { line, process, phones, channels, group } = await newWorld();
  const ticketId = await newTicket(database.db, line);
  const address = { kind: "group", value: group.phone } as const;
  const answer = await process.answer(line, ticketId, address, "Bom dia a todos");
  await channels.idle();
  expect(await phones.messages(group.phone)).toMatchObject([
    { id: answer.providerId, fromCustomer: false, author: null, ack: 3 },
  ]);
  const unknown = { kind: "group", value: "120363999999999999" } as const;
  const refused = await process.answer(line, ticketId, unknown, "Oi");
  await channels.idle();
  expect(await process.sent(refused.messageId)).toMatchObject([{ kind: "recipient-unknown" }]);
});

test("typing in a group is reported with its author", async () => {
  const { process, phones, channels, group } = await newWorld();
  await phones.write(group.phone, { body: "Oi" });
  await channels.idle();
  await phones.typing(group.phone, { on: true, author: bia.phone });
  await eventually(() =>
    expect(process.presences).toMatchObject([
      {
        state: "composing",
        chat: { kind: "group", value: group.phone },
        peer: { addresses: [{ kind: "pn", value: bia.phone }] },
      },
    ]),
  );
});
