import { lazyPart } from "../../ui/lazy-part.tsx";

export { useConnection, useConnections, useIsDown, useReconnect } from "./api.ts";
export { ConnectionsWarning } from "./connections-warning.tsx";
/** Follows the connections on every page, and tells admins of a lost one. */
export const ConnectionAlarms = lazyPart(
  async () => (await import("./connection-alarms.tsx")).ConnectionAlarms,
  "over",
  "first",
);
