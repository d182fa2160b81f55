export type FairShareOptions = {
  /** Tasks of all groups together that run at the same time. */
  slots: number;
  /** A busy group may run this many at the same time, however many other groups work. */
  least: number;
  /** A group may never run more than this. */
  most?: number;
  /** How much a group may use while others work; absent: as much as there are slots for. */
  pace?: Pace;
  /** A waiting task is refused after this long; absent: never. */
  waitMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  /** Is told of each task that has ended. */
  onEnd?: (group: number, task: { usedMs: number; waitedMs: number }) => void;
};

/** A group's use is a debt that time pays off. */
type Pace = {
  /** Milliseconds that are paid off in each millisecond: a part of one processor. */
  part: number;
  /** Processors of which every working group may have an equal part, where that is more. Absent: 0. */
  processors?: number;
  /** A group waits while its debt is larger than this. */
  burstMs: number;
  /** The group's tasks that wait elsewhere, on their way here. Absent: none. */
  waitingElsewhere?: (group: number) => number;
  /** Whether more is asked for than all get done, though nothing waits here. Absent: never. */
  isFull?: () => boolean;
  /** Whether the group asks for far more than others; `isFlooding`: it did until now. Absent: always. */
  asksTooMuch?: (group: number, isFlooding: boolean) => boolean;
};

/** Groups without a task for this long no longer count as working. */
const WORKING_MS = 3_000;
/** A group whose recent use is below this is light: about 280 ms in each second, for some seconds. */
const LIGHT_MS = 400;
/** The recent use of a group halves in this time. */
const HALF_LIFE_MS = 1_000;
/** A group with a debt begins to flood while this many of its tasks run or wait, or everything is full, */
const BACKLOG = 10;
/** and one without a debt while this many do. */
const LARGE_BACKLOG = 50;
/** Charged for a running task until its real duration is known. */
const EXPECTED_MS = 4;
/** The same where much at once tells of a flood before its first task has ended. */
const EXPECTED_DEBT_MS = 10;
/** A line that was empty catches up no more than this. */
const MOST_LEAD_MS = 100;
/** A paced task lets the tasks of other groups end first, but waits no longer than this for it. */
const YIELD_MS = 40;
/** The largest debt of a group whose tasks take long, as time until it is paid off. */
const LONGEST_DEBT_MS = 5_000;

type Optional = "pace" | "waitMs" | "onEnd";
/** A group's tasks wait in two lines, so that many of one kind do not hold up the other. */
export type Line = 0 | 1;
type Turn = { waitedMs: number; isPaced: boolean };
type Begin = (release: () => void, turn: Turn) => void;
type Waiter = {
  sinceMs: number;
  begin: Begin;
  line: Line;
  isGone: boolean;
  timer: NodeJS.Timeout | undefined;
};

