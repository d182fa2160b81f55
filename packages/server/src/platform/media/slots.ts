/** Lets a few things happen at a time; the others wait their turn. */
export type Slots = {
  /** Resolves when a slot is free; the caller gives it back by calling what it got, once. */
  take(): Promise<() => void>;
};

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];

  function giveBack(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return giveBack;
    },
  };
}
