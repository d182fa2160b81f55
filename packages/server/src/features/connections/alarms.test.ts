import type { Connection, ConnectionSession } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { expect, test } from "vitest";
import { eventually } from "../../channels/testing/eventually.ts";
import { createScriptedService } from "../../channels/testing/scripted-service.ts";
import { testApp } from "../../testing/app.ts";

let isReachable = true;
const service = createScriptedService({
  onStart: ({ context, end }) =>
    isReachable ? context.sink.tell({ type: "state", status: "CONNECTED" }) : end("network"),
});
const product = await testApp({
  adapters: new Map([["simulator", service.adapter]]),
  alarmAfterMs: 300,
  channelSettings: { lookEveryMs: 100, reconnectDelaysMs: [50] },
});
const { given, as, live } = product;

async function newWorld() {
  isReachable = true;
  const company = await given.company();
  const admin = await given.admin({ company });
  const agent = await live(await given.agent({ company }));
  const id = await given.connection({ company });
  const shown = async () => (await as(admin).get<Connection>(`/whatsapp/${id}`)).body;
  await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  const sessions = () =>
    agent.heard.flatMap(({ name, payload }) =>
      name === companyEvent(company.id, "whatsappSession")
        ? [(payload as { session: ConnectionSession }).session]
        : [],
    );
  /** The alarm's own events: the first of each moment. */
  const alarms = () => new Set(sessions().flatMap(({ alarmedAt }) => alarmedAt ?? []));
  const session = () => {
    const own = service.sessions.filter(({ context }) => context.connectionId === id);
    return own.at(-1);
  };
  return { admin, id, shown, alarms, session };
}

test("the status has the time since when it is connected, or since when and why it is not, from the first loss", async () => {
  const { shown, session } = await newWorld();
  const before = await shown();
  expect(before).toMatchObject({ disconnectedAt: null, closeReason: null, alarmedAt: null });
  expect(Date.parse(before.connectedAt ?? "")).toBeLessThanOrEqual(Date.now());
  isReachable = false;
  await session()?.end("network");
  await eventually(async () => expect(await shown()).toMatchObject({ closeReason: "network" }));
  const lost = await shown();
  expect(lost).toMatchObject({ connectedAt: null, disconnectedAt: expect.any(String) });
  // After several tries it is still the same loss.
  await eventually(async () => expect((await shown()).retries).toBeGreaterThan(2));
  expect((await shown()).disconnectedAt).toBe(lost.disconnectedAt);
  isReachable = true;
  await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  const after = await shown();
  expect(after).toMatchObject({ disconnectedAt: null, alarmedAt: null, closeReason: null });
  expect(Date.parse(after.connectedAt ?? "")).toBeGreaterThan(Date.parse(before.connectedAt ?? ""));
});

test("a lost connection is published once, and again after the next loss", async () => {
  const { shown, session, alarms } = await newWorld();
  for (const times of [1, 2]) {
    isReachable = false;
    await session()?.end("network");
    await eventually(() => expect(alarms().size).toBe(times));
    const { alarmedAt, retries } = await shown();
    expect(alarmedAt).not.toBeNull();
    await eventually(async () => expect((await shown()).retries).toBeGreaterThan(retries + 3));
    expect((await shown()).alarmedAt).toBe(alarmedAt);
    isReachable = true;
    await eventually(async () => expect(await shown()).toMatchObject({ status: "CONNECTED" }));
  }
  expect(alarms().size).toBe(2);
});

test("a connection that ended for good is published too", async () => {
  const { shown, session, alarms } = await newWorld();
  await session()?.end("banned");
  await eventually(() => expect(alarms().size).toBe(1));
  expect(await shown()).toMatchObject({ status: "DISCONNECTED", closeReason: "banned" });
});

test("a connection that users disconnect or link again does not count as lost", async () => {
  const { admin, id, shown, alarms } = await newWorld();
  const other = await newWorld();
  await as(admin).delete(`/whatsappsession/${id}`);
  await eventually(async () => expect(await shown()).toMatchObject({ closeReason: "stopped" }));
  // Lost later, and told: by then the other one would have been told as well.
  isReachable = false;
  await other.session()?.end("network");
  await eventually(() => expect(other.alarms().size).toBe(1));
  expect(await shown()).toMatchObject({ alarmedAt: null, disconnectedAt: expect.any(String) });
  expect(alarms().size).toBe(0);
});
