import { z } from "zod";
import { sessionUser } from "./auth.ts";
import { connection, connectionSession } from "./connections.ts";
import { contactRef } from "./contacts.ts";
import type { CompanyEventSubject } from "./event-names.ts";
import { companyId, connectionId, ticketId, userId } from "./ids.ts";
import { message } from "./messages.ts";
import { setting } from "./settings.ts";
import { ticket } from "./tickets.ts";

/** States of a customer's presence in a chat. */
export const presences = ["available", "unavailable", "composing", "recording", "paused"] as const;

/** Payload of each company event by its subject (wire-contract 7.4). */
export const companyEvents = {
  auth: z.object({
    action: z.literal("update"),
    user: z.object({ id: userId, email: z.string(), companyId }),
  }),
  user: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), user: sessionUser }),
    z.object({ action: z.literal("delete"), userId }),
  ]),
  whatsapp: z.discriminatedUnion("action", [
    z.object({ action: z.literal("update"), whatsapp: connection }),
    z.object({ action: z.literal("delete"), whatsappId: connectionId }),
  ]),
  whatsappSession: z.object({ action: z.literal("update"), session: connectionSession }),
  ticket: z.discriminatedUnion("action", [
    z.object({ action: z.literal("update"), ticket }),
    z.object({ action: z.literal("delete"), ticketId }),
    z.object({ action: z.literal("updateUnread"), ticketId }),
  ]),
  appMessage: z.discriminatedUnion("action", [
    z.object({ action: z.literal("create"), message, ticket, contact: contactRef }),
    z.object({
      action: z.literal("update"),
      message,
      ticket: ticket.optional(),
      contact: contactRef.optional(),
    }),
    z.object({ action: z.literal("delete"), message }),
  ]),
  presence: z.object({ ticketId, presence: z.enum(presences) }),
  settings: z.object({ action: z.literal("update"), setting }),
  /** Something changed on the simulated network; the simulator page refetches. */
  simulator: z.object({ connectionId, phone: z.string().nullable() }),
} satisfies Record<CompanyEventSubject, z.ZodType>;

export type CompanyEvents = { [S in CompanyEventSubject]: z.output<(typeof companyEvents)[S]> };
