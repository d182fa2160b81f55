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

/**
 * The permission table: profile × plan × super (spec 6, wire-contract 4.1 and 4.2, architecture D8). The web shows by
 * it, the server decides by it.
 */
const rules = {
  "tickets:work": { profiles: ["user", "supervisor", "admin"] },
  "tickets:see-all": { profiles: ["admin"] },
  "tickets:assign-others": { profiles: ["admin"] },
  "tickets:delete": { profiles: ["admin"] },
  "tickets:close-all": { profiles: ["admin"] },
  /** Reading a waiting ticket's conversation without accepting it (architecture D8). */
  "tickets:spy": { profiles: ["supervisor", "admin"] },
  "notes:delete-any": { profiles: ["admin"] },
  "contacts:work": { profiles: ["user", "supervisor", "admin"] },
  "contacts:delete": { profiles: ["admin"] },
  "tags:use": { profiles: ["user", "supervisor", "admin"] },
  /** The kanban switch of a tag; everything else of it needs `tags:manage`. */
  "tags:set-kanban": { profiles: ["supervisor", "admin"] },
  "tags:manage": { profiles: ["admin"] },
  "kanban:use": { profiles: ["user", "supervisor", "admin"], plan: "useKanban" },
  /** The order of the lanes, which is the company's. */
  "kanban:order": { profiles: ["supervisor", "admin"], plan: "useKanban" },
  "quick-messages:use": { profiles: ["user", "supervisor", "admin"] },
  "quick-messages:manage-all": { profiles: ["admin"] },
  "contact-lists:use": { profiles: ["user", "supervisor", "admin"], plan: "useCampaigns" },
  "contact-lists:manage": { profiles: ["admin"], plan: "useCampaigns" },
  "campaigns:use": { profiles: ["user", "supervisor", "admin"], plan: "useCampaigns" },
  "campaigns:manage": { profiles: ["admin"], plan: "useCampaigns" },
  "file-lists:use": { profiles: ["user", "supervisor", "admin"] },
  "file-lists:manage": { profiles: ["admin"] },
  "schedules:use": { profiles: ["user", "supervisor", "admin"], plan: "useSchedules" },
  "schedules:manage-all": { profiles: ["admin"], plan: "useSchedules" },
  "chats:use": { profiles: ["user", "supervisor", "admin"], plan: "useInternalChat" },
  "prompts:list": { profiles: ["user", "supervisor", "admin"], plan: "useOpenAi" },
  "prompts:manage": { profiles: ["admin"], plan: "useOpenAi" },
  "knowledge:manage": { profiles: ["supervisor", "admin"], plan: "useOpenAi" },
  /** Drafts, summaries, translations and transcripts by the company's AI service. */
  "ai-help:use": { profiles: ["user", "supervisor", "admin"], plan: "useOpenAi" },
  "integrations:list": { profiles: ["user", "supervisor", "admin"], plan: "useIntegrations" },
  "integrations:manage": { profiles: ["admin"], plan: "useIntegrations" },
  /** The secrets with which receivers check what is sent to them. */
  "integrations:read-secrets": {
    profiles: ["admin"],
    plan: "useIntegrations",
    closedToVisitors: true,
  },
  /** Tokens and webhooks of other programs. */
  "api:manage": { profiles: ["admin"], plan: "useExternalApi", closedToVisitors: true },
  "users:list": { profiles: ["user", "supervisor", "admin"] },
  /** E-mail addresses of colleagues, with which they sign in. */
  "users:read-emails": { profiles: ["admin"] },
  "users:manage": { profiles: ["admin"], closedToVisitors: true },
  "connections:list": { profiles: ["user", "supervisor", "admin"] },
  "connections:manage": { profiles: ["admin"] },
  /** Across all companies: for the provider, who runs the installation. */
  "connections:read-any": { profiles: ["user", "supervisor", "admin"], super: true },
  "queues:list": { profiles: ["user", "supervisor", "admin"] },
  "queues:manage": { profiles: ["admin"] },
  "settings:read": { profiles: ["user", "supervisor", "admin"] },
  "settings:read-secrets": { profiles: ["admin"], closedToVisitors: true },
  "settings:write": { profiles: ["admin"] },
  /** The company's own opening hours. */
  "companies:manage": { profiles: ["admin"] },
  "announcements:read": { profiles: ["user", "supervisor", "admin"] },
  /** Announcements and help videos are the provider's, and the same for every company. */
  "announcements:manage": { profiles: ["user", "supervisor", "admin"], super: true },
  "helps:read": { profiles: ["user", "supervisor", "admin"] },
  "helps:manage": { profiles: ["user", "supervisor", "admin"], super: true },
  "companies:read-any": { profiles: ["user", "supervisor", "admin"], super: true },
  "companies:manage-any": { profiles: ["user", "supervisor", "admin"], super: true },
  "plans:manage": { profiles: ["user", "supervisor", "admin"], super: true },
  "mails:manage": { profiles: ["user", "supervisor", "admin"], super: true },
  "billing:manage": { profiles: ["user", "supervisor", "admin"], super: true },
  /** The company's own invoices. */
  "invoices:pay": { profiles: ["admin"], closedToVisitors: true },
  /** The company's figures (wire-contract 4.1 and 4.2). */
  "dashboard:view": { profiles: ["admin"] },
  "reports:view": { profiles: ["supervisor", "admin"] },
  "simulator:use": { profiles: ["admin"] },
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof rules;
export const permissions = Object.keys(rules) as Permission[];

/** The caller: a signed-in user with the fields that the table needs. */
export type PermissionHolder = {
  profile: Profile;
  super: boolean;
  plan: PlanFlags;
  /** Somebody of the provider, with the rights of this admin. */
  isVisitor?: boolean;
};

/** Whether the table grants `permission` to `holder`. */
export function isAllowed(holder: PermissionHolder, permission: Permission): boolean {
  const rule: Rule = rules[permission];
  return isHeld(holder, rule) && hasPlan(holder, rule);
}

/** Whether nothing but the company's plan keeps `permission` from `holder`. */
export function isOnlyPlanMissing(holder: PermissionHolder, permission: Permission): boolean {
  const rule: Rule = rules[permission];
  return isHeld(holder, rule) && !hasPlan(holder, rule);
}

function isHeld(holder: PermissionHolder, rule: Rule): boolean {
  if (rule.closedToVisitors && holder.isVisitor) return false;
  return (!rule.super || holder.super) && rule.profiles.includes(holder.profile);
}

function hasPlan({ plan }: PermissionHolder, rule: Rule): boolean {
  return !rule.plan || plan[rule.plan];
}

/** `allTicket` as clients of the family write it: `enabled` and `enable` are on, all else is off (wire-contract 4.5). */
export function seesTicketsWithoutQueue(allTicket: string): boolean {
  return allTicket === "enabled" || allTicket === "enable";
}
