import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { planFlags, profiles } from "./permissions.ts";
import { isoDate, messageReply, sheetLanguages, text } from "./primitives.ts";
import { userQueue } from "./queues.ts";
import { userRole } from "./roles.ts";
import { availabilityFields } from "./team.ts";

/** The signed-in user as login, refresh and the live update carry it (wire-contract 2.1; one shape for all three). */
export const sessionUser = z.object({
  id: userId,
  name: z.string(),
  email: z.string(),
  profile: z.enum(profiles),
  /** Its permissions hold instead of those of the profile. Live updates send it to the user and to readers of e-mail addresses only. */
  role: userRole.optional(),
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

export const session = z.object({ token: z.string(), user: sessionUser });
export type Session = z.output<typeof session>;

const address = text(limits.emailMax).min(1);

const forget = {
  auth: "none",
  /** Clients of the family read the message, and `status` 404, which says that nobody has the e-mail. */
  reply: messageReply.extend({
    status: z.literal(404).optional(),
    /** Until when the code is valid. */
    validUntil: isoDate.optional(),
  }),
  errors: ["ERR_TOO_MANY_REQUESTS"],
} as const;

const newPassword = z.object({
  email: address,
  token: text(limits.nameMax).min(1),
  password: text(limits.passwordMax).min(1),
});

const reset = {
  auth: "none",
  reply: messageReply,
  errors: [
    ...(["ERR_RESET_CODE_WRONG", "ERR_RESET_CODE_OVER", "ERR_TOO_MANY_REQUESTS"] as const),
    ...(["ERR_PASSWORD_WEAK", "ERR_PASSWORD_SHORT", "ERR_PASSWORD_EASY"] as const),
  ],
} as const;

export const authEndpoints = defineEndpoints({
  "POST /auth/login": {
    summary:
      "Signs in; sets the refresh cookie and ends the account's other sessions, unless the company allows several",
    auth: "none",
    body: z.object({ email: text(limits.emailMax).min(1), password: text(200).min(1) }),
    reply: session,
    errors: [
      "ERR_INVALID_CREDENTIALS",
      "ERR_SUBSCRIPTION_EXPIRED",
      "ERR_COMPANY_DISABLED",
      "ERR_TOO_MANY_REQUESTS",
      "ERR_SECOND_FACTOR",
      "ERR_FACTOR_SETUP",
      "ERR_PASSKEY_NEEDED",
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
  "POST /forgetpassword": {
    ...forget,
    summary: "Sends a user a code for a new password",
    body: z.object({ email: address, language: z.enum(sheetLanguages).default("pt") }),
  },
  "POST /forgetpassword/:email": {
    ...forget,
    summary: "The same, as clients of the family call it; proxies log the address",
    params: z.object({ email: address }),
  },
  "POST /resetpasswords": {
    ...reset,
    summary: "Sets a new password by a code; ends all sessions of the user",
    body: newPassword,
  },
  "POST /resetpasswords/:email/:token/:password": {
    ...reset,
    summary: "The same, as clients of the family call it; proxies log the address",
    params: newPassword,
  },
});
