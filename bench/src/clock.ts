/** Milliseconds on the machine's monotonic clock, the same in all its processes. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
