import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address, CallEvent } from "../../../channels/port.ts";
import { unique } from "../../../testing/given.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, countRows, setTicket } from "../testing/conversations.ts";

let refusing: ChannelSide;
let taking: ChannelSide;
beforeAll(async () => {
  refusing = await channelSide();
  taking = await channelSide({ database: refusing.database, settings: { call: "enabled" } });
});

function call(chat: Address): CallEvent {
  const at = new Date("2026-11-18T17:05:00Z");
  return { type: "call", id: `C${unique()}`, chat, from: { addresses: [chat] }, isVideo: true, at };
}

async function customerOf(side: ChannelSide): Promise<Address> {
  const chat = newPhone();
  await side.receive(textEvent({ chat, text: "Olá", at: new Date("2026-11-18T17:00:00Z") }));
  side.told.take();
  return chat;
}

const questions = (side: ChannelSide) =>
  side.rows<{ question: string }>(
    sql`select question from channel_questions where company_id = ${side.companyId} order by created_at`,
  );

const answersTo = (side: ChannelSide, chat: Address) =>
  side.rows(sql`
    select body::json ->> 'text' as text, due_at > now() + interval '1 s' as "isLater"
    from outbound where to_value = ${chat.value}`);

describe("a company that takes no calls", () => {
  test("refuses, notes the call in the ticket and answers with a text a little later", async () => {
    const chat = await customerOf(refusing);
    await refusing.receive(call(chat));
    const line = "Chamada de voz/vídeo perdida às 14:05";
    const text = expect.stringMatching(/^Não atendemos chamadas por aqui/);
    const [conversation] = await conversationsOf(chat, refusing);
    expect(conversation).toMatchObject({ unread: 1, messages: ["Olá", line, text] });
    const [noted, answer] = appMessages(refusing.told.take());
    expect(noted).toMatchObject({
      message: {
        mediaType: "call_log",
        body: line,
        details: { kind: "call", isVideo: true },
        fromMe: false,
        read: true,
        ack: 1,
      },
      ticket: { lastMessage: line, lastMessageKind: "call" },
    });
    expect(answer).toMatchObject({ message: { fromMe: true, user: null } });
    expect(await answersTo(refusing, chat)).toEqual([{ text, isLater: true }]);
    expect((await questions(refusing)).at(-1)?.question).toContain("refuse-call");
  });

  test("has a closed ticket wait again", async () => {
    const chat = await customerOf(refusing);
    const [before] = await conversationsOf(chat, refusing);
    if (!before) throw new Error("no ticket");
    await setTicket(refusing, before.id, sql`status = 'closed', unread_messages = 0`);
    await refusing.receive(call(chat));
    expect(await conversationsOf(chat, refusing)).toMatchObject([{ status: "pending", unread: 0 }]);
  });

  test("notes and answers the same call once", async () => {
    const chat = await customerOf(refusing);
    const event = call(chat);
    await Promise.all([refusing.receive(event), refusing.receive(event)]);
    expect((await conversationsOf(chat, refusing))[0]?.messages).toHaveLength(3);
    expect(await answersTo(refusing, chat)).toHaveLength(1);
  });

  test("refuses a stranger's call without creating a contact", async () => {
    const [contacts, asked] = [
      await countRows("contacts", refusing),
      (await questions(refusing)).length,
    ];
    refusing.told.take();
    await refusing.receive(call(newPhone()));
    expect(await countRows("contacts", refusing)).toBe(contacts);
    expect(await questions(refusing)).toHaveLength(asked + 1);
    expect(refusing.told.take()).toEqual([]);
  });

  test("leaves a group's call alone", async () => {
    const asked = (await questions(refusing)).length;
    await refusing.receive(call({ kind: "group", value: "5511-1700" }));
    expect(await questions(refusing)).toHaveLength(asked);
  });
});

test("a company that takes calls does nothing about them", async () => {
  const chat = await customerOf(taking);
  await taking.receive(call(chat));
  expect(await conversationsOf(chat, taking)).toMatchObject([{ messages: ["Olá"] }]);
  expect(await answersTo(taking, chat)).toEqual([]);
  expect(await questions(taking)).toEqual([]);
});

const delayedAnswersTo = (phone: string) =>
  refusing.rows<{ text: string; afterSeconds: number }>(sql`
    select o.body::json ->> 'text' as text, extract(epoch from o.due_at - m.created_at)::float as "afterSeconds"
    from outbound o join messages m on m.id = o.message_id where o.to_value = ${phone}`);

test("a refused caller is answered 3 seconds later, word for word", async () => {
  const chat = newPhone();
  await refusing.receive(textEvent({ chat }));
  const from = { addresses: [chat] };
  const call: CallEvent = {
    ...{ type: "call", id: `C${unique()}`, chat, from, isVideo: false, at: new Date() },
  };
  await refusing.receive(call);
  const [answer, ...more] = await delayedAnswersTo(chat.value);
  expect(answer?.text).toBe(
    "Não atendemos chamadas por aqui. Por favor, envie uma mensagem de texto.",
  );
  expect(answer?.afterSeconds).toBeGreaterThan(2.5);
  expect(answer?.afterSeconds).toBeLessThan(3.5);
  expect(more).toEqual([]);
});

test("a refused caller gets the company's own text, with its variables", async () => {
  const side = await channelSide({ database: refusing.database });
  await side.rows(sql`
    insert into settings (company_id, key, value)
    values (${side.companyId}, 'text.callRefused', '{{firstName}}, escreva para nós.')`);
  const chat = newPhone();
  await side.receive(textEvent({ chat, name: "Ana Luz" }));
  await side.receive(call(chat));
  expect(await answersTo(side, chat)).toMatchObject([{ text: "Ana, escreva para nós." }]);
});
