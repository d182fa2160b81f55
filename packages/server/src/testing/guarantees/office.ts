import type { CompanyId, ConnectionId, QueueId } from "@balcao/contract";
import { clientEvents, companyEvent, ticketStatuses } from "@balcao/contract";
import { expect, vi } from "vitest";
import type { LiveClient } from "../../features/auth/testing/live-client.ts";
import type { TestApp } from "../app.ts";
import type { GivenCompany, GivenUser } from "../given.ts";

export type Person =
  | "anaOfA"
  | "alexOfA"
  | "biaOfB"
  | "beniOfB"
  | "inBoth"
  | "withoutQueue"
  | "allTicket"
  | "admin"
  /** Admin of another company. */
  | "stranger";

/**
 * The ticket events of each user, in order: `ticket update`, `appMessage create`. Users without events are left out.
 */
export type Heard = Partial<Record<Person, string[]>>;

/** Everybody who might hear of a ticket, each with the tickets page open as the web client has it. */
export type Office = {
  company: GivenCompany;
  queueA: QueueId;
  queueB: QueueId;
  users: Record<Person, GivenUser>;
  ears: Record<Person, LiveClient>;
};

export async function createOffice(product: TestApp): Promise<Office> {
  const { given } = product;
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
    stranger: await given.admin({ company: await given.company() }),
  };
  const ears = {
    anaOfA: await openTicketsPage(product, users.anaOfA),
    alexOfA: await openTicketsPage(product, users.alexOfA),
    biaOfB: await openTicketsPage(product, users.biaOfB),
    beniOfB: await openTicketsPage(product, users.beniOfB),
    inBoth: await openTicketsPage(product, users.inBoth),
    withoutQueue: await openTicketsPage(product, users.withoutQueue),
    allTicket: await openTicketsPage(product, users.allTicket),
    admin: await openTicketsPage(product, users.admin),
    stranger: await openTicketsPage(product, users.stranger),
  };
  return { company, queueA, queueB, users, ears };
}

export async function openTicketsPage(product: TestApp, user: GivenUser): Promise<LiveClient> {
  const client = await product.live(user);
  client.socket.emit(clientEvents.joinNotification);
  for (const status of ticketStatuses) client.socket.emit(clientEvents.joinTickets, status);
  return client;
}

/**
 * The ticket events of each user while an action runs. An event to the whole company marks the end: when it arrives,
 * all earlier ones have arrived.
 */
export async function heardDuring(
  product: TestApp,
  office: Office,
  action: () => Promise<unknown>,
): Promise<Heard> {
  await markForAll(product, office);
  const people = Object.keys(office.ears) as Person[]; // the keys of the type
  const starts = new Map(people.map((person) => [person, office.ears[person].heard.length]));
  await action();
  await product.idle();
  await markForAll(product, office);
  const heard: Heard = {};
  for (const person of people) {
    const events = office.ears[person].heard.slice(starts.get(person));
    const labels = events.flatMap((event) => labelOf(event, office.users[person].companyId));
    if (labels.length > 0) heard[person] = labels;
  }
  return heard;
}

/** Resolves when everybody has heard an event that is sent now. */
async function markForAll(product: TestApp, { users, ears }: Office): Promise<void> {
  const people = Object.keys(ears) as Person[]; // the keys of the type
  const marks = (person: Person): number => {
    const name = companyEvent(users[person].companyId, "settings");
    return ears[person].heard.filter((event) => event.name === name).length;
  };
  const before = new Map(people.map((person) => [person, marks(person)]));
  for (const admin of [users.admin, users.stranger]) {
    const reply = await product.as(admin).put("/settings/call", { value: "disabled" });
    expect(reply.status).toBe(200);
  }
  await vi.waitFor(
    () => {
      const deaf = people.filter((person) => marks(person) === before.get(person));
      expect(deaf).toEqual([]);
    },
    { interval: 5 },
  );
}

/** Null for events about other things; events of another company keep their names. */
function labelOf({ name, payload }: LiveClient["heard"][number], companyId: CompanyId): string[] {
  if (name === companyEvent(companyId, "presence")) return ["presence"];
  for (const subject of ["ticket", "appMessage"] as const) {
    if (name !== companyEvent(companyId, subject)) continue;
    const hasAction = typeof payload === "object" && payload !== null && "action" in payload;
    return [`${subject} ${hasAction ? String(payload.action) : ""}`];
  }
  const isOwn = name === "ready" || name.startsWith(`company-${companyId}-`);
  return isOwn ? [] : [name];
}

/** A connected line of the office's company that leads to these queues. */
export async function createLine(
  product: TestApp,
  { company, users }: Office,
  queueIds: QueueId[],
): Promise<ConnectionId> {
  const connectionId = await product.given.connection({ company, queueIds });
  await vi.waitFor(
    async () => {
      const path = `/whatsapp/${connectionId}`;
      const reply = await product.as(users.admin).get<{ status: string }>(path);
      expect(reply.body.status).toBe("CONNECTED");
    },
    { interval: 20 },
  );
  return connectionId;
}

let phones = 0;

/** A new customer of the line. */
export function createCustomer(product: TestApp, { users }: Office, connectionId: ConnectionId) {
  phones += 1;
  const chat = `/simulator/connections/${connectionId}/chats/55119${70_000_000 + phones}`;
  const post = async (what: string, body?: unknown): Promise<void> => {
    const reply = await product.as(users.admin).post(`${chat}/${what}`, body);
    expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  };
  return {
    writes: (body: string) => post("messages", { body }),
    types: () => post("typing", { on: true }),
    reads: () => post("read"),
  };
}
