/** People, other programs, and the product itself. */
export const auditActorKinds = ["user", "program", "system"] as const;
export type AuditActorKind = (typeof auditActorKinds)[number];

/** The deeds that an entry can name. */
export const auditActions = [
  ...(["added", "changed", "removed", "restored"] as const),
  /** A conversation of somebody else was read. */
  "opened",
  /** A file with data of the company was made and sent. */
  "exported",
  "merged",
  /** Several at once, by a choice or a filter. */
  "massChanged",
  "ended",
  /** A person's data was erased, and replaced in older entries. */
  ...(["erased", "replaced"] as const),
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The things it was done to: a table's trigger names them, or the call that notes it. */
export const auditKinds = [
  ...(["setting", "user", "company", "connection", "queue", "tag", "resolveReason"] as const),
  ...(["macro", "fileList", "apiToken", "webhook", "integration", "prompt"] as const),
  ...(["aiService", "knowledge", "campaignSetting", "campaign", "contactList"] as const),
  ...(["contactImport", "brand", "plan", "billingSettings", "announcement", "help"] as const),
  ...(["companyArchive", "visit", "invoice", "payment", "contact", "ticket", "file"] as const),
  ...(["audit", "factor", "recoveryCodes", "passkey", "session", "role"] as const),
  ...(["person", "consent", "privacyRules", "backup", "whaticketImport", "quickMessage"] as const),
] as const;
export type AuditKind = (typeof auditKinds)[number];

/** The mark of a secret in an entry: it was set or changed. */
export const auditSecret = "•";

/** The days that a company may keep its audit. */
export const auditDays = ["90", "180", "365", "730", "1825"] as const;
