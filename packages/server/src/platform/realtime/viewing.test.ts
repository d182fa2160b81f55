import type { CompanyEvents, CompanyId, TicketId } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { LiveClient } from "../../features/auth/testing/live-client.ts";
import type { GivenUser, SignInApp } from "../../features/auth/testing/sign-in-app.ts";
import { signInApp } from "../../features/auth/testing/sign-in-app.ts";
import { testDatabase } from "../../testing/database.ts";
import { rooms } from "./hub.ts";

/** Two processes of one installation. */
let left: SignInApp;
let right: SignInApp;
let companyId: CompanyId;
let visible: Map<number, Set<number>>;
beforeAll(async () => {
  const database = await testDatabase();
  const canSeeTicket = async ({ actor }: { actor: { userId: number } }, ticketId: number) =>
    visible.get(ticketId)?.has(actor.userId) ?? false;
  left = await signInApp({ database, distributed: true, canSeeTicket });
  right = await signInApp({ database, distributed: true, canSeeTicket });
});
beforeEach(async () => {
  visible = new Map();
  companyId = await left.given.company();
});

const often = { interval: 10 };
type Told = CompanyEvents["ticketViewers"];
const heardBy = (client: LiveClient): Told[] =>
  client.heard.flatMap(({ name, payload }) =>
    name === companyEvent(companyId, "ticketViewers") ? [payload as Told] : [],
  );

/** A user with the ticket open in a window, who may see it. */
async function viewer(ticketId: number, app = left, person?: GivenUser & { token: string }) {
  const user = person ?? (await newUser());
  visible.set(ticketId, (visible.get(ticketId) ?? new Set()).add(user.id));
  const client = await app.live(user.token);
  client.socket.emit(clientEvents.joinChatBox, String(ticketId));
  await inRoom(client, ticketId, app);
  return { user, client };
}

async function newUser() {
  const user = await left.given.user(companyId);
  const { token } = await left.signIn(user.email);
  return { ...user, token };
}

/** Resolves when the client hears what is said in the ticket's room. */
async function inRoom(client: LiveClient, ticketId: number, app: SignInApp): Promise<void> {
  const presence = { ticketId: ticketId as TicketId, presence: "available" } as const;
  await vi.waitFor(() => {
    app.realtime.publish(companyId, "presence", presence, [rooms.ticket(companyId, ticketId)]);
    expect(client.heard.map(({ name }) => name)).toContain(companyEvent(companyId, "presence"));
  }, often);
}

const say = (client: LiveClient, ticketId: unknown, state: unknown, windowId: unknown = "w1") =>
  client.socket.emit(clientEvents.ticketViewing, { ticketId, state, windowId });
const states = (client: LiveClient) => heardBy(client).map(({ state }) => state);

test("a user with the ticket open is told what a colleague does with it, in both processes", async () => {
  const ana = await viewer(5);
  const bia = await viewer(5);
  const caio = await viewer(5, right);
  const outside = await viewer(6, right);
  say(ana.client, 5, "viewing");
  say(ana.client, 5, "typing");
  const told = { ticketId: 5, user: { id: ana.user.id, name: expect.any(String) }, windowId: "w1" };
  for (const { client } of [bia, caio]) {
    await vi.waitFor(() => expect(states(client)).toEqual(["viewing", "typing"]), often);
    expect(heardBy(client)).toEqual([
      { ...told, state: "viewing" },
      { ...told, state: "typing" },
    ]);
  }
  say(caio.client, 5, "recording", "w2");
  await vi.waitFor(() => expect(states(ana.client)).toEqual(["recording"]), often);
  expect(heardBy(outside.client)).toEqual([]);
});

test("another window of the same person hears it, the one that says it does not", async () => {
  const ana = await viewer(5);
  const second = await viewer(5, right, ana.user);
  say(ana.client, 5, "viewing", "one");
  say(second.client, 5, "viewing", "two");
  const windows = (client: LiveClient) => heardBy(client).map(({ windowId }) => windowId);
  await vi.waitFor(() => expect(windows(ana.client)).toEqual(["two"]), often);
  await vi.waitFor(() => expect(windows(second.client)).toEqual(["one"]), often);
});

