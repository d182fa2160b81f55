/** Profiles of a user (spec 6). `super` is a flag beside the profile. */
export const profiles = ["user", "supervisor", "admin"] as const;
export type Profile = (typeof profiles)[number];

/** The features that a plan switches on (spec 3, Plan). */
export const planFlags = [
  "useCampaigns",
  "useKanban",
  "useOpenAi",
  "useIntegrations",
  "useSchedules",
  "useInternalChat",
  "useExternalApi",
] as const;
export type PlanFlag = (typeof planFlags)[number];
export type PlanFlags = Readonly<Record<PlanFlag, boolean>>;

type Rule = {
  /** Profiles that hold the permission. */
  profiles: readonly Profile[];
  /** The company's plan must have this flag as well. */
  plan?: PlanFlag;
  /** Only users of the provider company with the super flag. */
  super?: true;
  /** Not for a visitor of the provider, who has the rights of an admin otherwise. */
  closedToVisitors?: true;
};

const everybody = { profiles } as const;
const supervisors = { profiles: ["supervisor", "admin"] } as const;
const admins = { profiles: ["admin"] } as const;
const ofProvider = { ...everybody, super: true } as const;

/**
 * The permission table: profile × plan × super (spec 6, wire-contract 4.1 and 4.2, architecture D8). The web shows by
 * it, the server decides by it.
 */
const rules = {
  "tickets:work": everybody,
  "tickets:see-all": admins,
  "tickets:assign-others": admins,
  "tickets:delete": admins,
  "tickets:close-all": admins,
  /** Reading a waiting ticket's conversation without accepting it (architecture D8). */
  "tickets:spy": supervisors,
  "notes:delete-any": admins,
  "contacts:work": everybody,
  "contacts:delete": admins,
  "tags:use": everybody,
  /** The kanban switch of a tag; everything else of it needs `tags:manage`. */
  "tags:set-kanban": supervisors,
  "tags:manage": admins,
  "kanban:use": { ...everybody, plan: "useKanban" },
  /** The order of the lanes, which is the company's. */
  "kanban:order": { ...supervisors, plan: "useKanban" },
  "quick-messages:use": everybody,
  "quick-messages:manage-all": admins,
  "contact-lists:use": { ...everybody, plan: "useCampaigns" },
  "contact-lists:manage": { ...admins, plan: "useCampaigns" },
  "campaigns:use": { ...everybody, plan: "useCampaigns" },
  "campaigns:manage": { ...admins, plan: "useCampaigns" },
  "file-lists:use": everybody,
  "file-lists:manage": admins,
  "schedules:use": { ...everybody, plan: "useSchedules" },
  "schedules:manage-all": { ...admins, plan: "useSchedules" },
  "chats:use": { ...everybody, plan: "useInternalChat" },
  "prompts:list": { ...everybody, plan: "useOpenAi" },
  "prompts:manage": { ...admins, plan: "useOpenAi" },
  "knowledge:manage": { ...supervisors, plan: "useOpenAi" },
  /** Drafts, summaries, translations and transcripts by the company's AI service. */
  "ai-help:use": { ...everybody, plan: "useOpenAi" },
  "integrations:list": { ...everybody, plan: "useIntegrations" },
  "integrations:manage": { ...admins, plan: "useIntegrations" },
  /** The secrets with which receivers check what is sent to them. */
  "integrations:read-secrets": { ...admins, plan: "useIntegrations", closedToVisitors: true },
  /** Tokens and webhooks of other programs. */
  "api:manage": { ...admins, plan: "useExternalApi", closedToVisitors: true },
  "users:list": everybody,
  /** E-mail addresses of colleagues, with which they sign in. */
  "users:read-emails": admins,
  /** Roles of the company, which differ from the profiles (docs/roles.md). */
  "roles:manage": { ...admins, closedToVisitors: true },
  "users:manage": { ...admins, closedToVisitors: true },
  "connections:list": everybody,
  "connections:manage": admins,
  /** Across all companies: for the provider, who runs the installation. */
  "connections:read-any": ofProvider,
  "queues:list": everybody,
  "queues:manage": admins,
  "settings:read": everybody,
  "settings:read-secrets": { ...admins, closedToVisitors: true },
  "settings:write": admins,
  /** The company's own opening hours. */
  "companies:manage": admins,
  "announcements:read": everybody,
  /** Announcements and help videos are the provider's, and the same for every company. */
  "announcements:manage": ofProvider,
  "helps:read": everybody,
  "helps:manage": ofProvider,
  "companies:read-any": ofProvider,
  "companies:manage-any": ofProvider,
  "plans:manage": ofProvider,
  "mails:manage": ofProvider,
  "billing:manage": ofProvider,
  /** The company's own invoices. */
  "invoices:pay": { ...admins, closedToVisitors: true },
  /** The company's figures (wire-contract 4.1 and 4.2). */
  "dashboard:view": admins,
  "reports:view": supervisors,
  /** Reading the company's audit (docs/audit.md). */
  "audit:view": admins,
  "simulator:use": admins,
  /** Personal data of customers: finding, copying and erasing them, and how long they are kept. */
  "privacy:manage": { ...admins, closedToVisitors: true },
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof rules;
export const permissions = Object.keys(rules) as Permission[];

/** The caller: a signed-in user with the fields that the table needs. */
export type PermissionHolder = {
  profile: Profile;
  super: boolean;
  plan: PlanFlags;
  /** Those of the user's role, instead of the profile's; absent without a role. */
  permissions?: readonly Permission[] | undefined;
  /** Somebody of the provider, with the rights of this admin. */
  isVisitor?: boolean;
};

/** Whether the table grants `permission` to `holder`. */
export function isAllowed(holder: PermissionHolder, permission: Permission): boolean {
  const rule: Rule = rules[permission];
  return isHeld(holder, permission, rule) && hasPlan(holder, rule);
}

/** Whether nothing but the company's plan keeps `permission` from `holder`. */
export function isOnlyPlanMissing(holder: PermissionHolder, permission: Permission): boolean {
  const rule: Rule = rules[permission];
  return isHeld(holder, permission, rule) && !hasPlan(holder, rule);
}

/** Roles have no say about the provider's permissions. */
function isHeld(holder: PermissionHolder, permission: Permission, rule: Rule): boolean {
  if (rule.closedToVisitors && holder.isVisitor) return false;
  if (rule.super) return holder.super;
  return holder.permissions?.includes(permission) ?? rule.profiles.includes(holder.profile);
}

function hasPlan({ plan }: PermissionHolder, rule: Rule): boolean {
  return !rule.plan || plan[rule.plan];
}

/** `allTicket` as clients of the family write it: `enabled` and `enable` are on, all else is off (wire-contract 4.5). */
export function seesTicketsWithoutQueue(allTicket: string): boolean {
  return allTicket === "enabled" || allTicket === "enable";
}
