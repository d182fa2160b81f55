import { AsyncLocalStorage } from "node:async_hooks";
import { availableParallelism } from "node:os";
import { performance as nodePerformance } from "node:perf_hooks";
import type { CompanyId } from "@balcao/contract";
import { DomainError } from "../context.ts";
import type { FairShareOptions, Line } from "./fair-share.ts";
import { decayed, FairShare } from "./fair-share.ts";

/** What a company used since somebody last asked for it. */
export type CompanyUse = {
  calls: number;
  /** Calls that were answered 429, because too many of the company's others waited. */
  refused: number;
  searches: number;
  databaseMs: number;
  /** Time that its work waited for its turn. */
  waitedMs: number;
  inbound: number;
  outbound: number;
};

export type WaitingCompany = {
  companyId: CompanyId;
  running: number;
  waiting: number;
  /** How long the oldest has waited. */
  oldestMs: number;
};

export type CompanyShareOptions = {
  /** Connections of the pool that companies share. */
  connections: number;
  /** Transactions that a busy company may always have at once; 0 shares nothing and refuses nothing. */
  least: number;
  /** Calls of a company are refused while this many of its transactions wait. */
  waiting: number;
  /** Searches and exports of a company at once. */
  searches: number;
  /**
   * Percent of one processor that a flooding company's transactions may use while others work, and of the thread up to
   * `MOST_OF_THREAD`; more where few companies work; 0: no pace.
   */
  part: number;
  /** A company that asks for less in a second, in calls and events, does not flood. */
  floodPerSecond: number;
  /** Processors for transactions, of which each working company may have an equal part; absent: those of the machine. */
  processors?: number;
  /** Milliseconds that the event loop of this process has worked. */
  activeMs?: () => number;
  /** Is told of each wait for a turn, and of each refusal. */
  onWait?: (door: Door, waitedMs: number) => void;
  onRefused?: (door: Door) => void;
  now?: () => number;
};

/** Where work waits: a call before its session is read, a transaction, or one of the company's searches. */
export type Door = "call" | "database" | "search";

/**
 * `isAsked`: somebody's call makes it; messages on their way and jobs take turns with those. `isFirst`: it stores what others
 * have sent, so that the rest can wait in safety; the pace does not hold it back.
 */
type Transaction = { companyId: CompanyId; isAsked?: boolean; isFirst?: boolean };
type Urgency = { isUrgent: boolean };

/** How companies share this process, and what each of them used. */
export type CompanyShares = {
  /** Runs a transaction of a company when it is the company's turn; a paced company's is not urgent. */
  inTransaction<T>(
    { companyId, isAsked, isFirst }: Transaction,
    work: (urgency: Urgency) => Promise<T>,
  ): Promise<T>;
  /**
   * Counts a call, and resolves when it is its turn. Rejects with ERR_COMPANY_BUSY while too much of the company's work waits,
   * or when the turn does not come for a while.
   */
  admitCall(companyId: CompanyId): Promise<void>;
  /**
   * Refuses a call that `admitCall` would refuse at once, and counts it: the seconds until it may come again. Null when it
   * may come in; then nothing is counted.
   */
  refuseCall(companyId: CompanyId): number | null;
  /** Resolves when the company may search; the result ends the search. Rejects with ERR_COMPANY_BUSY after a while. */
  beginSearch(companyId: CompanyId): Promise<() => void>;
  /** Counts events from outside that are to be worked on; calls are counted by `admitCall`. */
  noteEvents(companyId: CompanyId, count: number): void;
  /** Adds a line in which work waits elsewhere, on its way to a transaction. */
  countLine(waitingOf: (companyId: CompanyId) => number): void;
  /** Counters of the company, to be added to. */
  useOf(companyId: CompanyId): CompanyUse;
  /** The counters of all companies; they begin at zero again. */
  takeUse(): Map<CompanyId, CompanyUse>;
  /** Companies whose work runs or waits in this process. */
  present(): WaitingCompany[];
};

