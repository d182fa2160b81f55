/**
 * Settings of the embedded server, for a small machine that it shares with the application. They are given on its command
 * line, so every start has the present ones, whatever made the cluster. What is not named here can be set in the
 * cluster's postgresql.conf.
 */
const defaults: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",

  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  // Two cores are shared with node: a query that spreads over both would hold up everybody else.
  max_parallel_workers_per_gather: "0",
  jit: "off",
  random_page_cost: "1.1",

  synchronous_commit: "on",
  wal_compression: "on",
  max_wal_size: "512MB",
  checkpoint_timeout: "10min",
  autovacuum_vacuum_scale_factor: "0.05",
  autovacuum_analyze_scale_factor: "0.05",

  // A query of a process that was killed ends at once, and with it its locks.
  client_connection_check_interval: "1s",
  // What the server writes down must not hold data of a company: no statements, no values, no details.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

/** Arguments of the server for the defaults and what replaces or completes them. */
export function settingArguments(extra: Record<string, string>): string[] {
  return Object.entries({ ...defaults, ...extra }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
}
