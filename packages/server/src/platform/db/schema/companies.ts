import type {
  Availability,
  Company,
  CompanyArchiveState,
  CompanyId,
  Permission,
  PlanId,
  Profile,
  RoleId,
  ScheduleEntry,
  SupportVisitId,
  TagId,
  UserId,
  WhaticketKind,
  WhaticketReport,
  WhaticketState,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  createdAt,
  deletedAt,
  identity,
  moment,
  updatedAt,
  userReference,
} from "./columns.ts";

/** Facts of the installation (secrets, versions): readable by the owner only. */
export const installation = pgTable("installation", {
  key: text("key").primaryKey(),
  value: text("value").notNull(),
});

/** The jobs that run by the clock, once for the whole installation (platform/jobs/periodic-jobs.ts). */
export const periodicJobs = pgTable("periodic_jobs", {
  name: text("name").primaryKey(),
  /** The next time; also while it runs. */
  dueAt: moment("due_at").notNull(),
  /** The run that has it, and until when unless it says more. */
  holder: uuid("holder"),
  heldUntil: moment("held_until"),
  startedAt: moment("started_at"),
  endedAt: moment("ended_at"),
  /** In a row. */
  failures: integer("failures").notNull().default(0),
  /** The kind of the last run's error, without its values; null after a good run. */
  fault: text("fault"),
});

/** The copies of the whole installation that were made or tried (features/backups). */
export const backups = pgTable(
  "backups",
  {
    id: identity(),
    startedAt: moment("started_at").notNull(),
    /** Null while it is being made, or when its process ended before. */
    endedAt: moment("ended_at"),
    /** The last sign of the process that makes it. */
    seenAt: moment("seen_at").notNull(),
    /** `schedule` or `command`. */
    origin: text("origin").notNull(),
    /** The folder or the address in an object storage. */
    place: text("place").notNull(),
    /** The archive there; null until it is whole. */
    name: text("name"),
    isEncrypted: boolean("is_encrypted").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    rows: bigint("rows", { mode: "number" }).notNull().default(0),
    files: bigint("files", { mode: "number" }).notNull().default(0),
    /** Files that a row named and that were not there. */
    missingFiles: bigint("missing_files", { mode: "number" }).notNull().default(0),
    /** When it was restored into a scratch database and compared. */
    verifiedAt: moment("verified_at"),
    /** Removed by the retention. */
    removedAt: moment("removed_at"),
    error: text("error"),
  },
  (table) => [index("backups_started").on(table.startedAt)],
);

/** Trials and imports of a Whaticket database that super users began (features/whaticket-runs). */
export const whaticketRuns = pgTable("whaticket_runs", {
  id: identity(),
  kind: text("kind").$type<WhaticketKind>().notNull(),
  state: text("state").$type<WhaticketState>().notNull(),
  startedAt: moment("started_at").notNull(),
  /** The last sign of the process that runs it. */
  seenAt: moment("seen_at").notNull(),
  endedAt: moment("ended_at"),
  /** The last line that the run said of itself. */
  progress: text("progress").notNull(),
  /** The chosen companies there; none in a trial. */
  companyIds: text("company_ids").array().notNull(),
  report: jsonb("report").$type<WhaticketReport>(),
  /** A code without values; null unless it failed. */
  error: text("error"),
});

