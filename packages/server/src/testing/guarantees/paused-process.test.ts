import { expect, onTestFailed, onTestFinished, test, vi } from "vitest";
import { createDatabase } from "../database.ts";
import { sized } from "../soak.ts";
import type { Conversation } from "./crash/conversation.ts";
import { converse } from "./crash/conversation.ts";
import { newInstallation, untilQuiet } from "./crash/installation.ts";
import { signIn } from "./crash/patient-client.ts";

/** In full size longer than a lease lasts; else the lease is ended by hand, which the owner learns even later. */
const PAUSE_MS = sized({ test: 6_000, soak: 30_000 });
const LEASE_MS = 20_000;
const MESSAGES_EACH = sized({ test: 30, soak: 60 });
const ANSWERS_EACH = sized({ test: 12, soak: 25 });

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test(
  "the owner of a connection stands still: the other process goes on, and no message is there twice",
  { timeout: 300_000 },
  async () => {
    const environment = { DATABASE_URL: await createDatabase() };
    // Alone at first, so that it owns what there is.
    const left = await newInstallation({ environment });
    const accounts = left.accounts();
    const [account] = accounts.agents;
    if (!account) throw new Error("the demo has no agents");
    await vi.waitFor(
      async () => expect(await leases()).toContainEqual(expect.objectContaining({ isHeld: true })),
      { interval: 100 },
    );
    const right = await newInstallation({ environment });
    onTestFailed(() => void process.stderr.write(`${left.output()}\n${right.output()}`));
    const admin = await signIn(right, accounts.admin);
    const agent = await signIn(right, account);
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");
    const before = await leaseOf(line.id);

    const thaws: (() => void)[] = [];
    onTestFinished(() => thaws.forEach((thaw) => thaw()));
    let accepted = 0;
    const talks = [1, 2, 3, 4].map((number) =>
      converse({
        ...{ customer: admin, agent, connectionId: line.id, phone: `551194444100${number}` },
        ...{ messages: MESSAGES_EACH, answers: ANSWERS_EACH },
        turn: () => pause(20),
        onProgress: () => {
          accepted += 1;
        },
      }),
    );
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(40), { timeout: 60_000, interval: 5 });
    thaws.push(left.freeze());
    await pause(PAUSE_MS);
    // The other process looks for leases late where the machine is busy.
    await vi.waitFor(
      async () => {
        if (PAUSE_MS < LEASE_MS) await endLeases();
        expect((await leaseOf(line.id)).owner).not.toBe(before.owner);
      },
      { timeout: 60_000, interval: 200 },
    );
    thaws.splice(0).forEach((thaw) => thaw());
    const conversations = await Promise.all(talks);
    await untilQuiet(right);

    const after = await leaseOf(line.id);
    expect(after.fence).toBeGreaterThan(before.fence);
    expect(after.owner).not.toBe(before.owner);
    for (const conversation of conversations) await expectOnce(conversation, line.id);
    // The resumed process does not take it back.
    await pause(5_000);
    expect(await leaseOf(line.id)).toMatchObject({ fence: after.fence, owner: after.owner });

    async function leases() {
      return left.query<{ connectionId: number; owner: string; fence: number; isHeld: boolean }>(
        `select connection_id as "connectionId", owner, fence::int as fence, expires_at > now() as "isHeld"
           from connection_leases order by connection_id`,
      );
    }

    /** Those of the frozen process, but for one that it may have locked: nobody could change that. */
    async function endLeases() {
      await right.query(
        `update connection_leases set expires_at = now() where connection_id in
           (select connection_id from connection_leases where owner = '${before.owner}'
            for no key update skip locked)`,
      );
    }

    async function leaseOf(connectionId: number) {
      const lease = (await leases()).find((one) => one.connectionId === connectionId);
      if (!lease) throw new Error("the connection has no lease");
      return lease;
    }

    /** In the product and on the customer's phone: each once, in order. */
    async function expectOnce(talk: Conversation, connectionId: number): Promise<void> {
      const { phone, written, answered } = talk;
      const stored = await right.query<{ providerId: string; fromMe: boolean; body: string }>(
        `select m.provider_id as "providerId", m.from_me as "fromMe", m.body
           from messages m join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
          where c.number = $1 order by m.created_at, m.seq`,
        [phone],
      );
      const customers = stored.filter(({ fromMe }) => !fromMe);
      expect(customers.map(({ providerId }) => providerId)).toEqual(written);
      expect(stored.filter(({ fromMe }) => fromMe).map(({ body }) => body)).toEqual(answered);
      const shown = await right.query<{ body: string }>(
        `select body from simulator_messages
          where connection_id = $1 and phone = $2 and not from_customer order by seq`,
        [connectionId, phone],
      );
      expect(shown.map(({ body }) => body)).toEqual(answered);
    }
  },
);
