import { lazyPart } from "../../../ui/lazy-part.tsx";

/** The strip of colleagues who have the ticket open; its code loads after the first screen. */
export const LazyViewers = lazyPart(
  async () => (await import("./viewers.tsx")).Viewers,
  "inline",
  "first",
);
