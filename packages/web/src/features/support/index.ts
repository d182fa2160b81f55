import { lazyPart } from "../../ui/lazy-part.tsx";

/** On every page of a visit: where the visitor is, for how long, and the way out. */
export const SupportStrip = lazyPart(
  async () => (await import("./support-strip.tsx")).SupportStrip,
  "inline",
  "provider",
);
/** The way into a company. */
export const EnterQuestion = lazyPart(
  async () => (await import("./enter-question.tsx")).EnterQuestion,
  "over",
  "provider",
);
