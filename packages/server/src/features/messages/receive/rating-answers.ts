import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { TicketRow } from "../../tickets/index.ts";

/**
 * Whether what a customer writes just now answers a rating request (behaviour 2.8): null for every other text. The answer
 * is taken once it is stored, with the ticket as it is then; the ticket stays closed, and nothing in it is unread.
 */
export type RatingAnswers = (
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  written: { text: string; at: Date },
) => Promise<TakeAnswer | null>;

export type TakeAnswer = (after: TicketRow) => Promise<void>;
