import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { planFlags, profiles } from "./permissions.ts";
import { isoDate, text } from "./primitives.ts";
import { userQueue } from "./queues.ts";
import { availabilityFields } from "./team.ts";

/** The signed-in user as login, refresh and the live update carry it (wire-contract 2.1; one shape for all three). */
export const sessionUser = z.object({
  id: userId,
  name: z.string(),
  email: z.string(),
  profile: z.enum(profiles),
  companyId,
  super: z.boolean(),
  allTicket: z.string(),
  whatsappId: connectionId.nullable(),
  queues: z.array(userQueue),
  ...availabilityFields,
  company: z.object({
    id: companyId,
    name: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    status: z.boolean(),
    dueDate: isoDate.nullable(),
    recurrence: z.string().nullable(),
    planId: z.number(),
    trialExpiration: isoDate.nullable(),
    timeZone: z.string(),
    settings: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
    /** The features of the plan. Like the settings, only login and refresh send them. */
    plan: z.record(z.enum(planFlags), z.boolean()).optional(),
  }),
});
export type SessionUser = z.output<typeof sessionUser>;

const session = z.object({ token: z.string(), user: sessionUser });
export type Session = z.output<typeof session>;

export const authEndpoints = defineEndpoints({
  "POST /auth/login": {
    summary: "Signs in; sets the refresh cookie and ends the account's other sessions",
    auth: "none",
    body: z.object({ email: text(limits.emailMax).min(1), password: text(200).min(1) }),
    reply: session,
    errors: [
      "ERR_INVALID_CREDENTIALS",
      "ERR_SUBSCRIPTION_EXPIRED",
      "ERR_COMPANY_DISABLED",
      "ERR_TOO_MANY_REQUESTS",
    ],
  },
  "POST /auth/signup": {
    summary:
      "Creates no user: users are made by their admins (`POST /users`). Other clients get the refusal they know",
    auth: "none",
    reply: z.never(),
    errors: ["ERR_USER_CREATION_DISABLED"],
  },
  "POST /auth/refresh_token": {
    summary: "New access token by the refresh cookie",
    auth: "cookie",
    reply: session,
    errors: ["ERR_SESSION_EXPIRED"],
  },
  "GET /auth/me": {
    summary: "Who the bearer is",
    auth: "bearer",
    openToExpired: true,
    reply: z.object({ id: userId, profile: z.enum(profiles), super: z.boolean() }),
    errors: [],
  },
  "DELETE /auth/logout": {
    summary: "Ends the session; succeeds without a valid token too",
    auth: "none",
    openToExpired: true,
    reply: z.object({ message: z.string() }),
    errors: [],
  },
});
