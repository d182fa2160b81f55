import { z } from "zod";
import { contactId } from "./ids.ts";

/** A contact as it stands inside tickets (wire-contract 2.7). `number` is "" when only a private address is known. */
export const contactRef = z.object({
  id: contactId,
  name: z.string(),
  number: z.string(),
  email: z.string(),
  profilePicUrl: z.string(),
});
export type ContactRef = z.output<typeof contactRef>;

/** The contact of a ticket, with what its agents are told. */
export const ticketContact = contactRef.extend({
  /** Campaigns and scheduled messages leave the contact out; agents may still answer. */
  optedOut: z.boolean(),
});

export const extraInfo = z.object({
  id: z.number(),
  name: z.string(),
  value: z.string(),
  contactId,
});
export type ExtraInfo = z.output<typeof extraInfo>;