/** A user gives up by then; what works in the background is tried again. */
const TURN_MS = 10_000;
/** A company may use its part of this time at once: of transactions, and of the thread. */
const BURST_MS = { database: 1_000, call: 400 };
const THREADS = 1;
/** The largest part of the process's one thread that `part` gives to a flooding company. */
const MOST_OF_THREAD = 0.3;
/** When the thread has worked more than this part of the last moments, calls wait that nobody counts. */
const FULL_THREAD = 0.85;
/** The thread's work for a refused call, as a part of the work for an answered one. */
const REFUSAL = 0.2;

export function createCompanyShares(options: CompanyShareOptions): CompanyShares {
  const { connections, least, waiting, searches, onWait, onRefused } = options;
  const isOn = least > 0;
  const part = options.part / 100;
  const hasPace = isOn && part > 0;
  /** The part of a processor that a flooding company may use at a door; an equal part of the processors where that is more. */
  const paces = {
    database: { part, processors: options.processors ?? availableParallelism() },
    call: { part: Math.min(MOST_OF_THREAD, part), processors: THREADS },
  };
  const load = createThreadLoad(options);
  const demand = createDemand(options);
  const lines: ((companyId: CompanyId) => number)[] = [];
  /** Counts the company's work that waits at the other door and in the added lines. */
  const waitingBeside = (door: keyof typeof paces) => (group: number) => {
    let count = (door === "call" ? database : calling).waitingOf(group);
    for (const waitingOf of lines) count += waitingOf(group as CompanyId); // groups are companies
    return count;
  };
  const paceOf = (door: keyof typeof paces): Pick<FairShareOptions, "pace"> => {
    if (!hasPace) return {};
    const pace = paces[door];
    const burstMs = pace.part * BURST_MS[door];
    const isFull = () => load.part() > FULL_THREAD;
    const { asksTooMuch } = demand;
    return {
      pace: { ...pace, burstMs, waitingElsewhere: waitingBeside(door), isFull, asksTooMuch },
    };
  };
  const clock = options.now === undefined ? {} : { now: options.now };
  let uses = new Map<CompanyId, CompanyUse>();

  function useOf(companyId: CompanyId): CompanyUse {
    let use = uses.get(companyId);
    if (!use) {
      use = {
        ...{ calls: 0, refused: 0, searches: 0, databaseMs: 0, waitedMs: 0 },
        ...{ inbound: 0, outbound: 0 },
      };
      uses.set(companyId, use);
    }
    return use;
  }

  const told = (door: Door) => (group: number, task: { usedMs: number; waitedMs: number }) => {
    const use = useOf(group as CompanyId); // groups are companies
    if (door === "database") use.databaseMs += task.usedMs;
    if (task.waitedMs === 0) return;
    use.waitedMs += task.waitedMs;
    onWait?.(door, task.waitedMs);
  };
  const unitMs = createUnitCost(options);
  /** Charges the thread's time for a transaction, and counts it. */
  const endTransaction = (group: number, task: { usedMs: number; waitedMs: number }): void => {
    calling.charge(group, unitMs(1));
    told("database")(group, task);
  };
  const database = new FairShare({
    ...{
      slots: connections,
      least: isOn ? least : connections,
      waitMs: TURN_MS,
      ...clock,
      ...paceOf("database"),
    },
    onEnd: endTransaction,
  });
  // A call is let in and charged at once: nobody knows when the thread has worked for it.
  const calling = new FairShare({
    ...{ slots: Infinity, least: Infinity, waitMs: TURN_MS, ...clock, ...paceOf("call") },
    onEnd: (group, task) => {
      calling.charge(group, unitMs(1));
      told("call")(group, task);
    },
  });
  /** Runs the transactions with `isFirst` of companies that are held back: one of a company at a time, whatever its debt. */
  const storing = new FairShare({
    ...{ slots: Infinity, least: 1, most: 1, waitMs: TURN_MS, ...clock },
    onEnd: (group, task) => {
      database.charge(group, task.usedMs);
      endTransaction(group, task);
    },
  });
  const searching = new FairShare({
    ...{ slots: Infinity, least: searches, most: searches, waitMs: TURN_MS, ...clock },
    onEnd: told("search"),
  });

  function noteRefusal(companyId: CompanyId, door: Door): void {
    useOf(companyId).refused += 1;
    calling.charge(companyId, unitMs(REFUSAL));
    onRefused?.(door);
  }

  const busy = (retryAfterSeconds: number) =>
    new DomainError("ERR_COMPANY_BUSY", { retryAfterSeconds });

  function countCall(companyId: CompanyId): void {
    useOf(companyId).calls += 1;
    if (hasPace) demand.add(companyId, 1);
  }

  /** Where too much of the company's work waits. */
  function fullDoor(companyId: CompanyId): { door: Door; share: FairShare } | null {
    if (!isOn) return null;
    if (calling.waitingOf(companyId) >= waiting) return { door: "call", share: calling };
    if (database.waitingOf(companyId) >= waiting) return { door: "database", share: database };
    return null;
  }

  function refuseCall(companyId: CompanyId): number | null {
    const full = fullDoor(companyId);
    if (!full) return null;
    countCall(companyId);
    noteRefusal(companyId, full.door);
    return Math.max(1, Math.ceil(full.share.oldestOf(companyId) / 1_000));
  }

  function take(
    share: FairShare,
    companyId: CompanyId,
    door: Door,
    line: Line = 0,
  ): Promise<{ release: () => void; isPaced: boolean }> {
    return new Promise((resolve, reject) => {
      share.acquire(
        companyId,
        (release, { isPaced }) => resolve({ release, isPaced }),
        () => {
          noteRefusal(companyId, door);
          reject(busy(TURN_MS / 1_000));
        },
        line,
      );
    });
  }

  /** The turn in which the present code runs. */
  const holding = new AsyncLocalStorage<{ companyId: CompanyId; isHeld: boolean }>();

  return {
    async inTransaction({ companyId, isAsked = false, isFirst = false }, work) {
      const outer = holding.getStore();
      // It would wait for the end of the one that waits for it.
      if (outer?.isHeld && outer.companyId === companyId) return work({ isUrgent: true });
      const isStored = isFirst && database.isHeldBack(companyId);
      const share = isStored ? storing : database;
      const { release, isPaced } = await take(share, companyId, "database", isAsked ? 1 : 0);
      const turn = { companyId, isHeld: true };
      try {
        return await holding.run(turn, () => work({ isUrgent: !isPaced && !isStored }));
      } finally {
        turn.isHeld = false;
        release();
      }
    },

    async admitCall(companyId) {
      const refusedSeconds = refuseCall(companyId);
      if (refusedSeconds !== null) throw busy(refusedSeconds);
      countCall(companyId);
      if (!isOn) return;
      const { release } = await take(calling, companyId, "call");
      release();
    },

    refuseCall,

    async beginSearch(companyId) {
      useOf(companyId).searches += 1;
      return isOn ? (await take(searching, companyId, "search")).release : () => undefined;
    },

    noteEvents(companyId, count) {
      if (hasPace) demand.add(companyId, count);
    },

    countLine(waitingOf) {
      lines.push(waitingOf);
    },

    useOf,

    takeUse() {
      const taken = uses;
      uses = new Map();
      return taken;
    },

    present() {
      const found = new Map<number, WaitingCompany>();
      for (const { group, running, waiting, oldestMs } of [database, calling].flatMap((share) =>
        share.present(),
      )) {
        const company = found.get(group);
        found.set(group, {
          companyId: group as CompanyId, // groups are companies
          running: running + (company?.running ?? 0),
          waiting: waiting + (company?.waiting ?? 0),
          oldestMs: Math.max(oldestMs, company?.oldestMs ?? 0),
        });
      }
      return [...found.values()];
    },
  };
}

