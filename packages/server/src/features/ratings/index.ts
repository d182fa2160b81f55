import type { Database } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { RatingAnswers, SendAutomatically } from "../messages/index.ts";
import type { SayGoodbye } from "../tickets/index.ts";
import { createGoodbyes } from "./goodbye.ts";
import { latestRequest, overdueSince, rateIn } from "./rating.ts";
import { endOverdueAcrossCompanies, lockAwaitedRating, takeRating } from "./repository.ts";

/** Waits that one statement ends: far below the time a statement may take. */
const WAITS_AT_ONCE = 1_000;

export type RatingsDeps = { db: Database; clock: Clock; sendAutomatically: SendAutomatically };

export type RatingsFeature = {
  /** Before an agent's ticket is resolved. */
  sayGoodbye: SayGoodbye;
  answers: RatingAnswers;
  /** Ends the waits that are over; ratings that never came are no ratings. */
  endOverdue(): Promise<void>;
};

/** How customers rate their attendances (behaviour 2.8). */
export function createRatingsFeature(deps: RatingsDeps): RatingsFeature {
  const { db, clock, sendAutomatically } = deps;
  const { sayGoodbye, sayCompletion } = createGoodbyes({ sendAutomatically });
  return {
    sayGoodbye,

    async answers(ctx, tx, ticket, { text, at }) {
      const rate = ticket.status === "closed" && !ticket.isGroup ? rateIn(text) : null;
      if (rate === null) return null;
      const asked = { since: overdueSince(clock.now()), until: latestRequest(at) };
      const awaited = await lockAwaitedRating(ctx, tx, ticket.id, asked);
      if (awaited === null) return null;
      return async (after) => {
        await takeRating(ctx, tx, awaited, rate, clock.now());
        await sayCompletion(ctx, tx, after);
      };
    },

    async endOverdue() {
      for (let ended = WAITS_AT_ONCE; ended === WAITS_AT_ONCE;) {
        const now = clock.now();
        ended = await db.acrossCompanies((tx) =>
          endOverdueAcrossCompanies(tx, overdueSince(now), now, WAITS_AT_ONCE),
        );
      }
    },
  };
}
