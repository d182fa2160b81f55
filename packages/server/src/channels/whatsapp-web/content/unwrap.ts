import type { WAMessageContent } from "baileys";

/** What a message is once its wrappings are off. */
export type Unwrapped = {
  content: WAMessageContent;
  /** To be seen once. */
  isViewOnce: boolean;
  /** The wrapping says that this is the new text of an older message. */
  isEdit: boolean;
};

/** Wrappings in wrappings (behaviour 1.2): more are nobody's message. */
const DEEPEST = 8;

/** Messages that say something beside the one they carry. */
const NOT_WRAPPINGS = new Set(["protocolMessage", "reactionMessage", "messageContextInfo"]);

/**
 * The message inside. Any field that carries a message and nothing we know is taken for a wrapping, also one that the
 * network invents tomorrow. Null when there is none.
 */
export function unwrap(message: unknown): Unwrapped | null {
  let content: unknown = message;
  let isViewOnce = false;
  let isEdit = false;
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    if (!isContent(content)) {
      return isViewOnce ? { content: {}, isViewOnce, isEdit } : null;
    }
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

/** Wrappings that are empty once their content is for the phone only. */
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
