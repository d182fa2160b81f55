export { LiveSession } from "./live.ts";
export { useSession, useStoredSession } from "./session.ts";
export { useSubscriptionWarning } from "./subscription-warning.ts";