type Group = {
  id: number;
  running: number;
  /** Two lines, of which the one that was served less is next. */
  lines: [Waiter[], Waiter[]];
  nextLine: Line;
  /** How much longer the first line was served than the second. */
  leadMs: number;
  /** Waiters that have not been refused. */
  waiting: number;
  /** Milliseconds used, compared between groups: the one with the least is served next. */
  servedMs: number;
  /** Milliseconds used lately, at `lastMs`. */
  recentMs: number;
  lastMs: number;
  /** Milliseconds used and not paid off yet, at `lastMs`. */
  debtMs: number;
  /** Whether the pace holds it back: from half of what it may use at once, until nothing waits and all is paid off, or it asks for no more than others. */
  isFlooding: boolean;
  /** Since when its next task waits only for the tasks of others. */
  yieldsSinceMs: number | null;
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
 * With a pace, a group that floods is held back further while others work: its tasks run one at a time, begin when no task of an
 * unpaced group runs, and wait until its debt is paid off. A group floods when its debt grows, its tasks pile up, and it asks for
 * far more than others. One that works alone, or with flooding ones only, is not held back and makes no debt beyond `burstMs`.
 *
 * A task that waits begins at the latest when tasks of its own group, or of groups that were served less, have ended, and its
 * group's debt is paid off: limits are never below one and time only grows, so no group starves.
 */
export class FairShare {
  readonly #options: Required<Omit<FairShareOptions, Optional>> & Pick<FairShareOptions, Optional>;
  /** Groups that work, the ones with the oldest task first. */
  readonly #groups = new Map<number, Group>();
  readonly #lining = new Set<Group>();
  #free: number;
  /** Running tasks that began unpaced. */
  #unpaced = 0;
  /** Groups of `#groups` that flood. */
  #flooding = 0;
  #timer: { timeout: NodeJS.Timeout; atMs: number } | undefined;
  /** The served time at which the last task began: a group that comes back is not paid for its absence. */
  #virtualMs = 0;

  constructor(options: FairShareOptions) {
    this.#options = { most: Infinity, now: () => performance.now(), ...options };
    this.#free = options.slots;
  }

  /** Calls `begin` now or when it is the group's turn; it must call `release` once. `refuse` is called after the time limit. */
  acquire(id: number, begin: Begin, refuse?: () => void, line: Line = 0): void {
    const now = this.#options.now();
    const group = this.#touch(id, now);
    if (group.waiting === 0 && this.#free > 0 && this.#mayBegin(group, now)) {
      this.#start(group, { begin, line }, now, 0);
      return;
    }
    const waiter: Waiter = { sinceMs: now, begin, line, isGone: false, timer: undefined };
    const { waitMs } = this.#options;
    if (waitMs !== undefined && refuse) {
      waiter.timer = setTimeout(() => {
        waiter.isGone = true;
        group.waiting -= 1;
        if (group.waiting === 0) this.#forgetLine(group);
        refuse();
      }, waitMs);
    }
    group.lines[line].push(waiter);
    group.waiting += 1;
    this.#lining.add(group);
    this.#serveLater(now);
  }

  /** Resolves when it is the group's turn, with what ends the task. */
  take(id: number): Promise<() => void> {
    return new Promise((resolve) => this.acquire(id, resolve));
  }

  /** Adds to the group's debt what it used otherwise than by a task. */
  charge(id: number, usedMs: number): void {
    this.#owe(this.#touch(id, this.#options.now()), usedMs);
  }

  /** Whether the pace holds the group back now. */
  isHeldBack(id: number): boolean {
    const group = this.#groups.get(id);
    return group !== undefined && this.#isPaced(group, this.#options.now());
  }

  /** Tasks of a group that wait for their turn. */
  waitingOf(id: number): number {
    return this.#groups.get(id)?.waiting ?? 0;
  }

  /** How long the group's oldest waiting task has waited; 0 for none. */
  oldestOf(id: number): number {
    const now = this.#options.now();
    const first = (this.#groups.get(id)?.lines ?? []).flatMap(
      (line) => line.find(({ isGone }) => !isGone) ?? [],
    );
    return Math.max(0, ...first.map(({ sinceMs }) => now - sinceMs));
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
    if (!group) {
      group = {
        ...{
          id,
          running: 0,
          lines: [[], []],
          nextLine: 0,
          leadMs: 0,
          waiting: 0,
          servedMs: this.#virtualMs,
        },
        ...{ recentMs: 0, lastMs: now, debtMs: 0, isFlooding: false, yieldsSinceMs: null },
      };
    }
    if (group.running === 0 && group.waiting === 0) {
      group.servedMs = Math.max(group.servedMs, this.#virtualMs);
    }
    // As the last one; only then do all count that work.
    this.#groups.delete(id);
    this.#groups.set(id, group);
    this.#decay(group, now);
    return group;
  }

  /** Forgets groups that no longer work. */
  #expire(now: number): void {
    for (const [id, group] of this.#groups) {
      if (now - group.lastMs < WORKING_MS) return;
      this.#groups.delete(id);
      if (group.running === 0 && group.waiting === 0) {
        this.#setFlooding(group, false);
        continue;
      }
      this.#decay(group, now);
      this.#groups.set(id, group);
    }
  }

  #decay(group: Group, now: number): void {
    group.recentMs = decayed(group.recentMs, now - group.lastMs, HALF_LIFE_MS);
    group.debtMs = this.#debtOf(group, now);
    group.lastMs = now;
  }

  #part(): number {
    const { part = 0, processors = 0 } = this.#options.pace ?? {};
    return Math.max(part, processors / Math.max(1, this.#groups.size));
  }

  #debtOf(group: Group, now: number): number {
    return Math.max(0, group.debtMs - this.#part() * (now - group.lastMs));
  }

  #owe(group: Group, usedMs: number): void {
    const { pace } = this.#options;
    if (!pace) return;
    if (this.#startsFlooding(group, group.debtMs + usedMs)) this.#setFlooding(group, true);
    const isHeldBack = group.isFlooding && this.#hasLightOthers(group);
    const most = pace.burstMs + (isHeldBack ? this.#part() * LONGEST_DEBT_MS : 0);
    group.debtMs = Math.min(group.debtMs + usedMs, Math.max(most, group.debtMs));
  }

  /** Whether it is to be held back from now on. */
  #startsFlooding({ id, running, waiting }: Group, debtMs: number): boolean {
    const { pace } = this.#options;
    if (!pace) return false;
    const backlog = running + waiting + (pace.waitingElsewhere?.(id) ?? 0);
    if (backlog < LARGE_BACKLOG) {
      if (debtMs <= pace.burstMs / 2) return false;
      if (backlog < BACKLOG && !(pace.isFull?.() ?? false)) return false;
    }
    return pace.asksTooMuch?.(id, false) ?? true;
  }

  #setFlooding(group: Group, isFlooding: boolean): void {
    if (group.isFlooding === isFlooding) return;
    group.isFlooding = isFlooding;
    this.#flooding += isFlooding ? 1 : -1;
  }

  /** Whether other groups work that do not flood: without one, holding back a flooding group would help nobody. */
  #hasLightOthers(group: Group): boolean {
    return this.#groups.size - this.#flooding > (group.isFlooding ? 0 : 1);
  }

  #isPaced(group: Group, now: number): boolean {
    const { pace } = this.#options;
    if (!pace) return false;
    const debtMs = this.#debtOf(group, now);
    if (group.waiting === 0 && debtMs === 0) this.#setFlooding(group, false);
    if (!this.#hasLightOthers(group)) return false;
    if (group.isFlooding && pace.asksTooMuch?.(group.id, true) !== false) return true;
    this.#setFlooding(group, false);
    return this.#startsFlooding(group, debtMs + group.running * EXPECTED_DEBT_MS);
  }

  #mayBegin(group: Group, now: number): boolean {
    return group.running < this.#limit(group, now) && this.#delayOf(group, now) === 0;
  }

  /** How long the pace holds back the group's next task, as far as no task ends before. */
  #delayOf(group: Group, now: number): number {
    const { pace } = this.#options;
    if (!pace || !this.#isPaced(group, now)) return 0;
    if (group.running > 0) return Infinity;
    const owedMs = this.#debtOf(group, now) - pace.burstMs;
    if (owedMs > 0) return owedMs / this.#part();
    if (this.#unpaced === 0) return 0;
    group.yieldsSinceMs ??= now;
    return Math.max(0, group.yieldsSinceMs + YIELD_MS - now);
  }

  #limit(group: Group, now: number): number {
    const { slots, least, most } = this.#options;
    const working = this.#groups.size;
    const recentMs = decayed(group.recentMs, now - group.lastMs, HALF_LIFE_MS);
    const isLight = recentMs < LIGHT_MS;
    const share = isLight ? slots / 2 : slots / working;
    const limit = working === 1 ? slots - 1 : Math.max(least, Math.floor(share));
    return Math.max(1, Math.min(limit, most));
  }

  #start(
    group: Group,
    { begin, line }: { begin: Begin; line: Line },
    now: number,
    waitedMs: number,
  ): void {
    const isPaced = this.#isPaced(group, now);
    this.#free -= 1;
    if (!isPaced) this.#unpaced += 1;
    group.running += 1;
    group.yieldsSinceMs = null;
    this.#virtualMs = Math.max(this.#virtualMs, group.servedMs);
    const release = (): void => {
      if (!isPaced) this.#unpaced -= 1;
      const lead = group.leadMs + (this.#options.now() - now) * (line === 0 ? 1 : -1);
      group.leadMs = Math.min(MOST_LEAD_MS, Math.max(-MOST_LEAD_MS, lead));
      this.#end(group, now, waitedMs);
    };
    begin(release, { waitedMs, isPaced });
  }

  #end(group: Group, beganMs: number, waitedMs: number): void {
    const now = this.#options.now();
    const usedMs = now - beganMs;
    this.#free += 1;
    group.running -= 1;
    group.servedMs += usedMs;
    this.#decay(group, now);
    group.recentMs += usedMs;
    this.#owe(group, usedMs);
    this.#options.onEnd?.(group.id, { usedMs, waitedMs });
    this.#serve(now);
  }

  #serve(now: number): void {
    while (this.#free > 0 && this.#lining.size > 0) {
      const next = this.#next(now);
      if (!next) break;
      this.#startWaiting(next, now);
    }
    this.#serveLater(now);
  }

  /** Looks again when the pace lets a waiting group's task begin. */
  #serveLater(now: number): void {
    if (!this.#options.pace) return;
    let delayMs = Infinity;
    for (const group of this.#lining) {
      // Without a delay it waits for the end of a task, which looks again.
      delayMs = Math.min(delayMs, this.#delayOf(group, now) || Infinity);
    }
    if (delayMs === Infinity) return;
    const atMs = now + delayMs;
    if (this.#timer && this.#timer.atMs <= atMs) return;
    clearTimeout(this.#timer?.timeout);
    const look = () => {
      this.#timer = undefined;
      const later = this.#options.now();
      this.#expire(later);
      this.#serve(later);
    };
    this.#timer = { timeout: setTimeout(look, Math.ceil(delayMs)), atMs };
  }

  /** The waiting group that was served the least, of those that may run another task. */
  #next(now: number): Group | undefined {
    let next: Group | undefined;
    let least = Infinity;
    for (const group of this.#lining) {
      const due = group.servedMs + group.running * EXPECTED_MS;
      if (due < least && this.#mayBegin(group, now)) {
        next = group;
        least = due;
      }
    }
    return next;
  }

  #startWaiting(group: Group, now: number): void {
    const { leadMs, nextLine } = group;
    const behind = leadMs < 0 ? 0 : 1;
    const line = leadMs === 0 ? nextLine : behind;
    const other = line === 0 ? 1 : 0;
    const waiter = firstOf(group.lines[line]) ?? firstOf(group.lines[other]);
    group.nextLine = other;
    group.waiting -= 1;
    if (group.waiting === 0) this.#forgetLine(group);
    if (!waiter) return;
    clearTimeout(waiter.timer);
    this.#start(group, waiter, now, now - waiter.sinceMs);
  }

  #forgetLine(group: Group): void {
    for (const line of group.lines) line.length = 0;
    this.#lining.delete(group);
  }
}

/** The value after a time in which it halved once per half-life. */
export const decayed = (value: number, passedMs: number, halfLifeMs: number): number =>
  value * 2 ** (-passedMs / halfLifeMs);

/** Takes the first that has not been refused meanwhile. */
function firstOf(line: Waiter[]): Waiter | undefined {
  let waiter = line.shift();
  while (waiter?.isGone) waiter = line.shift();
  return waiter;
}
