import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { isUnsendable } from "../../tickets/index.ts";
import type { Outgoing } from "./outgoing.ts";

/**
 * A text of the product itself, with its variables replaced and the mark of such texts (behaviour 0.2, 3), to a ticket
 * whose row is locked. Answers the ticket afterwards; null, and nothing is sent, where the text says nothing or there is
 * nobody or nothing to send it by.
 */
export type SendAutomatically = (
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  text: string,
) => Promise<TicketRow | null>;

export function createAutomaticTexts(outgoing: Outgoing): SendAutomatically {
  return async (ctx, tx, ticket, text) => {
    if (text.trim() === "") return null;
    try {
      const sent = await outgoing.send(ctx, tx, ticket, { text, isAutomatic: true });
      return sent?.ticket ?? null;
    } catch (error) {
      if (isUnsendable(error)) return null;
      throw error;
    }
  };
}
