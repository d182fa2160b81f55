/** SQLSTATE classes of a database that cannot serve now: connection, resources (full disk), operator, I/O. */
const UNAVAILABLE_CLASSES = ["08", "53", "57P", "58"];

/** Read-only after a failover, cancelled by a time limit, lock not granted, conflicts left after the retries. */
const UNAVAILABLE_STATES = new Set(["25006", "25P03", "57014", "55P03", "40001", "40P01"]);

const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOSPC",
]);

/** What the driver and its pool throw without any code. */
const DRIVER_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|Query read timeout)/;

/** Whether the failure means "not now" (the database is away, overloaded or full) rather than a fault of ours. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  return isUnavailableItself(error) || isUnavailable(error.cause);
}

function isUnavailableItself(error: Error): boolean {
  if ("code" in error && typeof error.code === "string") {
    const { code } = error;
    if (NETWORK_CODES.has(code) || UNAVAILABLE_STATES.has(code)) return true;
    // SQLSTATEs have five characters; the framework's own codes are longer.
    if (code.length === 5) return UNAVAILABLE_CLASSES.some((prefix) => code.startsWith(prefix));
  }
  return DRIVER_MESSAGES.test(error.message);
}
