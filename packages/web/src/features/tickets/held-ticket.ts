import { ApiError, hasCode } from "../../api/client.ts";

/** The ticket that stands in the way of a new one: who has it, and where it waits. */
export type HeldTicket = Readonly<{
  uuid: string;
  userId: number | null;
  /** "" when nobody has it. */
  userName: string;
  queueName: string;
}>;

/** What a refused new ticket says about the one there is (wire-contract 6.3); null when it says nothing of the kind. */
export function heldTicketOf(error: unknown): HeldTicket | null {
  if (!hasCode(error, "ERR_TICKET_EXISTS") || !(error instanceof ApiError)) return null;
  const uuid = fieldOf(error.data, "uuid");
  if (typeof uuid !== "string") return null;
  const userId = fieldOf(error.data, "userId");
  return {
    uuid,
    userId: typeof userId === "number" ? userId : null,
    userName: textOf(fieldOf(fieldOf(error.data, "user"), "name")),
    queueName: textOf(fieldOf(fieldOf(error.data, "queue"), "name")),
  };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? new Map(Object.entries(value)).get(key)
    : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
