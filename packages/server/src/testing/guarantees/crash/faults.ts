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
  const waits = new Set<{ isOver(): boolean; resolve(): void }>();
  const progress = (): number => (accepted / total) * (kills + 1);

  function change(): void {
    for (const wait of waits) {
      if (!wait.isOver()) continue;
      waits.delete(wait);
      wait.resolve();
    }
  }
  async function when(isOver: () => boolean): Promise<void> {
    if (!isOver()) await new Promise<void>((resolve) => waits.add({ isOver, resolve }));
  }

  return {
    advance: () => {
      accepted += 1;
      change();
    },
    openNextPart: () => {
      openParts += 1;
      change();
    },
    /** Resolves when so many parts are done. */
    reaches: (parts: number) => when(() => progress() >= parts),
    turn: () => when(() => progress() < openParts),
  };
}

/** Kills the product at seeded moments of the work, and once the server of its database. */
export async function causeFaults(installation: Installation, work: Work, plan: FaultPlan) {
  const { random, kills } = plan;
  const databaseKill = plan.database ? Math.floor(random() * kills) : -1;
  const done = { kills: 0, killsInStart: 0, databaseKills: 0, underLoad: 0 };
  let received = await countReceived(installation);
  /** Resolves when messages of customers are being stored, which tells that the connection is served again. */
  const untilReceiving = () => until(async () => (await countReceived(installation)) > received);
  for (; done.kills < kills; done.kills += 1) {
    const moment = done.kills + 0.1 + random() * 0.6;
    if (done.kills === databaseKill) {
      await untilReceiving();
      received = await countReceived(installation);
      await installation.killDatabase();
      done.databaseKills += 1;
    }
    await untilReceiving();
    await work.reaches(moment);
    // Not so late that the part is done and nobody is talking.
    await Promise.race([pause(random() * 150), work.reaches(done.kills + 0.85)]);
    if (plan.waiting() > 0) done.underLoad += 1;
    await installation.kill();
    if (done.kills % 3 === 2 && done.killsInStart < plan.killsInStart) {
      await installation.startAndKillAfter(200 + random() * 1_500);
      done.killsInStart += 1;
    }
    // Before the start: afterwards all of the next part may have been stored.
    received = await countReceived(installation);
    work.openNextPart();
    await installation.start();
  }
  return done;
}

/** Customers' messages in the product; 0 while the database is on its way back. */
async function countReceived(installation: Installation): Promise<number> {
  const rows = await installation
    .query<{ count: number }>("select count(*)::int as count from messages where not from_me")
    .catch(() => []);
  return rows[0]?.count ?? 0;
}

/** Longer than a start may take. It ends a wait for what never comes. */
const PATIENCE_MS = 240_000;

export async function until(
  condition: () => boolean | Promise<boolean>,
  complaint = () => "what was waited for did not come",
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(complaint());
    await pause(20);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
