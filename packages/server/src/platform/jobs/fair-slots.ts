type Waiting = { queue: (() => void)[]; head: number };

/**
 * A limited number of slots shared by groups (companies). Waiting tasks get them in turns by group, so that a group with a
 * thousand waiting tasks delays another group's next task by one task, not by a thousand.
 */
export class FairSlots {
  #free: number;
  /** Groups with waiting tasks, in the order of their turns. */
  readonly #groups = new Map<number, Waiting>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Calls `begin` with a slot, now or when its turn comes; the holder calls `release` once. */
  acquire(group: number, begin: () => void): void {
    if (this.#free > 0) {
      this.#free -= 1;
      begin();
      return;
    }
    const waiting = this.#groups.get(group);
    if (waiting) waiting.queue.push(begin);
    else this.#groups.set(group, { queue: [begin], head: 0 });
  }

  release(): void {
    const next = this.#next();
    if (next) next();
    else this.#free += 1;
  }

  /** Runs a task in a slot. */
  async run<T>(group: number, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => this.acquire(group, resolve));
    try {
      return await task();
    } finally {
      this.release();
    }
  }

  #next(): (() => void) | undefined {
    for (const [group, waiting] of this.#groups) {
      const begin = waiting.queue[waiting.head];
      waiting.head += 1;
      // To the end of the line, unless it was the group's last.
      this.#groups.delete(group);
      if (waiting.head < waiting.queue.length) this.#groups.set(group, waiting);
      return begin;
    }
    return undefined;
  }
}
