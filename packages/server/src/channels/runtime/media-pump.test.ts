import { Readable } from "node:stream";
import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelAdapter, MediaRef } from "../port.ts";
import { MediaForged, MediaGone } from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { ProcessOptions, TestProcess } from "../testing/process.ts";
import { startProcess } from "../testing/process.ts";
import { plainProvider } from "../testing/provider.ts";
import type { ChannelRuntime } from "./index.ts";
import type { ChannelSettings } from "./deps.ts";
import { defaultSettings } from "./deps.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

type OpenMedia = (file: MediaRef, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

const contentOf = (text: string) => Promise.resolve(Readable.from([Buffer.from(text)]));

function adapterWith(openMedia: OpenMedia): ChannelAdapter {
  return {
    createProvider: (context) => ({
      ...plainProvider,
      start: () => context.sink.tell({ type: "state", status: "CONNECTED" }),
      openMedia,
    }),
  };
}

const quickFiles = { fileRetriesMs: [10, 20, 30, 40], lookEveryMs: 50 };

type World = { line: LineRef; process: TestProcess; channels: ChannelRuntime; ticketId: TicketId };

async function newWorld(
  openMedia: OpenMedia,
  { settings, ...options }: ProcessOptions & { settings?: Partial<ChannelSettings> } = {},
): Promise<World> {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const process = await startProcess(database, {
    ...options,
    adapters: [["whatsapp-web", adapterWith(openMedia)]],
    settings: { ...quickFiles, ...settings },
  });
  const channels = process.runChannels();
  await eventually(async () =>
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" }),
  );
  return { line, process, channels, ticketId: await newTicket(database.db, line) };
}

async function rowsOf({ connectionId }: LineRef): Promise<{ attempts: number }[]> {
  return database.db.acrossCompanies((tx) =>
    tx.query<{ attempts: number }>(
      sql`select attempts from media_downloads where connection_id = ${connectionId} order by id`,
    ),
  );
}

test("files are fetched, a few at a time, and stored once", async () => {
  let running = 0;
  let most = 0;
  const { promise: areThree, resolve: nowThree } = Promise.withResolvers<void>();
  const { line, process, channels, ticketId } = await newWorld(async ({ locator }) => {
    running += 1;
    most = Math.max(most, running);
    if (running === 3) nowThree();
    await areThree;
    // Long enough for a fourth to begin, were it let.
    await new Promise((resolve) => setTimeout(resolve, 15));
    running -= 1;
    return contentOf(locator);
  });
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, place) => process.download(line, ticketId, `file ${place}`)),
  );
  await channels.idle();
  for (const [place, id] of ids.entries())
    expect(await process.files(id)).toEqual([`file ${place}`]);
  expect(await rowsOf(line)).toEqual([]);
  expect(most).toBe(3);
});

test("a file that cannot be had yet is fetched again until it can", async () => {
  let tries = 0;
  const { line, process, ticketId } = await newWorld(({ locator }) => {
    tries += 1;
    return tries < 4 ? Promise.reject(new Error("not yet")) : contentOf(locator);
  });
  const id = await process.download(line, ticketId, "late");
  await eventually(async () => expect(await process.files(id)).toEqual(["late"]));
  expect(tries).toBe(4);
});

test("a file that is never available is given up after its attempts and marked unavailable; others continue", async () => {
  const tries: string[] = [];
  const { line, process, ticketId } = await newWorld(({ locator }) => {
    tries.push(locator);
    return locator === "bad" ? Promise.reject(new Error("broken")) : contentOf(locator);
  });
  const bad = await process.download(line, ticketId, "bad");
  const good = await process.download(line, ticketId, "good");
  await eventually(async () => expect(await process.files(bad)).toEqual(["unavailable"]));
  expect(await process.files(good)).toEqual(["good"]);
  expect(tries.filter((locator) => locator === "bad")).toHaveLength(5);
  expect(await rowsOf(line)).toEqual([]);
});

