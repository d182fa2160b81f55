import type { CompanyId } from "@balcao/contract";
import { acks, settingKeys } from "@balcao/contract";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Random } from "../../platform/sources.ts";
import { newSecret } from "../../features/integrations/index.ts";
import { sealPromptKey } from "../../features/prompts/index.ts";

// A new table of companies is either exported or named here (checked by one-company.test.ts).

/** Tables whose rows do not travel, each with the reason. */
export const leftBehind: Readonly<Record<string, string>> = {
  connection_leases: "says which process runs a connection now",
  inbound_journal: "is work that has not ended",
  outbound: "is work that has not ended: nothing may be sent twice",
  read_receipts: "is work that has not ended",
  early_events: "is work that has not ended",
  media_downloads: "is work that has not ended",
  channel_questions: "is work that has not ended",
  transcript_jobs: "is work that has not ended",
  contact_imports: "is work that has not ended, or its record",
  contact_import_rows: "is work that has not ended, or its record",
  ticket_undos: "counts for seconds",
  whatsapp_credentials: "is the link to a phone, which works in one place only",
  whatsapp_keys: "is the link to a phone, which works in one place only",
  whatsapp_plaintexts: "is the link to a phone, which works in one place only",
  whatsapp_sent: "is the link to a phone, which works in one place only",
  cloud_accounts: "is a secret, with an address of this installation",
  cloud_deliveries: "is work that has not ended",
  cloud_uploads: "is a cache",
  simulator_lines: "belongs to the simulated network",
  simulator_customers: "belongs to the simulated network",
  simulator_messages: "belongs to the simulated network",
  api_tokens: "is a secret",
  api_repeats: "counts for a day",
  api_calls: "is a log of this installation",
  audit_entries: "is evidence of this installation, and a copy could not be told from a forgery",
  password_resets: "is a secret",
  push_subscriptions: "is about browsers that signed in here",
  push_notices: "is work that has not ended",
  user_factors: "is a secret",
  recovery_codes: "is a secret",
  passkeys: "belongs to the host name of this installation",
  trusted_browsers: "is a secret of browsers that signed in here",
  sessions: "is about browsers that signed in here",
  sign_ins: "is a log of this installation",
  mails: "is a log of this installation's mail server",
  deliveries: "is a log, and work that has not ended",
  bot_sessions: "is a session with a program outside",
  billing_lookups: "counts for a day",
  attendance_changes: "is made again from the attendances",
  summed_days: "is made again from the attendances",
  attendance_days: "is made again from the attendances",
  announcement_reads: "is about announcements of this installation",
  support_visits: "is about people of this installation's provider",
  invoices: "is in the books of this installation's provider",
  charges: "is in the books of this installation's provider",
  payments: "is in the books of this installation's provider",
  billing_events: "is in the books of this installation's provider",
  company_archives: "is about archives of this installation",
  erasures: "is about this installation's backups, by hashes that only it can check",
  erasure_files: "is work that has not ended",
  person_exports: "is about files of this installation",
  company_uses: "is about the load on this installation",
  import_ids: "is about an import into this installation",
  campaign_lines: "is what a connection has sent, and the new link begins anew",
};

/** Values of one row, as COPY writes them; null is `\N`. */
export type Fields = {
  get(column: string): string | null;
  set(column: string, value: string | null): void;
};

/** The company's new place. */
export type Place = {
  companyId: CompanyId;
  seal: Seal;
  random: Random;
  /** As COPY writes a moment. */
  now: string;
  emailSuffix: string;
  /** The new id for an old one; null when it is not in the archive. */
  idOf(space: string, old: number): number | null;
};

export type TableRules = {
  /** SQL condition of the rows that travel. */
  where?: string;
  /** Columns that do not travel: secrets, and what belongs to this place. At the new place they have their defaults. */
  without?: readonly string[];
  /** Columns with ids that neither a foreign key nor the schema's references name. */
  ids?: Readonly<Record<string, string>>;
  /** Changes a row at the new place. Its ids are mapped already, but for those in texts. */
  arrive?(row: Fields, place: Place): void;
};