test("a window that leaves, disconnects or may no longer see the ticket has left, once", async () => {
  const bia = await viewer(5);
  const [one, two, three] = [await viewer(5, right), await viewer(5, right), await viewer(5)];
  say(one.client, 5, "viewing", "one");
  say(two.client, 5, "typing", "two");
  say(three.client, 5, "viewing", "three");
  await vi.waitFor(() => expect(heardBy(bia.client)).toHaveLength(3), often);
  const goneWindows = () =>
    heardBy(bia.client).flatMap(({ windowId, state }) => (state === "left" ? [windowId] : []));

  one.client.socket.emit(clientEvents.leaveChatBox, "5");
  await vi.waitFor(() => expect(goneWindows()).toEqual(["one"]), often);
  two.client.socket.disconnect();
  await vi.waitFor(() => expect(goneWindows()).toEqual(["one", "two"]), often);
  visible.get(5)?.delete(three.user.id);
  left.realtime.refreshTicket(companyId, 5 as TicketId, [rooms.user(companyId, bia.user.id)]);
  await vi.waitFor(() => expect(goneWindows()).toEqual(["one", "two", "three"]), often);

  // Later events of the socket are not for this ticket any more.
  say(one.client, 5, "typing", "one");
  say(three.client, 5, "typing", "three");
  const dora = await viewer(5);
  say(dora.client, 5, "viewing", "four");
  await vi.waitFor(() => expect(heardBy(bia.client).at(-1)?.windowId).toBe("four"), often);
  expect(
    heardBy(bia.client)
      .slice(3)
      .map(({ windowId }) => windowId),
  ).toEqual(["one", "two", "three", "four"]);
});

test("a window that says itself that it leaves is not told twice", async () => {
  const bia = await viewer(5);
  const ana = await viewer(5);
  say(ana.client, 5, "viewing");
  say(ana.client, 5, "left");
  await vi.waitFor(() => expect(states(bia.client)).toEqual(["viewing", "left"]), often);
  ana.client.socket.disconnect();
  const caio = await viewer(5);
  say(caio.client, 5, "viewing");
  await vi.waitFor(() => expect(heardBy(bia.client).at(-1)?.user.id).toBe(caio.user.id), often);
  expect(states(bia.client)).toEqual(["viewing", "left", "viewing"]);
});

test("an invalid event, or one of a ticket that the client has not joined, is dropped", async () => {
  const bia = await viewer(5);
  const ana = await viewer(5);
  const stranger = await viewer(6);
  say(stranger.client, 5, "typing");
  for (const rubbish of [
    undefined,
    null,
    "5",
    [],
    { ticketId: 5 },
    { ticketId: 5, state: "typing" },
    { ticketId: 5, state: "dancing", windowId: "w1" },
    { ticketId: 5, state: "typing", windowId: "" },
    { ticketId: 5, state: "typing", windowId: "w".repeat(201) },
    { ticketId: { id: 5 }, state: "typing", windowId: "w1" },
  ]) {
    ana.client.socket.emit(clientEvents.ticketViewing, rubbish);
  }
  say(ana.client, "5", "viewing", "w".repeat(200));
  await vi.waitFor(() => expect(heardBy(bia.client)).toHaveLength(1), often);
  expect(heardBy(bia.client)[0]).toMatchObject({ ticketId: 5, state: "viewing" });
  expect(ana.client.ending()).toBeNull();
});

test("an event sent right after the join is accepted", async () => {
  const bia = await viewer(5);
  const user = await newUser();
  visible.get(5)?.add(user.id);
  const client = await left.live(user.token);
  client.socket.emit(clientEvents.joinChatBox, "5");
  say(client, 5, "viewing");
  await vi.waitFor(() => expect(states(bia.client)).toEqual(["viewing"]), often);
});

test("a subject with several names is heard under each of them, in every process", async () => {
  const client = await right.live((await newUser()).token);
  const other = await right.live(
    (await right.signIn((await left.given.user(await left.given.company())).email)).token,
  );
  left.realtime.publish(companyId, "schedule", { action: "delete", scheduleId: 7 as never }, [
    rooms.main(companyId),
  ]);
  for (const name of [
    `company-${companyId}-schedule`,
    `company${companyId}-schedule`,
    "schedule",
  ]) {
    expect(await client.next(name)).toEqual({ action: "delete", scheduleId: 7 });
  }
  expect(other.heard.map(({ name }) => name)).not.toContain("schedule");
});
