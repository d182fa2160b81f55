/** The value below which `share` (0 to 1) of the numbers lie; NaN without numbers. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
  return sorted[Math.max(0, place)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
