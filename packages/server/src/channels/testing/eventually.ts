import { vi } from "vitest";

/** Waits until the check passes: long enough for a busy machine, and no longer than needed. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { interval: 20 });
}