const signature = ["secret", "previous_secret", "previous_until", "failing_since", "stopped_at"];

const secretSettings = Object.entries(settingKeys)
  .filter(([, rule]) => "secret" in rule || "provider" in rule)
  .map(([key]) => `'${key}'`)
  .join(", ");

/** The exceptions of a table. One without an entry travels as it is, with new ids. */
export const tableRules: Readonly<Record<string, TableRules>> = {
  // The row itself is written before all others (import.ts).
  companies: {
    without: ["plan_id", "status", "suspension_reason", "unpaid", "stopped_for", "updated_at"],
  },
  settings: { where: `key not in (${secretSettings})` },
  files: { where: "is_whole" },
  users: {
    without: ["super", "online", "token_version", "refresh_generation", "refreshed_at"],
    arrive(row, { emailSuffix }) {
      if (emailSuffix === "") return;
      row.set("email", suffixed(row.get("email") ?? "", emailSuffix));
    },
  },
  connections: {
    without: [
      ...["status", "qrcode", "pairing_code", "pairing_phone", "close_reason", "retries"],
      ...["connected_at", "disconnected_at", "alarmed_at", "loss_mailed_at", "token"],
      ...["start_generation", "unlink_requested", "unlink_channel", "wanted"],
    ],
    arrive(row) {
      row.set("wanted", "f");
      // Otherwise tickets that have been quiet are closed within a minute, with texts that wait for the new link.
      row.set("expires_ticket_minutes", "0");
    },
  },
  user_queues: { without: ["last_turn"] },
  queues: { ids: { successor_id: "queues" } },
  // An option has the same id in both tables.
  queue_option_drafts: { ids: { id: "queue_options|queue_option_drafts" } },
  prompts: {
    without: ["api_key", "api_key_end", "voice_key", "voice_key_end", "fault", "fault_at"],
    arrive(row, place) {
      row.set("api_key", bytea(sealPromptKey(place.seal, place.companyId, "").sealed));
      row.set("api_key_end", "");
      row.set("fault", "key");
      row.set("fault_at", place.now);
    },
  },
  ai_services: {
    without: ["api_key", "api_key_end", "fault", "fault_at"],
    arrive(row, place) {
      row.set("api_key", bytea(sealPromptKey(place.seal, place.companyId, "").sealed));
      row.set("api_key_end", "");
      row.set("fault", "key");
      row.set("fault_at", place.now);
    },
  },
  integrations: { without: ["json_content", ...signature], arrive: stop },
  webhooks: { without: signature, arrive: stop },
  tickets: { ids: { last_attendance_id: "attendances", snooze_id: "ticket_snoozes" } },
  attendant_turns: {
    ids: { attendance_id: "attendances", handled_seq: "messages.seq<" },
    arrive: (row) => setAll(row, { due_at: null, waiting_since: null, attempts: "0" }),
  },
  ticket_views: {
    arrive: (row, place) =>
      changeJson(row, "filter", (filter) =>
        mapLists(filter, place, {
          ...{ queueIds: "queues", tagIds: "tags" },
          ...{ userIds: "users", connectionIds: "connections" },
        }),
      ),
  },
  contact_lists: {
    without: ["check_due_at", "is_check_stopped"],
    arrive: (row, place) =>
      changeJson(row, "filter", (filter) =>
        mapLists(filter, place, { tags: "tags", whatsappIds: "connections" }),
      ),
  },
  ticket_notes: {
    arrive: (row, place) => changeJson(row, "mentions", (list) => mapMentions(list, place)),
  },
  chat_messages: {
    arrive: (row, place) => changeJson(row, "mentions", (list) => mapMentions(list, place)),
  },
  chat_members: { ids: { last_read_id: "chat_messages<" } },
  chats: {
    arrive(row, place) {
      const pair = row.get("direct_pair")?.split(":");
      const ids = pair?.map((id) => place.idOf("users", Number(id)));
      row.set("direct_pair", ids && !ids.includes(null) ? ids.join(":") : null);
    },
  },
  message_reactions: {
    arrive(row) {
      if (row.get("author") !== "company") row.set("author", `contact:${row.get("contact_id")}`);
    },
  },
  messages: {
    ids: { campaign_id: "campaigns" },
    arrive(row) {
      row.set("undo_until", null);
      // It waited to be sent. Its place in the queue does not travel, so people see that it did not go out.
      const isUnsent = row.get("from_me") === "t" && row.get("ack") === String(acks.waiting);
      if (isUnsent && row.get("failed_code") === null) row.set("failed_code", UNSENT);
    },
  },
  message_media: {
    arrive(row) {
      if (row.get("state") === "loading") row.set("state", "unavailable");
    },
  },
  campaigns: {
    without: ["hold_reason", "hold_since", "told_at"],
    ids: {
      ...{ contact_list_id: "contact_lists", tag_id: "tags", file_list_id: "file_lists" },
      answer_tag_id: "tags",
    },
    arrive(row, { now }) {
      if (!["EM_ANDAMENTO", "PROGRAMADA"].includes(row.get("status") ?? "")) return;
      setAll(row, { status: "CANCELADA", cancelled_at: now });
    },
  },
  campaign_recipients: {
    ids: { item_id: "contact_list_items" },
    arrive(row) {
      if (row.get("status") === "sending") setAll(row, { status: "failed", error_code: UNSENT });
    },
  },
  schedules: {
    without: ["locked_at"],
    arrive(row, { now }) {
      if (!["PENDENTE", "AGENDADA"].includes(row.get("status") ?? "")) return;
      const isPast = row.get("message_id") !== null || (row.get("send_at") ?? "") <= now;
      if (isPast) setAll(row, { status: "ERRO", error_code: UNSENT });
      else setAll(row, { status: "PENDENTE", due_at: row.get("send_at"), attempts: "0" });
    },
  },
};

