import { createHash } from "node:crypto";
import pg from "pg";
import type { SourceRow } from "./values.ts";
import { ImportRefused } from "./values.ts";

/** Names that forks give to one table, the usual one first. */
const names = {
  companies: ["Companies"],
  plans: ["Plans"],
  settings: ["Settings"],
  users: ["Users"],
  queues: ["Queues"],
  userQueues: ["UserQueues"],
  options: ["QueueOptions"],
  connections: ["Whatsapps"],
  connectionQueues: ["WhatsappQueues"],
  tags: ["Tags"],
  contacts: ["Contacts"],
  contactFields: ["ContactCustomFields"],
  contactTags: ["ContactTags"],
  tickets: ["Tickets"],
  tracking: ["TicketTraking", "TicketTrakings", "TicketTracking", "TicketTrackings"],
  ratings: ["UserRatings"],
  ticketTags: ["TicketTags"],
  notes: ["TicketNotes"],
  messages: ["Messages"],
  quickMessages: ["QuickMessages", "QuickAnswers"],
  schedules: ["Schedules"],
  contactLists: ["ContactLists"],
  contactListItems: ["ContactListItems"],
  campaigns: ["Campaigns"],
  shipping: ["CampaignShipping", "CampaignShippings"],
  prompts: ["Prompts"],
  integrations: ["QueueIntegrations"],
  invoices: ["Invoices"],
  announcements: ["Announcements"],
  chats: ["Chats"],
  chatUsers: ["ChatUsers"],
  chatMessages: ["ChatMessages"],
} as const;

export type TableName = keyof typeof names;

/** Tables with nothing to keep: sessions of the chat network, the queue of jobs, the history of the schema. */
const ignored = new Set(
  [
    ...[
      "Baileys",
      "BaileysChats",
      "BaileysKeys",
      "BaileysMessages",
      "BaileysSessions",
      "SequelizeMeta",
    ],
    ...["SequelizeData", "Translations", "Versions", "OldMessages", "MobileSessions"],
  ].map((name) => name.toLowerCase()),
);

/** Columns that are read of each table; what a table has beyond them is reported. */
const known: Record<TableName, string> = {
  companies: "name phone email status planId schedules dueDate recurrence language",
  plans:
    "name users connections queues value useCampaigns useKanban useOpenAi useIntegrations useSchedules useInternalChat useExternalApi useInternal isPublic",
  settings: "key value",
  users: "name email passwordHash profile super allTicket whatsappId online tokenVersion",
  queues:
    "name color greetingMessage outOfHoursMessage orderQueue schedules promptId integrationId mediaPath mediaName",
  userQueues: "userId queueId",
  options: "title message option queueId parentId mediaPath mediaName",
  connections:
    "name status isDefault number greetingMessage complationMessage outOfHoursMessage ratingMessage farewellMessage expiresInactiveMessage expiresTicket timeUseBotQueues maxUseBotQueues timeToTransfer transferQueueId promptId integrationId provider token session qrcode battery plugged retries channel",
  connectionQueues: "whatsappId queueId",
  tags: "name color kanban",
  contacts:
    "name number email profilePicUrl isGroup active disableBot lid remoteJid whatsappId urlPicture channel",
  contactFields: "name value contactId",
  contactTags: "contactId tagId",
  tickets:
    "status unreadMessages lastMessage contactId userId whatsappId isGroup queueId uuid chatbot queueOptionId promptId integrationId useIntegration channel amountUsedBotQueues amountUserBotQueues fromMe typebotSessionId typebotStatus",
  tracking:
    "ticketId userId whatsappId queueId queuedAt startedAt finishedAt ratingAt rated chatbotAt",
  ratings: "ticketId userId rate",
  ticketTags: "ticketId tagId",
  notes: "note userId contactId ticketId",
  messages:
    "wid body ack read mediaType mediaUrl ticketId fromMe isDeleted contactId quotedMsgId queueId isEdited isForwarded userId remoteJid participant dataJson ticketTrakingId",
  quickMessages: "shortcode message userId geral status mediaPath mediaName isMedia",
  schedules: "body sendAt sentAt contactId ticketId userId status mediaPath mediaName",
  contactLists: "name",
  contactListItems: "name number email contactListId isWhatsappValid",
  campaigns:
    "name message1 message2 message3 message4 message5 confirmationMessage1 confirmationMessage2 confirmationMessage3 confirmationMessage4 confirmationMessage5 status confirmation scheduledAt completedAt contactListId whatsappId fileListId mediaPath mediaName",
  shipping:
    "campaignId contactId number message confirmationMessage confirmation confirmationRequestedAt confirmedAt deliveredAt jobId",
  prompts:
    "name prompt apiKey voice voiceKey voiceRegion maxTokens temperature maxMessages promptTokens completionTokens totalTokens queueId model",
  integrations:
    "type name projectName jsonContent language urlN8N typebotSlug typebotExpires typebotKeywordFinish typebotUnknownMessage typebotDelayMessage typebotKeywordRestart typebotRestartMessage",
  invoices: "detail status value dueDate",
  announcements: "priority title text mediaPath mediaName status",
  chats: "uuid title ownerId lastMessage",
  chatUsers: "chatId userId unreads",
  chatMessages: "chatId senderId message mediaPath mediaName",
};

