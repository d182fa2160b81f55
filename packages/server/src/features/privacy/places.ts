import type { HeldKind } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { getTableName, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { PgTable } from "drizzle-orm/pg-core";
import { referringColumns, tablesOf } from "../../platform/db/references.ts";
import type { ErasedPerson } from "../../platform/db/schema/index.ts";
import * as schema from "../../platform/db/schema/index.ts";

// The places where a person's data are. Rows that refer to a contact, a ticket or a message are found from the schema. What holds a
// number, a name or a text without a reference is listed here; a new column that is in neither fails `places.test.ts`.

/** The person as the statements look for it; the contact is null where only numbers are known. */
export type Sought = {
  companyId: number;
  contactId: number | null;
  person: ErasedPerson;
};

/** Rows of one table that belong to a person. */
type HeldTable = { name: string; kind: HeldKind; where(sought: Sought): SQL };

const list = (values: readonly string[]): SQL => sql`(${sql.param([...values])}::text[])`;

const ticketsOf = ({ companyId, contactId }: Sought): SQL =>
  sql`(select id from tickets where company_id = ${companyId} and contact_id = ${contactId})`;

/** The messages of the person's tickets, and those that the person wrote in groups. */
export const messagesOf = (sought: Sought): SQL => sql`(
  select id from messages where company_id = ${sought.companyId} and ticket_id in ${ticketsOf(sought)}
  union select id from messages where company_id = ${sought.companyId} and contact_id = ${sought.contactId})`;

/** The kind under which people count the rows of a table; others count as the contact's own. */
const kinds: Readonly<Record<string, HeldKind>> = {
  tickets: "tickets",
  messages: "messages",
  message_media: "files",
  outbound: "channel",
  media_downloads: "channel",
  transcript_jobs: "helpers",
  ticket_notes: "notes",
  drafts: "drafts",
  schedules: "schedules",
  campaign_recipients: "campaigns",
  bot_sessions: "helpers",
  billing_lookups: "helpers",
  prompt_tickets: "helpers",
  attendant_turns: "helpers",
  deliveries: "deliveries",
  ratings: "ratings",
  contact_events: "history",
  ticket_undos: "history",
  lane_moves: "history",
};

/** Tables that refer to a ticket or contact and stay: they hold figures, or texts of the company's own people. */
const notOfPerson = new Set(["attendances", "target_misses", "chat_messages", "erasures"]);

const columnsTo = (table: PgTable, to: "contacts" | "tickets"): string[] =>
  referringColumns([table])
    .filter(({ reference }) => reference.to === to)
    .map(({ column }) => column.name);

/** The tables whose rows refer to a person's contact, tickets or messages. */
function referringTables(): HeldTable[] {
  return tablesOf(schema).flatMap((table): HeldTable[] => {
    const name = getTableName(table);
    const kind = kinds[name] ?? "contact";
    if (notOfPerson.has(name) || name === "messages") return [];
    const byContact = columnsTo(table, "contacts");
    const byTicket = columnsTo(table, "tickets");
    const byMessage = getTableConfig(table).foreignKeys.some(
      (key) => key.reference().foreignTable === schema.messages,
    );
    if (byContact.length + byTicket.length === 0 && !byMessage) return [];
    const where = (sought: Sought): SQL =>
      sql.join(
        [
          ...byContact.map((column) => sql`${sql.identifier(column)} = ${sought.contactId}`),
          ...byTicket.map((column) => sql`${sql.identifier(column)} in ${ticketsOf(sought)}`),
          ...(byMessage ? [sql`message_id in ${messagesOf(sought)}`] : []),
        ],
        sql` or `,
      );
    return [{ name, kind, where }];
  });
}

/** Rows that name a person by number or private id, without a reference. */
type NumberPlace = { name: string; column: string; kind: HeldKind };
export const numberPlaces: readonly NumberPlace[] = [
  { name: "contact_list_items", column: "number_normal", kind: "lists" },
  { name: "contact_import_rows", column: "number_normal", kind: "imports" },
  { name: "known_numbers", column: "key", kind: "phoneBook" },
  { name: "phone_book_entries", column: "number_normal", kind: "phoneBook" },
  { name: "read_receipts", column: "to_value", kind: "channel" },
];

/**
 * Logs and queues whose texts may contain a number, a private id or an e-mail address. Rows from before the erasure go. With `key`, a
 * long table is read in stretches.
 */
type TextPlace = {
  name: string;
  columns: readonly string[];
  kind: HeldKind;
  only?: string;
  key?: true;
  /** Its rows say no time. */
  isTimeless?: true;
};
export const textPlaces: readonly TextPlace[] = [
  { name: "deliveries", columns: ["body", "answer", "url"], kind: "deliveries", key: true },
  { name: "api_repeats", columns: ["key", "reply"], kind: "deliveries" },
  {
    name: "inbound_journal",
    columns: ["chat_key", "event"],
    kind: "channel",
    only: "failed_at is not null",
  },
  { name: "early_events", columns: ["event"], kind: "channel" },
  { name: "channel_questions", columns: ["question", "answer"], kind: "channel" },
  { name: "mails", columns: ["subject", "text", "html"], kind: "deliveries" },
  { name: "contact_import_rows", columns: ["cells"], kind: "imports", isTimeless: true },
  {
    ...{ name: "outbound", columns: ["to_value", "body", "quote", "before"], kind: "channel" },
    ...{ only: "state = 'done'", isTimeless: true },
  },
];

/** Everything that one look, export or count reads, by table. */
export const heldTables: readonly HeldTable[] = [
  { name: "contacts", kind: "contact", where: ({ contactId }) => sql`id = ${contactId}` },
  {
    name: "messages",
    kind: "messages",
    where: (sought) => sql`(ticket_id in ${ticketsOf(sought)} or contact_id = ${sought.contactId})`,
  },
  ...referringTables(),
  ...numberPlaces.map(({ name, column, kind }): HeldTable => ({
    name,
    kind,
    where: ({ person }) =>
      sql`${sql.identifier(column)} = any ${list([...person.numbers, ...person.privateIds])}`,
  })),
  {
    name: "campaign_recipients",
    kind: "campaigns",
    where: ({ person, contactId }) =>
      sql`contact_id is distinct from ${contactId} and number_normal = any ${list(person.numbers)}`,
  },
];

/**
 * Counted and erased, and in no copy for the person: copies of messages beside addresses and answers of the company's other programs,
 * and the workings of the product.
 */
export const notCopied: ReadonlySet<string> = new Set([
  ...["deliveries", "outbound", "media_downloads", "transcript_jobs", "read_receipts"],
  ...["attendant_turns", "prompt_tickets", "bot_sessions", "ticket_undos", "lane_moves"],
]);

/** LIKE patterns of what names a person beyond doubt; a first name alone does not. */
export function patternsOf({ numbers, privateIds, emails }: ErasedPerson): string[] {
  return [...numbers, ...privateIds, ...emails]
    .filter((text) => text.length >= 8)
    .map((text) => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`);
}

/** Names that are searched in texts of others: whole ones. */
export const wholeNames = ({ names }: ErasedPerson): string[] =>
  names.filter((name) => /\S\s+\S/.test(name.trim()) || name.trim().length >= 8);

/**
 * Columns of text that hold nothing of a person, or that an erasure leaves; by reason. Columns without a reason fail the test;
 * `*` is every column of a table. */
export const keptColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "is written by the company or the provider for everybody": {
    announcements: "title text image_key image_name",
    brand_images: "kind content_type hash content",
    brands: "name host name owner color",
    campaign_settings: "key value",
    campaigns: "name messages confirmations status file_key file_name template hold_reason counts",
    chats: "title direct_pair last_message",
    file_list_options: "name file_key file_name",
    file_lists: "name message",
    helps: "title description video",
    knowledge_items: "kind title text file_name",
    knowledge_parts: "text words",
    macros: "name key message",
    prompts:
      "name prompt base_url model api_key api_key_end voice voice_key voice_key_end voice_region fault",
    queue_option_drafts: "title message file_key file_name",
    queue_options: "title message file_key file_name",
    queues:
      "name color greeting_message out_of_hours_message schedules file_key file_name draft_greeting assignment",
    quick_messages: "shortcode message folder file_key file_name",
    resolve_reasons: "name",
    tags: "name color",
    privacy_settings: "text_pt text_en text_es officer_name officer_email officer_phone",
  },
  "is a setting, a code or a secret of the company or the installation": {
    ai_services: "base_url model transcription_model api_key api_key_end fault",
    api_tokens: "name hash end scopes last_used_from",
    campaign_lines: "hold_reason quality",
    cloud_accounts: "phone_number_id business_account_id access_token app_secret verify_token",
    companies: "name email phone suspension_reason recurrence time_zone schedules holidays",
    connections:
      "name channel status qrcode pairing_code pairing_phone close_reason number unlink_channel greeting_message complation_message out_of_hours_message rating_message farewell_message expires_inactive_message provider token",
    installation: "key value",
    integrations:
      "type name project_name json_content json_account language url typebot_slug typebot_keyword_finish typebot_unknown_message typebot_keyword_restart typebot_restart_message secret previous_secret",
    periodic_jobs: "name fault",
    plans: "name",
    roles: "name profile granted withheld",
    settings: "key value",
    simulator_lines: "pairing_code network",
    webhooks: "name url events secret previous_secret",
    whatsapp_credentials: "data",
  },
  "is about the company's own people, or the provider's": {
    login_attempts: "subject",
    passkeys: "*",
    password_resets: "*",
    push_choices: "*",
    push_keys: "*",
    push_subscriptions: "*",
    recovery_codes: "*",
    sessions: "*",
    sign_in_challenges: "*",
    sign_ins: "*",
    support_visits: "visitor_name reason",
    trusted_browsers: "*",
    user_factors: "*",
    users: "*",
  },
  "is in the books of the provider, whose customer is the company": {
    billing_events: "action actor_name",
    billing_settings: "bank receiver city pix contact secrets",
    charges: "bank txid bank_id code",
    invoices: "detail status",
    payers: "data",
    payments: "bank transfer_id state fault",
  },
  "is an address, a code or a count without content": {
    api_calls: "token_name call code request_id",
    api_repeats: "caller request",
    backups: "origin place name error",
    chat_messages: "mentions file_key file_name thumbnail_key kind mime",
    cloud_uploads: "file_key media_id",
    company_archives: "kind state requester_name store_key",
    company_usage: "month",
    contact_imports: "file_key file_name state error_code error_data sheet_name settings trial",
    contact_lists: "name filter",
    files: "key mime sha256",
    import_ids: "source kind source_id",
    incidents: "kind place code request_id",
    processes: "host version roles figures",
    push_notices: "kind subject",
    summed_days: "time_zone",
    target_misses: "kind",
    ticket_snoozes: "ended",
    ticket_views: "name filter",
    whaticket_runs: "kind state progress company_ids report error",
  },
  "is the record of the erasure or the export itself, which ends without a name": {
    erasures: "state person requester_name salt hashes counts remains",
    erasure_files: "file",
    person_exports: "state language requester_name store_key",
  },
  "is counted as a mention: a text that the company's people wrote to each other": {
    chat_messages: "message",
  },
  "is replaced by the audit itself": {
    audit_entries:
      "actor_kind actor_name session_id action object_kind object_id object_label before after address device request_id once_mark words",
  },
  "is removed by the channel's own store": {
    cloud_deliveries: "body",
    cloud_message_ids: "provider_id wamid",
    simulator_customers: "phone name last_message members",
    simulator_messages: "phone id body kind details change quoted_id author reactions",
    whatsapp_keys: "type id data",
    whatsapp_sent: "message_id data",
  },
  "is on its way for seconds, and then gone": {
    socket_attachments: "payload",
    whatsapp_plaintexts: "message_id data",
  },
};
