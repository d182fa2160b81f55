export { ConnectionAlarms } from "./connections-warning.tsx";
export { useConnection, useConnections, useIsDown, useReconnect } from "./api.ts";
export { ConnectionsWarning } from "./connections-warning.tsx";