/** The company of a row of a table without `companyId` is that of the row that it refers to. */
const parents: Partial<Record<TableName, [column: string, parent: TableName]>> = {
  userQueues: ["userId", "users"],
  options: ["queueId", "queues"],
  connectionQueues: ["whatsappId", "connections"],
  contactFields: ["contactId", "contacts"],
  contactTags: ["contactId", "contacts"],
  tracking: ["ticketId", "tickets"],
  ratings: ["ticketId", "tickets"],
  ticketTags: ["ticketId", "tickets"],
  notes: ["ticketId", "tickets"],
  messages: ["ticketId", "tickets"],
  contactListItems: ["contactListId", "contactLists"],
  shipping: ["campaignId", "campaigns"],
  chatUsers: ["chatId", "chats"],
  chatMessages: ["chatId", "chats"],
};

/** The one company of a database without a table of companies. */
export const ONLY_COMPANY = "1";
const PAGE = 5_000;
const STATEMENT_MS = 600_000;

export type SourceProblem = { table: string; columns: string[] | null; rows: number };

/** The database that is read: one consistent snapshot, read-only. */
export type Source = {
  /** Names the installation that is read, also after it was restored elsewhere. */
  id: string;
  has(table: TableName, column?: string): boolean;
  /** Rows of a company, in the order of their ids, in pages. */
  rows(table: TableName, companyId: string): AsyncGenerator<SourceRow[]>;
  all(table: TableName, companyId: string): Promise<SourceRow[]>;
  /** Messages of companies in the order of time, with the time of the quoted one. */
  messages(companyIds: readonly string[], only?: "files"): AsyncGenerator<SourceRow[]>;
  count(table: TableName, companyId: string): Promise<number>;
  companies(): Promise<SourceRow[]>;
  /** Rows of tables that belong to no company. */
  shared(table: TableName): Promise<SourceRow[]>;
  /** Tables and columns that are not read, with their rows. */
  unread(): Promise<SourceProblem[]>;
  close(): Promise<void>;
};

