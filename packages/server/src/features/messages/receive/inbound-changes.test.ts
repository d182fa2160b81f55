import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address, InboundMessage } from "../../../channels/port.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, lastTold, setTicket } from "../testing/conversations.ts";

let side: ChannelSide;
let groups: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
  groups = await channelSide({
    database: side.database,
    settings: { CheckMsgIsGroup: "disabled" },
  });
});

const edit = (of: InboundMessage, text: string, target = of.ref) =>
  ({ type: "edit", target, text, at: new Date() }) as const;
const revoke = ({ ref }: InboundMessage) =>
  ({ type: "revoke", target: ref, at: new Date() }) as const;

async function wrote(texts: string[], fromMe = false): Promise<InboundMessage[]> {
  const chat = newPhone();
  const events = texts.map((text) => textEvent({ chat, text, fromMe }));
  for (const event of events) await side.receive(event);
  side.told.take();
  return events;
}

async function close(chat: Address): Promise<TicketId> {
  const [ticket] = await conversationsOf(chat, side);
  if (!ticket) throw new Error("no ticket");
  await setTicket(side, ticket.id, sql`status = 'closed', unread_messages = 0`);
  return ticket.id;
}

describe("an edit", () => {
  test("changes the text, and the card where it was the last message", async () => {
    const [first, last] = await wrote(["um", "dois"]);
    if (!first || !last) throw new Error("nothing was written");
    await side.receive(edit(first, "um!"));
    expect(await conversationsOf(first.ref.chat, side)).toMatchObject([
      { messages: ["um!", "dois"], last: "dois", unread: 2 },
    ]);
    const [told, ...rest] = side.told.take();
    expect([told, rest]).toMatchObject([
      { payload: { action: "update", message: { body: "um!", isEdited: true } } },
      [],
    ]);

    await side.receive(edit(last, "dois!"));
    expect(await conversationsOf(first.ref.chat, side)).toMatchObject([{ last: "dois!" }]);
    expect(side.told.take()).toMatchObject([
      { subject: "appMessage", payload: { action: "update" } },
      { subject: "ticket", payload: { action: "update", ticket: { lastMessage: "dois!" } } },
    ]);
  });

  test("marks a message that arrived with the new text, once", async () => {
    const [event] = await wrote(["um"]);
    if (!event) throw new Error("nothing was written");
    await side.receive(edit(event, "um"));
    expect(side.told.take()).toMatchObject([
      { payload: { action: "update", message: { body: "um", isEdited: true } } },
    ]);
    await side.receive(edit(event, "um"));
    expect(side.told.take()).toEqual([]);
  });

  test("reopens no ticket and does not count as unread", async () => {
    const [event] = await wrote(["um"]);
    if (!event) throw new Error("nothing was written");
    await close(event.ref.chat);
    await side.receive(edit(event, "outro"));
    expect(await conversationsOf(event.ref.chat, side)).toMatchObject([
      { status: "closed", unread: 0, last: "outro", attendances: 1 },
    ]);
  });

  test("is ignored if its message is unknown, in another chat or another author's, or if the new text is empty", async () => {
    const [event] = await wrote(["um"]);
    const [own] = await wrote(["meu"], true);
    if (!event || !own) throw new Error("nothing was written");
    await side.receive(edit(event, "x", { ...event.ref, id: "unknown" }));
    await side.receive(edit(event, "x", { ...event.ref, chat: newPhone() }));
    await side.receive(edit(event, "x", { ...event.ref, fromMe: true }));
    await side.receive(edit(own, "x", { ...own.ref, fromMe: false }));
    await side.receive(edit(event, " \n"));
    expect(side.told.take()).toEqual([]);
    expect(await conversationsOf(event.ref.chat, side)).toMatchObject([{ messages: ["um"] }]);
  });

  test("from the company's phone changes the company's message", async () => {
    const [own] = await wrote(["meu"], true);
    if (!own) throw new Error("nothing was written");
    await side.receive(edit(own, "nosso"));
    expect(lastTold(side.told.take())).toMatchObject({ body: "nosso", isEdited: true });
  });

  test("in a group is its author's only", async () => {
    const chat: Address = { kind: "group", value: "5511-1500" };
    const [writer, other] = [newPhone(), newPhone()];
    const event = textEvent({ chat, text: "um", from: { addresses: [writer] } });
    event.ref.author = writer;
    await groups.receive(event);
    await groups.receive(textEvent({ chat, text: "dois", from: { addresses: [other] } }));
    await groups.receive(edit(event, "x", { ...event.ref, author: other }));
    await groups.receive(edit(event, "x", { chat, id: event.ref.id, fromMe: false }));
    expect(await conversationsOf(chat, groups)).toMatchObject([{ messages: ["um", "dois"] }]);
    await groups.receive(edit(event, "um!"));
    expect(await conversationsOf(chat, groups)).toMatchObject([{ messages: ["um!", "dois"] }]);
  });
});

describe("a deletion for everyone", () => {
  test("keeps the text in the database only", async () => {
    const [first, last] = await wrote(["segredo", "dois"]);
    if (!first || !last) throw new Error("nothing was written");
    await side.receive(revoke(first));
    expect(lastTold(side.told.take())).toMatchObject({ isDeleted: true, body: "" });
    await side.receive(revoke(last));
    expect(await conversationsOf(first.ref.chat, side)).toMatchObject([
      { messages: ["segredo", "dois"], last: "🚫 _Mensagem Apagada_", unread: 2 },
    ]);
    await side.receive(textEvent({ chat: first.ref.chat, text: "eu disse", quoted: first.ref }));
    const { quotedMsg } = lastTold(side.told.take());
    expect(quotedMsg).toMatchObject({ isDeleted: true, body: "", media: null });
  });

  test("a second time, or of an unknown message, changes nothing; a deleted message cannot be edited", async () => {
    const [event] = await wrote(["um"]);
    if (!event) throw new Error("nothing was written");
    await side.receive(revoke(event));
    side.told.take();
    await side.receive(revoke(event));
    await side.receive(edit(event, "x"));
    await side.receive({ ...revoke(event), target: { ...event.ref, id: "unknown" } });
    expect(side.told.take()).toEqual([]);
  });
});

