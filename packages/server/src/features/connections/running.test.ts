import type { Connection, ConnectionHealth, ConnectionId, ResultOf } from "@balcao/contract";
import { clientEvents, companyEvent, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { eventually } from "../../channels/testing/eventually.ts";
import type { ScriptedSession } from "../../channels/testing/scripted-service.ts";
import { createScriptedService } from "../../channels/testing/scripted-service.ts";
import { testApp } from "../../testing/app.ts";
import { picture as pictureOf } from "../../testing/media-samples.ts";

let picture = await pictureOf("png", { width: 96 });
let onUnlink: ((session: ScriptedSession) => Promise<void>) | undefined;
const web = createScriptedService({
  onUnlink: (session) => onUnlink?.(session),
  onPicture: () => ({ content: picture, mime: "image/png" }),
});
const simulated = createScriptedService({ capabilities: { profilePicture: false } });
const product = await testApp({
  adapters: new Map([
    ["whatsapp-web", web.adapter],
    ["simulator", simulated.adapter],
  ]),
  channelSettings: { lookEveryMs: 100, picturesEveryMs: 50 },
});
const { given, as, live, database, url, clock } = product;

type Service = typeof web;
const sessionsOf = ({ sessions }: Service, id: ConnectionId) =>
  sessions.filter(({ context }) => context.connectionId === id);
const callsOf = (service: Service, id: ConnectionId) =>
  sessionsOf(service, id).map(({ calls }) => calls);

async function newWorld(channel: "whatsapp-web" | "simulator" = "whatsapp-web") {
  const company = await given.company();
  const admin = await given.admin({ company });
  const made = await as(admin).post<Connection>("/whatsapp", { name: "Loja", channel });
  const { id } = made.body;
  const shown = async () => (await as(admin).get<Connection>(`/whatsapp/${id}`)).body;
  await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  return { company, admin, id, shown };
}

test("a connection that is moved to another channel loses its old link and goes on with its tickets", async () => {
  const { company, admin, id, shown } = await newWorld();
  const ticket = await given.ticket({
    company,
    connectionId: id,
    status: "open",
    userId: admin.id,
  });
  await given.message(ticket, { body: "Antes da mudança" });
  const reply = await as(admin).put(`/whatsapp/${id}`, { channel: "simulator" });
  expect(reply.body).toMatchObject({ channel: "simulator", status: "OPENING" });
  await eventually(() => expect(callsOf(simulated, id)).toEqual([["start"]]));
  await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  const calls = callsOf(web, id).map((ofSession) =>
    ofSession.filter((call) => !call.startsWith("picture")),
  );
  expect(calls).toEqual([
    ["start", "stop"],
    ["unlink", "stop"],
  ]);
  const sent = await as(admin).post(`/messages/${ticket.id}`, { body: "Depois da mudança" });
  expect(sent.status).toBe(200);
  await eventually(() =>
    expect(simulated.sends.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ kind: "text", text: expect.stringContaining("Depois da mudança") }),
    ),
  );
  const page = await as(admin).get(`/messages/${ticket.id}?markRead=false`);
  expect(JSON.stringify(page.body)).toContain("Antes da mudança");
});

test("a connection that is deleted is unlinked while its keys are there", async () => {
  const { admin, id } = await newWorld();
  let rowsAtUnlink = -1;
  onUnlink = async ({ context }) => {
    if (context.connectionId !== id) return;
    const rows = await database.db.transaction(context, (tx) =>
      tx.query(sql`select 1 from connections where id = ${id}`),
    );
    rowsAtUnlink = rows.length;
  };
  const reply = await as(admin).delete(`/whatsapp/${id}`);
  expect([reply.status, rowsAtUnlink]).toEqual([200, 1]);
  expect(callsOf(web, id).at(-1)).toEqual(["unlink", "stop"]);
  expect((await as(admin).get(`/whatsapp/${id}`)).status).toBe(404);
});

