import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionId } from "@balcao/contract";
import type { EventSink } from "@balcao/server/src/channels/port.ts";
import { startChild } from "./child.ts";
import { fill } from "./companies.ts";
import type { Desk, Pace, Round, WorkMeans } from "./everyday.ts";
import { addDesk, connectAgents, everydayCalls, noting, workEveryday } from "./everyday.ts";
import type { Call } from "./flood-callers.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import { descendantsOf } from "./memory.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startProduct } from "./product.ts";
import type { PartReport } from "./report.ts";
import { figure, percent } from "./report.ts";
import { percentile } from "./statistics.ts";

const COMPANIES = 100;
const AGENTS = 3;
const CHATS = 10;
/** Two calls for each customer's message: what agents at work do. */
const CALLS_PER_MESSAGE = 2;
const STEPS = [5, 10, 20, 30, 40, 50, 60, 80, 100, 130, 160, 200];
const STEP_MS = 8_000;
/** Work that a step left over is done by then. */
const REST_MS = 1_500;
const CALLS_P99_MS = 500;
const INBOUND_P99_MS = 250;
/** The clock of `/proc` ticks so often, on every Linux. */
const TICKS_PER_SECOND = 100;

type Step = {
  pace: Pace;
  round: Round;
  /** Busy part of the product's thread. */
  loop: number;
  /** Processor seconds. */
  productSeconds: number;
  databaseSeconds: number;
};

/**
 * Measures how much everyday work of many companies this machine takes in one process: the load grows in steps until calls or messages come late. The
 * last step before that is the knee. Two further rounds, of messages alone and of calls alone, say what one of each costs.
 */
export async function measureCapacity(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("capacity");
  const desks = await fill(database, async (tx) => {
    const all: Desk[] = [];
    for (let n = 1; n <= COMPANIES; n += 1) all.push(await addDesk(tx, n, AGENTS, CHATS));
    return all;
  });
  const network = createLoadNetwork();
  const outbound = new Map<string, number>();
  const product = await startProduct(
    database,
    postgres.folder("capacity"),
    noting(network.adapter, outbound),
    { BALCAO_LOG_LEVEL: "error" },
  );
  const [callers, agents] = [startChild("./flood-callers.ts"), startChild("./agents.ts")];
  try {
    const sinks = new Map<ConnectionId, EventSink>();
    const calls: Call[] = [];
    for (const desk of desks) {
      for (const id of desk.company.connectionIds) sinks.set(id, await network.sinkOf(id));
      calls.push(...(await everydayCalls(product, database, desk)));
    }
    await connectAgents(agents, product, database, desks);
    const means: WorkMeans = { desks, calls, sinks, callers, agents, outbound };
    const step = async (name: string, messagesPerSecond: number, callsPerSecond: number) => {
      const pace = { messagesPerSecond, callsPerSecond, forMs: STEP_MS };
      const measured = await measureStep(means, name, pace);
      await product.app.idle();
      await delay(REST_MS);
      return measured;
    };
    await step("warm", 10, 20);

    const steps: Step[] = [];
    for (const messages of STEPS) {
      const name = `s${messages}`;
      let last = await step(name, messages, messages * CALLS_PER_MESSAGE);
      // A single disturbance from outside is not the knee.
      if (!isInTime(last)) last = await step(`${name}b`, messages, messages * CALLS_PER_MESSAGE);
      steps.push(last);
      if (!isInTime(last)) break;
    }
    const knee = steps.findLast(isInTime);
    const half = (knee?.pace.messagesPerSecond ?? 10) / 2;
    const alone = {
      messages: await step("m", half, 0),
      calls: await step("c", 0, half * CALLS_PER_MESSAGE),
    };
    return describe(steps, knee, alone);
  } finally {
    callers.stop();
    agents.stop();
    await product.app.close();
  }
}

async function measureStep(means: WorkMeans, prefix: string, pace: Pace): Promise<Step> {
  const before = { loop: performance.eventLoopUtilization(), cpu: process.cpuUsage() };
  const databaseBefore = await databaseSeconds();
  const round = await workEveryday(means, prefix, pace);
  const { utilization: loop } = performance.eventLoopUtilization(before.loop);
  const { user, system } = process.cpuUsage(before.cpu);
  const productSeconds = (user + system) / 1e6;
  return {
    ...{ pace, round, loop, productSeconds },
    databaseSeconds: (await databaseSeconds()) - databaseBefore,
  };
}

/** Processor time of the database's processes, also of those that have ended. */
async function databaseSeconds(): Promise<number> {
  let ticks = 0;
  for (const pid of await descendantsOf(process.pid)) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    if (!stat.includes("(postgres)")) continue;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // utime, stime, and those of its children that have ended.
    for (const field of [11, 12, 13, 14]) ticks += Number(fields[field]);
  }
  return ticks / TICKS_PER_SECOND;
}

const callMs = ({ round }: Step) => round.calls.map(({ ms }) => ms);

function isInTime(step: Step): boolean {
  const { calls, heardMs, missing } = step.round;
  return (
    missing === 0 &&
    calls.every(({ status }) => status < 400) &&
    percentile(callMs(step), 0.99) <= CALLS_P99_MS &&
    percentile(heardMs, 0.99) <= INBOUND_P99_MS
  );
}

function describe(
  steps: readonly Step[],
  knee: Step | undefined,
  alone: Record<"messages" | "calls", Step>,
): PartReport {
  const both = (values: readonly number[]) =>
    `${figure(percentile(values, 0.5))} / ${figure(percentile(values, 0.99))}`;
  const cores = (seconds: number) => figure(seconds / (STEP_MS / 1_000));
  const cost = (kind: string, { productSeconds, databaseSeconds: database }: Step, n: number) => [
    ...[kind, String(n), figure((productSeconds * 1_000) / n)],
    figure((database * 1_000) / n),
  ];
  return {
    name: "capacity",
    title: `${COMPANIES} companies with ${COMPANIES * AGENTS} agents at work in one process, load in steps`,
    tables: [
      {
        headings: [
          ...["messages/s", "calls/s", "calls p50 / p99 ms", "inbound → socket", "send → network"],
          ...["event loop", "product's cores", "database's cores"],
        ],
        rows: steps.map((step) => [
          ...[String(step.pace.messagesPerSecond), String(step.pace.callsPerSecond)],
          ...[both(callMs(step)), both(step.round.heardMs), both(step.round.outboundMs)],
          ...[percent(step.loop), cores(step.productSeconds), cores(step.databaseSeconds)],
        ]),
      },
      {
        headings: ["one of", "measured", "product, ms of a core", "database, ms of a core"],
        rows: [
          cost("a customer's message", alone.messages, alone.messages.round.heardMs.length),
          cost("an agent's call", alone.calls, alone.calls.round.calls.length),
        ],
      },
    ],
    goals: [
      {
        ...{ figure: "messages/s, with twice as many calls, at the knee" },
        ...{ value: knee?.pace.messagesPerSecond ?? 0, unit: "", limit: 40, want: "≥" as const },
      },
    ],
    notes: [
      `Steps of ${STEP_MS / 1_000} s. Late means a p99 of calls above ${CALLS_P99_MS} ms or of messages above ${INBOUND_P99_MS} ms, or a refusal, or a lost message.`,
      "Of the calls, four read a list of tickets, one contacts, three a conversation, and two send. Callers and agents are two processes on the same cores; customers write in the product's own.",
    ],
  };
}
