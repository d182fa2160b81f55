import type { PasskeyId, SessionId, SignInId, SignInMethod, SignInRefusal } from "@balcao/contract";
import {
  bigint,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import {
  bytes,
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  sealed,
  userReference,
} from "./columns.ts";
import { companies, users } from "./companies.ts";

const ofUser = () => userReference({ onRemove: "delete" }).notNull();
const ofCompany = () => companyIdColumn().references(() => companies.id, { onDelete: "cascade" });

/** The signed-in browsers and programs of users. Tokens name their session, and an ended one is refused. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid("id").primaryKey().$type<SessionId>(),
    companyId: ofCompany(),
    userId: ofUser(),
    device: text("device").notNull(),
    address: text("address").notNull(),
    /** Hash of the known browser's id; null without one. */
    browser: text("browser"),
    method: text("method").$type<SignInMethod>().notNull(),
    createdAt: createdAt(),
    /** Written when the session is renewed, not with each request. */
    usedAt: moment("used_at").notNull(),
    /** Raised at each renewal, so that the second use of an old refresh token is noticed. */
    generation: integer("generation").notNull().default(0),
    renewedAt: moment("renewed_at"),
    endedAt: moment("ended_at"),
    endReason: text("end_reason"),
  },
  (table) => [
    unique("sessions_company_id").on(table.companyId, table.id),
    dependsOn("sessions_user", table.companyId, table.userId, users),
    index("sessions_user_index").on(table.companyId, table.userId),
    index("sessions_used").on(table.usedAt),
  ],
);

/** The authenticator app of a user, by whose codes the account is signed in to after the password. */
export const userFactors = pgTable(
  "user_factors",
  {
    companyId: ofCompany(),
    userId: ofUser(),
    secret: sealed("secret").notNull(),
    /** Set by the first right code; before it, nobody is asked for one. */
    confirmedAt: moment("confirmed_at"),
    /** The time step of the last code that was taken: each code is good once. */
    lastStep: bigint("last_step", { mode: "number" }).notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId] }),
    dependsOn("user_factors_user", table.companyId, table.userId, users),
  ],
);

/** Codes for a lost authenticator app, each good once. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    companyId: ofCompany(),
    userId: ofUser(),
    codeHash: text("code_hash").notNull(),
    usedAt: moment("used_at"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId, table.codeHash] }),
    dependsOn("recovery_codes_user", table.companyId, table.userId, users),
  ],
);

/** Public keys with which users sign in without a password. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: identity().$type<PasskeyId>(),
    companyId: ofCompany(),
    userId: ofUser(),
    credentialId: text("credential_id").notNull().unique(),
    publicBytes: bytes("public_bytes").notNull(),
    /** The authenticator's count of signatures: a copy of it counts less. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    transports: text("transports").array().notNull(),
    /** The host name that it belongs to. */
    host: text("host").notNull(),
    name: text("name").notNull(),
    createdAt: createdAt(),
    usedAt: moment("used_at"),
  },
  (table) => [
    unique("passkeys_company_id").on(table.companyId, table.id),
    dependsOn("passkeys_user", table.companyId, table.userId, users),
    index("passkeys_user_index").on(table.companyId, table.userId),
  ],
);

/** Browsers that are not asked for a second factor until then. */
export const trustedBrowsers = pgTable(
  "trusted_browsers",
  {
    companyId: ofCompany(),
    userId: ofUser(),
    /** Hash of the known browser's id. */
    browser: text("browser").notNull(),
    until: moment("until").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId, table.browser] }),
    dependsOn("trusted_browsers_user", table.companyId, table.userId, users),
  ],
);

/** Attempts to sign in to an account, for its user and the admins. */
export const signIns = pgTable(
  "sign_ins",
  {
    id: identity().$type<SignInId>(),
    companyId: ofCompany(),
    userId: ofUser(),
    at: moment("at").notNull(),
    device: text("device").notNull(),
    address: text("address").notNull(),
    method: text("method").$type<SignInMethod>().notNull(),
    /** Null for one that succeeded. */
    refusal: text("refusal").$type<SignInRefusal>(),
  },
  (table) => [
    unique("sign_ins_company_id").on(table.companyId, table.id),
    dependsOn("sign_ins_user", table.companyId, table.userId, users),
    index("sign_ins_of_user").on(table.companyId, table.userId, table.id.desc()),
    index("sign_ins_at").on(table.at),
  ],
);

/** Steps that wait for an answer of a browser, for five minutes and for one answer. A passkey's has no user yet, so no company. */
export const signInChallenges = pgTable(
  "sign_in_challenges",
  {
    /** Hash of what the browser holds. */
    id: text("id").primaryKey(),
    kind: text("kind").$type<"factor" | "passkey" | "new-passkey">().notNull(),
    /** The account in JSON; empty before it is known. */
    account: text("account").notNull(),
    /** Hash of the known browser's id. */
    browser: text("browser").notNull(),
    /** The bytes that a passkey has to sign. */
    challenge: text("challenge").notNull(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [index("sign_in_challenges_expired").on(table.expiresAt)],
);
