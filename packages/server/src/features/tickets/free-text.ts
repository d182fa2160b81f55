import type { ChannelKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { addHours } from "date-fns/addHours";

/** What the rule looks at. */
export type CustomersLastWord = {
  connectionChannel: ChannelKind | null;
  lastCustomerMessageAt: Date | null;
  createdAt: Date;
};

/**
 * Until when anything may be written to the ticket's customer; afterwards only a template. Null on channels without such a
 * rule. Of a customer who has not written, the window has ended before it began.
 */
export function freeTextUntil(ticket: CustomersLastWord): Date | null {
  const { connectionChannel, lastCustomerMessageAt, createdAt } = ticket;
  if (connectionChannel !== "cloud-api") return null;
  if (lastCustomerMessageAt === null) return createdAt;
  return addHours(lastCustomerMessageAt, limits.freeTextWindowHours);
}
