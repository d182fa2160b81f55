import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionId } from "@balcao/contract";
import { expect, onTestFailed, test } from "vitest";
import { createDatabase } from "../../database.ts";
import { startObjectStorage } from "../../object-storage.ts";
import { seed, seededRandom, sized } from "../../soak.ts";
import { converse, expectComplete } from "./conversation.ts";
import { causeFaults, createWork, until } from "./faults.ts";
import type { Installation } from "./installation.ts";
import { newDirectory, newInstallation, untilQuiet } from "./installation.ts";
import { startBalancer, startPooler } from "./machines.ts";
import type { PatientClient } from "./patient-client.ts";
import { createClient, signIn } from "./patient-client.ts";

// Whole machines take minutes: these run with `npm run soak` only.
const isSoak = sized({ test: 0, soak: 1 }) === 1;
const CUSTOMERS = 24;
const TALK = { messages: 16, answers: 5 };
const KILLS = 4;
const FILES = 10;

/** A process of an installation whose machines share nothing but database and object storage. */
async function newMachine(environment: Record<string, string>) {
  const parent = await newDirectory();
  const machine = await newInstallation({ environment, parent });
  onTestFailed(() => void process.stderr.write(machine.output()));
  return { ...machine, loseFolder: () => rm(join(parent, "data"), { recursive: true }) };
}

test.runIf(isSoak)(
  `machines with folders of their own, behind a balancer and a pooler, lose and double nothing (seed ${seed})`,
  { timeout: 900_000 },
  async () => {
    const storage = await startObjectStorage();
    const pooled = await startPooler(await createDatabase(), "transaction");
    const environment = {
      ...{ ...storage.environment, ...pooled },
      ...{ BALCAO_TRUST_PROXY: "on", BALCAO_DRAIN_SECONDS: "4" },
    };
    const left = await newMachine(environment);
    const right = await newMachine(environment);
    const url = await startBalancer([left.url, right.url]);
    const accounts = left.accounts();
    const admin = await signIn({ url }, accounts.admin);
    const agents = await Promise.all(accounts.agents.map((agent) => signIn({ url }, agent)));
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");

    // One machine after the other is killed, and started again, while everybody talks.
    const random = seededRandom(seed);
    let victim: Installation = left;
    const either: Installation = {
      ...left,
      kill: () => {
        victim = random() < 0.5 ? left : right;
        return victim.kill();
      },
      start: () => victim.start(),
    };
    const work = createWork(CUSTOMERS * (TALK.messages + TALK.answers), KILLS);
    const waiting = () => [admin, ...agents].reduce((sum, client) => sum + client.waiting(), 0);
    const faults = causeFaults(either, work, {
      ...{ kills: KILLS, killsInStart: 0, database: false, random, waiting },
    });
    const sending = sendFiles(admin, line.id);
    const conversations = await Promise.all(
      Array.from({ length: CUSTOMERS }, (_, index) => {
        const agent = agents[index % agents.length];
        if (!agent) throw new Error("the demo has no agents");
        const phone = `55119${60_000_000 + index}`;
        return converse({
          ...{ customer: admin, agent, connectionId: line.id, phone, ...TALK },
          ...{ turn: work.turn, onProgress: work.advance },
        });
      }),
    );
    const { underLoad, kills } = await faults;
    expect(kills).toBe(KILLS);
    expect(underLoad).toBeGreaterThan(0);
    await sending;
    await untilQuiet(left);
    await expectComplete(left, conversations, TALK);

    // A machine is gone with its disk: another one, with an empty folder, has every file.
    await left.kill();
    await left.loseFolder();
    await left.start();
    await until(async () => (await loading(left)) === 0);
    const shown = await filesOf(admin, left);
    expect(shown).toHaveLength(FILES);
    for (const machine of [left, right]) {
      for (const [place, path] of shown.entries()) {
        const reply = await fetch(`${machine.url}${path}`);
        expect([reply.status, await reply.text()]).toEqual([200, contentOf(place)]);
      }
    }
  },
);

const contentOf = (place: number): string => `Arquivo ${place} `.repeat(1_000 * (place + 1));
const FILES_PHONE = "5511944449999";

/** A customer sends files, one after the other, with the same id at each try. */
async function sendFiles(customer: PatientClient, connectionId: ConnectionId): Promise<void> {
  for (let place = 0; place < FILES; place += 1) {
    const form = new FormData();
    form.set("as", "document");
    form.set("messageId", `FILE-${place}`);
    form.set("file", new Blob([contentOf(place)], { type: "text/plain" }), `a${place}.txt`);
    await customer.call(
      "POST /simulator/connections/:connectionId/chats/:phone/messages",
      `/simulator/connections/${connectionId}/chats/${FILES_PHONE}/messages`,
      form,
    );
    await delay(2_000);
  }
}

async function loading(machine: Installation): Promise<number> {
  const [row] = await machine.query<{ count: number }>(
    "select count(*)::int as count from message_media where state = 'loading'",
  );
  return row?.count ?? -1;
}

/** The addresses of the customer's files, in order. */
async function filesOf(admin: PatientClient, machine: Installation): Promise<string[]> {
  const [ticket] = await machine.query<{ id: number }>(
    "select t.id from tickets t join contacts c on c.id = t.contact_id where c.number = $1",
    [FILES_PHONE],
  );
  const { messages } = await admin.call("GET /messages/:ticketId", `/messages/${ticket?.id}`);
  return messages.flatMap(({ mediaUrl }) => mediaUrl ?? []);
}

test.runIf(isSoak)(
  "another machine has the connections of one that died within twenty seconds; one that is told to stop is left at once",
  { timeout: 300_000 },
  async () => {
    const pooled = await startPooler(await createDatabase(), "session");
    const environment = { ...pooled, BALCAO_TRUST_PROXY: "on", BALCAO_DRAIN_SECONDS: "4" };
    const [left, right] = [await newMachine(environment), await newMachine(environment)];
    const url = await startBalancer([left.url, right.url]);
    const owners = () =>
      left.query<{ owner: string }>(
        "select distinct owner from connection_leases where owner is not null and expires_at > now()",
      );
    // Whichever has them: the other one is stopped in order, then this one dies.
    await left.end("SIGTERM");
    await until(async () => (await owners()).length === 1);
    const [{ owner: rightOne } = { owner: "" }] = await owners();
    await left.start();
    await right.kill();
    const died = performance.now();
    await until(async () => (await owners()).some(({ owner }) => owner !== rightOne));
    const seconds = (performance.now() - died) / 1_000;
    process.stderr.write(`the connections moved ${seconds.toFixed(1)} s after the machine died\n`);
    expect(seconds).toBeLessThan(20);
    await right.start();
    await takenIn();

    // Somebody asks all the time while one machine after the other stops in order and starts again.
    const client = createClient(url, null);
    const statuses: number[] = [];
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) {
        const answer = client.tryOnce("GET", "/version").catch(() => ({ status: 0 }));
        statuses.push((await answer).status);
        await delay(5);
      }
    })();
    for (const machine of [left, right]) {
      await machine.end("SIGTERM");
      await machine.start();
      await takenIn();
    }
    over.abort();
    await asking;
    expect(statuses.length).toBeGreaterThan(500);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  },
);

/** The balancer asks every second, and takes a machine in after two good answers. */
const takenIn = () => delay(4_000);
