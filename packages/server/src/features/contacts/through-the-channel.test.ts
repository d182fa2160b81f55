import type { ContactId, ReplyOf, Ticket } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { beforeAll, expect, test, vi } from "vitest";
import type {
  Address,
  ChannelAdapter,
  DurableEvent,
  ProviderContext,
  SendCommand,
} from "../../channels/port.ts";
import { plainProvider } from "../../channels/testing/provider.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { textEvent } from "../messages/testing/channel-side.ts";

const phone: Address = { kind: "pn", value: "5511980001234" };
const lid: Address = { kind: "lid", value: "170000001234" };

/** A chat network on which this test says what happens. */
let session: ProviderContext | undefined;
const sent: SendCommand[] = [];
const adapter: ChannelAdapter = {
  createProvider: (context) => ({
    ...plainProvider,
    async start() {
      session = context;
      await context.sink.tell({ type: "state", status: "CONNECTED", number: "5511900000000" });
    },
    async send(command) {
      sent.push(command);
      return { result: "accepted" };
    },
  }),
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ adapters: new Map([["simulator", adapter]]) });
});

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

async function happens(...events: DurableEvent[]): Promise<void> {
  if (!session) throw new Error("the connection has no session");
  await session.sink.store(events);
  await app.idle();
}

test("a private id and a phone number become one contact when the network links them", async () => {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  await app.given.connection({ company });
  await vi.waitFor(() => expect(session).toBeDefined(), { interval: 20 });
  await app.idle();
  const list = async (): Promise<Ticket[]> =>
    (await app.as(admin).get<ReplyOf<"GET /tickets">>("/tickets?showAll=true")).body.tickets;

  await happens(
    textEvent({ chat: lid, name: "Ana Lima", text: "pelo id", at: secondsAgo(2) }),
    textEvent({ chat: phone, text: "pelo telefone", at: secondsAgo(1) }),
  );
  const [byLid, byPhone] = (await list()).toSorted((a, b) =>
    b.contact.name.localeCompare(a.contact.name),
  );
  if (!byLid || !byPhone) throw new Error("there are no two tickets");
  expect([byLid.contact, byPhone.contact]).toMatchObject([
    { name: "Ana Lima", number: "" },
    { name: phone.value, number: phone.value },
  ]);
  await app.as(admin).put(`/tickets/${byLid.id}`, { status: "open", userId: admin.id });
  await app.as(admin).post(`/messages/${byLid.id}`, { body: "Pois não?" });
  await app.idle();

  const ears = await app.live(admin);
  for (const status of ["open", "pending"]) ears.socket.emit(clientEvents.joinTickets, status);
  await happens({ type: "contact", chat: lid, peer: { addresses: [lid, phone] }, at: new Date() });
  const names = new Set<string>([
    companyEvent(company.id, "ticket"),
    companyEvent(company.id, "contact"),
  ]);
  const heard = () =>
    ears.heard.filter(({ name }) => names.has(name)).map(({ payload }) => payload);
  const contactId: ContactId = byPhone.contact.id;
  await vi.waitFor(() =>
    expect(heard()).toMatchObject([
      { action: "delete", ticketId: byPhone.id },
      { action: "delete", contactId: byLid.contact.id },
      { action: "update", contact: { id: contactId, name: "Ana Lima", number: phone.value } },
      { action: "update", ticket: { id: byLid.id, contact: { id: contactId } } },
    ]),
  );

  expect(await list()).toMatchObject([
    {
      ...{ id: byLid.id, status: "open", userId: admin.id },
      contact: { id: contactId, name: "Ana Lima", number: phone.value },
    },
  ]);
  const path = `/messages/${byLid.id}?markRead=false`;
  const page = await app.as(admin).get<ReplyOf<"GET /messages/:ticketId">>(path);
  expect(page.body.messages.map(({ body }) => body)).toEqual([
    "pelo id",
    "pelo telefone",
    "Pois não?",
  ]);
  expect((await app.as(admin).get(`/tickets/${byPhone.id}`)).status).toBe(404);

  await app.as(admin).post(`/messages/${byLid.id}`, { body: "Já vi." });
  await vi.waitFor(() => expect(sent.map(({ to }) => to)).toEqual([lid, phone]));
});