/** Costs are known again after this much work of the thread. */
const MEASURE_UNITS = 50;
/** The thread's work for a call or a transaction until it is known, and its limits. */
const COST = { firstMs: 1, leastMs: 0.2, mostMs: 4 };

/**
 * Tells what the thread works for a number of units (a call, a transaction), and counts them. One unit costs what the event loop
 * has worked lately, divided by the units of that time: nothing tells for whom a moment of the thread was.
 */
function createUnitCost({ activeMs = eventLoopMs }: Pick<CompanyShareOptions, "activeMs">) {
  let costMs = COST.firstMs;
  let units = 0;
  let sinceMs = activeMs();
  return (count: number): number => {
    units += count;
    if (units >= MEASURE_UNITS) {
      const now = activeMs();
      const measured = Math.min(COST.mostMs, Math.max(COST.leastMs, (now - sinceMs) / units));
      costMs += (measured - costMs) / 4;
      sinceMs = now;
      units = 0;
    }
    return count * costMs;
  };
}

/** The count of what a company asked for halves in this time. */
const DEMAND_HALF_LIFE_MS = 10_000;
/** A company with less than this left of what it asked for does not count any more. */
const LEAST_DEMAND = 0.5;
/** A company asks for too much from this many times as much as most others on, */
const OUTLIER = 8;
/** and this part of what all others ask for together: by chance a light one asks for more than other light ones. */
const OUTLIER_PART = 0.2;

