import { lazyPart } from "../../../ui/lazy-part.tsx";

/** Who else has the ticket open. */
export const LazyViewers = lazyPart(
  async () => (await import("./viewers.tsx")).Viewers,
  "inline",
  "first",
);
