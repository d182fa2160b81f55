import { lazyPart } from "../../ui/lazy-part.tsx";

export { useConnection, useConnections, useIsDown, useReconnect } from "./api.ts";
/** The mark of the menu entry while a connection is lost. */
export const ConnectionsWarning = lazyPart(
  async () => (await import("./connections-warning.tsx")).ConnectionsWarning,
  "over",
  "first",
);
/** Follows the connections on every page, and tells admins of a lost one. */
export const ConnectionAlarms = lazyPart(
  async () => (await import("./connection-alarms.tsx")).ConnectionAlarms,
  "over",
  "first",
);
