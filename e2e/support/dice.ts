import { seededRandom } from "@balcao/server/src/testing/soak.ts";

/** Random choices that are the same for the same seed. */
export type Dice = {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** One of them; undefined when there is none. */
  pick<T>(choices: readonly T[]): T | undefined;
  /** True in `share` (0 to 1) of all throws. */
  isLucky(share: number): boolean;
  /** Dice of its own for somebody else, so that the one's choices do not depend on how often the other threw. */
  split(): Dice;
};

export function createDice(seed: number): Dice {
  const random = seededRandom(seed);
  const between = (least: number, most: number): number =>
    least + Math.floor(random() * (most - least + 1));
  return {
    between,
    pick: (choices) => choices[between(0, choices.length - 1)],
    isLucky: (share) => random() < share,
    split: () => createDice(between(1, 2 ** 31)),
  };
}
