import type { ConnectionId, TicketId } from "@balcao/contract";
import { clientEvents, companyEvent, endpoints, ticketStatuses } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import type { LiveClient } from "../../features/auth/testing/live-client.ts";
import type { TestApp } from "../app.ts";
import { testApp } from "../app.ts";
import type { GivenCompany, GivenUser } from "../given.ts";

const product = await testApp();
const { given, database } = product;

/** Everybody who might hear of a ticket, each with the page open as the web client has it. */
async function createOffice() {
  const company = await given.company();
  const queueA = await given.queue({ company });
  const queueB = await given.queue({ company });
  const users = {
    anaOfA: await given.agent({ company, queueIds: [queueA] }),
    alexOfA: await given.agent({ company, queueIds: [queueA] }),
    biaOfB: await given.agent({ company, queueIds: [queueB] }),
    beniOfB: await given.agent({ company, queueIds: [queueB] }),
    inBoth: await given.agent({ company, queueIds: [queueA, queueB] }),
    withoutQueue: await given.agent({ company }),
    allTicket: await given.agent({ company, allTicket: "enabled" }),
    admin: await given.admin({ company }),
  };
  const stranger = await given.admin();
  const ears = {
    ...(await mapValues(users, openTicketsPage)),
    stranger: await openTicketsPage(stranger),
  };
  return { company, queueA, queueB, users: { ...users, stranger }, ears };
}

type Person =
  | "anaOfA"
  | "alexOfA"
  | "biaOfB"
  | "beniOfB"
  | "inBoth"
  | "withoutQueue"
  | "allTicket"
  | "admin"
  | "stranger";
type Ears = Record<Person, LiveClient>;

async function mapValues<K extends string, A, B>(
  values: Record<K, A>,
  change: (value: A) => Promise<B>,
): Promise<Record<K, B>> {
  const entries: [string, B][] = [];
  for (const [key, value] of Object.entries<A>(values)) entries.push([key, await change(value)]);
  return Object.fromEntries(entries) as Record<K, B>; // the same keys
}

async function openTicketsPage(user: GivenUser): Promise<LiveClient> {
  const client = await product.live(user);
  client.socket.emit(clientEvents.joinNotification);
  for (const status of ticketStatuses) client.socket.emit(clientEvents.joinTickets, status);
  return client;
}

const settingBody = { value: "disabled" };

/**
 * What each person hears of tickets while something is done, in order. An event that everybody of a company hears marks
 * the end: what was sent before it has arrived when it arrives.
 */
async function heardDuring(
  { users, ears }: { users: Record<Person, GivenUser>; ears: Ears },
  action: () => Promise<unknown>,
): Promise<Partial<Record<Person, string[]>>> {
  await roundTrip({ users, ears });
  const starts = new Map(Object.values(ears).map((ear) => [ear, ear.heard.length]));
  await action();
  await product.idle();
  await roundTrip({ users, ears });
  const heard: Partial<Record<Person, string[]>> = {};
  for (const [person, ear] of Object.entries(ears) as [Person, LiveClient][]) {
    const labels = ear.heard
      .slice(starts.get(ear))
      .flatMap((event) => labelOf(event, users[person]));
    if (labels.length > 0) heard[person] = labels;
  }
  return heard;
}

async function roundTrip({ users, ears }: { users: Record<Person, GivenUser>; ears: Ears }) {
  const settings = (user: GivenUser) => companyEvent(user.companyId, "settings");
  const before = new Map(
    Object.entries(ears).map(([person, ear]) => [
      person,
      countOf(ear, settings(users[person as Person])),
    ]),
  );
  for (const admin of [users.admin, users.stranger]) {
    const reply = await product.as(admin).put("/settings/call", settingBody);
    expect(reply.status).toBe(200);
  }
  await vi.waitFor(
    () => {
      for (const [person, ear] of Object.entries(ears)) {
        const now = countOf(ear, settings(users[person as Person]));
        if (now === before.get(person)) throw new Error(`${person} has not heard the mark`);
      }
    },
    { timeout: 10_000, interval: 5 },
  );
}

const countOf = (ear: LiveClient, name: string): number =>
  ear.heard.filter((event) => event.name === name).length;

