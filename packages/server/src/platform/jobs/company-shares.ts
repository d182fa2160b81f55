import type { CompanyId } from "@balcao/contract";
import { DomainError } from "../context.ts";
import { FairShare } from "./fair-share.ts";

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
  /** Is told of each wait for a turn, and of each refusal. */
  onWait?: (door: Door, waitedMs: number) => void;
  onRefused?: (door: Door) => void;
  now?: () => number;
};

/** Where work waits: for a connection to the database, or for the company's own searches. */
export type Door = "database" | "search";

/** How companies share this process, and what each of them used. */
export type CompanyShares = {
  /** Runs a transaction of a company when it is the company's turn. */
  inTransaction<T>(companyId: CompanyId, work: () => Promise<T>): Promise<T>;
  /** Counts a call. Throws ERR_COMPANY_BUSY while too much of the company's work waits. */
  admitCall(companyId: CompanyId): void;
  /** Resolves when the company may search; the result ends the search. Rejects with ERR_COMPANY_BUSY after a while. */
  beginSearch(companyId: CompanyId): Promise<() => void>;
  /** Counters of the company, to be added to. */
  useOf(companyId: CompanyId): CompanyUse;
  /** The counters of all companies; they begin at zero again. */
  takeUse(): Map<CompanyId, CompanyUse>;
  /** Companies whose work runs or waits in this process. */
  present(): WaitingCompany[];
};

/** A user gives up by then; what works in the background is tried again. */
const TURN_MS = 10_000;

export function createCompanyShares(options: CompanyShareOptions): CompanyShares {
  const { connections, least, waiting, searches, onWait, onRefused } = options;
  const isOn = least > 0;
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
  const database = new FairShare({
    ...{ slots: connections, least: isOn ? least : connections, waitMs: TURN_MS, ...clock },
    onEnd: told("database"),
  });
  const searching = new FairShare({
    ...{ slots: Infinity, least: searches, most: searches, waitMs: TURN_MS, ...clock },
    onEnd: told("search"),
  });

  function refuse(companyId: CompanyId, door: Door, retryAfterSeconds: number): DomainError {
    useOf(companyId).refused += 1;
    onRefused?.(door);
    return new DomainError("ERR_COMPANY_BUSY", { retryAfterSeconds });
  }

  function take(share: FairShare, companyId: CompanyId, door: Door): Promise<() => void> {
    return new Promise((resolve, reject) => {
      share.acquire(companyId, resolve, () => reject(refuse(companyId, door, TURN_MS / 1_000)));
    });
  }

  return {
    async inTransaction(companyId, work) {
      const release = await take(database, companyId, "database");
      try {
        return await work();
      } finally {
        release();
      }
    },

    admitCall(companyId) {
      const use = useOf(companyId);
      use.calls += 1;
      if (!isOn || database.waitingOf(companyId) < waiting) return;
      const oldestMs = database.oldestOf(companyId);
      throw refuse(companyId, "database", Math.max(1, Math.ceil(oldestMs / 1_000)));
    },

    async beginSearch(companyId) {
      useOf(companyId).searches += 1;
      return isOn ? take(searching, companyId, "search") : () => undefined;
    },

    useOf,

    takeUse() {
      const taken = uses;
      uses = new Map();
      return taken;
    },

    present: () =>
      database.present().map(({ group, ...figures }) => ({
        companyId: group as CompanyId, // groups are companies
        ...figures,
      })),
  };
}