test("a code to type reaches admins only, and goes when it was used", async () => {
  const { company, admin, id } = await newWorld();
  const [ofAdmin, ofAgent] = [await live(admin), await live(await given.agent({ company }))];
  const reply = await as(admin).put(`/whatsappsession/${id}`, { pairingPhone: "5511987654321" });
  expect(reply.status).toBe(200);
  const asked = () =>
    sessionsOf(web, id).find(
      ({ context, calls }) => context.pairingPhone && calls.includes("start"),
    );
  await eventually(() => expect(asked()?.context.pairingPhone).toBe("5511987654321"));
  const context = asked()?.context;
  await context?.sink.tell({ type: "pairing-code", text: "ABCD-EFGH" });
  const codes = () =>
    ofAdmin.heard.flatMap(({ name, payload }) => {
      if (name !== companyEvent(company.id, "whatsappSession")) return [];
      const { session } = payload as { session: { pairingCode?: string } };
      return session.pairingCode === undefined ? [] : [session.pairingCode];
    });
  await eventually(() => expect(codes()).toEqual(["ABCD-EFGH"]));
  await context?.sink.tell({ type: "state", status: "CONNECTED" });
  await eventually(() => expect(codes()).toEqual(["ABCD-EFGH", ""]));
  await eventually(() => expect(JSON.stringify(ofAgent.heard)).toContain("CONNECTED"));
  expect(JSON.stringify(ofAgent.heard)).not.toContain("ABCD");
  const refused = await as(admin).put(`/whatsappsession/${id}`, { pairingPhone: "123" });
  expect(refused.status).toBe(400);
});

test("the customer sees that an agent types, until the agent stops or leaves", async () => {
  const { company, admin, id } = await newWorld();
  const ticket = await given.ticket({
    company,
    connectionId: id,
    status: "open",
    userId: admin.id,
  });
  const [window, other] = [await live(admin), await live(admin)];
  for (const { socket } of [window, other]) {
    socket.emit(clientEvents.joinChatBox, String(ticket.id));
  }
  const view = (from: typeof window, state: string) =>
    from.socket.emit(clientEvents.ticketViewing, {
      ticketId: ticket.id,
      state,
      windowId: from.socket.id,
    });
  const told = () =>
    callsOf(web, id)
      .flat()
      .filter((call) => call.startsWith("typing"));
  view(other, "viewing");
  view(window, "typing");
  await eventually(() => expect(told()).toEqual([`typing ${ticket.phone} true`]));
  view(window, "viewing");
  await eventually(() => expect(told().at(-1)).toBe(`typing ${ticket.phone} false`));
  view(window, "typing");
  await eventually(() => expect(told()).toHaveLength(3));
  window.socket.disconnect();
  await eventually(() => expect(told().at(-1)).toBe(`typing ${ticket.phone} false`));
  // A user without the ticket open sends no typing to its customer.
  const stranger = await live(await given.admin({ company: await given.company() }));
  view(stranger, "typing");
  view(other, "typing");
  await eventually(() => expect(told()).toHaveLength(5));
});

test("a contact's picture is fetched once a day, stored, and published when it has changed", async () => {
  const { company, admin, id } = await newWorld();
  const watcher = await live(admin);
  const ticket = await given.ticket({ company, connectionId: id });
  const asked = () =>
    callsOf(web, id)
      .flat()
      .filter((call) => call.startsWith("picture"));
  const urls = () =>
    watcher.heard.flatMap(({ name, payload }) =>
      name === companyEvent(company.id, "contact")
        ? [(payload as { contact: { profilePicUrl: string } }).contact.profilePicUrl]
        : [],
    );
  const aDayLater = async () => {
    clock.advance(25 * 3_600_000);
    // Only of people who write.
    await database.db.acrossCompanies((tx) =>
      tx.query(
        sql`update tickets set last_customer_message_at = ${clock.now()} where id = ${ticket.id}`,
      ),
    );
  };
  await aDayLater();
  await eventually(() => expect(urls()).toHaveLength(1));
  expect(asked()).toEqual([`picture ${ticket.phone}`]);
  const stored = await fetch(new URL(urls()[0] ?? "", url));
  expect([stored.status, stored.headers.get("content-type")]).toEqual([200, "image/png"]);

  await aDayLater();
  await eventually(() => expect(asked()).toHaveLength(2));
  picture = await pictureOf("png", { width: 128 });
  await aDayLater();
  await eventually(() => expect(urls()).toHaveLength(2));
  expect(urls()[1]).not.toBe(urls()[0]);
  expect(asked()).toHaveLength(3);
});

