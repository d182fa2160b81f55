import type { ChangedTicket, CompanyEvents } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { beforeAll, expect, test, vi } from "vitest";
import type { LiveClient } from "../auth/testing/live-client.ts";
import { connectLive } from "../auth/testing/live-client.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

type Listener = { user: GivenUser; client: LiveClient };

/** A page with all lists and the notifications open, as clients join them. */
async function listener(user: GivenUser): Promise<Listener> {
  const client = await app.live(user);
  client.socket.emit(clientEvents.joinNotification);
  for (const status of ["open", "pending", "closed"]) {
    client.socket.emit(clientEvents.joinTickets, status);
  }
  await settled({ user, client });
  return { user, client };
}

/** Resolves when the server has dealt with everything the client sent: it hears of a change it caused itself. */
async function settled({ user, client }: Listener): Promise<void> {
  const id = (await app.given.ticket({ company: companyOf(user), status: "open", userId: user.id }))
    .id;
  const heard = (): boolean =>
    ticketEvents(user, client).some((event) => event.action === "update" && event.ticket.id === id);
  await vi.waitFor(async () => {
    const isOpen = await app.as(user).put(`/tickets/${id}`, { chatbot: !heard() });
    expect(isOpen.status).toBe(200);
    await vi.waitFor(() => expect(heard()).toBe(true), 200);
  });
  client.heard.splice(0);
}

const companyOf = ({ companyId }: GivenUser): GivenCompany => ({ id: companyId, name: "" });

function ticketEvents({ companyId }: GivenUser, client: LiveClient): CompanyEvents["ticket"][] {
  const name = companyEvent(companyId, "ticket");
  return client.heard.flatMap((event) =>
    event.name === name ? [event.payload as CompanyEvents["ticket"]] : [],
  );
}

/** The events of a ticket that a page got: its status for an update, else the action. */
function heardBy({ user, client }: Listener, id: number): string[] {
  return ticketEvents(user, client).flatMap((event) => {
    if (event.action === "update") return event.ticket.id === id ? [event.ticket.status] : [];
    return event.ticketId === id ? [event.action] : [];
  });
}

async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company });
  const support = await given.queue({ company });
  const listen = async (user: Promise<GivenUser>) => listener(await user);
  return {
    company,
    sales,
    support,
    connectionId: await given.connection({ company, linked: false }),
    admin: await listen(given.admin({ company })),
    ana: await listen(given.agent({ company, queueIds: [sales] })),
    bia: await listen(given.agent({ company, queueIds: [sales] })),
    caio: await listen(given.agent({ company, queueIds: [support] })),
    stranger: await listen(given.admin({ company: await given.company() })),
  };
}

async function put(by: Listener, id: number, body: object): Promise<void> {
  const reply = await app.as(by.user).put(`/tickets/${id}`, body);
  expect(reply.status).toBe(200);
}

test("an undone change is published to those whose lists it enters and leaves again", async () => {
  const { company, sales, support, connectionId, ana, bia, caio } = await office();
  const served = { status: "open", userId: ana.user.id, queueId: sales } as const;
  const { id } = await app.given.ticket({ company, connectionId, ...served });
  const transfer = { queueId: support, status: "pending", userId: null, undoSeconds: 5 };
  const changed = await app.as(ana.user).put<ChangedTicket>(`/tickets/${id}`, transfer);
  await vi.waitFor(() => expect(heardBy(caio, id)).toEqual(["pending"]));
  const undoId = changed.body.undo?.id;
  const undone = await app.as(ana.user).post(`/tickets/${id}/undo`, { undoId });
  expect(undone.status).toBe(200);
  await vi.waitFor(() => expect(heardBy(caio, id)).toEqual(["pending", "delete"]));
  await vi.waitFor(() => expect(heardBy(ana, id).at(-1)).toBe("open"));
  expect(heardBy(bia, id).filter((heard) => heard !== "delete")).toEqual([]);
});

test("a ticket's changes are published to users whose lists it enters and leaves, and to nobody else", async () => {
  const { company, sales, support, connectionId, admin, ana, bia, caio, stranger } = await office();
  const { id } = await app.given.ticket({ company, connectionId, queueId: sales });

  const expectHeard = (by: Listener, heard: string[]) =>
    vi.waitFor(() => expect(heardBy(by, id)).toEqual(heard));

  await put(ana, id, { status: "open", userId: ana.user.id });
  await expectHeard(bia, ["delete"]);
  // The waiting list drops it like all others; the new assignee's list gets it.
  await expectHeard(ana, ["delete", "open"]);
  await expectHeard(admin, ["delete", "open"]);

  await put(ana, id, { queueId: support, status: "pending", userId: null });
  await expectHeard(caio, ["pending"]);
  await expectHeard(ana, ["delete", "open", "delete"]);

  await put(caio, id, { status: "open" });
  await put(caio, id, { status: "closed" });
  await expectHeard(caio, ["pending", "delete", "open", "delete", "closed"]);
  await expectHeard(admin, [
    "delete",
    "open",
    "delete",
    "pending",
    "delete",
    "open",
    "delete",
    "closed",
  ]);
  // All events have arrived: no other page got more.
  await expectHeard(bia, ["delete", "delete"]);
  await expectHeard(ana, ["delete", "open", "delete"]);
  expect(ticketEvents(stranger.user, stranger.client)).toEqual([]);
  expect(
    stranger.client.heard.filter(
      ({ name }) => !name.startsWith(`company-${stranger.user.companyId}-`),
    ),
  ).toEqual([]);
});

