import { buffer } from "node:stream/consumers";
import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { trustCertificate } from "../../testing/tls-certificate.ts";
import type { ChatProvider } from "../port.ts";
import { newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { WhatsAppWorld } from "../testing/whatsapp.ts";
import { linkWhatsApp, newWhatsAppWorld } from "../testing/whatsapp.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const CUSTOMER = "5511988880001";

async function linkedWorld(
  options: Parameters<typeof newWhatsAppWorld>[1] = {},
): Promise<WhatsAppWorld> {
  const world = await newWhatsAppWorld(database, options);
  world.process.runChannels();
  await linkWhatsApp(database, world);
  return world;
}

const seen = ({ process, line }: WhatsAppWorld, event: object) =>
  eventually(async () =>
    expect(await process.events(line)).toContainEqual(expect.objectContaining(event)),
  );

test("a customer's edit, deletion, reaction and call arrive as such", async () => {
  const world = await linkedWorld();
  const customer = world.account.contact(CUSTOMER);
  const chat = { kind: "pn", value: CUSTOMER };
  const id = await customer.sends("bom dai");
  await customer.edits(id, "bom dia");
  await seen(world, { type: "edit", text: "bom dia" });
  await customer.reacts(id, "👍");
  await seen(world, { type: "reaction", emoji: "👍" });
  await customer.revokes(id);
  await seen(world, {
    type: "revoke",
    target: expect.objectContaining({ chat, id, fromMe: false }),
  });
  const callId = customer.calls({ video: true });
  await seen(world, { type: "call", id: callId, isVideo: true });
});

test("a person with number and privacy id is reported as one, and a privacy id alone is no number", async () => {
  const world = await linkedWorld();
  const both = world.account.contact(CUSTOMER);
  await both.sends("olá");
  await seen(world, {
    type: "contact",
    peer: expect.objectContaining({
      addresses: [
        { kind: "pn", value: CUSTOMER },
        { kind: "lid", value: both.lid },
      ],
    }),
  });
  const hidden = world.account.contact("5511988880002");
  hidden.setAddressing({ from: "lid", alone: true });
  await hidden.sends("sou eu");
  await eventually(async () => {
    const { process, line } = world;
    expect(await process.received(line)).toContainEqual(
      expect.objectContaining({ chat: hidden.lid, body: "sou eu" }),
    );
  });
});

test("a group's message has its author and the group's name, and an answer reaches its members", async () => {
  const world = await linkedWorld();
  const { account, process, line } = world;
  const [ana, bia] = [account.contact(CUSTOMER), account.contact("5511988880002")];
  const group = account.group("Equipe", [ana, bia]);
  const id = await ana.sends("oi grupo", { to: group });
  await eventually(async () => {
    expect(await process.received(line)).toMatchObject([{ id, chat: group.id, body: "oi grupo" }]);
  });
  const ticketId = await newTicket(database.db, line);
  const to = { kind: "group", value: group.id } as const;
  const { providerId } = await process.answer(line, ticketId, to, "oi a todos");
  expect((await bia.receivesId(providerId)).text).toBe("oi a todos");
  expect((await ana.receivesId(providerId)).text).toBe("oi a todos");
});

test("a message whose recipient's devices are not told is not sent: it is tried again, then failed with the reason", async () => {
  const { account, process, line } = await linkedWorld({ whatsApp: { queryMs: 1_000 } });
  const ticketId = await newTicket(database.db, line);
  for (const [habit, phone] of [
    ["empty", CUSTOMER],
    ["silent", "5511988880002"],
  ] as const) {
    const customer = account.contact(phone);
    account.setLookup(habit);
    const { messageId, providerId } = await process.answer(line, ticketId, phone, habit);
    await eventually(async () => {
      expect(await process.sent(messageId)).toMatchObject([
        { result: "failed", kind: "recipient-unchecked" },
      ]);
    });
    account.setLookup("answer");
    const next = await process.answer(line, ticketId, phone, "depois");
    expect(await customer.receivesId(next.providerId)).toMatchObject({ text: "depois" });
    expect(customer.received().map(({ id }) => id)).not.toContain(providerId);
  }
});

test("a message that cannot be decrypted is told as pending, and its resend under the same id with its content", async () => {
  const told: unknown[] = [];
  const { account } = await linkedWorld({
    whatsApp: { pendingMs: 200 },
    beforeReceive: (event) => {
      if (event.type === "message") told.push([event.ref.id, event.content]);
    },
  });
  const customer = account.contact(CUSTOMER);
  const first = await customer.sends("antes");
  const lost = await customer.sends("de novo", { isGarbled: true });
  const pending = [lost, { kind: "pending" }];
  await eventually(() => expect(told).toContainEqual(pending));
  await customer.resends(lost);
  await eventually(() =>
    expect(told).toEqual([
      [first, { kind: "text", text: "antes" }],
      pending,
      [lost, { kind: "text", text: "de novo" }],
    ]),
  );
});

test("a reaction or an edit that cannot be decrypted leaves no placeholder, and is told when it comes again", async () => {
  const told: unknown[] = [];
  const { account } = await linkedWorld({
    whatsApp: { pendingMs: 200 },
    beforeReceive: (event) => {
      if (event.type === "message") told.push(event.content);
      if (event.type === "reaction") told.push(event.emoji);
    },
  });
  const customer = account.contact(CUSTOMER);
  const first = await customer.sends("antes");
  const reaction = await customer.reacts(first, "👍", { isGarbled: true });
  await customer.edits(first, "outra", { isGarbled: true });
  // By the time that a later message has its placeholder, they would have had theirs.
  await customer.sends("depois", { isGarbled: true });
  await eventually(() => expect(told).toContainEqual({ kind: "pending" }));
  expect(told).toEqual([{ kind: "text", text: "antes" }, { kind: "pending" }]);
  await customer.resends(reaction);
  await eventually(() => expect(told.at(-1)).toBe("👍"));
});

test("the company's changes reach the customer's phone as changes", async () => {
  const { account, process, line } = await linkedWorld();
  const customer = account.contact(CUSTOMER);
  const ticketId = await newTicket(database.db, line);
  const { providerId, messageId } = await process.answer(line, ticketId, CUSTOMER, "bom dai");
  await customer.receivesId(providerId);
  const target = { chat: { kind: "pn", value: CUSTOMER }, id: providerId, fromMe: true } as const;
  const edit = await process.change(line, CUSTOMER, {
    messageId,
    change: { kind: "edit", target, text: "bom dia" },
    before: "bom dai",
  });
  const edited = await customer.receivesId(edit.providerId);
  expect(JSON.stringify(edited.message)).toContain("bom dia");
  const revoke = await process.change(line, CUSTOMER, {
    messageId,
    change: { kind: "revoke", target },
    before: "bom dia",
  });
  expect((await customer.receivesId(revoke.providerId)).message.protocolMessage?.key?.id).toBe(
    providerId,
  );
});

test("files go both ways, encrypted on the way and checked at its end", async () => {
  const content = randomBytes(50_000);
  const files: Buffer[] = [];
  const world = await linkedWorld({
    ownFiles: new Map([["saída", content]]),
    storeMedia: async (_connection, _messageId, _file, pieces) => {
      files.push(await buffer(pieces));
    },
  });
  const { account, process, line, peer } = world;
  trustCertificate(peer.certificatePem);
  const customer = account.contact(CUSTOMER);
  await customer.sends({ kind: "document", bytes: content, mimetype: "application/x-data" });
  const arrived = await eventually(async () => {
    const events = await process.events(line);
    const found = events.find((event) => JSON.stringify(event).includes('"locator"'));
    if (!found) throw new Error("no file came");
    return found as { content: { file: { locator: string } } };
  });
  const ticketId = await newTicket(database.db, line);
  await process.download(line, ticketId, arrived.content.file.locator);
  await eventually(() => expect(files.map((one) => one.equals(content))).toEqual([true]));

  const file = {
    key: "saída",
    mime: "application/x-data",
    name: "dados.bin",
    bytes: content.length,
  };
  const { providerId } = await process.answer(line, ticketId, CUSTOMER, {
    ...{ kind: "media", media: "document", file },
  });
  const { message } = await customer.receivesId(providerId);
  const sent =
    message.documentMessage ?? message.documentWithCaptionMessage?.message?.documentMessage;
  expect((await peer.media.open(sent ?? {}, "document")).equals(content)).toBe(true);
});

test("a person's typing is reported", async () => {
  const { account, process, line } = await linkedWorld();
  const customer = account.contact(CUSTOMER);
  await customer.sends("um momento");
  await eventually(async () => expect(await process.received(line)).toHaveLength(1));
  await eventually(() => {
    customer.types("composing");
    expect(process.presences).toContainEqual(
      expect.objectContaining({ type: "presence", state: "composing" }),
    );
  });
});

test("a refused message is told with the reason, and is not sent again", async () => {
  const { account, process, line } = await linkedWorld();
  const customer = account.contact(CUSTOMER);
  account.setAnswer({ error: "463" });
  const ticketId = await newTicket(database.db, line);
  await process.answer(line, ticketId, CUSTOMER, "quer comprar?");
  await eventually(async () => {
    expect(await process.events(line)).toContainEqual(
      expect.objectContaining({
        type: "send-failed",
        failure: { kind: "restricted", code: "463" },
      }),
    );
  });
  expect(customer.received().length).toBeLessThanOrEqual(1);
});

test("a phone that lost its keys asks again and gets the same message", async () => {
  const { account, process, line } = await linkedWorld();
  const customer = account.contact(CUSTOMER);
  const ticketId = await newTicket(database.db, line);
  const first = await process.answer(line, ticketId, CUSTOMER, "primeira");
  await customer.receivesId(first.providerId);
  await customer.losesSessions();
  const second = await process.answer(line, ticketId, CUSTOMER, "segunda");
  expect((await customer.receivesId(second.providerId)).text).toBe("segunda");
});

test("numbers are checked, and a picture is fetched, if there is one", async () => {
  const providers: ChatProvider[] = [];
  const world = await newWhatsAppWorld(database, {
    wrap: (adapter) => ({
      ...adapter,
      createProvider: (context) => {
        const provider = adapter.createProvider(context);
        providers.push(provider);
        return provider;
      },
    }),
  });
  world.process.runChannels();
  await linkWhatsApp(database, world);
  trustCertificate(world.peer.certificatePem);
  const customer = world.account.contact(CUSTOMER);
  customer.setPicture(Buffer.from("uma foto"));
  const provider = providers.at(-1);

  expect(await provider?.checkNumbers([CUSTOMER, "5511900000000"])).toEqual([
    { asked: CUSTOMER, exists: true, number: CUSTOMER },
    { asked: "5511900000000", exists: false, number: "5511900000000" },
  ]);
  const signal = AbortSignal.timeout(5_000);
  const address = { kind: "pn", value: CUSTOMER } as const;
  const picture = await provider?.profilePicture(address, signal);
  expect(Buffer.from(picture?.content ?? []).toString()).toBe("uma foto");
  const other = { kind: "pn", value: "5511988880009" } as const;
  world.account.contact(other.value);
  expect(await provider?.profilePicture(other, signal)).toBeNull();
  await provider?.setTyping(address, true);
  await eventually(() => expect(customer.signals()).toContain("chatstate/composing"));
  expect(await stateOf(database.db, world.line)).toMatchObject({ status: "CONNECTED" });
});
