import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, roleId } from "./ids.ts";
import { limits } from "./limits.ts";
import { profiles } from "./permissions.ts";
import { isoDate, messageReply, text } from "./primitives.ts";
import { rolePermissions } from "./role-permissions.ts";

/** All that users with this role hold; what the company's plan lacks is in it too. */
const rolePermissionList = z.array(z.enum(rolePermissions));

/** A role as its users' own clients read it. */
export const userRole = z.object({
  id: roleId,
  name: z.string(),
  permissions: rolePermissionList,
});

/** A company's own role. `profile` is what clients that know no roles show and send for its users. */
export const role = userRole.extend({
  companyId,
  profile: z.enum(profiles),
  usersCount: z.number().int(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Role = z.output<typeof role>;

const fields = z.object({
  name: text(limits.nameMax).trim().min(limits.nameMin),
  permissions: rolePermissionList.max(rolePermissions.length),
});

/** The permissions that every user needs are added to `permissions`. The profile of a role never changes. */
export const newRole = fields.extend({ profile: z.enum(profiles) });
export type NewRole = z.output<typeof newRole>;
export const roleChange = fields.partial();
export type RoleChange = z.output<typeof roleChange>;

const params = z.object({ roleId });
const manage = { auth: "bearer", permission: "roles:manage" } as const;

export const rolesEndpoints = defineEndpoints({
  "GET /roles": {
    auth: "bearer",
    permission: "users:manage",
    summary: "The company's own roles by name, with their permissions and how many users have each",
    reply: z.array(role),
    errors: [],
  },
  "POST /roles": {
    ...manage,
    summary: "A new role with permissions that the caller holds",
    body: newRole,
    reply: role,
    errors: ["ERR_ROLE_EXISTS", "ERR_ROLE_BEYOND_OWN", "ERR_ROLE_LIMIT_REACHED"],
  },
  "PUT /roles/:roleId": {
    ...manage,
    summary: "Changes a role for all its users at once; the caller holds what it had and has",
    params,
    body: roleChange,
    reply: role,
    errors: ["ERR_NO_ROLE_FOUND", "ERR_ROLE_EXISTS", "ERR_ROLE_BEYOND_OWN"],
  },
  "DELETE /roles/:roleId": {
    ...manage,
    summary:
      "Removes a role. Its users get `toRoleId`, a role of the same profile, or `profile`: the permissions of that",
    params,
    query: z.object({ toRoleId: z.union([z.literal("profile"), roleId]).optional() }),
    reply: messageReply,
    errors: ["ERR_NO_ROLE_FOUND", "ERR_ROLE_BEYOND_OWN", "ERR_ROLE_IN_USE", "ERR_ROLE_PROFILE"],
  },
});
