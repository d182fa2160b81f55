/** So many bars stand for an audio (ui.md section 3: 22 to 30). */
const BARS = 28;
const LOWEST = 12;

/**
 * Heights of an audio's bars in percent: its levels (0 to 100) brought to the number of bars. Without levels all are
 * low: nothing is made up.
 */
export function barsOf(waveform: readonly number[] | null): readonly number[] {
  const levels = waveform ?? [];
  return Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * levels.length) / BARS);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * levels.length) / BARS));
    const part = levels.slice(from, to);
    return Math.max(LOWEST, Math.min(100, Math.round(Math.max(0, ...part))));
  });
}
