import type { Installation } from "./installation.ts";

export type FaultPlan = {
  kills: number;
  /** So many times the next start is killed as well, before it is done. */
  killsInStart: number;
  /** Whether the database's server is killed once, too. */
  database: boolean;
  /** From 0 to 1, the same each time. */
  random(): number;
  /** Requests and messages without an answer at this moment. */
  waiting(): number;
};

export type Work = ReturnType<typeof createWork>;

/** The messages, in one part more than there are crashes: a later part waits for an earlier crash. */
export function createWork(total: number, kills: number) {
  let accepted = 0;
  let openParts = 1;
  const progress = (): number => (accepted / total) * (kills + 1);
  return {
    /** In parts. */
    progress,
    advance: () => {
      accepted += 1;
    },
    openNextPart: () => {
      openParts += 1;
    },
    turn: async () => {
      while (progress() >= openParts) await pause(5);
    },
  };
}

/** Kills the product at seeded moments of the work, and once the server of its database. */
export async function causeFaults(installation: Installation, work: Work, plan: FaultPlan) {
  const { random, kills } = plan;
  const databaseKill = plan.database ? Math.floor(random() * kills) : -1;
  const done = { kills: 0, killsInStart: 0, databaseKills: 0, underLoad: 0 };
  for (; done.kills < kills; done.kills += 1) {
    const moment = done.kills + 0.1 + random() * 0.6;
    if (done.kills === databaseKill) {
      await untilReceiving(installation);
      await installation.killDatabase();
      done.databaseKills += 1;
    }
    await untilReceiving(installation);
    await until(() => work.progress() >= moment);
    await pause(random() * 150);
    if (plan.waiting() > 0) done.underLoad += 1;
    await installation.kill();
    if (done.kills % 4 === 3 && done.killsInStart < plan.killsInStart) {
      await installation.startAndKillAfter(200 + random() * 1_500);
      done.killsInStart += 1;
    }
    const starting = installation.start();
    work.openNextPart();
    await starting;
  }
  return done;
}

/** Resolves when messages of customers are being stored, which tells that the connection is served again. */
async function untilReceiving(installation: Installation): Promise<void> {
  const stored = async (): Promise<number> => {
    // The database may be on its way back.
    const rows = await installation
      .query<{ count: number }>("select count(*)::int as count from messages where not from_me")
      .catch(() => []);
    return rows[0]?.count ?? 0;
  };
  const before = await stored();
  await until(async () => (await stored()) > before);
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  complaint = () => "what was waited for did not come",
): Promise<void> {
  const deadline = performance.now() + 90_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(complaint());
    await pause(5);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