export const plans = pgTable("plans", {
  id: identity().$type<PlanId>(),
  name: text("name").notNull().unique(),
  users: integer("users").notNull(),
  connections: integer("connections").notNull(),
  queues: integer("queues").notNull(),
  valueCents: integer("value_cents").notNull(),
  useCampaigns: boolean("use_campaigns").notNull().default(true),
  useKanban: boolean("use_kanban").notNull().default(true),
  useOpenAi: boolean("use_open_ai").notNull().default(true),
  useIntegrations: boolean("use_integrations").notNull().default(true),
  useSchedules: boolean("use_schedules").notNull().default(true),
  useInternalChat: boolean("use_internal_chat").notNull().default(true),
  useExternalApi: boolean("use_external_api").notNull().default(true),
  /** Offered to who signs up. */
  useInternal: boolean("use_internal").notNull().default(true),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

/** The tenants. Its own id is the tenant key, so its policy compares `id`. */
export const companies = pgTable(
  "companies",
  {
    id: integer("id").generatedAlwaysAsIdentity().primaryKey().$type<CompanyId>(),
    name: text("name").notNull().unique(),
    email: text("email").notNull(),
    phone: text("phone"),
    status: boolean("status").notNull().default(true),
    /** Why it is suspended; "" while it is not, or when nobody said. */
    suspensionReason: text("suspension_reason").notNull().default(""),
    planId: integer("plan_id")
      .$type<PlanId>()
      .notNull()
      .references(() => plans.id),
    dueDate: moment("due_date"),
    trialExpiration: moment("trial_expiration"),
    recurrence: text("recurrence").notNull().default("MENSAL"),
    /** It is suspended because it has not paid; a payment, or a later due date, lets it work again. */
    unpaid: boolean("unpaid").notNull().default(false),
    /** The due date for which that was done last: once for each. */
    stoppedFor: moment("stopped_for"),
    timeZone: text("time_zone").notNull().default("America/Sao_Paulo"),
    /** Empty: the default opening hours. */
    schedules: jsonb("schedules").$type<ScheduleEntry[]>().notNull().default([]),
    holidays: jsonb("holidays")
      .$type<Company["holidays"]>()
      .notNull()
      .default({ national: {}, own: [] }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("companies_plan").on(table.planId)],
);

export const settings = pgTable(
  "settings",
  {
    id: identity(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    value: text("value").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [unique("settings_company_key").on(table.companyId, table.key)],
);

/**
 * Roles that an admin of the company has made. Each belongs to a profile and stores only how it differs from that: what later
 * versions give to the profile, its roles have as well.
 */
export const roles = pgTable(
  "roles",
  {
    id: identity().$type<RoleId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Never changes: the users of the role have it as their profile. */
    profile: text("profile").$type<Profile>().notNull(),
    /** Permissions beyond those of the profile. */
    granted: text("granted").$type<Permission>().array().notNull(),
    /** Permissions of the profile that the role lacks. */
    withheld: text("withheld").$type<Permission>().array().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("roles_company_id").on(table.companyId, table.id),
    unique("roles_company_profile_id").on(table.companyId, table.profile, table.id),
    unique("roles_company_name").on(table.companyId, table.name),
  ],
);

export const users = pgTable(
  "users",
  {
    id: identity().$type<UserId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Stored lower-cased; unique over all companies, because sign-in has no company field. */
    email: text("email").notNull(),
    passwordHash: text("password_hash").notNull(),
    /** When the hash was last replaced, written by a trigger; null: the account still has its first password. */
    passwordSetAt: moment("password_set_at"),
    profile: text("profile").$type<Profile>().notNull().default("user"),
    /** Null: the permissions of the profile. */
    roleId: integer("role_id").$type<RoleId>(),
    super: boolean("super").notNull().default(false),
    allTicket: text("all_ticket").notNull().default("desabled"),
    connectionId: connectionReference({ onRemove: "clear" }),
    /** Raised to end every session of the account. */
    tokenVersion: integer("token_version").notNull().default(0),
    /** Raised at each refresh, so that the second use of an old refresh token is noticed. */
    refreshGeneration: integer("refresh_generation").notNull().default(0),
    refreshedAt: moment("refreshed_at"),
    online: boolean("online").notNull().default(false),
    lastSeenAt: moment("last_seen_at"),
    /** What the user says; whether somebody is there at all is `online`. */
    availability: text("availability").$type<Availability>().notNull().default("available"),
    /** Null unless paused. */
    pauseReason: text("pause_reason"),
    availabilitySince: moment("availability_since")
      .notNull()
      .default(sql`now()`),
    /** Automatic assignment gives the user no ticket beyond this many open ones. */
    ticketLimit: integer("ticket_limit").notNull().default(6),
    deletedAt: deletedAt(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("users_company_id").on(table.companyId, table.id),
    uniqueIndex("users_email_unique")
      .on(table.email)
      .where(sql`deleted_at is null`),
    index("users_online").on(table.lastSeenAt),
    index("users_connection_index")
      .on(table.companyId, table.connectionId)
      .where(sql`connection_id is not null`),
    foreignKey({
      name: "users_role",
      columns: [table.companyId, table.profile, table.roleId],
      foreignColumns: [roles.companyId, roles.profile, roles.id],
    }),
    index("users_role_index")
      .on(table.companyId, table.roleId, table.profile)
      .where(sql`role_id is not null`),
  ],
);

/**
 * What a company used in a month of its calendar, counted by a job: a count over its messages would be too slow for the list of
 * all companies.
 */
export const companyUsage = pgTable(
  "company_usage",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Its first day, `yyyy-mm-dd`. */
    month: text("month").notNull(),
    messages: integer("messages").notNull().default(0),
    /** Those of them with a file. */
    media: integer("media").notNull().default(0),
    /** What all files of the company took when they were counted last. */
    fileBytes: bigint("file_bytes", { mode: "number" }).notNull().default(0),
    countedAt: moment("counted_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.month] })],
);

/** Visits of the provider's people in a company, which its admins can read. */
export const supportVisits = pgTable(
  "support_visits",
  {
    id: identity().$type<SupportVisitId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** The admin whose rights the visitor has. */
    userId: userReference({ onRemove: "keep" }).notNull(),
    /** The super user, who belongs to the provider's company. The visit ends with that session. */
    visitorCompanyId: integer("visitor_company_id").$type<CompanyId>().notNull(),
    visitorId: integer("visitor_id").$type<UserId>().notNull(),
    visitorTokenVersion: integer("visitor_token_version").notNull(),
    visitorName: text("visitor_name").notNull(),
    reason: text("reason").notNull(),
    startedAt: moment("started_at").notNull(),
    /** When it ends by itself. */
    endsAt: moment("ends_at").notNull(),
    /** When the visitor left before. */
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("support_visits_newest").on(table.companyId, table.startedAt.desc(), table.id.desc()),
  ],
);

/** Sign-in attempts per account and per address, and sign-ups per address, counted in the database for all processes. */
export const loginAttempts = pgTable(
  "login_attempts",
  {
    /** `account:<sha256 of the e-mail>`, `address:<ip>`, `sign-up:address:<ip>`, … */
    subject: text("subject").notNull(),
    windowStart: moment("window_start").notNull(),
    failures: integer("failures").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subject] }),
    index("login_attempts_window").on(table.windowStart),
  ],
);

export const tags = pgTable(
  "tags",
  {
    id: identity().$type<TagId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    color: text("color").notNull().default("#A4CCCC"),
    kanban: integer("kanban").notNull().default(0),
    /** Its place among the lanes of the board; those without one come after them, by id. */
    lanePlace: integer("lane_place"),
    /** Set while its deletion can be undone: nobody sees it, its tickets keep it. Then the row is removed. */
    deletedAt: deletedAt(),
    deletedBy: userReference({ onRemove: "keep" }, "deleted_by"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("tags_company_id").on(table.companyId, table.id),
    uniqueIndex("tags_company_name_color_kanban")
      .on(table.companyId, table.name, table.color, table.kanban)
      .where(sql`deleted_at is null`),
    index("tags_lanes")
      .on(table.companyId, table.lanePlace, table.id)
      .where(sql`kanban = 1`),
    index("tags_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);

/**
 * The files of a company in the media store. The row is committed before the file is written and goes after it was
 * removed, so that no file is ever without a row; one that nothing refers to any more is swept.
 */
export const files = pgTable(
  "files",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** `<uuid>.<extension>`, see the media store. */
    key: text("key").notNull(),
    mime: text("mime").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    sha256: text("sha256").notNull().default(""),
    /** False while it is being written. */
    isWhole: boolean("is_whole").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.key] }),
    index("files_age").on(table.createdAt),
    index("files_partial")
      .on(table.createdAt)
      .where(sql`not is_whole`),
  ],
);

/**
 * The foreign key of a column that holds the key of a stored file. By it the sweep knows that the column's files are in use
 * (`references.ts`); the column is called `…_key`.
 */
export const fileReference = <Table extends string>(
  name: string,
  columns: [companyId: AnyPgColumn<{ tableName: Table }>, key: AnyPgColumn<{ tableName: Table }>],
) => foreignKey({ name, columns, foreignColumns: [files.companyId, files.key] });

/**
 * Rows that an import from another system has made: the id there and the id here. A repeated or continued import finds them
 * and makes nothing twice. They go with the company.
 */
export const importIds = pgTable(
  "import_ids",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** The database that was read. */
    source: text("source").notNull(),
    /** `company`, `user`, `ticket`, …; `company-done` for a company that is whole. */
    kind: text("kind").notNull(),
    sourceId: text("source_id").notNull(),
    newId: integer("new_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.source, table.kind, table.sourceId] })],
);

/**
 * Archives of one company (docs/one-company.md): each export that a super user has asked for, kept as a record of who did, and
 * the import that made a company.
 */
export const companyArchives = pgTable(
  "company_archives",
  {
    id: uuid("id").primaryKey(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    kind: text("kind").$type<"export" | "import">().notNull(),
    state: text("state").$type<CompanyArchiveState>().notNull(),
    /** The super user who asked for it, who belongs to the provider's company; null for the command line. */
    requesterId: integer("requester_id").$type<UserId>(),
    requesterName: text("requester_name").notNull(),
    /** The file in the store of exports, until it expires. */
    storeKey: text("store_key"),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    /** From 0 to 100. */
    progress: integer("progress").notNull().default(0),
    /** A process works on it until then, unless it says more. */
    heldUntil: moment("held_until"),
    attempts: integer("attempts").notNull().default(0),
    endedAt: moment("ended_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("company_archives_newest").on(table.companyId, table.createdAt.desc()),
    index("company_archives_open")
      .on(table.createdAt)
      .where(sql`state in ('waiting', 'running') or store_key is not null`),
  ],
);

/** What each company used, in spans of five minutes, added up from all processes; kept for two days. */
export const companyUses = pgTable(
  "company_uses",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** When the span begins. */
    at: moment("at").notNull(),
    calls: integer("calls").notNull(),
    refused: integer("refused").notNull(),
    searches: integer("searches").notNull(),
    databaseMs: bigint("database_ms", { mode: "number" }).notNull(),
    waitedMs: bigint("waited_ms", { mode: "number" }).notNull(),
    inbound: integer("inbound").notNull(),
    outbound: integer("outbound").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.at] }),
    index("company_uses_age").on(table.at),
  ],
);
