import { expect, onTestFailed, test, vi } from "vitest";
import { startHttpStub } from "../../../features/integrations/testing/stubs.ts";
import { createDatabase } from "../../database.ts";
import { newInstallation } from "./installation.ts";
import { signIn } from "./patient-client.ts";

const patience = { timeout: 60_000, interval: 20 };
const environment = {
  DATABASE_URL: await createDatabase(),
  BALCAO_OUTSIDE_HOSTS: "127.0.0.1:*",
};
const installation = await newInstallation({ environment });
const client = await signIn(installation, installation.accounts().admin);

const CUSTOMERS = ["5511977770001", "5511977770002", "5511977770003"];
const MESSAGES = 5;

test(
  "a receiver gets every message with one id and in the order of its ticket, though the process is killed",
  { timeout: 240_000 },
  async () => {
    onTestFailed(() => void process.stderr.write(installation.output()));
    const receiver = await startHttpStub(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return {};
    });
    const fields = { type: "n8n", name: "Fluxo", urlN8N: receiver.url };
    const { id } = await client.call("POST /queueIntegration", "/queueIntegration", fields);
    const [line] = await vi.waitFor(async () => {
      const found = await installation.query<{ id: number }>(
        "select id from connections where status = 'CONNECTED' and channel = 'simulator' order by id limit 1",
      );
      expect(found).toHaveLength(1);
      return found;
    }, patience);
    await installation.query("update connections set integration_id = $1 where id = $2", [
      ...[id, line?.id],
    ]);
    await installation.query("update queues set integration_id = $1", [id]);
    for (let number = 1; number <= MESSAGES; number += 1) {
      for (const phone of CUSTOMERS) {
        const chat = `/simulator/connections/${line?.id}/chats/${phone}/messages`;
        const call = "POST /simulator/connections/:connectionId/chats/:phone/messages";
        await client.call(call, chat, { body: `${phone} ${number}` });
      }
    }
    for (const received of [2, 8]) {
      await vi.waitFor(
        () => expect(receiver.asked.length).toBeGreaterThanOrEqual(received),
        patience,
      );
      await installation.kill();
      // Leases and claims of a killed process run out after some seconds, which pass at once.
      await installation.query("update connection_leases set expires_at = now()");
      await installation.query("update deliveries set due_at = now() where state = 'waiting'");
      await installation.start();
    }
    await vi.waitFor(async () => {
      const states = await installation.query<{ state: string }>(
        "select state from deliveries where kind = 'message.received' and integration_id = $1",
        [id],
      );
      expect(states).toHaveLength(CUSTOMERS.length * MESSAGES);
      expect(new Set(states.map(({ state }) => state))).toEqual(new Set(["delivered"]));
    }, patience);

    const ids = new Map<string, Set<unknown>>();
    for (const { headers, body } of receiver.asked) {
      const { text } = JSON.parse(body) as { text: string };
      ids.set(text, (ids.get(text) ?? new Set()).add(headers["webhook-id"]));
    }
    expect([...ids.values()].every((one) => one.size === 1)).toBe(true);
    for (const phone of CUSTOMERS) {
      const firsts = [...ids.keys()].filter((text) => text.startsWith(phone));
      expect(firsts).toEqual(Array.from({ length: MESSAGES }, (_, n) => `${phone} ${n + 1}`));
    }
  },
);
