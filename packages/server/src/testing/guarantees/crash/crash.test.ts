import { expect, onTestFailed, test } from "vitest";
import { converse, expectComplete } from "./conversation.ts";
import { causeFaults, createWork } from "./faults.ts";
import { newInstallation, untilQuiet } from "./installation.ts";
import { signIn } from "./patient-client.ts";
import { seed, seededRandom, sized } from "../../soak.ts";

const CUSTOMERS = sized({ test: 10, soak: 44 });
const MESSAGES_EACH = sized({ test: 14, soak: 48 });
const ANSWERS_EACH = sized({ test: 4, soak: 12 });
const KILLS = sized({ test: 3, soak: 10 });
/** So many times the next start is killed as well, before it is done. */
const KILLS_IN_START = sized({ test: 1, soak: 2 });

test(
  `${KILLS} kill -9 and a killed database lose, double and reorder no message (seed ${seed})`,
  { timeout: 420_000 },
  async () => {
    const installation = await newInstallation();
    onTestFailed(() => void process.stderr.write(installation.output()));
    const accounts = installation.accounts();
    const admin = await signIn(installation, accounts.admin);
    const agents = await Promise.all(accounts.agents.map((agent) => signIn(installation, agent)));
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    if (!line) throw new Error("the demo has no simulated connection");

    const work = createWork(CUSTOMERS * (MESSAGES_EACH + ANSWERS_EACH), KILLS);
    const waiting = () => [admin, ...agents].reduce((sum, client) => sum + client.waiting(), 0);
    const faults = causeFaults(installation, work, {
      ...{ kills: KILLS, killsInStart: KILLS_IN_START, database: true },
      ...{ random: seededRandom(seed), waiting },
    });
    const conversations = await Promise.all(
      Array.from({ length: CUSTOMERS }, (_, index) => {
        const agent = agents[index % agents.length];
        if (!agent) throw new Error("the demo has no agents");
        return converse({
          ...{ customer: admin, agent, connectionId: line.id, phone: `55119${60_000_000 + index}` },
          ...{ messages: MESSAGES_EACH, answers: ANSWERS_EACH },
          turn: work.turn,
          onProgress: work.advance,
        });
      }),
    );
    const { underLoad, ...done } = await faults;
    expect(done).toEqual({ kills: KILLS, killsInStart: KILLS_IN_START, databaseKills: 1 });
    // It would prove nothing if nobody had been talking.
    expect(underLoad).toBeGreaterThan(KILLS / 2);

    await untilQuiet(installation);
    await expectComplete(installation, conversations, {
      ...{ messages: MESSAGES_EACH, answers: ANSWERS_EACH },
    });
  },
);