const UNSENT = "ERR_SENDING_WAPP_MSG";

function setAll(row: Fields, values: Readonly<Record<string, string | null>>): void {
  for (const [column, value] of Object.entries(values)) row.set(column, value);
}

/** A row that sends to programs outside comes in stopped, and signs with a secret of its own. */
function stop(row: Fields, place: Place): void {
  row.set("secret", bytea(newSecret(place, place.companyId)));
  row.set("stopped_at", place.now);
}

/** `ana@loja.example` and `+2` make `ana+2@loja.example`. */
export const suffixed = (email: string, suffix: string): string =>
  email.replace(/(?=@[^@]*$)/, suffix);

const bytea = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`;

function changeJson(row: Fields, column: string, change: (value: never) => unknown): void {
  const value = row.get(column);
  // JSON of the archive's own product: its shape is the schema's.
  if (value !== null) row.set(column, JSON.stringify(change(JSON.parse(value) as never)));
}

/** Maps the lists of ids in an object; ids that are not there any more are left out. */
function mapLists(
  value: Record<string, unknown>,
  { idOf }: Place,
  lists: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const mapped = { ...value };
  for (const [key, space] of Object.entries(lists)) {
    const ids = value[key];
    if (!Array.isArray(ids)) continue;
    mapped[key] = ids.flatMap((id) => idOf(space, Number(id)) ?? []);
  }
  return mapped;
}

type Mention = { kind?: string; id: number };

/** A mention of somebody who is not there any more keeps the name, with an id that nobody has. */
function mapMentions(mentions: Mention[], { idOf }: Place): Mention[] {
  return mentions.map((one) => ({
    ...one,
    id: idOf(one.kind === "queue" ? "queues" : "users", one.id) ?? 0,
  }));
}
