/**
 * The size of randomized tests. `npm test` runs a small size with a fixed seed; `npm run soak` runs the same tests in full
 * size with a new seed. The seed is in the tests' names, and BALCAO_SEED repeats it in either size.
 */
const isSoak = process.env["BALCAO_SOAK"] === "1";

export const seed = readSeed(process.env["BALCAO_SEED"]);

/** The size of a test: in `npm test`, and in `npm run soak`. */
export function sized(sizes: { test: number; soak: number }): number {
  return isSoak ? sizes.soak : sizes.test;
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function readSeed(text: string | undefined): number {
  if (text === undefined || text === "") return 20_261_120;
  if (!/^\d{1,9}$/.test(text))
    throw new Error(`BALCAO_SEED is no number of 1 to 9 digits: ${text}`);
  return Number(text);
}
