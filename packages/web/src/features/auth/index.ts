import { lazyPart } from "../../ui/lazy-part.tsx";

export { LiveSession } from "./live.ts";
export { PageSession, seesAllTickets, useSession, useStoredSession } from "./session.ts";
export const SubscriptionWarning = lazyPart(
  async () => (await import("./subscription-warning.ts")).SubscriptionWarning,
  "over",
);