test("another client that has the ticket open gets no delete when its user accepts or reopens it", async () => {
  const { company, sales, connectionId, admin, ana } = await office();
  const { id } = await app.given.ticket({ company, connectionId, queueId: sales });
  /** A page of another client with its lists and this ticket open. */
  async function viewOf({ user }: Listener): Promise<Listener> {
    const view = { user, client: await connectLive(app.url, user.token, { inQuery: true }) };
    view.client.socket.emit(clientEvents.joinNotification);
    for (const status of ["open", "pending", "closed"]) {
      view.client.socket.emit(clientEvents.joinTickets, status);
    }
    view.client.socket.emit(clientEvents.joinChatBox, String(id));
    await settled(view);
    return view;
  }
  const views = [await viewOf(ana), await viewOf(admin)];
  const expectHeard = (by: Listener, heard: string[]) =>
    vi.waitFor(() => expect(heardBy(by, id)).toEqual(heard));

  await put(ana, id, { status: "open", userId: ana.user.id });
  for (const view of views) await expectHeard(view, ["open"]);
  // A page without the ticket open drops it from its waiting list.
  await expectHeard(ana, ["delete", "open"]);
  await put(ana, id, { status: "closed" });
  await put(ana, id, { status: "open" });
  for (const view of views) await expectHeard(view, ["open", "closed", "open"]);
});

test("a user who has only the ticket open gets its events while the user may see it", async () => {
  const { company, sales, support, connectionId, admin, ana, caio } = await office();
  const { id } = await app.given.ticket({ company, connectionId, queueId: sales });
  const view = { user: ana.user, client: await app.live(ana.user) };
  view.client.socket.emit(clientEvents.joinChatBox, String(id));
  let isOn = false;
  /** A change of the ticket; answers whether the view heard of it by the time the others had. */
  async function isHeard(by: Listener): Promise<boolean> {
    const [before, others] = [heardBy(view, id).length, heardBy(by, id).length];
    isOn = !isOn;
    await put(by, id, { chatbot: isOn });
    await vi.waitFor(() => expect(heardBy(by, id).length).toBeGreaterThan(others));
    return heardBy(view, id).length > before;
  }
  await vi.waitFor(async () => expect(await isHeard(admin)).toBe(true));

  await put(admin, id, { queueId: support });
  await vi.waitFor(async () => expect(await isHeard(caio)).toBe(false));
  const heard = heardBy(view, id).length;
  for (let n = 0; n < 20; n += 1) await isHeard(caio);

  await put(admin, id, { queueId: sales });
  view.client.socket.emit(clientEvents.joinChatBox, String(id));
  let changes = 0;
  await vi.waitFor(async () => {
    changes += 1;
    expect(await isHeard(admin)).toBe(true);
  });
  // Everything before has arrived by now: of the twenty changes none was heard.
  expect(heardBy(view, id).length - heard).toBeLessThanOrEqual(changes);
  expect(changes).toBeLessThan(20);
});

test("an agent's open view gets each change of its ticket once, though several rooms have it", async () => {
  const { company, sales, connectionId, ana } = await office();
  const { id } = await app.given.ticket({
    company,
    connectionId,
    status: "open",
    userId: ana.user.id,
    queueId: sales,
  });
  ana.client.socket.emit(clientEvents.joinChatBox, String(id));
  await settled(ana);
  await put(ana, id, { chatbot: true });
  await put(ana, id, { chatbot: false });
  await vi.waitFor(() => expect(heardBy(ana, id)).toEqual(["open", "open"]));
});

test("a ticket's event is small, whatever was written last", async () => {
  const { company, sales, connectionId, ana } = await office();
  const ticket = await app.given.ticket({
    company,
    connectionId,
    queueId: sales,
    contactName: "ã".repeat(50),
  });
  await app.as(ana.user).post(`/messages/${ticket.id}`, { body: "€".repeat(60_000) });
  await put(ana, ticket.id, { status: "open" });
  await vi.waitFor(() => expect(heardBy(ana, ticket.id).at(-1)).toBe("open"));
  const sizes = ticketEvents(ana.user, ana.client).map((event) =>
    Buffer.byteLength(JSON.stringify(event)),
  );
  expect(Math.max(...sizes)).toBeGreaterThan(1_500);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096);
});