test("a file whose hash stays wrong is given up early: no wait before its last try is a long one", async () => {
  let tries = 0;
  const { line, process, ticketId } = await newWorld(
    () => {
      tries += 1;
      return Promise.reject(new MediaForged("hash"));
    },
    { settings: { fileRetriesMs: [10, 20, 60_000] } },
  );
  const id = await process.download(line, ticketId, "another");
  await eventually(async () => expect(await process.files(id)).toEqual(["unavailable"]));
  expect(tries).toBe(3);
  expect(await rowsOf(line)).toEqual([]);
  const waitsMs = defaultSettings.fileRetriesMs.slice(0, tries - 1);
  expect(waitsMs.reduce((sum, waitMs) => sum + waitMs)).toBeLessThan(60_000);
});

test("a file that the network has forgotten is given up at once", async () => {
  let tries = 0;
  const { line, process, channels, ticketId } = await newWorld(() => {
    tries += 1;
    return Promise.reject(new MediaGone());
  });
  const id = await process.download(line, ticketId, "old");
  await channels.idle();
  expect(await process.files(id)).toEqual(["unavailable"]);
  expect(tries).toBe(1);
});

test("a file whose content breaks off or stalls is stored when a later try is whole", async () => {
  let tries = 0;
  const settings = { fileStallMs: 60 };
  const { line, process, ticketId } = await newWorld(
    ({ locator }) => {
      tries += 1;
      const number = tries;
      return Promise.resolve(
        (async function* () {
          yield Buffer.from(`${locator} `);
          if (number === 1) throw new Error("broken off");
          if (number === 2) await new Promise(() => undefined);
          yield Buffer.from("whole");
        })(),
      );
    },
    { settings },
  );
  const id = await process.download(line, ticketId, "file");
  await eventually(async () => expect(await process.files(id)).toEqual(["file whole"]));
  expect(tries).toBe(3);
});

test("a file that the product cannot store yet is fetched again", async () => {
  let tries = 0;
  const stored: string[] = [];
  const { line, process, ticketId } = await newWorld(({ locator }) => contentOf(locator), {
    storeMedia: async (_connection, _messageId, file) => {
      tries += 1;
      if (tries === 1) throw new Error("the disk is full");
      stored.push(file.locator);
    },
  });
  await process.download(line, ticketId, "file");
  await eventually(() => expect(stored).toEqual(["file"]));
  await eventually(async () => expect(await rowsOf(line)).toEqual([]));
});

test("a file that a killed process was fetching is fetched by the next owner, and its try counts", async () => {
  const world = await newWorld(() => new Promise<never>(() => undefined));
  const { line, ticketId } = world;
  const id = await world.process.download(line, ticketId, "file");
  await eventually(async () => expect(await rowsOf(line)).toEqual([{ attempts: 1 }]));
  await world.process.crash();

  const second = await startProcess(database, {
    adapters: [["whatsapp-web", adapterWith(({ locator }) => contentOf(locator))]],
  });
  second.runChannels();
  await eventually(async () => expect(await second.files(id)).toEqual(["file"]));
  // The row goes after the file is stored.
  await eventually(async () => expect(await rowsOf(line)).toEqual([]));
});

test("a stop breaks a fetch off without counting it, and the next owner fetches the file", async () => {
  const { line, process, channels, ticketId } = await newWorld(
    () => new Promise<never>(() => undefined),
  );
  const id = await process.download(line, ticketId, "file");
  await eventually(async () => expect(await rowsOf(line)).toEqual([{ attempts: 1 }]));
  await channels.stop();
  expect(await rowsOf(line)).toEqual([{ attempts: 0 }]);
  const second = await startProcess(database, {
    adapters: [["whatsapp-web", adapterWith(({ locator }) => contentOf(locator))]],
  });
  second.runChannels();
  await eventually(async () => expect(await second.files(id)).toEqual(["file"]));
});

test("a message that is deleted while its file is fetched leaves nothing to fetch", async () => {
  let finish: (content: AsyncIterable<Uint8Array>) => void = () => undefined;
  const opened = new Promise<AsyncIterable<Uint8Array>>((resolve) => {
    finish = resolve;
  });
  const { line, process, channels, ticketId } = await newWorld(() => opened, {
    storeMedia: () => Promise.resolve(),
  });
  const id = await process.download(line, ticketId, "file");
  await eventually(async () => expect(await rowsOf(line)).toEqual([{ attempts: 1 }]));
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`delete from messages where company_id = ${line.companyId} and id = ${id}`),
  );
  finish(await contentOf("file"));
  await channels.idle();
  expect(await rowsOf(line)).toEqual([]);
});
