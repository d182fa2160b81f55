import { describe, expect, it } from "vitest";
import { createSeal } from "./seal.ts";

const plain = Buffer.from("chave de uma sessão");

describe("a seal", () => {
  it("opens what it closed, and never closes the same way twice", () => {
    const seal = createSeal("segredo");
    const first = seal.close(plain, "session 1");
    expect(seal.open(first, "session 1")).toEqual(plain);
    expect(seal.close(plain, "session 1")).not.toEqual(first);
    expect(first.includes(plain)).toBe(false);
  });

  it("opens nothing for another purpose, with another secret, or that was changed", () => {
    const seal = createSeal("segredo");
    const closed = seal.close(plain, "session 1");
    expect(() => seal.open(closed, "session 2")).toThrow();
    expect(() => createSeal("outro").open(closed, "session 1")).toThrow();
    const changed = Buffer.from(closed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => seal.open(changed, "session 1")).toThrow();
    expect(() => seal.open(closed.subarray(0, 20), "session 1")).toThrow();
  });
});
