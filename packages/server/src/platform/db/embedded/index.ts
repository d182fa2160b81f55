export { InstallationInUse } from "./installation-in-use.ts";
export { startEmbeddedPostgres, type EmbeddedPostgres } from "./start.ts";
