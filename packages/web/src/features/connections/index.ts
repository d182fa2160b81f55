export { ConnectionAlarms } from "./connections-warning.tsx";
export { useConnection, useConnections, useIsDown, useReconnect } from "./live-connections.ts";
export { ConnectionsWarning } from "./connections-warning.tsx";
