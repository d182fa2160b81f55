import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "pg";

// The two halves of the key; any numbers would do.
const [keyHigh, keyLow] = [0x42616c63, 0x616f];

/**
 * Takes the lock which the one process that serves an installation holds, for the life of this connection. The
 * database frees it the moment that process dies, however it dies; no process number can lie about it. Waits a second
 * for the session of a process that was just killed.
 */
export async function takeInstallationLock(client: Client, patienceMs = 1_000): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const reply = await client.query<{ taken: boolean }>(
      "SELECT pg_try_advisory_lock($1, $2) AS taken",
      [keyHigh, keyLow],
    );
    if (reply.rows[0]?.taken === true) return true;
    if (performance.now() > deadline) return false;
    await delay(50);
  }
}

/** Who holds it, in the words of `application_name`. */
export async function installationHolder(client: Client): Promise<string> {
  const reply = await client.query<{ holder: string }>(
    `SELECT a.application_name AS holder
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2`,
    [keyHigh, keyLow],
  );
  return reply.rows[0]?.holder ?? "another process";
}
