export type FairShareOptions = {
  /** Tasks of all groups together that run at the same time. */
  slots: number;
  /** A busy group may run this many at the same time, however many other groups work. */
  least: number;
  /** A group may never run more than this. */
  most?: number;
  /** A waiting task is refused after this long; absent: never. */
  waitMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  /** Is told of each task that has ended. */
  onEnd?: (group: number, task: { usedMs: number; waitedMs: number }) => void;
};

/** Groups without a task for this long no longer count as working. */
const WORKING_MS = 3_000;
/** A group whose recent use is below this is light: about 280 ms in each second, for some seconds. */
const LIGHT_MS = 400;
/** The recent use of a group halves in this time. */
const HALF_LIFE_MS = 1_000;
/** Charged for a running task until its real duration is known. */
const EXPECTED_MS = 4;

type Begin = (release: () => void, waitedMs: number) => void;
type Waiter = {
  sinceMs: number;
  begin: Begin;
  isGone: boolean;
  timer: NodeJS.Timeout | undefined;
};

type Group = {
  id: number;
  running: number;
  queue: Waiter[];
  /** Waiters that have not been refused. */
  waiting: number;
  /** Milliseconds used, compared between groups: the one with the least is served next. */
  servedMs: number;
  /** Milliseconds used lately, at `lastMs`. */
  recentMs: number;
  lastMs: number;
};

/**
 * Slots that groups (companies) share by the time they use, not by the number of their tasks.
 *
 * A free slot goes to the waiting group that was served the least time. How many tasks of a group run at the same time is
 * limited, so that others find a slot free and the machine not full:
 * - the only group that works may use all slots but one, which is kept for the next group;
 * - a light group may use half of the slots;
 * - a busy group, while n groups work, may use an n-th of the slots, and never less than `least`.
 *
 * A task that waits begins at the latest when tasks of its own group, or of groups that were served less, have ended: limits are
 * never below one and time only grows, so no group starves. Nothing depends on a timer.
 */
export class FairShare {
  readonly #options: Required<Omit<FairShareOptions, "waitMs" | "onEnd">> &
    Pick<FairShareOptions, "waitMs" | "onEnd">;
  /** Groups that work, the ones with the oldest task first. */
  readonly #groups = new Map<number, Group>();
  readonly #lining = new Set<Group>();
  #free: number;
  /** The served time at which the last task began: a group that comes back is not paid for its absence. */
  #virtualMs = 0;

  constructor(options: FairShareOptions) {
    this.#options = { most: Infinity, now: () => performance.now(), ...options };
    this.#free = options.slots;
  }

  /** Calls `begin` now or when it is the group's turn; it must call `release` once. `refuse` is called after the time limit. */
  acquire(id: number, begin: Begin, refuse?: () => void): void {
    const now = this.#options.now();
    const group = this.#touch(id, now);
    if (group.waiting === 0 && this.#free > 0 && group.running < this.#limit(group, now)) {
      this.#start(group, begin, now, 0);
      return;
    }
    const waiter: Waiter = { sinceMs: now, begin, isGone: false, timer: undefined };
    const { waitMs } = this.#options;
    if (waitMs !== undefined && refuse) {
      waiter.timer = setTimeout(() => {
        waiter.isGone = true;
        group.waiting -= 1;
        if (group.waiting === 0) this.#forgetLine(group);
        refuse();
      }, waitMs);
    }
    group.queue.push(waiter);
    group.waiting += 1;
    this.#lining.add(group);
  }

  /** Tasks of a group that wait for their turn. */
  waitingOf(id: number): number {
    return this.#groups.get(id)?.waiting ?? 0;
  }

  /** How long the group's oldest waiting task has waited; 0 for none. */
  oldestOf(id: number): number {
    const oldest = this.#groups.get(id)?.queue.find(({ isGone }) => !isGone);
    return oldest ? this.#options.now() - oldest.sinceMs : 0;
  }

  /** Groups whose tasks run or wait now. */
  present(): { group: number; running: number; waiting: number; oldestMs: number }[] {
    return [...this.#groups.values()]
      .filter(({ running, waiting }) => running > 0 || waiting > 0)
      .map(({ id, running, waiting }) => ({
        ...{ group: id, running, waiting, oldestMs: this.oldestOf(id) },
      }));
  }

  #touch(id: number, now: number): Group {
    this.#expire(now);
    let group = this.#groups.get(id);
    if (group) this.#groups.delete(id);
    else {
      group = {
        ...{ id, running: 0, queue: [], waiting: 0, servedMs: this.#virtualMs },
        ...{ recentMs: 0, lastMs: now },
      };
    }
    if (group.running === 0 && group.waiting === 0) {
      group.servedMs = Math.max(group.servedMs, this.#virtualMs);
    }
    this.#decay(group, now);
    this.#groups.set(id, group);
    return group;
  }

  /** Forgets groups that no longer work. */
  #expire(now: number): void {
    for (const [id, group] of this.#groups) {
      if (now - group.lastMs < WORKING_MS) return;
      this.#groups.delete(id);
      if (group.running === 0 && group.waiting === 0) continue;
      this.#decay(group, now);
      this.#groups.set(id, group);
    }
  }

  #decay(group: Group, now: number): void {
    group.recentMs *= 2 ** ((group.lastMs - now) / HALF_LIFE_MS);
    group.lastMs = now;
  }

  #limit(group: Group, now: number): number {
    const { slots, least, most } = this.#options;
    const working = this.#groups.size;
    const isLight = group.recentMs * 2 ** ((group.lastMs - now) / HALF_LIFE_MS) < LIGHT_MS;
    const share = isLight ? slots / 2 : slots / working;
    const limit = working === 1 ? slots - 1 : Math.max(least, Math.floor(share));
    return Math.max(1, Math.min(limit, most));
  }

  #start(group: Group, begin: Begin, now: number, waitedMs: number): void {
    this.#free -= 1;
    group.running += 1;
    this.#virtualMs = Math.max(this.#virtualMs, group.servedMs);
    begin(() => this.#end(group, now, waitedMs), waitedMs);
  }

  #end(group: Group, beganMs: number, waitedMs: number): void {
    const now = this.#options.now();
    const usedMs = now - beganMs;
    this.#free += 1;
    group.running -= 1;
    group.servedMs += usedMs;
    this.#decay(group, now);
    group.recentMs += usedMs;
    this.#options.onEnd?.(group.id, { usedMs, waitedMs });
    while (this.#free > 0 && this.#lining.size > 0) {
      const next = this.#next(now);
      if (!next) return;
      this.#startWaiting(next, now);
    }
  }

  /** The waiting group that was served the least, of those that may run another task. */
  #next(now: number): Group | undefined {
    let next: Group | undefined;
    let least = Infinity;
    for (const group of this.#lining) {
      const due = group.servedMs + group.running * EXPECTED_MS;
      if (due < least && group.running < this.#limit(group, now)) {
        next = group;
        least = due;
      }
    }
    return next;
  }

  #startWaiting(group: Group, now: number): void {
    let waiter = group.queue.shift();
    while (waiter?.isGone) waiter = group.queue.shift();
    group.waiting -= 1;
    if (group.waiting === 0) this.#forgetLine(group);
    if (!waiter) return;
    clearTimeout(waiter.timer);
    this.#start(group, waiter.begin, now, now - waiter.sinceMs);
  }

  #forgetLine(group: Group): void {
    group.queue.length = 0;
    this.#lining.delete(group);
  }
}
