import { useState } from "react";

/** Which of `count` options is marked, by the keys that move the mark; it starts at the first one of each `list`. */
export function useActiveOption(list: unknown, count: number) {
  const [mark, setMark] = useState({ list, index: 0 });
  const index = mark.list === list ? Math.min(mark.index, Math.max(0, count - 1)) : 0;
  const point = (next: number): void => setMark({ list, index: next });
  return {
    index,
    point,
    /** Whether the key was one that moves the mark. Both ends join. */
    takeKey(key: string): boolean {
      if (key !== "ArrowDown" && key !== "ArrowUp") return false;
      if (count > 0) point((index + (key === "ArrowDown" ? 1 : count - 1)) % count);
      return true;
    },
  };
}
