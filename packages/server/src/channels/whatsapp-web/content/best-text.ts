import { firstText, listOf, numberOf, textOf } from "./fields.ts";

/** Names of fields that hold what people read, most telling first. */
const TELLING = [
  "text",
  "caption",
  "contentText",
  "hydratedContentText",
  "message",
  "body",
  "title",
  "orderTitle",
  "name",
  "groupName",
  "description",
  "note",
  "conversation",
  "fallbackLg",
] as const;

const DEEPEST = 4;

/** The best text in a message of a kind we do not translate; empty when it says nothing. */
export function bestText(value: unknown, depth = 0): string {
  if (!isRecord(value) || depth > DEEPEST) return "";
  const own = firstText(...TELLING.map((name) => value[name]));
  if (own !== "") return own;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "contextInfo") continue;
    const found = bestText(inner, depth + 1);
    if (found !== "") return found;
  }
  return "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Thousandths of the currency's unit, as people write sums. */
export function sumOf(thousandths: unknown, currency: unknown): string {
  const amount = numberOf(thousandths);
  if (amount === null || amount <= 0) return "";
  return `${textOf(currency)} ${(amount / 1000).toFixed(2)}`.trim();
}

/** Several lines of what is there. */
export function linesOf(...parts: readonly unknown[]): string {
  return listOf(parts)
    .map((part) => textOf(part).trim())
    .filter(Boolean)
    .join("\n");
}
