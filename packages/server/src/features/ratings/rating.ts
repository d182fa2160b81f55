import { addMinutes } from "date-fns/addMinutes";
import { subHours } from "date-fns/subHours";

/** From not satisfied to very satisfied (behaviour 2.8). */
export type Rate = 1 | 2 | 3;

/** An answer that comes later is none. */
const WAIT_HOURS = 24;

const rates: ReadonlyMap<string, Rate> = new Map([
  ["1", 1],
  ["2", 2],
  ["3", 3],
]);

const SCALE =
  "Digite de 1 à 3 para qualificar nosso atendimento:\n*1* - _Insatisfeito_\n*2* - _Satisfeito_\n*3* - _Muito Satisfeito_\n\n";

/** What the customer is asked; `introduction` is the connection's own text, which may be empty. */
export function ratingRequest(introduction: string): string {
  return introduction.trim() === "" ? SCALE : `${introduction}\n\n${SCALE}`;
}

/** Exactly one of the three digits, blanks around it aside; null for every other text. */
export function rateIn(text: string): Rate | null {
  return rates.get(text.trim()) ?? null;
}

/**
 * What was written at this moment answers no later request: it may have been on its way for long. Clocks of networks tell
 * whole seconds, and not quite ours.
 */
export function latestRequest(writtenAt: Date): Date {
  return addMinutes(writtenAt, 1);
}

/** Whoever was asked at this moment or before is not waited for any more. */
export function overdueSince(now: Date): Date {
  return subHours(now, WAIT_HOURS);
}