/** `ticket update`; nothing for events about other things. Events of another company are named as they are. */
function labelOf({ name, payload }: { name: string; payload: unknown }, of: GivenUser): string[] {
  for (const subject of ["ticket", "appMessage", "presence"] as const) {
    if (name !== companyEvent(of.companyId, subject)) continue;
    const action =
      typeof payload === "object" && payload !== null ? Reflect.get(payload, "action") : "";
    return [subject === "presence" ? subject : `${subject} ${String(action)}`];
  }
  const isOwn = name === "ready" || name.startsWith(`company-${of.companyId}-`);
  return isOwn ? [] : [name];
}

async function connected(connectionId: ConnectionId): Promise<void> {
  await vi.waitFor(
    async () => {
      const [row] = await database.db.acrossCompanies((tx) =>
        tx.query<{ status: string }>(
          sql`select status from connections where id = ${connectionId}`,
        ),
      );
      expect(row?.status).toBe("CONNECTED");
    },
    { timeout: 10_000, interval: 20 },
  );
}

async function createLine(
  company: GivenCompany,
  queueIds: Parameters<TestApp["given"]["connection"]>[0],
) {
  const connectionId = await given.connection({ company, ...queueIds });
  await connected(connectionId);
  return connectionId;
}

let phones = 0;
function customerOf(admin: GivenUser, connectionId: ConnectionId) {
  const chat = `/simulator/connections/${connectionId}/chats/55119${70_000_000 + (phones += 1)}`;
  const post = async (what: string, body?: unknown) => {
    const reply = await product.as(admin).post(`${chat}/${what}`, body);
    expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  };
  return {
    writes: (body: string) => post("messages", { body }),
    reads: () => post("read"),
    types: () => post("typing", { on: true }),
  };
}

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

test("a ticket's life is heard by those who may read it, and by nobody else", async () => {
  const office = await createOffice();
  const { company, queueA, queueB, users, ears } = office;
  const connectionId = await createLine(company, { queueIds: [queueA] });
  const customer = customerOf(users.admin, connectionId);

  // It waits in queue A.
  const created = ["ticket update", "appMessage create"];
  expect(await heardDuring(office, () => customer.writes("Bom dia"))).toEqual({
    anaOfA: created,
    alexOfA: created,
    inBoth: created,
    admin: created,
  });
  const ticket = await onlyTicketOf(users.admin);

  // Typing is no secret to those who wait for the text, and to no other.
  expect(await heardDuring(office, () => customer.types())).toEqual({
    anaOfA: ["presence"],
    alexOfA: ["presence"],
    inBoth: ["presence"],
    admin: ["presence"],
  });

  // Ana has it on her screen, and so would Bia, if she were let in.
  ears.anaOfA.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  ears.biaOfB.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  ears.stranger.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  expect(await heardDuring(office, () => customer.writes("Tudo bem?"))).toEqual({
    anaOfA: ["appMessage create"],
    alexOfA: ["appMessage create"],
    inBoth: ["appMessage create"],
    admin: ["appMessage create"],
  });

  // Ana accepts: the lists of the others drop it.
  expect(
    await heardDuring(office, () => change(users.anaOfA, ticket.id, { status: "open" })),
  ).toEqual({
    anaOfA: ["ticket delete", "ticket update"],
    alexOfA: ["ticket delete"],
    inBoth: ["ticket delete"],
    admin: ["ticket delete", "ticket update"],
  });
  expect(await heardDuring(office, () => customer.writes("Alô?"))).toEqual({
    anaOfA: ["appMessage create"],
    admin: ["appMessage create"],
  });

  // She gives it to queue B: the old audience is told that it is gone, the new one that it is there.
  const transfer = { queueId: queueB, status: "pending", userId: null };
  expect(await heardDuring(office, () => change(users.anaOfA, ticket.id, transfer))).toEqual({
    anaOfA: ["ticket delete"],
    alexOfA: ["ticket delete"],
    inBoth: ["ticket delete", "ticket update"],
    biaOfB: ["ticket update"],
    beniOfB: ["ticket update"],
    admin: ["ticket delete", "ticket update"],
  });
  // Her screen still shows it, and hears nothing any more.
  expect(await heardDuring(office, () => customer.writes("Quem fala?"))).toEqual({
    inBoth: ["appMessage create"],
    biaOfB: ["appMessage create"],
    beniOfB: ["appMessage create"],
    admin: ["appMessage create"],
  });

  // Bia accepts, opens it and answers; the customer's phone takes and shows it.
  await change(users.biaOfB, ticket.id, { status: "open" });
  ears.biaOfB.socket.emit(clientEvents.joinChatBox, String(ticket.id));
  const answered = await heardDuring(office, async () => {
    const reply = await product
      .as(users.biaOfB)
      .post(`/messages/${ticket.id}`, { body: "Sou a Bia" });
    expect(reply.status).toBe(200);
  });
  expect(Object.keys(answered).sort()).toEqual(["admin", "biaOfB"]);
  expect(answered.biaOfB).toEqual(
    expect.arrayContaining(["appMessage create", "appMessage update"]),
  );
  expect(new Set(answered.admin)).not.toContain("ticket delete");

  // Resolved: whoever served it last, and her queue, find it among the closed.
  expect(
    await heardDuring(office, () => change(users.biaOfB, ticket.id, { status: "closed" })),
  ).toEqual({
    biaOfB: ["ticket delete", "ticket update"],
    beniOfB: ["ticket delete", "ticket update"],
    inBoth: ["ticket delete", "ticket update"],
    admin: ["ticket delete", "ticket update"],
  });

  // The customer writes again: it waits in the connection's queue A, and is gone from the closed lists of B.
  const again = await heardDuring(office, () => customer.writes("Mais uma coisa"));
  expect(again).toEqual({
    anaOfA: created,
    alexOfA: created,
    inBoth: ["ticket delete", ...created],
    biaOfB: ["ticket delete"],
    beniOfB: ["ticket delete"],
    admin: ["ticket delete", ...created],
  });
});