/** Opens the source and begins its snapshot. Throws when the tables of users, contacts, tickets and messages are not there. */
export async function openSource(url: string): Promise<Source> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 5_000,
    application_name: "balcao import",
  });
  client.on("error", () => undefined);
  await client.connect();
  const query = async (text: string, values: readonly unknown[] = []): Promise<SourceRow[]> => {
    const types = { getTypeParser: () => (value: string) => value };
    const result = await client.query<Record<string, string | null>>({
      text,
      values: [...values],
      types,
    });
    return result.rows;
  };
  try {
    await client.query("set datestyle = 'ISO'; set timezone = 'UTC'; set client_encoding = 'UTF8'");
    await client.query("begin isolation level repeatable read read only");
    const found = await readCatalogue(query);
    return createReader(client, query, found);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

type Query = (text: string, values?: readonly unknown[]) => Promise<SourceRow[]>;
type Found = { name: string; columns: ReadonlySet<string> };
type Catalogue = { tables: Map<TableName, Found>; others: Map<string, Set<string>> };

async function readCatalogue(query: Query): Promise<Catalogue> {
  const rows = await query(`
    select c.table_name as "table", c.column_name as "column"
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by 1, c.ordinal_position`);
  const others = new Map<string, Set<string>>();
  for (const { table, column } of rows) {
    const columns = others.get(table ?? "") ?? new Set<string>();
    others.set(table ?? "", columns.add(column ?? ""));
  }
  const tables = new Map<TableName, Found>();
  for (const [key, spellings] of Object.entries(names) as [TableName, readonly string[]][]) {
    const wanted = new Set(spellings.map((name) => name.toLowerCase()));
    const name = [...others.keys()].find((one) => wanted.has(one.toLowerCase()));
    if (name === undefined) continue;
    tables.set(key, { name, columns: others.get(name) ?? new Set() });
    others.delete(name);
  }
  const missing = (["users", "contacts", "tickets", "messages"] as const).filter(
    (key) => !tables.has(key),
  );
  if (missing.length > 0) {
    const list = missing.map((key) => names[key][0]).join(", ");
    throw new ImportRefused(`This is no Whaticket database: it has no table ${list}.`);
  }
  if (
    !tables.get("tickets")?.columns.has("contactId") ||
    !tables.get("messages")?.columns.has("ticketId")
  ) {
    throw new ImportRefused(
      "This is no Whaticket database: its tickets or messages have other columns.",
    );
  }
  return { tables, others };
}

const quoted = (name: string): string => pg.escapeIdentifier(name);

async function createReader(
  client: pg.Client,
  query: Query,
  { tables, others }: Catalogue,
): Promise<Source> {
  const has = (table: TableName, column?: string): boolean => {
    const found = tables.get(table);
    return found !== undefined && (column === undefined || found.columns.has(column));
  };
  const nameOf = (table: TableName): string => quoted(tables.get(table)?.name ?? names[table][0]);

  /** The columns of a table that this variant has, as a list of a select. */
  function columnsOf(table: TableName, alias: string): string {
    const wanted = ["id", "companyId", "createdAt", "updatedAt", ...known[table].split(" ")];
    const skipped = table === "messages" ? new Set(["dataJson"]) : new Set<string>();
    return wanted
      .filter((column) => has(table, column) && !skipped.has(column))
      .map((column) => `${alias}.${quoted(column)}`)
      .join(", ");
  }

  /** A condition that row `alias` belongs to one of the companies `$1`. */
  function belongs(table: TableName, alias: string): string {
    if (!has("companies")) return "true";
    if (has(table, "companyId")) return `${alias}."companyId" = any($1::int[])`;
    const [column, parent] = parents[table] ?? [];
    if (column === undefined || parent === undefined || !has(table, column)) return "false";
    return `exists (select from ${nameOf(parent)} p where p.id = ${alias}.${quoted(column)} and ${belongs(parent, "p")})`;
  }
  const valuesFor = (text: string, companyIds: readonly string[]): unknown[] =>
    text.includes("$1") ? [companyIds] : [];

  let cursors = 0;
  async function* pages(
    select: string,
    companyIds: readonly string[],
  ): AsyncGenerator<SourceRow[]> {
    cursors += 1;
    const cursor = `balcao_${cursors}`;
    await query(`declare ${cursor} no scroll cursor for ${select}`, valuesFor(select, companyIds));
    try {
      for (;;) {
        const rows = await query(`fetch ${PAGE} from ${cursor}`);
        if (rows.length > 0) yield rows;
        if (rows.length < PAGE) return;
      }
    } finally {
      await query(`close ${cursor}`).catch(() => undefined);
    }
  }

  function rows(table: TableName, companyId: string): AsyncGenerator<SourceRow[]> {
    const order = has(table, "id") ? "order by t.id" : "";
    const text = `select ${columnsOf(table, "t")} from ${nameOf(table)} t where ${belongs(table, "t")} ${order}`;
    return has(table) ? pages(text, [companyId]) : none();
  }

  return {
    id: await fingerprint(query, nameOf("users"), has("companies") ? nameOf("companies") : null),
    has,
    rows,
    async all(table, companyId) {
      const whole: SourceRow[] = [];
      for await (const page of rows(table, companyId)) for (const row of page) whole.push(row);
      return whole;
    },
    messages(companyIds, only) {
      const quotes = has("messages", "quotedMsgId");
      const join = quotes ? `left join ${nameOf("messages")} q on q.id = m."quotedMsgId"` : "";
      const quote = quotes ? `, q."createdAt" as "quotedAt", q."ticketId" as "quotedTicketId"` : "";
      const columns = `${columnsOf("messages", "m")}, t."companyId" as "ticketCompanyId"`;
      const ofTicket = has("companies") ? columns : columnsOf("messages", "m");
      const where = `where ${belongs("tickets", "t")}${only === "files" ? ` and m."mediaUrl" is not null` : ""}`;
      const text = `select ${ofTicket}${quote} from ${nameOf("messages")} m
        join ${nameOf("tickets")} t on t.id = m."ticketId" ${join} ${where} order by m."createdAt", m.id`;
      return only === "files" && !has("messages", "mediaUrl") ? none() : pages(text, companyIds);
    },
    async count(table, companyId) {
      if (!has(table)) return 0;
      const text = `select count(*) as n from ${nameOf(table)} t where ${belongs(table, "t")}`;
      return Number((await query(text, valuesFor(text, [companyId])))[0]?.["n"] ?? 0);
    },
    async companies() {
      if (!has("companies")) return [{ id: ONLY_COMPANY, name: "Whaticket", status: "t" }];
      return query(
        `select ${columnsOf("companies", "t")} from ${nameOf("companies")} t order by t.id`,
      );
    },
    shared: async (table) =>
      has(table)
        ? query(`select ${columnsOf(table, "t")} from ${nameOf(table)} t order by t.id`)
        : [],
    unread: () => listUnread(query, tables, others),
    async close() {
      await client.end().catch(() => undefined);
    },
  };
}

async function* none(): AsyncGenerator<SourceRow[]> {
  // A table that this variant lacks.
}

/** The first account and company of an installation are its own, and are the same after it was restored elsewhere. */
async function fingerprint(query: Query, users: string, companies: string | null): Promise<string> {
  const first = (table: string) =>
    `(select concat_ws(' ', id, "createdAt") from ${table} order by id limit 1)`;
  const parts = [first(users), ...(companies === null ? [] : [first(companies)])];
  const [row] = await query(`select concat_ws(' | ', ${parts.join(", ")}) as first`);
  return createHash("sha256")
    .update(row?.["first"] ?? "")
    .digest("hex")
    .slice(0, 16);
}

async function listUnread(
  query: Query,
  tables: Catalogue["tables"],
  others: Catalogue["others"],
): Promise<SourceProblem[]> {
  const unread: SourceProblem[] = [];
  const countOf = async (name: string) =>
    Number((await query(`select count(*) as n from ${quoted(name)}`))[0]?.["n"] ?? 0);
  for (const name of others.keys()) {
    if (ignored.has(name.toLowerCase())) continue;
    const rows = await countOf(name);
    if (rows > 0) unread.push({ table: name, columns: null, rows });
  }
  for (const [key, { name, columns }] of tables) {
    const read = new Set(["id", "companyId", "createdAt", "updatedAt", ...known[key].split(" ")]);
    const left = [...columns].filter((column) => !read.has(column));
    if (left.length > 0) unread.push({ table: name, columns: left, rows: await countOf(name) });
  }
  return unread;
}