test("the figures of each connection are at /metrics, and go with it", async () => {
  const { company, admin, id } = await newWorld();
  const ticket = await given.ticket({
    company,
    connectionId: id,
    status: "open",
    userId: admin.id,
  });
  await as(admin).post(`/messages/${ticket.id}`, { body: "Oi" });
  await product.idle();
  const lines = async () =>
    (await (await fetch(`${url}/metrics`)).text())
      .split("\n")
      .filter((line) => line.includes(`connection="${id}"`));
  await eventually(async () =>
    expect(await lines()).toEqual([
      `balcao_connection_connected{connection="${id}"} 1`,
      `balcao_connection_send_lag_seconds{connection="${id}"} 0`,
      `balcao_connection_received_total{connection="${id}"} 0`,
      `balcao_connection_sent_total{connection="${id}"} 1`,
      `balcao_connection_reconnects_total{connection="${id}"} 0`,
    ]),
  );
  await as(admin).delete(`/whatsapp/${id}`);
  await eventually(async () => expect(await lines()).toEqual([]));
});

test("super users see the connections of all companies, those in trouble first", async () => {
  const name = `saúde-${crypto.randomUUID().slice(0, 8)}`;
  const { company, admin, id } = await newWorld();
  const other = await newWorld("simulator");
  const label = (of: ConnectionId, suffix: string) =>
    database.db.acrossCompanies((tx) =>
      tx.query(sql`update connections set name = ${`${name} ${suffix}`} where id = ${of}`),
    );
  await label(id, "bem");
  await label(other.id, "100% mal");
  const ticket = await given.ticket({
    company: other.company,
    connectionId: other.id,
    status: "open",
    userId: other.admin.id,
  });
  // It is still held for an undo when its connection ends.
  const held = { body: "Não sai", undoSeconds: limits.undoSecondsMax };
  expect(await as(other.admin).post(`/messages/${ticket.id}`, held)).toMatchObject({ status: 200 });
  await sessionsOf(simulated, other.id).at(-1)?.end("banned");
  await eventually(async () =>
    expect(await other.shown()).toMatchObject({ closeReason: "banned" }),
  );
  const owner = await given.admin({ company: await given.company(), super: true });
  const read = async (query: string) =>
    (await as(owner).get<ResultOf<"GET /connections-health">>(`/connections-health?${query}`)).body;

  const page = await read(`searchParam=${encodeURIComponent(name)}&pageNumber=1`);
  expect(page).toMatchObject({ count: 2, hasMore: false });
  expect(page.connections).toMatchObject([
    {
      id: other.id,
      status: "DISCONNECTED",
      closeReason: "banned",
      company: { id: other.company.id, name: other.company.name },
      outboundWaiting: 1,
      outboundLagSeconds: expect.any(Number),
      inboundWaiting: 0,
      inboundFailed: 0,
      disconnectedAt: expect.any(String),
    } satisfies Partial<Record<keyof ConnectionHealth, unknown>>,
    { id, status: "CONNECTED", company: { id: company.id }, outboundLagSeconds: null },
  ]);
  expect(await read(`searchParam=${encodeURIComponent("100% mal")}`)).toMatchObject({ count: 1 });
  expect(await read(`searchParam=${encodeURIComponent("%_%")}`)).toMatchObject({ count: 0 });
  expect(await as(admin).get("/connections-health")).toMatchObject({ status: 403 });
});
