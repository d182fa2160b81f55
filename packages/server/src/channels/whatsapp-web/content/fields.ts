/**
 * What a field of the network's messages holds, whatever it is: they come from other people's phones, and a missing or
 * foreign value is no error but nothing.
 */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The first text that says something. */
export function firstText(...values: readonly unknown[]): string {
  return values.map(textOf).find((text) => text.trim() !== "") ?? "";
}

export function listOf<T>(value: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

/** Zero for what is no number, or none that counts something. */
export function countOf(value: unknown): number {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(Math.round(number)) && number > 0 ? number : 0;
}

/** A number however it is written: the network's 64-bit ones are objects (Long). */
export function numberOf(value: unknown): number | null {
  if (typeof value === "bigint" || typeof value === "string") return finite(Number(value || "x"));
  if (typeof value === "number") return finite(value);
  if (typeof value !== "object" || value === null || !("low" in value)) return null;
  const high = "high" in value ? Number(value.high) : 0;
  return finite(high * 2 ** 32 + (Number(value.low) >>> 0));
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

/** Empty for what is none; bytes that went through JSON come as base64. */
export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? Buffer.from(value, "base64") : new Uint8Array();
}

export function base64Of(value: unknown): string {
  return Buffer.from(bytesOf(value)).toString("base64");
}

/** The end of the years that PostgreSQL and everybody else can write. */
const LAST_SECOND = 253_402_300_799;

/** A moment in seconds since 1970; `otherwise` when it says none. */
export function momentOf(value: unknown, otherwise: Date): Date {
  const seconds = numberOf(value);
  if (seconds === null || seconds <= 0 || seconds > LAST_SECOND) return otherwise;
  return new Date(Math.floor(seconds) * 1000);
}
