import { expect, onTestFailed, onTestFinished, test, vi } from "vitest";
import { sized } from "../../soak.ts";
import { converse } from "./conversation.ts";
import type { Installation } from "./installation.ts";
import { newInstallation, untilQuiet } from "./installation.ts";
import type { Attempt, PatientClient } from "./patient-client.ts";
import { createClient, signIn } from "./patient-client.ts";

/** Time limit of the reply that the database is unavailable. */
const REFUSAL_LIMIT_MS = 10_000;

/** Errors that no code of the product catches, at the wish of a test. */
const unhandled = `process.on("SIGUSR2", () => void Promise.reject(new Error("nobody awaits this")))`;
const installation = await newInstallation({
  environment: {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(unhandled)}`,
  },
});
const accounts = installation.accounts();
const admin = await signIn(installation, accounts.admin);
const [account] = accounts.agents;
if (!account) throw new Error("the demo has no agents");
const agent = await signIn(installation, account);
const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
if (!line) throw new Error("the demo has no simulated connection");
const connectionId = line.id;

/** One try of each kind of call that needs the database. */
async function tryAll(client: PatientClient, phone: string): Promise<Attempt[]> {
  const chat = `/simulator/connections/${connectionId}/chats/${phone}`;
  return Promise.all([
    client.tryOnce("GET", "/tickets?status=pending"),
    client.tryOnce("GET", "/settings"),
    client.tryOnce("PUT", "/tickets/1", { status: "open" }),
    client.tryOnce("POST", `${chat}/messages`, { body: "Alguém aí?" }),
    client.tryOnce("POST", "/auth/login", accounts.agents[1]),
    client.tryOnce("GET", "/health/ready"),
  ]);
}

function expectUnavailable(attempts: readonly Attempt[]): void {
  for (const { status, text, ms } of attempts) {
    expect([status, text]).toEqual([503, expect.stringContaining('"code":"ERR_UNAVAILABLE"')]);
    expect(ms).toBeLessThan(REFUSAL_LIMIT_MS);
  }
}

/** A whole conversation goes through. */
async function expectService(phone: string): Promise<void> {
  const talk = { customer: admin, agent, connectionId, phone, messages: 3, answers: 2 };
  const { written, answered } = await converse(talk);
  await untilQuiet(installation);
  const rows = await installation.query<{ body: string; from_me: boolean; provider_id: string }>(
    `select m.body, m.from_me, m.provider_id from messages m
       join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
      where c.number = $1 order by m.created_at, m.seq`,
    [phone],
  );
  expect(rows.filter((row) => !row.from_me).map((row) => row.provider_id)).toEqual(written);
  expect(rows.filter((row) => row.from_me).map((row) => row.body)).toEqual(answered);
}

function showOutputOnFailure({ output }: Installation): void {
  onTestFailed(() => void process.stderr.write(output()));
}

test(
  "a database that answers nothing means 503 in time; when it answers again everything goes on by itself",
  { timeout: 180_000 },
  async () => {
    showOutputOnFailure(installation);
    await expectService("5511955550001");
    const thaw = await installation.freezeDatabase();
    onTestFinished(thaw);
    // First those on connections that were open already, then those that find none.
    expectUnavailable(await tryAll(admin, "5511955550002"));
    expectUnavailable(await tryAll(admin, "5511955550002"));
    const live = await createClient(installation.url, null).tryOnce("GET", "/health/live");
    expect(live.status).toBe(200);
    thaw();
    await expectService("5511955550003");
  },
);

test(
  "a database that is killed means 503 at worst until it is back, and nothing is lost",
  { timeout: 180_000 },
  async () => {
    showOutputOnFailure(installation);
    const talk = {
      customer: admin,
      agent,
      connectionId,
      phone: "5511955550011",
      messages: sized({ test: 100, soak: 200 }),
      answers: sized({ test: 40, soak: 60 }),
    };
    let accepted = 0;
    const talking = converse({
      ...talk,
      onProgress: () => {
        accepted += 1;
      },
    });
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(30), { interval: 2 });
    await installation.killDatabase();

    const seen: number[] = [];
    let statuses: number[];
    do {
      const attempts = await tryAll(admin, "5511955550012");
      for (const { ms } of attempts) expect(ms).toBeLessThan(REFUSAL_LIMIT_MS);
      statuses = attempts.map(({ status }) => status);
      seen.push(...statuses);
      await new Promise((resolve) => setTimeout(resolve, 50));
    } while (statuses.includes(503) || !seen.includes(503));
    expect(seen.filter((status) => ![200, 404, 503].includes(status))).toEqual([]);

    const { written, answered } = await talking;
    await untilQuiet(installation);
    const [stored] = await installation.query<{ received: string[]; sent: string[] }>(
      `select array_agg(m.provider_id order by m.seq) filter (where not m.from_me) as received,
            array_agg(m.body order by m.seq) filter (where m.from_me) as sent
       from messages m join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
      where c.number = $1`,
      [talk.phone],
    );
    expect(stored).toEqual({ received: written, sent: answered });
    await expectService("5511955550013");
  },
);

test(
  "an error that nobody handles is logged and ends the process in order, for another start",
  { timeout: 180_000 },
  async () => {
    showOutputOnFailure(installation);
    expect(await installation.end("SIGUSR2")).toBe(70);
    const logged = installation.output().trimEnd().split("\n").at(-1);
    expect(logged).toContain("an error was not handled: the process ends");
    expect(logged).toContain("nobody awaits this");
    // In order: its database was stopped with it.
    await expect(installation.killDatabase()).rejects.toThrow("there is no database server");
    await installation.start();
    await expectService("5511955550021");
  },
);
