import type { Tx } from "../../platform/db/database.ts";
import type { Ctx } from "../../platform/context.ts";
import type { SendAutomatically } from "../messages/index.ts";
import type { SayGoodbye, TicketRow } from "../tickets/index.ts";
import { ratingRequest } from "./rating.ts";
import type { Goodbye } from "./repository.ts";
import { findGoodbye } from "./repository.ts";

export type GoodbyeDeps = { sendAutomatically: SendAutomatically };

/** What a customer is told when his ticket is resolved, and when he has answered (behaviour 2.8, 2.9). */
export function createGoodbyes({ sendAutomatically }: GoodbyeDeps) {
  /** A request that cannot be sent is none: the ticket is closed without waiting for an answer. */
  const sayGoodbye: SayGoodbye = async (ctx, tx, ticket) => {
    if (ticket.isGroup) return { awaitsRating: false };
    const goodbye = await findGoodbye(ctx, tx, ticket.id);
    if (asksForRating(ticket, goodbye)) {
      const text = ratingRequest(goodbye.ratingIntroduction);
      const asked = await sendAutomatically(ctx, tx, ticket, text);
      return { awaitsRating: asked !== null };
    }
    await complete(ctx, tx, ticket, goodbye);
    return { awaitsRating: false };
  };

  async function complete(ctx: Ctx, tx: Tx, ticket: TicketRow, goodbye: Goodbye): Promise<void> {
    if (!goodbye.disableBot) await sendAutomatically(ctx, tx, ticket, goodbye.completion);
  }

  return {
    sayGoodbye,
    /** After the rating answer. */
    async sayCompletion(ctx: Ctx, tx: Tx, ticket: TicketRow): Promise<void> {
      await complete(ctx, tx, ticket, await findGoodbye(ctx, tx, ticket.id));
    },
  };
}

function asksForRating({ status }: TicketRow, { canBeRated, disableBot }: Goodbye): boolean {
  return status === "open" && canBeRated && !disableBot;
}
