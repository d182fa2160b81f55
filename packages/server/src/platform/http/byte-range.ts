/** Bytes from `start` to `end`, both included. */
export type ByteRange = { start: number; end: number };

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part of a file that a Range header asks for; null for all of it, which is also the answer to what is no range or
 * several of them (RFC 9110, 14.2).
 */
export function readRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | null {
  const [, first, last] = ONE_RANGE.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined) return null;
  if (first === "" && last === "") return null;
  if (first === "") {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? "unsatisfiable" : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= bytes) return "unsatisfiable";
  return { start, end: last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}
