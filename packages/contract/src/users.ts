import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { sessionUser } from "./auth.ts";
import { askedCompanyId, companyId, connectionId, queueId, roleId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { profiles, seesTicketsWithoutQueue } from "./permissions.ts";
import {
  isoDate,
  messageReply,
  pageNumber,
  searchParam,
  sheetLanguages,
  text,
} from "./primitives.ts";
import { queueRef, userQueue } from "./queues.ts";
import { userRole } from "./roles.ts";
import { availabilityChange } from "./team.ts";

/** A colleague with the fields that every user of the company may see; `email` is "" for users who are no admins. */
export const colleague = z.object({
  id: userId,
  name: z.string(),
  email: z.string(),
  profile: z.enum(profiles),
  online: z.boolean(),
  queues: z.array(queueRef),
});
export type Colleague = z.output<typeof colleague>;

/** A colleague in the list, with what other clients read there (wire-contract 2.2). */
export const listedUser = colleague.extend({
  companyId,
  createdAt: isoDate,
  role: userRole.pick({ id: true, name: true }).nullable(),
  queues: z.array(userQueue),
  company: z.object({ id: companyId, name: z.string() }),
});
export type ListedUser = z.output<typeof listedUser>;

/** A user with all fields, for admins and for the user's own profile (wire-contract 2.2). */
export const editableUser = z.object({
  id: userId,
  name: z.string(),
  email: z.string(),
  companyId,
  profile: z.enum(profiles),
  /** Null: the permissions of the profile. */
  roleId: roleId.nullable(),
  super: z.boolean(),
  allTicket: z.string(),
  whatsappId: connectionId.nullable(),
  /** How many open tickets the user has at most by automatic assignment. */
  ticketLimit: z.number().int(),
  queues: z.array(queueRef),
});
export type EditableUser = z.output<typeof editableUser>;

const shownUser = editableUser.extend({
  queues: z.array(userQueue),
  company: z.object({ id: companyId, name: z.string(), dueDate: isoDate.nullable() }),
});

const fields = z.object({
  name: text(limits.nameMax).trim().min(limits.nameMin),
  email: z.email().max(limits.emailMax).toLowerCase(),
  profile: z.enum(profiles),
  /**
   * A role of the company, which also sets the profile; null is none. Without the field a user keeps the role until another
   * profile is sent, because clients of the family send the whole record and know no roles.
   */
  roleId: roleId.nullable(),
  /** As clients of the family write it, stored as `enabled` or `desabled`. */
  allTicket: z
    .enum(["enabled", "enable", "desabled", "disabled"])
    .transform((value) => (seesTicketsWithoutQueue(value) ? "enabled" : "desabled")),
  /** The empty text of form inputs is none. */
  whatsappId: z
    .union([connectionId, z.null(), z.literal("")])
    .transform((value) => (value === "" ? null : value)),
  queueIds: z.array(queueId).max(100),
  ticketLimit: z.number().int().min(1).max(limits.ticketLimitMax),
  /** Where a new user belongs: another company than the caller's is for super users only. A change leaves it as it is. */
  companyId: companyId.nullable(),
});

const password = text(limits.passwordMax).min(limits.passwordMin);

/** Without a password the user gets an invitation by e-mail, in this language, and sets the own one. */
export const newUser = fields
  .partial()
  .required({ name: true, email: true })
  .extend({
    password: z.union([z.literal(""), password]).default(""),
    language: z.enum(sheetLanguages).default("pt"),
  });
export type NewUser = z.output<typeof newUser>;

/**
 * Omitted fields stay; so does an empty password. In the own account a user changes name, e-mail and password; another
 * own e-mail or password needs the present password in `currentPassword`.
 */
export const userChange = fields.partial().extend({
  password: z.union([z.literal(""), password]).optional(),
  currentPassword: text(200).optional(),
});
export type UserChange = z.output<typeof userChange>;

const params = z.object({ userId });
const manage = { auth: "bearer", permission: "users:manage" } as const;
const passwordErrors = ["ERR_PASSWORD_SHORT", "ERR_PASSWORD_EASY"] as const;
const referenceErrors = ["ERR_QUEUE_NOT_FOUND", "ERR_NO_WAPP_FOUND", "ERR_NO_ROLE_FOUND"] as const;
const beyondOwn = "ERR_ROLE_BEYOND_OWN";

const common = { auth: "bearer", permission: "users:list" } as const;

export const usersEndpoints = defineEndpoints({
  "GET /users": {
    ...common,
    summary:
      "One page of the company's users, newest first, found by name (admins: also by e-mail)",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ users: z.array(listedUser), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /users/list": {
    ...common,
    summary: "All users of the company by id; super users may name another company",
    query: z.object({ companyId: askedCompanyId }),
    reply: z.array(
      colleague.pick({ id: true, name: true, email: true }).extend({ queues: z.array(userQueue) }),
    ),
    streams: true,
    errors: [],
  },
  "GET /users/:userId": {
    summary: "One user: oneself, or as an admin anybody of the company; as a super user of any",
    auth: "bearer",
    params,
    reply: shownUser,
    errors: ["ERR_NO_USER_FOUND"],
  },
  "PUT /users/availability": {
    summary: "Whether the caller takes new tickets: available, paused with a reason, or away",
    auth: "bearer",
    permission: "tickets:work",
    body: availabilityChange,
    reply: sessionUser,
    errors: [],
  },
  "GET /users/:userId/use": {
    ...manage,
    summary: "What hangs on a user: said before he is deleted",
    params,
    reply: z.object({ openTickets: z.number() }),
    errors: ["ERR_NO_USER_FOUND"],
  },
  "POST /users": {
    ...manage,
    summary: "A new user, within the plan's limit; without a password one is invited by e-mail",
    body: newUser,
    reply: sessionUser,
    errors: [
      "ERR_USER_LIMIT_REACHED",
      "ERR_USER_EMAIL_EXISTS",
      "ERR_NO_SUPER",
      "ERR_NO_COMPANY_FOUND",
      "ERR_TOO_MANY_REQUESTS",
      beyondOwn,
      ...passwordErrors,
      ...referenceErrors,
    ],
  },
  "PUT /users/:userId": {
    summary:
      "Changes a user: oneself, or as an admin anybody of the company; as a super user of any",
    auth: "bearer",
    params,
    body: userChange,
    reply: sessionUser,
    errors: [
      "ERR_NO_USER_FOUND",
      "ERR_USER_EMAIL_EXISTS",
      "ERR_USER_LAST_ADMIN",
      "ERR_NO_SUPER",
      "ERR_PASSWORD_CONFIRM",
      "ERR_PASSWORD_WRONG",
      beyondOwn,
      ...passwordErrors,
      ...referenceErrors,
    ],
  },
  "DELETE /users/:userId": {
    ...manage,
    summary: "Removes a user; his open tickets wait again in their queues",
    params,
    reply: messageReply,
    errors: [
      ...([
        "ERR_NO_USER_FOUND",
        "ERR_USER_IS_SELF",
        "ERR_USER_LAST_ADMIN",
        "ERR_NO_SUPER",
      ] as const),
      beyondOwn,
    ],
  },
});
