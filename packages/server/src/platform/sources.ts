import { randomBytes, randomInt } from "node:crypto";
import { v7 } from "uuid";

/** The time, passed in so that tests can set it. */
export type Clock = { now(): Date };
/** New public ids: UUID version 7, growing with time. */
export type IdSource = { uuid(): string };
/** Randomness for secrets, codes and jitter. */
export type Random = {
  /** Lower-case hex digits, two per byte. */
  hex(bytes: number): string;
  /** Integer in [min, max). */
  integer(min: number, max: number): number;
};

export type Sources = { clock: Clock; ids: IdSource; random: Random };

export const systemSources: Sources = {
  clock: { now: () => new Date() },
  ids: { uuid: () => v7() },
  random: { hex: (bytes) => randomBytes(bytes).toString("hex"), integer: randomInt },
};
