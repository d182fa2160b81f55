import { hasCode } from "../../api/client.ts";

/** Who was faster to accept a ticket, by the error of the refused acceptance; null when that says nothing. */
export function holderOf(error: unknown): { name: string } | null {
  if (!hasCode(error, "ERR_OTHER_OPEN_TICKET") || !(error instanceof Error)) return null;
  const data = "data" in error ? error.data : null;
  if (typeof data !== "object" || data === null || !("user" in data)) return null;
  const { user } = data;
  if (typeof user !== "object" || user === null || !("name" in user)) return null;
  return typeof user.name === "string" && user.name !== "" ? { name: user.name } : null;
}
