import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { addConnection, newConnection, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { adminOf, startProcess } from "../testing/process.ts";
import type { Script } from "../testing/scripted-service.ts";
import { createScriptedService } from "../testing/scripted-service.ts";
import type { LineRef } from "../simulator/line.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** One company with many connections. */
async function manyLines(count: number): Promise<LineRef[]> {
  const first = await newConnection(database.db);
  const more = Array.from({ length: count - 1 }, () => addConnection(database.db, first.companyId));
  return [first, ...(await Promise.all(more))];
}

async function statusesOf(lines: readonly LineRef[]): Promise<string[]> {
  const states = await Promise.all(lines.map((line) => stateOf(database.db, line)));
  return states.map(({ status }) => status);
}

async function start(script: Script, settings = {}) {
  const service = createScriptedService(script);
  const process = await startProcess(database, {
    adapters: [["simulator", service.adapter]],
    settings,
  });
  return { service, process };
}

test("fifty linked connections are back within 20 seconds, a few at a time", async () => {
  const lines = await manyLines(50);
  let starting = 0;
  let most = 0;
  const { process } = await start({
    onStart: ({ context }) => {
      starting += 1;
      most = Math.max(most, starting);
      void pause(500).then(() => {
        starting -= 1;
        return context.sink.tell({ type: "state", status: "CONNECTED" });
      });
    },
  });
  const beganMs = performance.now();
  process.runChannels();
  await eventually(async () =>
    expect(new Set(await statusesOf(lines))).toEqual(new Set(["CONNECTED"])),
  );
  expect(performance.now() - beganMs).toBeLessThan(20_000);
  expect(most).toBe(5);
});

test("connections lost together do not reconnect together", async () => {
  const lines = await manyLines(40);
  const startedAtMs: number[] = [];
  const { process, service } = await start(
    {
      onStart: ({ context }) => {
        startedAtMs.push(performance.now());
        void pause(50).then(() => context.sink.tell({ type: "state", status: "CONNECTED" }));
      },
    },
    { reconnectDelaysMs: [100] },
  );
  process.runChannels();
  await eventually(async () =>
    expect(new Set(await statusesOf(lines))).toEqual(new Set(["CONNECTED"])),
  );
  startedAtMs.length = 0;
  await Promise.all(service.sessions.map(({ end }) => end("network")));
  await eventually(() => expect(startedAtMs).toHaveLength(40));
  // At most five in any 50 ms: a start keeps its place until it is connected.
  const closest = startedAtMs.slice(5).map((at, index) => at - (startedAtMs[index] ?? 0));
  expect(Math.min(...closest)).toBeGreaterThan(40);
});

test("a company with unreachable connections does not delay another company's", async () => {
  await manyLines(30);
  const other = await newConnection(database.db, { channel: "whatsapp-web" });
  const quick = createScriptedService();
  // They say nothing at all.
  const silent = createScriptedService({ onStart: () => undefined });
  const process = await startProcess(database, {
    adapters: [
      ["simulator", silent.adapter],
      ["whatsapp-web", quick.adapter],
    ],
    settings: { startHoldMs: 400, openingMs: 60_000 },
  });
  process.runChannels();
  await eventually(async () => expect(await statusesOf([other])).toEqual(["CONNECTED"]));
  expect(silent.started().length).toBeLessThan(30);
});

test("a session that waits for its start slot can be stopped at once, and does not start", async () => {
  const lines = await manyLines(8);
  const { process, service } = await start(
    { onStart: () => undefined },
    { startsAtOnce: 2, startHoldMs: 1_500, openingMs: 60_000 },
  );
  process.runChannels();
  await eventually(() => expect(service.started()).toHaveLength(2));
  await eventually(() => expect(service.sessions).toHaveLength(8));
  // Its turn is the farthest away.
  const last = service.sessions.at(-1)?.context.connectionId;
  const waiting = lines.find(({ connectionId }) => connectionId === last);
  if (!waiting) throw new Error("none waits");
  await process.connections.disconnect(adminOf(waiting), waiting.connectionId);
  await eventually(async () =>
    expect(await stateOf(database.db, waiting)).toMatchObject({ unlinkRequested: false }),
  );
  expect(service.started().length).toBeLessThan(7);
  await eventually(() => expect(service.started()).toHaveLength(7));
  const started = service.started().map(({ context }) => context.connectionId);
  expect(started).not.toContain(waiting.connectionId);
});
