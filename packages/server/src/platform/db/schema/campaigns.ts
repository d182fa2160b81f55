import type {
  CampaignCounts,
  CampaignHoldReason,
  CampaignId,
  CampaignRecipientId,
  CampaignStatus,
  CampaignTemplate,
  ContactListId,
  ContactListItemId,
  FileListId,
  MessageId,
  RecipientStatus,
  TagId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  contactReference,
  createdAt,
  deletedAt,
  dependsOn,
  identity,
  moment,
  queueReference,
  ticketReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, fileReference } from "./companies.ts";
import { connections } from "./connections.ts";
import { normalNumber } from "./contact-lists.ts";
import { contacts } from "./contacts.ts";

/** Messages to many people. The row of a deleted one stays, for the messages that it sent. */
export const campaigns = pgTable(
  "campaigns",
  {
    id: identity().$type<CampaignId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Five of each; empty ones do not count. */
    messages: jsonb("messages").$type<string[]>().notNull(),
    confirmations: jsonb("confirmations").$type<string[]>().notNull(),
    confirmation: boolean("confirmation").notNull().default(false),
    status: text("status").$type<CampaignStatus>().notNull().default("INATIVA"),
    scheduledAt: moment("scheduled_at"),
    /** Raised by each start and restart, so that a look or a repetition of an earlier run finds nothing to do. */
    run: integer("run").notNull().default(0),
    /** Messages handed to the connection in this run: by them the longer interval begins. */
    sentInRun: integer("sent_in_run").notNull().default(0),
    startedAt: moment("started_at"),
    completedAt: moment("completed_at"),
    cancelledAt: moment("cancelled_at"),
    cancelledBy: userReference({ onRemove: "keep" }, "cancelled_by"),
    createdBy: userReference({ onRemove: "keep" }, "created_by"),
    /** Null: the company's default connection at the start. */
    connectionId: connectionReference({ onRemove: "keep" }),
    contactListId: integer("contact_list_id").$type<ContactListId>(),
    tagId: integer("tag_id").$type<TagId>(),
    fileListId: integer("file_list_id").$type<FileListId>(),
    fileKey: text("file_key"),
    fileName: text("file_name"),
    answerQueueId: queueReference({ onRemove: "clear" }, "answer_queue_id"),
    answerTagId: integer("answer_tag_id").$type<TagId>(),
    template: jsonb("template").$type<CampaignTemplate>(),
    textInWindow: boolean("text_in_window").notNull().default(false),
    /** Why this campaign alone does not go on: its template, its plan. What stops the whole connection stands in its line. */
    holdReason: text("hold_reason").$type<CampaignHoldReason>(),
    holdSince: moment("hold_since"),
    /** When a message of it was handed over last: of several campaigns on a connection the longest waiting one is next. */
    lastSentAt: moment("last_sent_at"),
    /** As told last, at most once a second. */
    counts: jsonb("counts").$type<CampaignCounts>(),
    toldAt: moment("told_at"),
    deletedAt: deletedAt(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("campaigns_company_id").on(table.companyId, table.id),
    fileReference("campaigns_file", [table.companyId, table.fileKey]),
    index("campaigns_file_index")
      .on(table.companyId, table.fileKey)
      .where(sql`file_key is not null`),
    index("campaigns_planned")
      .on(table.scheduledAt)
      .where(sql`status = 'PROGRAMADA' and deleted_at is null`),
    index("campaigns_running")
      .on(table.companyId, table.connectionId)
      .where(sql`status = 'EM_ANDAMENTO' and deleted_at is null`),
    // Those whose messages may still be delivered or read: see progress.ts.
    index("campaigns_over")
      .on(table.updatedAt)
      .where(sql`status in ('CANCELADA', 'FINALIZADA') and deleted_at is null`),
    index("campaigns_by_date").on(table.companyId, table.createdAt.desc(), table.id.desc()),
    index("campaigns_answer_queue")
      .on(table.companyId, table.answerQueueId)
      .where(sql`answer_queue_id is not null`),
  ],
);

/** The people of a campaign, each once. Name, number and text stay as they were when it started. */
export const campaignRecipients = pgTable(
  "campaign_recipients",
  {
    id: identity().$type<CampaignRecipientId>(),
    companyId: companyIdColumn(),
    campaignId: integer("campaign_id").$type<CampaignId>().notNull(),
    /** Its place in the rotation of texts, from 0. */
    position: integer("position").notNull(),
    /** The person on the list; who was taken off it is not written to. */
    itemId: integer("item_id").$type<ContactListItemId>(),
    contactId: contactReference({ onMerge: "move" }),
    name: text("name").notNull(),
    number: text("number").notNull(),
    numberNormal: text("number_normal")
      .notNull()
      .generatedAlwaysAs(sql.raw(normalNumber("number"))),
    email: text("email").notNull().default(""),
    /** Rendered; of a template its parameters, as JSON. */
    message: text("message").notNull(),
    confirmationMessage: text("confirmation_message"),
    status: text("status").$type<RecipientStatus>().notNull().default("waiting"),
    /** Has written to the company before. Who did counts by another limit, and comes first. */
    isKnown: boolean("is_known").notNull(),
    /** When the chat network was found to know the number. */
    checkedAt: moment("checked_at"),
    /** Tries of the message; 3 is the last. */
    attempts: integer("attempts").notNull().default(0),
    errorCode: text("error_code"),
    /** The message that waits for its outcome or had it last, and the ticket that it is in. */
    messageId: uuid("message_id").$type<MessageId>(),
    ticketId: ticketReference({ onMerge: "move" }),
    requestedAt: moment("requested_at"),
    confirmedAt: moment("confirmed_at"),
    /** Handed to the connection, and on the phone. */
    sentAt: moment("sent_at"),
    deliveredAt: moment("delivered_at"),
    readAt: moment("read_at"),
    answeredAt: moment("answered_at"),
    leftAt: moment("left_at"),
    changedAt: moment("changed_at").notNull(),
  },
  (table) => [
    unique("campaign_recipients_company_id").on(table.companyId, table.id),
    unique("campaign_recipients_person").on(table.companyId, table.campaignId, table.numberNormal),
    dependsOn("campaign_recipients_campaign", table.companyId, table.campaignId, campaigns),
    dependsOn("campaign_recipients_contact", table.companyId, table.contactId, contacts),
    // The next one: confirmed first, then known, then by place.
    index("campaign_recipients_waiting")
      .on(
        table.companyId,
        table.campaignId,
        sql`(confirmed_at is null)`,
        sql`(not is_known)`,
        table.position,
      )
      .where(sql`status = 'waiting'`),
    index("campaign_recipients_status").on(table.companyId, table.campaignId, table.status),
    index("campaign_recipients_changed").on(
      table.companyId,
      table.campaignId,
      table.changedAt.desc(),
      table.id.desc(),
    ),
    index("campaign_recipients_message")
      .on(table.companyId, table.messageId)
      .where(sql`message_id is not null`),
    index("campaign_recipients_ticket")
      .on(table.companyId, table.ticketId)
      .where(sql`ticket_id is not null`),
    index("campaign_recipients_contact_index")
      .on(table.companyId, table.contactId)
      .where(sql`contact_id is not null`),
    index("campaign_recipients_asked")
      .on(table.requestedAt)
      .where(sql`status = 'asked'`),
  ],
);

export const campaignSettingRows = pgTable(
  "campaign_settings",
  {
    id: identity(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    key: text("key").notNull(),
    /** JSON. */
    value: text("value").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [unique("campaign_settings_company_key").on(table.companyId, table.key)],
);

/**
 * A connection as campaigns use it: all campaigns on it send through this row, one message at a time (behaviour 5.5). It is there
 * from the first start of a campaign, or the first change of its limit, on.
 */
export const campaignLines = pgTable(
  "campaign_lines",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    /** When something is to be done; null: no campaign runs. */
    dueAt: moment("due_at"),
    /** The recipient whose message was handed over and has no outcome yet. */
    sendingId: integer("sending_id").$type<CampaignRecipientId>(),
    /** When the last message had its outcome. The gap before the next one begins there, whatever wakes the line meanwhile. */
    endedAt: moment("ended_at"),
    /** By how much that gap varies, from 0 to below 1. */
    chance: real("chance").notNull().default(0.5),
    /** What holds all its campaigns, found at the last look. */
    holdReason: text("hold_reason").$type<CampaignHoldReason>(),
    holdUntil: moment("hold_until"),
    holdSince: moment("hold_since"),
    inUseSince: date("in_use_since"),
    fixedLimit: integer("fixed_limit"),
    /** The local day of the two counts. */
    day: date("day"),
    newSent: integer("new_sent").notNull().default(0),
    knownSent: integer("known_sent").notNull().default(0),
    /** Refusals for restriction since the last message that went well. */
    restrictions: integer("restrictions").notNull().default(0),
    /** "low" from Meta's refusal for too many complaints until a person lets the line go on. */
    quality: text("quality").$type<"high" | "medium" | "low">(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId] }),
    dependsOn("campaign_lines_connection", table.companyId, table.connectionId, connections),
    index("campaign_lines_due")
      .on(table.dueAt)
      .where(sql`due_at is not null`),
  ],
);