test("a ticket without a queue is heard by admins and by agents who see all of those", async () => {
  const office = await createOffice();
  const connectionId = await createLine(office.company, {});
  const customer = customerOf(office.users.admin, connectionId);
  const created = ["ticket update", "appMessage create"];
  expect(await heardDuring(office, () => customer.writes("Olá"))).toEqual({
    allTicket: created,
    admin: created,
  });
  const ticket = await onlyTicketOf(office.users.admin);
  // One of them takes it; from then on it is his.
  expect(
    await heardDuring(office, () => change(office.users.allTicket, ticket.id, { status: "open" })),
  ).toEqual({
    allTicket: ["ticket delete", "ticket update"],
    admin: ["ticket delete", "ticket update"],
  });
  expect(await heardDuring(office, () => customer.writes("Então?"))).toEqual({
    allTicket: ["appMessage create"],
    admin: ["appMessage create"],
  });
});

test("reading a ticket tells the company its number and nothing of what is in it", async () => {
  const office = await createOffice();
  const { company, queueA, users, ears } = office;
  const connectionId = await createLine(company, { queueIds: [queueA] });
  await customerOf(users.admin, connectionId).writes("Segredo");
  await product.idle();
  const ticket = await onlyTicketOf(users.admin);
  await change(users.anaOfA, ticket.id, { status: "open" });
  await customerOf(users.admin, connectionId).writes("Outro segredo");
  await product.idle();
  const name = companyEvent(company.id, "ticket");
  const start = ears.withoutQueue.heard.length;
  await product.as(users.anaOfA).post(`/messages/${ticket.id}/read`);
  await roundTrip(office);
  const told = ears.withoutQueue.heard.slice(start).filter((event) => event.name === name);
  for (const { payload } of told) {
    expect(payload).toEqual({ action: "updateUnread", ticketId: ticket.id });
  }
  expect(JSON.stringify(ears.withoutQueue.heard)).not.toContain("egredo");
});

test("who loses a queue hears nothing of its tickets from then on", async () => {
  const office = await createOffice();
  const { company, queueA, users } = office;
  const connectionId = await createLine(company, { queueIds: [queueA] });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`delete from user_queues where user_id = ${users.alexOfA.id}`),
  );
  // He comes back, for example after his computer slept.
  office.ears.alexOfA.socket.disconnect();
  office.ears.alexOfA = await openTicketsPage(users.alexOfA);
  const heard = await heardDuring(office, () => customerOf(users.admin, connectionId).writes("Oi"));
  expect(Object.keys(heard).sort()).toEqual(["admin", "anaOfA", "inBoth"]);
});