/**
 * How much each company asked for lately, in calls and events, whether they are done, wait or were refused. Their time tells less:
 * when everything is full, the transactions of all take long, and what is held back uses little.
 */
function createDemand({
  floodPerSecond,
  now = () => performance.now(),
}: Pick<CompanyShareOptions, "floodPerSecond" | "now">) {
  const leastFlood = (floodPerSecond * DEMAND_HALF_LIFE_MS) / 1_000 / Math.LN2;
  const asked = new Map<number, { count: number; atMs: number }>();
  const countOf = ({ count, atMs }: { count: number; atMs: number }, nowMs: number) =>
    decayed(count, nowMs - atMs, DEMAND_HALF_LIFE_MS);
  return {
    add(company: number, count: number): void {
      const atMs = now();
      const before = asked.get(company);
      asked.set(company, { count: count + (before ? countOf(before, atMs) : 0), atMs });
    },
    /** Among equals, holding all of them back would help nobody. Who is held back is let go from half as much on. */
    asksTooMuch(company: number, isHeldBack: boolean): boolean {
      const nowMs = now();
      const own = asked.get(company);
      if (!own) return false;
      const count = countOf(own, nowMs) * (isHeldBack ? 2 : 1);
      if (count < leastFlood) return false;
      const others = { companies: 0, less: 0, count: 0 };
      for (const [id, entry] of asked) {
        const other = countOf(entry, nowMs);
        if (other < LEAST_DEMAND) asked.delete(id);
        if (id === company || other < LEAST_DEMAND) continue;
        others.companies += 1;
        others.count += other;
        if (other * OUTLIER < count) others.less += 1;
      }
      const isOutlier = others.companies > 0 && others.less * 2 >= others.companies;
      return isOutlier && count > others.count * OUTLIER_PART;
    },
  };
}

/** The thread's load is known again after this long. */
const LOAD_MS = 500;

/** Tells which part of the last moments the thread has worked. */
function createThreadLoad({
  activeMs = eventLoopMs,
  now = () => performance.now(),
}: Pick<CompanyShareOptions, "activeMs" | "now">) {
  let part = 0;
  let since = { atMs: now(), activeMs: activeMs() };
  return {
    part(): number {
      const atMs = now();
      const passedMs = atMs - since.atMs;
      if (passedMs >= LOAD_MS) {
        const active = activeMs();
        // Too long ago to tell of now.
        part = passedMs < 4 * LOAD_MS ? (active - since.activeMs) / passedMs : 0;
        since = { atMs, activeMs: active };
      }
      return part;
    },
  };
}

const eventLoopMs = () => nodePerformance.eventLoopUtilization().active;
