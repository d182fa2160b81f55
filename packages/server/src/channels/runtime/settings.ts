/** Times and limits of the channel runtime; tests shorten them. */
export type ChannelSettings = {
  /** A lease not renewed for this long is free. */
  leaseMs: number;
  renewEveryMs: number;
  /** Without a successful renewal for this long the session is closed; well before anyone else may take the lease. */
  closeAfterMs: number;
  /** The supervisor looks this often even when nobody wakes it; so do the pumps. */
  lookEveryMs: number;
  /** Sessions that may be in the act of starting: so many that were cut together do not come back as a storm. */
  startsAtOnce: number;
  /** One that has said nothing for this long after its start keeps the next ones waiting no more. */
  startHoldMs: number;
  /** Waits before the next session after the network closed one; the last one repeats. */
  reconnectDelaysMs: readonly number[];
  /** The same after the service itself failed. */
  serviceDelaysMs: readonly number[];
  /** So many sessions in a row may ask for the next one at once; further ones wait as after a failure of the service. */
  restartsInARow: number;
  /** A session that was connected this long starts again at the first of these waits. */
  steadyAfterMs: number;
  /** A session that reports nothing for this long after its start is given up and started again. */
  openingMs: number;
  /** After "another client uses this link": one more try after this wait. */
  replacedRetryMs: number;
  /** Longest wait for a provider to close and for what is under way to end, at a stop. */
  stopMs: number;
  /** Events of all connections that are handled at the same time in this process. */
  inboundAtOnce: number;
  /** Waits after a failed handling; one failure more and the event is given up. */
  inboundRetriesMs: readonly number[];
  /** Events of a connection that wait in memory; further ones wait in the journal only. */
  backlogInMemory: number;
  /** Chats of one connection that are sent to at the same time. */
  chatsAtOnce: number;
  /** A send without an answer for this long has an unknown outcome. */
  sendMs: number;
  /** The same for a message with a file. */
  sendFileMs: number;
  /** A message whose fate is unknown is not sent again once it is older than this. */
  resendWithinMs: number;
  /** Waits before a refused-for-now or unknown send is tried again. */
  outboundRetriesMs: readonly number[];
  /** Files of one connection that are fetched at the same time, and of all connections of this process. */
  filesPerConnection: number;
  filesAtOnce: number;
  /** Waits after a file could not be fetched; one failure more and it is given up. */
  fileRetriesMs: readonly number[];
  /** Longest time for a whole file, and between two pieces of it. */
  fileMs: number;
  fileStallMs: number;
  /** A number check that takes longer has no answer. */
  answerMs: number;
  /** Longest wait for one profile picture, and how many are asked for in one round. */
  pictureMs: number;
  picturesAtOnce: number;
  /** Between two looks for contacts whose picture is to be asked for. */
  picturesEveryMs: number;
};

export const defaultSettings: ChannelSettings = {
  leaseMs: 20_000,
  renewEveryMs: 5_000,
  closeAfterMs: 12_000,
  lookEveryMs: 2_000,
  startsAtOnce: 5,
  startHoldMs: 1_500,
  reconnectDelaysMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  serviceDelaysMs: [5_000, 10_000, 30_000, 60_000],
  restartsInARow: 3,
  steadyAfterMs: 60_000,
  openingMs: 60_000,
  replacedRetryMs: 30_000,
  stopMs: 30_000,
  inboundAtOnce: 10,
  inboundRetriesMs: [100, 500, 2_000, 5_000],
  backlogInMemory: 2_000,
  chatsAtOnce: 8,
  sendMs: 30_000,
  sendFileMs: 5 * 60_000,
  resendWithinMs: 10 * 60_000,
  outboundRetriesMs: [1_000, 3_000, 10_000, 30_000],
  filesPerConnection: 3,
  filesAtOnce: 12,
  fileRetriesMs: [1_000, 10_000, 60_000, 10 * 60_000],
  fileMs: 15 * 60_000,
  fileStallMs: 30_000,
  answerMs: 5_000,
  pictureMs: 2_000,
  picturesAtOnce: 5,
  picturesEveryMs: 30_000,
};

/** The wait before try number `step` (from 0); the last of the list repeats. */
export function waitAt(waitsMs: readonly number[], step: number): number {
  return waitsMs[Math.min(step, waitsMs.length - 1)] ?? 0;
}
