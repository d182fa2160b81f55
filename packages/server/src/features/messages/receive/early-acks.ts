import type { ConnectionId } from "@balcao/contract";

const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;

/**
 * Acknowledgements of messages that are not stored yet: the ack of a message written on the company's phone can come by
 * another address of the chat, ahead of the message. Kept for a minute (behaviour 1.2), by the process that has the
 * connection; reading does not remove, because the reader's transaction may be tried again.
 */
export function createEarlyAcks() {
  /** In the order of their times. */
  const kept = new Map<string, { level: number; until: number }>();

  function forgetOld(nowMs: number): void {
    for (const [key, { until }] of kept) {
      if (until > nowMs && kept.size <= KEPT_MAX) return;
      kept.delete(key);
    }
  }

  return {
    keep(connectionId: ConnectionId, providerId: string, level: number, now: Date): void {
      const key = `${connectionId} ${providerId}`;
      const known = kept.get(key)?.level ?? 0;
      kept.delete(key);
      kept.set(key, { level: Math.max(known, level), until: now.getTime() + KEPT_MS });
      forgetOld(now.getTime());
    },

    /** The highest level that came, 0 for none. */
    levelOf(connectionId: ConnectionId, providerId: string, now: Date): number {
      const ack = kept.get(`${connectionId} ${providerId}`);
      return ack && ack.until > now.getTime() ? ack.level : 0;
    },
  };
}

export type EarlyAcks = ReturnType<typeof createEarlyAcks>;
