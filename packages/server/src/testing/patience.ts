import { vi } from "vitest";

const { waitFor } = vi;

/** Time limit of waits in tests. It ends a wait for an event that never comes; slow events on a busy machine stay within it. */
const patience = { timeout: 40_000 };

/** Sets the default of `vi.waitFor`; the configuration can set it only for `expect.poll`. */
export function waitPatiently(): void {
  vi.waitFor = (check, options = {}) =>
    waitFor(check, typeof options === "number" ? options : { ...patience, ...options });
}
