import type { Permission, PlanFlags, Profile } from "./permissions.ts";
import { isAllowed } from "./permissions.ts";

/**
 * The permissions that a role may have, by subject, in the order of the matrix. Those of the provider are not here: a role never
 * has them.
 */
export const roleSubjects = {
  tickets: [
    ...["tickets:work", "tickets:see-all", "tickets:spy", "tickets:assign-others"],
    ...["tickets:close-all", "tickets:delete", "notes:delete-any", "ai-help:use"],
  ],
  contacts: ["contacts:work", "contacts:delete", "privacy:manage"],
  organisation: [
    ...["tags:use", "tags:set-kanban", "tags:manage", "kanban:use", "kanban:order"],
    ...["quick-messages:use", "quick-messages:manage-all", "schedules:use", "schedules:manage-all"],
  ],
  campaigns: [
    ...["campaigns:use", "campaigns:manage", "contact-lists:use", "contact-lists:manage"],
    ...["file-lists:use", "file-lists:manage"],
  ],
  team: [
    ...["chats:use", "users:list", "users:read-emails", "users:manage", "roles:manage"],
    ...["queues:list", "queues:manage", "announcements:read", "helps:read"],
  ],
  figures: ["dashboard:view", "reports:view"],
  company: [
    ...["settings:read", "settings:write", "settings:read-secrets", "companies:manage"],
    ...["connections:list", "connections:manage", "invoices:pay", "audit:view", "simulator:use"],
  ],
  programs: [
    ...["prompts:list", "prompts:manage", "knowledge:manage", "integrations:list"],
    ...["integrations:manage", "integrations:read-secrets", "api:manage"],
  ],
} as const satisfies Record<string, readonly Permission[]>;

export type RoleSubject = keyof typeof roleSubjects;
export type RolePermission = (typeof roleSubjects)[RoleSubject][number];
export const rolePermissions: readonly RolePermission[] = Object.values(roleSubjects).flat();

/** Needed by every user to work at all: every role has these, and they cannot be taken away. */
const basics: ReadonlySet<Permission> = new Set([
  ...(["tickets:work", "contacts:work", "tags:use", "quick-messages:use"] as const),
  ...(["users:list", "queues:list", "connections:list", "prompts:list"] as const),
  ...(["integrations:list", "settings:read", "announcements:read", "helps:read"] as const),
]);

/** Whether an admin chooses if a role has the permission. */
export function isGrantable(permission: Permission): boolean {
  return !basics.has(permission) && rolePermissions.some((one) => one === permission);
}

const wholePlan: PlanFlags = {
  ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
  ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
};

/** The permissions of a profile, whatever the plan is: the preset from which a role differs. */
export function permissionsOfProfile(profile: Profile): RolePermission[] {
  const holder = { profile, super: false, plan: wholePlan };
  return rolePermissions.filter((permission) => isAllowed(holder, permission));
}

/** A role as it is stored: how it differs from its profile. Names that this version does not know count for nothing. */
export type RoleDifferences = {
  profile: Profile;
  granted: readonly string[];
  withheld: readonly string[];
};

/** The permissions of a role. What later versions give to its profile, it has too. */
export function permissionsOfRole(role: RoleDifferences): RolePermission[] {
  const held: ReadonlySet<string> = new Set(permissionsOfProfile(role.profile));
  return rolePermissions.filter((permission) => {
    if (!isGrantable(permission)) return held.has(permission);
    if (role.withheld.includes(permission)) return false;
    return held.has(permission) || role.granted.includes(permission);
  });
}

/** How a role of the profile that has these permissions differs from it. */
export function differencesOf(
  profile: Profile,
  chosen: readonly RolePermission[],
): { granted: RolePermission[]; withheld: RolePermission[] } {
  const held = permissionsOfProfile(profile);
  const choices = rolePermissions.filter(isGrantable);
  return {
    granted: choices.filter((one) => chosen.includes(one) && !held.includes(one)),
    withheld: choices.filter((one) => !chosen.includes(one) && held.includes(one)),
  };
}
