import { subSeconds } from "date-fns/subSeconds";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { DurableEvent } from "../../channels/port.ts";
import { testApp } from "../../testing/app.ts";
import { unique } from "../../testing/given.ts";
import type { ChannelSide } from "../messages/testing/channel-side.ts";
import {
  channelSide,
  contentEvent,
  newPhone,
  textEvent,
} from "../messages/testing/channel-side.ts";
import { createDesk, quickAttendant } from "./testing/desk.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
});

/** The state of a chat whose waiting ticket has no turn left. */
const events: [
  what: string,
  isCalled: boolean,
  event: (chat: ReturnType<typeof newPhone>) => DurableEvent,
][] = [
  ["a customer's text", true, (chat) => textEvent({ chat })],
  ["one that came while nobody was linked", true, (chat) => textEvent({ chat, origin: "offline" })],
  [
    "a customer's place",
    true,
    (chat) => contentEvent({ kind: "location", latitude: 1, longitude: 2 }, { chat }),
  ],
  ["history", false, (chat) => textEvent({ chat, origin: "history" })],
  ["what the company writes on its phone", false, (chat) => textEvent({ chat, fromMe: true })],
  [
    "a call",
    false,
    (chat) => ({
      type: "call",
      id: `C${unique()}`,
      chat,
      from: { addresses: [chat] },
      isVideo: false,
      at: new Date(),
    }),
  ],
];

test.each(events)("1.2, 1.7, 2.12: %s calls the attendant: %s", async (_what, isCalled, event) => {
  const chat = newPhone();
  await side.receive(textEvent({ chat, text: "Oi" }));
  const turns = sql`
    select k.due_at is not null as "isDue" from attendant_turns k
    join tickets t on t.id = k.ticket_id
    join contacts c on c.id = t.contact_id where c.number = ${chat.value}`;
  expect(await side.rows(turns)).toEqual([{ isDue: true }]);
  await side.rows(sql`update attendant_turns set due_at = null, waiting_since = null`);
  await side.receive(event(chat));
  expect(await side.rows(turns)).toEqual([{ isDue: isCalled }]);
});

/** A desk whose customer has got the menu; the channel's events carry their own times. */
async function deskWithMenu() {
  const app = await testApp({ database: side.database, attends: false });
  const desk = await createDesk(app, {
    greeting: "Escolha",
    queues: [
      {
        name: "Vendas",
        greeting: "Vendas",
        options: [{ title: "Preços" }, { title: "Prazos", message: "Amanhã" }],
      },
      { name: "Suporte", greeting: "Suporte" },
    ],
  });
  const chat = newPhone();
  const place = { companyId: desk.company.id, connectionId: desk.connectionId };
  const writtenBefore = (text: string, seconds: number): Promise<void> =>
    side.receive(textEvent({ chat, text, at: subSeconds(new Date(), seconds) }), place);
  await writtenBefore("Oi", 60);
  await app.app.runDueTurns();
  const { id } = await desk.ticketOf(chat.value);
  const said = async (): Promise<string[]> =>
    (await desk.said(id)).slice(2).map(({ body }) => body.split("\n", 1)[0] ?? "");
  return { writtenBefore, said, attend: () => app.app.runDueTurns() };
}

test("answers follow the order of the conversation, in whatever order messages arrive", async () => {
  const { writtenBefore, said, attend } = await deskWithMenu();
  await writtenBefore("1", 20);
  // The network says that it is older, the conversation shows it below.
  await writtenBefore("2", 30);
  await attend();
  expect(await said()).toEqual(["1", "2", "Vendas", "Amanhã"]);
});

test("a message written before the menu but delivered after it is not counted as a wrong answer", async () => {
  const { writtenBefore, said, attend } = await deskWithMenu();
  await writtenBefore("Espera", 50);
  await attend();
  expect(await said()).toEqual(["Espera"]);
  await writtenBefore("Quê?", -1);
  await attend();
  expect(await said()).toEqual([
    "Espera",
    "Quê?",
    "Opção inválida, por favor, escolha uma opção válida.",
  ]);
});

test("a backlog of due tickets is attended to at once, not a handful at each look", async () => {
  for (let n = 0; n < 20; n += 1) await side.receive(textEvent({ text: "Oi" }));
  // It looks once when it starts; the test's time would end before the next look.
  const app = await testApp({
    database: side.database,
    attendantSettings: { ...quickAttendant, lookEveryMs: 60_000 },
  });
  await app.idle();
  const due = sql`select count(*)::int as count from attendant_turns where due_at is not null`;
  expect(await side.rows(due)).toEqual([{ count: 0 }]);
});
