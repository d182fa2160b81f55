export { ConnectionAlarms } from "./connection-alarms.ts";
export { useConnection, useConnections, useIsDown, useReconnect } from "./live-connections.ts";
export { ConnectionsWarning } from "./connections-warning.tsx";
