import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { userId } from "./ids.ts";
import { profiles } from "./permissions.ts";
import { pageNumber, searchParam } from "./primitives.ts";
import { queueRef } from "./queues.ts";

/** A colleague as everybody of the company may know him; `email` is "" for those who are no admins. */
export const colleague = z.object({
  id: userId,
  name: z.string(),
  email: z.string(),
  profile: z.enum(profiles),
  online: z.boolean(),
  queues: z.array(queueRef),
});
export type Colleague = z.output<typeof colleague>;

const common = { auth: "bearer", permission: "users:list" } as const;

export const usersEndpoints = defineEndpoints({
  "GET /users": {
    ...common,
    summary:
      "One page of the company's users, newest first, found by name (admins: also by e-mail)",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ users: z.array(colleague), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /users/list": {
    ...common,
    summary: "The company's users by id (1,000 at most)",
    reply: z.array(z.object({ id: userId, name: z.string() })),
    errors: [],
  },
});
