import type { RequestOf, Role } from "@balcao/contract";
import type { Permission, Profile } from "@balcao/contract/permissions";
import { profiles } from "@balcao/contract/permissions";
import { permissionsOfProfile } from "@balcao/contract/role-permissions";
import { call } from "../../api/client.ts";
import type { PlainTextKey } from "../../i18n/index.ts";
import { liveList } from "../../realtime/live-list.ts";

/** The company's own roles, by name. */
export const roleList = liveList<Role, number>({
  key: ["roles"],
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name),
  read: (signal) => call("GET /roles", {}, { signal }),
}).follow("role", (event) =>
  event.action === "delete" ? { removedId: event.roleId } : { row: event.role },
);

export async function saveRole(
  id: number | null,
  { profile, ...body }: RequestOf<"POST /roles">["body"],
): Promise<Role> {
  const row =
    id === null
      ? await call("POST /roles", { body: { ...body, profile } })
      : await call("PUT /roles/:roleId", { params: { roleId: id }, body });
  roleList.apply({ row });
  return row;
}

/** `to`: what its users get, a role of the same profile or `profile`. */
export async function deleteRole(id: number, to: string): Promise<void> {
  await call("DELETE /roles/:roleId", { params: { roleId: id }, query: { toRoleId: to } });
  roleList.apply({ removedId: id });
  // The other role has more users now.
  roleList.readAgain();
}

/** A row of the page: a role of the company, or a profile, which is read only and has no own id. */
export type RoleRow = Pick<Role, "name" | "profile" | "permissions"> & {
  id: number;
  /** Null for a profile. */
  usersCount: number | null;
};

/** The profiles as rows above the roles. */
export const presets = (nameOf: (profile: Profile) => string): RoleRow[] =>
  profiles.map((profile, index) => ({
    ...{ id: -1 - index, profile, name: nameOf(profile), usersCount: null },
    permissions: permissionsOfProfile(profile),
  }));

/** How many permissions a role has beyond its profile, and how many it lacks. */
export function differenceOf({ profile, permissions }: Pick<RoleRow, "profile" | "permissions">) {
  const preset = permissionsOfProfile(profile);
  return {
    more: permissions.filter((one) => !preset.includes(one)).length,
    less: preset.filter((one) => !permissions.includes(one)).length,
  };
}

type MenuRow = { path: string; label: PlainTextKey; permission: Permission; tabOf?: string };

/** The rows of the menu for the preview of a role. `app/pages.ts` has the pages; a test compares the two. */
export const menuRows: readonly MenuRow[] = [
  { path: "", label: "dashboard.title", permission: "dashboard:view" },
  { path: "tickets", label: "shell.tickets", permission: "tickets:work" },
  { path: "quick-messages", label: "quickMessages.title", permission: "quick-messages:use" },
  { path: "kanban", label: "kanban.title", permission: "kanban:use" },
  { path: "contacts", label: "contacts.title", permission: "contacts:work" },
  { path: "schedules", label: "schedules.title", permission: "schedules:use" },
  { path: "tags", label: "tags.title", permission: "tags:use" },
  { path: "chats", label: "chats.title", permission: "chats:use" },
  { path: "todolist", label: "todo.title", permission: "tickets:work" },
  { path: "helps", label: "helps.title", permission: "helps:read" },
  { path: "reports", label: "reports.title", permission: "reports:view" },
  { path: "campaigns", label: "campaigns.title", permission: "campaigns:use" },
  {
    ...{ path: "contact-lists", label: "contactLists.title", tabOf: "campaigns" },
    permission: "contact-lists:manage",
  },
  { path: "connections", label: "shell.connections", permission: "connections:manage" },
  { path: "queues", label: "shell.queues", permission: "queues:manage" },
  { path: "users", label: "shell.users", permission: "users:manage" },
  { path: "prompts", label: "prompts.title", permission: "knowledge:manage" },
  { path: "queue-integration", label: "integrations.title", permission: "integrations:manage" },
  { path: "messages-api", label: "api.title", permission: "api:manage" },
  {
    ...{ path: "files", label: "fileLists.menu", tabOf: "campaigns" },
    permission: "file-lists:manage",
  },
  {
    ...{ path: "campaigns-config", label: "campaignConfig.title", tabOf: "campaigns" },
    permission: "campaigns:manage",
  },
  { path: "financeiro", label: "invoices.title", permission: "invoices:pay" },
  { path: "settings", label: "shell.settings", permission: "settings:write" },
  { path: "simulator", label: "shell.simulator", permission: "simulator:use" },
];
