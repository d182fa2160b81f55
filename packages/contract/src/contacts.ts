import { z } from "zod";
import { companyId, connectionId, contactId } from "./ids.ts";
import { isoDate } from "./primitives.ts";

/** A contact as it stands inside tickets (wire-contract 2.7). `number` is "" when only a private address is known. */
export const contactRef = z.object({
  id: contactId,
  name: z.string(),
  number: z.string(),
  email: z.string(),
  profilePicUrl: z.string(),
});
export type ContactRef = z.output<typeof contactRef>;

export const extraInfo = z.object({
  id: z.number(),
  name: z.string(),
  value: z.string(),
  contactId,
});

/** A full contact row (wire-contract 2.9). */
export const contact = contactRef.extend({
  isGroup: z.boolean(),
  active: z.boolean(),
  disableBot: z.boolean(),
  companyId,
  whatsappId: connectionId.nullable(),
  extraInfo: z.array(extraInfo).optional(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Contact = z.output<typeof contact>;
