import type { Message } from "@balcao/contract";
import { clientEvents } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import type { CloudLine } from "./testing/cloud-office.ts";
import { cloudWorld, hasStatus } from "./testing/cloud-office.ts";
import { statusOf } from "./testing/webhook-bodies.ts";

const world = await cloudWorld({ cloudApiSettings: { silenceMs: 60_000, callMs: 5_000 } });
const { product, stub } = world;

let people = 0;
/** A line on which a customer has written, with the ticket. */
async function conversation() {
  const line = await world.newLine();
  people += 1;
  const phone = `55119777${String(10_000 + people)}`;
  const wamid = await line.writes({ phone, name: "Helena" }, "Oi");
  const ticket = await line.ticketOf(phone);
  return { line, phone, wamid, ticket };
}

async function say(line: CloudLine, ticketId: number, body: Record<string, unknown>) {
  const reply = await product.as(line.admin).post<Message>(`/messages/${ticketId}`, body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

async function shown(line: CloudLine, ticketId: number, id: string): Promise<Message> {
  const message = (await line.messages(ticketId)).find((one) => one.id === id);
  if (!message) throw new Error("the message is not there");
  return message;
}

test("a connection with good credentials is connected, with its number, and has its webhooks", async () => {
  const line = await world.newLine();
  const state = await hasStatus(world, line, "CONNECTED");
  expect(state.number).toBe(line.account.displayNumber);
  expect(stub.subscribed).toContain(line.account.businessAccountId);
});

test("void credentials end in a clear reason, at the start and while it runs", async () => {
  const account = stub.newAccount();
  stub.revoke(account);
  const refused = await world.newLine({ account });
  await eventually(async () =>
    expect((await hasStatus(world, refused, "DISCONNECTED")).closeReason).toBe("auth"),
  );

  const { line, ticket } = await conversation();
  stub.revoke(line.account);
  const message = await say(line, ticket.id, { body: "Chegou?" });
  expect((await hasStatus(world, line, "DISCONNECTED")).closeReason).toBe("auth");
  await eventually(async () => {
    const { failedCode } = await shown(line, ticket.id, message.id);
    expect(failedCode).toBe("ERR_WAPP_NOT_INITIALIZED");
  });
});

test("a text goes out with our id and comes back sent, delivered, read; late statuses lower nothing", async () => {
  const { line, phone, ticket } = await conversation();
  const message = await say(line, ticket.id, { body: "Olá, Helena" });
  const [sent] = await line.sent(1);
  if (!sent) throw new Error("nothing was sent");
  expect(sent.body).toMatchObject({
    messaging_product: "whatsapp",
    to: phone,
    type: "text",
    text: { body: "Olá, Helena" },
    biz_opaque_callback_data: expect.stringMatching(/^3EB0/),
  });
  await eventually(async () => expect((await shown(line, ticket.id, message.id)).ack).toBe(2));
  await line.deliver({ statuses: [statusOf(sent, "read")] });
  await eventually(async () => expect((await shown(line, ticket.id, message.id)).ack).toBe(4));
  await line.deliver({ statuses: [statusOf(sent, "delivered"), statusOf(sent, "sent")] });
  await line.deliver({ statuses: [statusOf(sent, "delivered")] });
  await product.idle();
  expect((await shown(line, ticket.id, message.id)).ack).toBe(4);
});

test("a failed status has its reason; the status of another sender's message is ignored", async () => {
  const { line, ticket } = await conversation();
  const message = await say(line, ticket.id, { body: "Tudo bem?" });
  const [sent] = await line.sent(1);
  if (!sent) throw new Error("nothing was sent");
  const errors = [{ code: 131_047, title: "Re-engagement message" }];
  await line.deliver({
    statuses: [
      { id: "wamid.other", status: "failed", timestamp: "1", errors },
      statusOf(sent, "failed", { errors }),
    ],
  });
  await eventually(async () => {
    const { failedCode } = await shown(line, ticket.id, message.id);
    expect(failedCode).toBe("ERR_WAPP_WINDOW_CLOSED");
  });
});

test.each([
  [131_026, "ERR_WAPP_INVALID_CONTACT"],
  [131_047, "ERR_WAPP_WINDOW_CLOSED"],
  [131_008, "ERR_SENDING_WAPP_MSG"],
  [131_049, "ERR_WAPP_ACCOUNT_RESTRICTED"],
])("error %i of the Graph API is told as %s and not tried again", async (code, failedCode) => {
  const { line, ticket } = await conversation();
  await product.idle();
  stub.faults.push({ code });
  const message = await say(line, ticket.id, { body: "Oi" });
  await eventually(async () =>
    expect((await shown(line, ticket.id, message.id)).failedCode).toBe(failedCode),
  );
  expect(stub.sent(line.account)).toEqual([]);
});

test("a temporary refusal is retried, as one message", async () => {
  const { line, ticket } = await conversation();
  await product.idle();
  stub.faults.push({ code: 131_016, status: 500 });
  const message = await say(line, ticket.id, { body: "Insisto" });
  await line.sent(1);
  await eventually(async () => expect((await shown(line, ticket.id, message.id)).ack).toBe(2));
  expect(stub.sent(line.account)).toHaveLength(1);
});

test.each(["cut-after", "silent"] as const)(
  "a send whose answer is lost (%s) is not sent again; its status says that it was",
  async (fault) => {
    const { line, ticket } = await conversation();
    await product.idle();
    stub.faults.push(fault);
    const message = await say(line, ticket.id, { body: "Uma vez só" });
    const [sent] = await line.sent(1);
    if (!sent) throw new Error("nothing was sent");
    await eventually(async () => expect((await shown(line, ticket.id, message.id)).ack).toBe(1));
    expect((await shown(line, ticket.id, message.id)).failedCode).toBeNull();
    await line.deliver({ statuses: [statusOf(sent, "delivered")] });
    await eventually(async () => expect((await shown(line, ticket.id, message.id)).ack).toBe(3));
    expect(stub.sent(line.account)).toHaveLength(1);
  },
);

test("a send of which Meta never says a word is unconfirmed after a while, and a person may send it again", async () => {
  const { line, ticket } = await conversation();
  await product.idle();
  stub.faults.push("bad-gateway");
  const message = await say(line, ticket.id, { body: "Será?" });
  await eventually(async () => expect((await shown(line, ticket.id, message.id)).ack).toBe(1));
  await product.database.db.acrossCompanies((tx) =>
    tx.query(
      sql`update outbound set attempted_at = now() - interval '2 minutes' where message_id = ${message.id}`,
    ),
  );
  await eventually(async () =>
    expect(await shown(line, ticket.id, message.id)).toMatchObject({
      failedCode: null,
      isUnconfirmed: true,
    }),
  );
  expect(stub.sent(line.account)).toEqual([]);
  const again = await product
    .as(line.admin)
    .post(`/messages/retry/${message.id}`, { confirmed: true });
  expect(again.status).toBe(200);
  await line.sent(1);
});

test("messages wait while Meta cannot be reached and go out in order when it can", async () => {
  const { line, ticket } = await conversation();
  await product.idle();
  await stub.goAway();
  try {
    await say(line, ticket.id, { body: "um" });
    await say(line, ticket.id, { body: "dois" });
    await eventually(async () => {
      const [row] = await product.database.db.acrossCompanies((tx) =>
        tx.query<{ status: string }>(
          sql`select status from connections where id = ${line.connectionId}`,
        ),
      );
      expect(row?.status).not.toBe("CONNECTED");
    });
  } finally {
    await stub.comeBack();
  }
  const sent = await line.sent(2);
  expect(sent.map(({ body }) => body.text?.body)).toEqual(["um", "dois"]);
});

test("a quoted message is named by Meta's id: the customer's and our own", async () => {
  const { line, wamid, ticket } = await conversation();
  const [theirs] = await line.messages(ticket.id);
  const first = await say(line, ticket.id, { body: "Sobre isso", quotedMsg: { id: theirs?.id } });
  const [sent] = await line.sent(1);
  expect(sent?.body.context).toEqual({ message_id: wamid });
  await product.idle();
  await say(line, ticket.id, { body: "E sobre aquilo", quotedMsg: { id: first.id } });
  const [, second] = await line.sent(2);
  expect(second?.body.context).toEqual({ message_id: sent?.wamid });
});

test("reactions go out and come in, on messages of either side", async () => {
  const { line, phone, wamid, ticket } = await conversation();
  const [theirs] = await line.messages(ticket.id);
  const reacted = await product
    .as(line.admin)
    .post(`/messages/${theirs?.id}/reactions`, { type: "👍" });
  expect(reacted.status).toBe(200);
  const [reaction] = await line.sent(1);
  expect(reaction?.body).toMatchObject({
    type: "reaction",
    reaction: { message_id: wamid, emoji: "👍" },
  });

  const ours = await say(line, ticket.id, { body: "Obrigada" });
  const [, sent] = await line.sent(2);
  await product.idle();
  await line.deliver({
    contacts: [{ wa_id: phone }],
    messages: [
      {
        id: "wamid.reaction",
        from: phone,
        timestamp: "1700000000",
        type: "reaction",
        reaction: { message_id: sent?.wamid, emoji: "❤️" },
      },
    ],
  });
  await eventually(async () => {
    const { reactions } = await shown(line, ticket.id, ours.id);
    expect(reactions).toMatchObject([{ emoji: "❤️", fromMe: false }]);
  });
});

test("edits and deletions are refused by the channel and reverted", async () => {
  const { line, ticket } = await conversation();
  const message = await say(line, ticket.id, { body: "Errado" });
  await line.sent(1);
  await product.as(line.admin).post(`/messages/edit/${message.id}`, { body: "Certo" });
  await eventually(async () => {
    const { body, changeFailedCode } = await shown(line, ticket.id, message.id);
    expect([body, changeFailedCode]).toEqual(["Errado", "ERR_EDITING_WAPP_MSG"]);
  });
  expect(stub.sent(line.account)).toHaveLength(1);
});

test("the customer gets a read receipt", async () => {
  const { line, wamid, ticket } = await conversation();
  await product.as(line.admin).put(`/tickets/${ticket.id}`, { status: "open" });
  await product.as(line.admin).post(`/messages/${ticket.id}/read`);
  await eventually(() => expect(stub.marks).toContainEqual({ wamid, typing: false }));
});

test("a customer with only a business-scoped id is addressed by it, in the configured field", async () => {
  const line = await world.newLine();
  await line.writes({ userId: "BR.13491208655302741918", name: "Bruna" }, "Sem número");
  const ticket = await line.ticketOf("Bruna");
  expect(ticket.contact.number).toBe("");
  await say(line, ticket.id, { body: "Olá, Bruna" });
  const [sent] = await line.sent(1);
  expect(sent?.body).toMatchObject({ recipient: "BR.13491208655302741918", type: "text" });
  expect(sent?.body).not.toHaveProperty("to");
});

test("the customer sees typing, in reply to the newest message", async () => {
  const line = await world.newLine();
  const phone = "5511933330001";
  await line.writes({ phone }, "Oi");
  const newest = await line.writes({ phone }, "Tem alguém aí?");
  const ticket = await line.ticketOf(phone);
  await product.idle();
  const { socket } = await product.live(line.admin);
  socket.emit(clientEvents.joinChatBox, String(ticket.id));
  await eventually(() => {
    socket.emit(clientEvents.ticketViewing, {
      ticketId: ticket.id,
      state: "typing",
      windowId: "w1",
    });
    expect(stub.marks).toContainEqual({ wamid: newest, typing: true });
  });
});
