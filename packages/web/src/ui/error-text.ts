import { ApiError } from "../api/client.ts";
import type { TextKey, TFunction } from "../i18n/index.ts";
import { isTextKey } from "../i18n/index.ts";

/** Keys of error texts without placeholders. */
type PlainText = Exclude<Extract<TextKey, `errors.${string}`>, "errors.ERR_SUBSCRIPTION_EXPIRED">;

/**
 * The text of an error (spec 8): known codes are translated, unknown server texts are shown unchanged, anything else is
 * "something went wrong".
 */
export function errorText(t: TFunction, error: unknown): string {
  if (!(error instanceof ApiError)) return t("errors.unknown");
  const seconds = retryAfterSeconds(error);
  if (seconds !== null) return t("auth.retryAfter", { count: seconds });
  if (error.code === "ERR_SUBSCRIPTION_EXPIRED") {
    const date = textIn(error.data, "date");
    // Without the date our text would be incomplete, so the server's text is shown.
    return date === "" ? error.message : t("errors.ERR_SUBSCRIPTION_EXPIRED", { date });
  }
  const key = `errors.${error.code}`;
  if (isPlainText(key)) return t(key);
  return error.message === "" || isWithoutWords(error) ? t("errors.unknown") : error.message;
}

/** The wait that the server asks for after too many requests; null for other errors. */
export function retryAfterSeconds(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== "ERR_TOO_MANY_REQUESTS") return null;
  return numberIn(error.data, "retryAfterSeconds");
}

/** True while the text of an error is not loaded. A newer server may send a code without a text. */
export function isWithoutWords(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code.startsWith("ERR_") && !isTextKey(`errors.${error.code}`);
}

function isPlainText(key: string): key is PlainText {
  return key !== "errors.ERR_SUBSCRIPTION_EXPIRED" && isTextKey(key);
}

function textIn(data: unknown, key: string): string {
  const value = fieldOf(data, key);
  return typeof value === "string" ? value : "";
}

function numberIn(data: unknown, key: string): number | null {
  const value = fieldOf(data, key);
  return typeof value === "number" ? value : null;
}

function fieldOf(data: unknown, key: string): unknown {
  return typeof data === "object" && data !== null ? new Map(Object.entries(data)).get(key) : null;
}
