import { expect, onTestFailed, test, vi } from "vitest";
import { newInstallation, untilQuiet } from "./installation.ts";
import type { PatientClient } from "./patient-client.ts";
import { signIn } from "./patient-client.ts";
import { seed, seededRandom, sized } from "../../soak.ts";

const random = seededRandom(seed);
const CUSTOMERS = sized({ test: 8, soak: 24 });
const KILLS_PER_STEP = sized({ test: 1, soak: 3 });
const menuOf = (queues: readonly string[]): RegExp =>
  new RegExp(queues.map((name, index) => `\\*\\[ ${index + 1} \\]\\* - ${name}`).join("\\n"));

test(
  `kill -9 in the middle of menus: every customer gets each answer once, and goes on at the same place (seed ${seed})`,
  { timeout: 300_000 },
  async () => {
    const installation = await newInstallation({ answersByItself: true });
    onTestFailed(() => void process.stderr.write(installation.output()));
    const admin = await signIn(installation, installation.accounts().admin);
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");
    const queues = await installation.query<{ name: string; greeting: string }>(
      "select name, greeting_message as greeting from queues order by order_queue",
    );
    const support = 1 + queues.findIndex(({ name }) => name === "Suporte");
    const phones = Array.from({ length: CUSTOMERS }, (_, index) => `55119${65_000_000 + index}`);

    const expected: RegExp[] = [];
    const play = async (text: string, answer: RegExp): Promise<void> => {
      expected.push(answer);
      const writing = writeAll(admin, line.id, phones, text);
      for (let kill = 0; kill < KILLS_PER_STEP; kill += 1) {
        await new Promise((resolve) => setTimeout(resolve, 300 + random() * 1_700));
        await installation.kill();
        await installation.start();
      }
      await writing;
      await vi.waitFor(
        async () => {
          const [waiting] = await installation.query<{ count: number }>(
            "select count(*)::int from attendant_turns where due_at is not null",
          );
          expect(waiting?.count).toBe(0);
        },
        { timeout: 60_000, interval: 200 },
      );
      await untilQuiet(installation);
      const heard = await installation.query<{ phone: string; texts: string[] }>(heardStatement, [
        phones,
      ]);
      for (const { phone, texts } of heard) {
        expect(texts, phone).toHaveLength(expected.length);
        for (const [place, wanted] of expected.entries())
          expect(texts[place], phone).toMatch(wanted);
      }
      expect(heard).toHaveLength(CUSTOMERS);
    };

    await play("Oi", menuOf(queues.map(({ name }) => name)));
    await play(String(support), /\*\[ 1 \]\* - [^]*\*\[ # \]\* - /);
    await play("1", /\*\[ 0 \]\* - /);
  },
);

/** With the same id at each try: a phone that heard nothing sends the same message again. */
async function writeAll(
  admin: PatientClient,
  connectionId: number,
  phones: readonly string[],
  body: string,
): Promise<void> {
  await Promise.all(
    phones.map((phone) =>
      admin.call(
        "POST /simulator/connections/:connectionId/chats/:phone/messages",
        `/simulator/connections/${connectionId}/chats/${phone}/messages`,
        { body, messageId: `${phone}-${body}` },
      ),
    ),
  );
}

const heardStatement = `
  select phone, array_agg(body order by seq) as texts from simulator_messages
   where phone = any($1::text[]) and not from_customer
   group by phone`;
