import type { TicketId } from "@balcao/contract";
import { clientEvents, companyEvent, endpoints } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../app.ts";
import type { GivenUser } from "../given.ts";
import type { Heard, Office, Person } from "./office.ts";
import {
  createCustomer,
  createLine,
  createOffice,
  heardDuring,
  openTicketsPage,
} from "./office.ts";

const product = await testApp();
const { database } = product;

async function onlyTicketOf(user: GivenUser): Promise<{ id: TicketId; uuid: string }> {
  const reply = await product.as(user).get("/tickets?showAll=true");
  const { tickets } = endpoints["GET /tickets"].reply.parse(reply.body);
  const [ticket] = tickets;
  if (!ticket || tickets.length > 1) throw new Error(`${tickets.length} tickets`);
  return ticket;
}

async function change(user: GivenUser, id: TicketId, body: unknown): Promise<void> {
  const reply = await product.as(user).put(`/tickets/${id}`, body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
}

/** Which kinds of events each heard, however often. */
function kindsOf(heard: Heard): Partial<Record<Person, Set<string>>> {
  return Object.fromEntries(
    Object.entries(heard).map(([person, labels]) => [person, new Set(labels)]),
  );
}

test("the events of a ticket reach exactly the users who may read it, in every state", async () => {
  const office = await createOffice(product);
  const { queueA, queueB, users, ears } = office;
  const connectionId = await createLine(product, office, [queueA]);
  const customer = createCustomer(product, office, connectionId);

  // It waits in queue A.
  const created = ["ticket update", "appMessage create"];
  expect(await heardDuring(product, office, () => customer.writes("Bom dia"))).toEqual({
    anaOfA: created,
    alexOfA: created,
    inBoth: created,
    admin: created,
  });
  const ticket = await onlyTicketOf(users.admin);

  // Typing is no secret to those who wait for the text, and to no other.
  expect(await heardDuring(product, office, () => customer.types())).toEqual({
    anaOfA: ["presence"],
    alexOfA: ["presence"],
    inBoth: ["presence"],
    admin: ["presence"],
  });

  // Ana has it open, and Bia has asked for it in vain.
  ears.anaOfA.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  ears.biaOfB.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  ears.stranger.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  expect(await heardDuring(product, office, () => customer.writes("Tudo bem?"))).toEqual({
    anaOfA: ["appMessage create"],
    alexOfA: ["appMessage create"],
    inBoth: ["appMessage create"],
    admin: ["appMessage create"],
  });

  // Ana accepts: the lists of the others drop it.
  expect(
    await heardDuring(product, office, () => change(users.anaOfA, ticket.id, { status: "open" })),
  ).toEqual({
    anaOfA: ["ticket delete", "ticket update"],
    alexOfA: ["ticket delete"],
    inBoth: ["ticket delete"],
    admin: ["ticket delete", "ticket update"],
  });
  expect(await heardDuring(product, office, () => customer.writes("Alô?"))).toEqual({
    anaOfA: ["appMessage create"],
    admin: ["appMessage create"],
  });

  // She gives it to queue B: the old audience is told that it is gone, the new one that it is there.
  const transfer = { queueId: queueB, status: "pending", userId: null };
  expect(
    await heardDuring(product, office, () => change(users.anaOfA, ticket.id, transfer)),
  ).toEqual({
    anaOfA: ["ticket delete"],
    alexOfA: ["ticket delete"],
    inBoth: ["ticket delete", "ticket update"],
    biaOfB: ["ticket update"],
    beniOfB: ["ticket update"],
    admin: ["ticket delete", "ticket update"],
  });
  // Her screen still shows it, and hears nothing any more.
  expect(await heardDuring(product, office, () => customer.writes("Quem fala?"))).toEqual({
    inBoth: ["appMessage create"],
    biaOfB: ["appMessage create"],
    beniOfB: ["appMessage create"],
    admin: ["appMessage create"],
  });

  // Bia accepts, opens it and answers; the customer's phone takes and shows it.
  await change(users.biaOfB, ticket.id, { status: "open" });
  ears.biaOfB.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  const answered = await heardDuring(product, office, async () => {
    const reply = await product
      .as(users.biaOfB)
      .post(`/messages/${ticket.id}`, { body: "Sou a Bia" });
    expect(reply.status).toBe(200);
  });
  // The number of acknowledgements that come together depends on the network. A reply marks the ticket as read, which
  // is published to the whole company with the ticket's id alone.
  const read = "ticket updateUnread";
  const wholeAnswer = new Set([read, "appMessage create", "appMessage update"]);
  const colleagues = Object.keys(ears).filter((person) => person !== "stranger");
  expect(kindsOf(answered)).toEqual({
    ...Object.fromEntries(colleagues.map((person) => [person, new Set([read])])),
    admin: wholeAnswer,
    biaOfB: wholeAnswer,
  });

  // Resolved: the last assignee and her queue find it among the closed.
  expect(
    await heardDuring(product, office, () => change(users.biaOfB, ticket.id, { status: "closed" })),
  ).toEqual({
    biaOfB: ["ticket delete", "ticket update"],
    beniOfB: ["ticket delete", "ticket update"],
    inBoth: ["ticket delete", "ticket update"],
    admin: ["ticket delete", "ticket update"],
  });

  // The customer writes again: it waits in the connection's queue A, and is gone from the closed lists of B.
  const again = await heardDuring(product, office, () => customer.writes("Mais uma coisa"));
  expect(again).toEqual({
    anaOfA: created,
    alexOfA: created,
    inBoth: ["ticket delete", ...created],
    biaOfB: ["ticket delete"],
    beniOfB: ["ticket delete"],
    admin: ["ticket delete", ...created],
  });
});

test("acknowledgements of an earlier queue's message reach that queue's agents who see the ticket; the others get the card's", async () => {
  const office = await createOffice(product);
  const { queueA, queueB, users, ears } = office;
  const connectionId = await createLine(product, office, [queueA]);
  const customer = createCustomer(product, office, connectionId);
  await customer.writes("Bom dia");
  await product.idle();
  const ticket = await onlyTicketOf(users.admin);
  await change(users.anaOfA, ticket.id, { status: "open" });
  await product.as(users.anaOfA).post(`/messages/${ticket.id}`, { body: "Já passo" });
  await product.idle();
  await change(users.anaOfA, ticket.id, { queueId: queueB, status: "pending", userId: null });
  // Only one of the two viewers may read the messages of queue A.
  for (const client of [ears.inBoth, ears.biaOfB]) {
    client.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  }
  const viewing = { ticketId: ticket.id, windowId: "w", state: "viewing" };
  const name = companyEvent(office.company.id, "ticketViewers");
  await vi.waitFor(() => {
    ears.inBoth.socket.emit(clientEvents.ticketViewing, viewing);
    expect(ears.biaOfB.heard.map((event) => event.name)).toContain(name);
  });

  expect(await heardDuring(product, office, () => customer.reads())).toEqual({
    admin: ["appMessage update"],
    inBoth: ["appMessage update"],
    biaOfB: ["ticket ack"],
    beniOfB: ["ticket ack"],
  });
  const told = ears.biaOfB.heard.map(({ payload }) => payload);
  expect(told).toContainEqual({
    action: "ack",
    ticketId: ticket.id,
    messageAt: expect.any(String),
    ack: 4,
    isFailed: false,
    isUnconfirmed: false,
  });
});

/** The last message of the ticket in the events of one subject, by receiver. */
function lastMessagesHeard({ ears, company }: Office, subject: "ticket" | "appMessage") {
  const name = companyEvent(company.id, subject);
  const said = Object.entries(ears).flatMap(([person, { heard }]) => {
    const texts = heard.flatMap((event) => {
      if (event.name !== name) return [];
      const { ticket } = event.payload as { ticket?: { lastMessage: string } };
      return ticket ? [ticket.lastMessage] : [];
    });
    return texts.length === 0 ? [] : [[person, texts] as const];
  });
  for (const { heard } of Object.values(ears)) heard.splice(0);
  return Object.fromEntries(said);
}

test("a ticket's event has the last message for those who may read it, once, and none for the others", async () => {
  const office = await createOffice(product);
  const { queueA, queueB, users } = office;
  const connectionId = await createLine(product, office, [queueA]);
  const customer = createCustomer(product, office, connectionId);
  await heardDuring(product, office, () => customer.writes("Segredo"));
  expect(lastMessagesHeard(office, "appMessage")).toEqual({
    ...{ anaOfA: ["Segredo"], alexOfA: ["Segredo"], inBoth: ["Segredo"], admin: ["Segredo"] },
  });
  const { id } = await onlyTicketOf(users.admin);

  // In another queue the ticket is seen by agents who read nothing that was said in the first one.
  const events = { inBoth: ["Segredo"], admin: ["Segredo"], biaOfB: [""], beniOfB: [""] };
  await heardDuring(product, office, () => change(users.admin, id, { queueId: queueB }));
  expect(lastMessagesHeard(office, "ticket")).toEqual(events);
  await heardDuring(product, office, () => change(users.biaOfB, id, { status: "open" }));
  expect(lastMessagesHeard(office, "ticket")).toEqual({ biaOfB: [""], admin: ["Segredo"] });
  await heardDuring(product, office, () => customer.writes("Sigo aqui"));
  expect(lastMessagesHeard(office, "appMessage")).toEqual({
    ...{ biaOfB: ["Sigo aqui"], admin: ["Sigo aqui"] },
  });
  // The assignee of its queue reads it, whatever the assignee's own queues.
  await heardDuring(product, office, () => change(users.admin, id, { userId: users.anaOfA.id }));
  expect(lastMessagesHeard(office, "ticket")).toMatchObject({ anaOfA: ["Sigo aqui"] });
});

test("acknowledgements follow the right to read: an agent without the queue gets none once the ticket is closed", async () => {
  const office = await createOffice(product);
  const { queueA, users, ears } = office;
  const connectionId = await createLine(product, office, [queueA]);
  const customer = createCustomer(product, office, connectionId);
  await customer.writes("Bom dia");
  await product.idle();
  const { id } = await onlyTicketOf(users.admin);
  const given = { status: "open", userId: users.biaOfB.id };
  await change(users.admin, id, given);
  await product.as(users.biaOfB).post(`/messages/${id}`, { body: "Já vejo" });
  await product.idle();
  await change(users.biaOfB, id, { status: "closed" });
  expect(await heardDuring(product, office, () => customer.reads())).toEqual({
    anaOfA: ["appMessage update"],
    alexOfA: ["appMessage update"],
    inBoth: ["appMessage update"],
    admin: ["appMessage update"],
    biaOfB: ["ticket ack"],
  });
  const reply = await product.as(users.biaOfB).get<{ messages: unknown[] }>(`/messages/${id}`);
  expect(reply.body.messages).toEqual([]);
  expect(ears.biaOfB.heard.map(({ payload }) => payload)).toContainEqual(
    expect.objectContaining({ action: "ack", ticketId: id, ack: 4 }),
  );
});

test("events of a ticket without queue reach admins and agents who see such tickets", async () => {
  const office = await createOffice(product);
  const connectionId = await createLine(product, office, []);
  const customer = createCustomer(product, office, connectionId);
  const created = ["ticket update", "appMessage create"];
  expect(await heardDuring(product, office, () => customer.writes("Olá"))).toEqual({
    allTicket: created,
    admin: created,
  });
  const ticket = await onlyTicketOf(office.users.admin);
  // One of them accepts it; from then on only that agent has it.
  expect(
    await heardDuring(product, office, () =>
      change(office.users.allTicket, ticket.id, { status: "open" }),
    ),
  ).toEqual({
    allTicket: ["ticket delete", "ticket update"],
    admin: ["ticket delete", "ticket update"],
  });
  expect(await heardDuring(product, office, () => customer.writes("Então?"))).toEqual({
    allTicket: ["appMessage create"],
    admin: ["appMessage create"],
  });
});

test("reading a ticket publishes its number to the company, and no content", async () => {
  const office = await createOffice(product);
  const { company, queueA, users, ears } = office;
  const connectionId = await createLine(product, office, [queueA]);
  const customer = createCustomer(product, office, connectionId);
  await customer.writes("Segredo");
  await product.idle();
  const ticket = await onlyTicketOf(users.admin);
  await change(users.anaOfA, ticket.id, { status: "open" });
  await customer.writes("Outro segredo");
  await product.idle();

  const heard = await heardDuring(product, office, async () => {
    const reply = await product.as(users.anaOfA).post(`/messages/${ticket.id}/read`);
    expect([reply.status, reply.body]).toEqual([200, { unreadMessages: 0 }]);
  });
  const { stranger, ...colleagues } = ears;
  const everybody = Object.keys(colleagues).map((person) => [person, ["ticket updateUnread"]]);
  expect(heard).toEqual(Object.fromEntries(everybody));
  const payload = { action: "updateUnread", ticketId: ticket.id };
  const name = companyEvent(company.id, "ticket");
  expect(ears.withoutQueue.heard.filter((event) => event.name === name)).toEqual([
    { name, payload },
  ]);
  expect(JSON.stringify(stranger.heard)).not.toContain(`company-${company.id}-`);
});

test("a user who loses a queue gets no more events of its tickets", async () => {
  const office = await createOffice(product);
  const { queueA, users } = office;
  const connectionId = await createLine(product, office, [queueA]);
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`delete from user_queues where user_id = ${users.alexOfA.id}`),
  );
  // The user reconnects, for example after the computer slept.
  office.ears.alexOfA.socket.disconnect();
  office.ears.alexOfA = await openTicketsPage(product, users.alexOfA);
  const heard = await heardDuring(product, office, () =>
    createCustomer(product, office, connectionId).writes("Oi"),
  );
  expect(Object.keys(heard).sort()).toEqual(["admin", "anaOfA", "inBoth"]);
});
