import type { WAMessageContent } from "baileys";

/** A field's text. Messages come from other people's phones: a missing or wrong value is empty, never an error. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The first text that is not blank. */
export function firstText(...values: readonly unknown[]): string {
  return values.map(textOf).find((text) => text.trim() !== "") ?? "";
}

export function listOf<T>(value: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

/** Zero for anything but a positive count. */
export function countOf(value: unknown): number {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(Math.round(number)) && number > 0 ? number : 0;
}

/** A number, a numeric text, or a 64-bit object (Long). */
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

/** Empty for anything but bytes; bytes that went through JSON are base64. */
export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? Buffer.from(value, "base64") : new Uint8Array();
}

export function base64Of(value: unknown): string {
  return Buffer.from(bytesOf(value)).toString("base64");
}

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** A moment from seconds since 1970; `otherwise` for any other value. */
export function momentOf(value: unknown, otherwise: Date): Date {
  const seconds = numberOf(value);
  if (seconds === null || seconds <= 0 || seconds > LAST_SECOND) return otherwise;
  return new Date(Math.floor(seconds) * 1000);
}

/** A message without its wrappings. */
export type Unwrapped = {
  content: WAMessageContent;
  /** To be seen once. */
  isViewOnce: boolean;
  /** The new text of an older message. */
  isEdit: boolean;
};

/** Wrappings in wrappings (behaviour 1.2). */
const DEEPEST = 8;

/** Fields that carry a message and are no wrapping. */
const NOT_WRAPPINGS = new Set(["protocolMessage", "reactionMessage", "messageContextInfo"]);

/**
 * The message inside. Any unknown field that carries a message counts as a wrapping, so that new ones are understood.
 * Null when there is none.
 */
export function unwrap(message: unknown): Unwrapped | null {
  let content: unknown = message;
  let isViewOnce = false;
  let isEdit = false;
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    if (!isContent(content)) return isViewOnce ? { content: {}, isViewOnce, isEdit } : null;
    const wrapping = findWrapping(content);
    if (!wrapping) return { content, isViewOnce, isEdit };
    isViewOnce ||= wrapping.name.startsWith("viewOnceMessage");
    isEdit ||= wrapping.name === "editedMessage";
    content = wrapping.inner;
  }
  return null;
}

function isContent(value: unknown): value is WAMessageContent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Wrappings that come empty when their content is for the phone only. */
const WRAPPINGS = new Set([
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
  "deviceSentMessage",
]);

function findWrapping(content: WAMessageContent): { name: string; inner: unknown } | null {
  for (const [name, value] of Object.entries(content)) {
    if (NOT_WRAPPINGS.has(name) || !isObject(value)) continue;
    if ("message" in value && isObject(value.message)) return { name, inner: value.message };
    if (WRAPPINGS.has(name)) return { name, inner: null };
  }
  return null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
