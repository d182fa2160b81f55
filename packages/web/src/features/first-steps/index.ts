import { lazyPart } from "../../ui/lazy-part.tsx";

export { mayHaveSteps } from "./memory.ts";

/** The first steps of an admin's company, or the way to them. */
export const FirstSteps = lazyPart(
  async () => (await import("./first-steps.tsx")).FirstSteps,
  "inline",
  "provider",
);