describe("a reaction", () => {
  const reaction = (of: InboundMessage, emoji: string | null, fromMe = false) =>
    ({
      type: "reaction",
      target: of.ref,
      from: of.from,
      fromMe,
      emoji,
      at: new Date(),
    }) as const;

  test("stands on its message, one of each person, until it is taken back", async () => {
    const chat = newPhone();
    const event = textEvent({ chat, text: "pronto", name: "Ana" });
    await side.receive(event);
    side.told.take();
    for (const emoji of ["👍", "❤️"]) await side.receive(reaction(event, emoji));
    await side.receive(reaction(event, "🙏", true));
    const told = appMessages(side.told.take());
    expect(told.map(({ message }) => message.reactions.map(({ emoji }) => emoji))).toEqual([
      ["👍"],
      ["❤️"],
      ["❤️", "🙏"],
    ]);
    expect(told.at(-1)?.message.reactions).toMatchObject([
      { emoji: "❤️", fromMe: false, name: "Ana" },
      { emoji: "🙏", fromMe: true, contactId: null },
    ]);
    await side.receive(reaction(event, null));
    expect(lastTold(side.told.take()).reactions).toMatchObject([{ emoji: "🙏" }]);
  });

  test("changes no count, reopens no ticket and does not change the card", async () => {
    const [event] = await wrote(["pronto"]);
    if (!event) throw new Error("nothing was written");
    await close(event.ref.chat);
    await side.receive(reaction(event, "👍"));
    expect(await conversationsOf(event.ref.chat, side)).toMatchObject([
      { status: "closed", unread: 0, last: "pronto", messages: ["pronto"] },
    ]);
    expect(side.told.take().map(({ subject }) => subject)).toEqual(["appMessage"]);
  });

  test("to an unknown message, and one that is no emoji, are ignored", async () => {
    const [event] = await wrote(["pronto"]);
    if (!event) throw new Error("nothing was written");
    await side.receive({ ...reaction(event, "👍"), target: { ...event.ref, id: "unknown" } });
    for (const text of ["ok", "👍👍", " ", "<b>", "1"]) await side.receive(reaction(event, text));
    expect(side.told.take()).toEqual([]);
  });

  test("in a group is each member's own", async () => {
    const chat: Address = { kind: "group", value: "5511-1600" };
    const [ana, bia] = [newPhone(), newPhone()];
    const event = textEvent({ chat, from: { addresses: [ana], displayName: "Ana" } });
    await groups.receive(event);
    await groups.receive(reaction(event, "👍"));
    const byBia = { ...reaction(event, "😂"), from: { addresses: [bia], displayName: "Bia" } };
    await groups.receive(byBia);
    expect(lastTold(groups.told.take()).reactions).toMatchObject([
      { emoji: "👍", name: "Ana" },
      { emoji: "😂", name: "Bia" },
    ]);
  });
});

describe("an event that arrives before its message", () => {
  const stored = ({ ref }: InboundMessage) =>
    side.rows<{ body: string; isEdited: boolean; isDeleted: boolean; emoji: string | null }>(sql`
      select m.body, m.is_edited as "isEdited", m.is_deleted as "isDeleted",
        (select r.emoji from message_reactions r where r.message_id = m.id) as emoji
      from messages m where m.company_id = ${side.companyId} and m.provider_id = ${ref.id}`);
  const waiting = ({ ref }: InboundMessage) =>
    side.rows(sql`select 1 from early_events where provider_id = ${ref.id}`);

  test("waits for it: an edit and a reaction, in their order", async () => {
    const event = textEvent({ chat: newPhone(), text: "um" });
    await side.receive(edit(event, "um!"));
    await side.receive(edit(event, "um!!"));
    await side.receive({
      type: "reaction",
      target: event.ref,
      from: event.from,
      fromMe: false,
      emoji: "👍",
      at: new Date(),
    });
    expect(side.told.take()).toEqual([]);
    await side.receive(event);
    expect(await stored(event)).toEqual([
      { body: "um!!", isEdited: true, isDeleted: false, emoji: "👍" },
    ]);
    expect(await conversationsOf(event.ref.chat, side)).toMatchObject([{ last: "um!!" }]);
    expect(await waiting(event)).toEqual([]);
  });

  test("waits for it: a deletion", async () => {
    const event = textEvent({ chat: newPhone(), text: "ops" });
    await side.receive(revoke(event));
    await side.receive(event);
    expect(await stored(event)).toMatchObject([{ isDeleted: true }]);
  });

  test("keeps a limited number for a message that never arrives, and none for a stored one", async () => {
    const [there] = await wrote(["um"]);
    const never = textEvent({ chat: newPhone(), text: "nunca" });
    for (let n = 0; n < 60; n += 1) await side.receive(edit(never, `nunca ${n}`));
    expect(await waiting(never)).toHaveLength(50);
    if (!there) throw new Error("nothing was written");
    await side.receive({ ...revoke(there), target: { ...there.ref, chat: newPhone() } });
    expect(await waiting(there)).toEqual([]);
  });
});
