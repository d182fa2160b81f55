import type { Message, QueueId, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const SECRET = "Senha do cofre";

/** A ticket that waits in Vendas; its last message was written in Suporte. */
async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  const ticket = await given.ticket({ company, queueId: sales, contactName: "Marta Lima" });
  await given.message(ticket, { body: SECRET, queueId: support });
  const agent = (...queueIds: QueueId[]) => given.agent({ company, queueIds });
  return {
    ...{ company, sales, support, ticket },
    ofSales: await agent(sales),
    ofSupport: await agent(support),
    ofBoth: await agent(sales, support),
    admin: await given.admin({ company }),
  };
}

/** Everything that shows a ticket to whoever may see it. */
const replies: [call: string, read: (user: GivenUser, ticket: GivenTicket) => Promise<Ticket>][] = [
  [
    "GET /tickets/:ticketId",
    async (user, { id }) => of(await app.as(user).get<Ticket>(`/tickets/${id}`)),
  ],
  [
    "GET /tickets/u/:ticketUuid",
    async (user, { uuid }) => of(await app.as(user).get<Ticket>(`/tickets/u/${uuid}`)),
  ],
  ["GET /tickets", (user, ticket) => inList(user, ticket, "status=pending")],
  ["GET /tickets?showAll", (user, ticket) => inList(user, ticket, "showAll=true")],
  ["GET /tickets?searchParam", (user, ticket) => inList(user, ticket, "searchParam=Marta")],
  [
    "GET /messages/:ticketId",
    async (user, { id }) =>
      of(await app.as(user).get<{ ticket: Ticket }>(`/messages/${id}?markRead=false`)).ticket,
  ],
  [
    "PUT /tickets/:ticketId",
    async (user, { id }) =>
      of(await app.as(user).put<Ticket>(`/tickets/${id}`, { chatbot: false })),
  ],
  [
    "POST /tags/sync",
    async (user, { id }) =>
      of(await app.as(user).post<Ticket>("/tags/sync", { ticketId: id, tags: [] })),
  ],
];

/** The reply of a successful call. */
function of<T>(reply: { status: number; body: T }): T {
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

async function inList(user: GivenUser, { id }: GivenTicket, query: string): Promise<Ticket> {
  const list = of(await app.as(user).get<{ tickets: Ticket[] }>(`/tickets?${query}`));
  const found = list.tickets.find((ticket) => ticket.id === id);
  if (!found) throw new Error("the ticket is not in the list");
  return found;
}

const show = (user: GivenUser, { id }: GivenTicket): Promise<Ticket> =>
  app.as(user).get<Ticket>(`/tickets/${id}`).then(of);

describe("the last message on a ticket", () => {
  test.each(replies)("%s shows it to those who may read it only", async (_call, read) => {
    const { ticket, ofSales, ofBoth, admin } = await office();
    const hidden = await read(ofSales, ticket);
    expect(hidden).toMatchObject({ lastMessage: "", lastMessageKind: "text" });
    expect(JSON.stringify(hidden)).not.toContain(SECRET);
    for (const reader of [ofBoth, admin]) {
      expect(await read(reader, ticket)).toMatchObject({ lastMessage: SECRET });
    }
    // When it was said stays known: lists are in this order.
    const { lastMessageAt } = await read(admin, ticket);
    expect(hidden.lastMessageAt).toBe(lastMessageAt);
  });

  test("is read by the agent who serves the ticket in its queue, without having that queue", async () => {
    const { given } = app;
    const { company, support, ofSales } = await office();
    const served = await given.ticket({
      ...{ company, queueId: support, status: "open", userId: ofSales.id },
    });
    await given.message(served, { body: SECRET, queueId: support });
    expect(await show(ofSales, served)).toMatchObject({ lastMessage: SECRET });
    // As are its messages: once it is closed, neither.
    const messages = async () =>
      of(await app.as(ofSales).get<{ messages: Message[] }>(`/messages/${served.id}`)).messages;
    expect(await messages()).toHaveLength(1);
    await app.as(ofSales).put(`/tickets/${served.id}`, { status: "closed" });
    expect(await messages()).toEqual([]);
    expect(await show(ofSales, served)).toMatchObject({ lastMessage: "" });
  });

  test("is of the queue in which it was written, also after a later one was taken back", async () => {
    const { ticket, sales, support, ofBoth } = await office();
    const agent = app.as(ofBoth);
    of(await agent.put(`/tickets/${ticket.id}`, { status: "open" }));
    const queueOfLast = () =>
      app.database.db.acrossCompanies((tx) =>
        tx.query<{ id: number }>(
          sql`select last_message_queue_id as id from tickets where id = ${ticket.id}`,
        ),
      );
    expect(await queueOfLast()).toEqual([{ id: support }]);
    const sent = await agent.post<Message>(`/messages/${ticket.id}`, {
      body: "Bom dia",
      undoSeconds: 5,
    });
    expect(await queueOfLast()).toEqual([{ id: sales }]);
    await agent.delete(`/messages/undo/${of(sent).id}`);
    expect(await queueOfLast()).toEqual([{ id: support }]);
  });

  test("of a deleted queue can be read by the successor's agents, or by all", async () => {
    const { company, sales, support, ticket, ofSales, ofBoth, admin } = await office();
    const third = await app.given.queue({ company });
    const remove = async (id: QueueId, targetQueueId?: QueueId) => {
      const query = targetQueueId === undefined ? "" : `?targetQueueId=${targetQueueId}`;
      expect((await app.as(admin).delete(`/queue/${id}${query}`)).status).toBe(200);
    };
    await remove(support, third);
    expect(await show(ofSales, ticket)).toMatchObject({ lastMessage: "" });
    const ofThird = await app.given.agent({ company, queueIds: [sales, third] });
    expect(await show(ofThird, ticket)).toMatchObject({ lastMessage: SECRET });
    await remove(third);
    for (const reader of [ofSales, ofBoth]) {
      expect(await show(reader, ticket)).toMatchObject({ lastMessage: SECRET });
    }
  });
});
