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

export const extraInfo = z.object({
  id: z.number(),
  name: z.string(),
  value: z.string(),
  contactId,
});
export type ExtraInfo = z.output<typeof extraInfo>;
