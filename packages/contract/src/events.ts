import { z } from "zod";
import { targetKinds } from "./answer-targets.ts";
import { sessionUser } from "./auth.ts";
import { campaignLine, campaignSettingRow } from "./campaign-settings.ts";
import { campaign } from "./campaigns.ts";
import { connection, connectionSession } from "./connections.ts";
import { ticketContact } from "./contact-ref.ts";
import { contactImport } from "./contact-imports.ts";
import { contactListItem, listedContactList } from "./contact-lists.ts";
import { contact } from "./contacts.ts";
import { draft } from "./drafts.ts";
import { chatEventPayload } from "./chats.ts";
import type { CompanyEventSubject } from "./event-names.ts";
import { agentStates } from "./event-names.ts";
import { fileList } from "./file-lists.ts";
import { help } from "./helps.ts";
import {
  announcementId,
  campaignId,
  companyId,
  connectionId,
  contactId,
  contactImportId,
  contactListId,
  contactListItemId,
  fileListId,
  helpId,
  integrationId,
  knowledgeId,
  macroId,
  noteId,
  promptId,
  queueId,
  quickMessageId,
  resolveReasonId,
  roleId,
  scheduleId,
  tagId,
  ticketId,
  ticketViewId,
  userId,
} from "./ids.ts";
import { macro } from "./macros.ts";
import { message } from "./messages.ts";
import { integration } from "./integrations.ts";
import { knowledgeItem } from "./knowledge.ts";
import { holidayCalendar, scheduleEntry } from "./opening-hours.ts";
import { isoDate } from "./primitives.ts";
import { prompt } from "./prompts.ts";
import { queue, queueRef } from "./queues.ts";
import { quickMessage } from "./quick-messages.ts";
import { resolveReason } from "./resolve-reasons.ts";
import { role } from "./roles.ts";
import { schedule } from "./schedules.ts";
import { setting } from "./settings.ts";
import { tag } from "./tags.ts";
import { mentionNotice, ticketNote } from "./ticket-notes.ts";
import { ticketView } from "./ticket-views.ts";
import { ticket, ticketPin, ticketStatuses } from "./tickets.ts";

/** States of a customer's presence in a chat. */
export const presences = ["available", "unavailable", "composing", "recording", "paused"] as const;

/** Payload of each company event by its subject (wire-contract 7.4). */
export const companyEvents = {
  auth: z.object({
    action: z.literal("update"),
    user: z.object({ id: userId, email: z.string(), companyId }),
  }),
  user: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), user: sessionUser }),
    z.object({ action: z.literal("delete"), userId }),
  ]),
  whatsapp: z.discriminatedUnion("action", [
    z.object({ action: z.literal("update"), whatsapp: connection }),
    z.object({ action: z.literal("delete"), whatsappId: connectionId }),
  ]),
  whatsappSession: z.object({ action: z.literal("update"), session: connectionSession }),
  ticket: z.discriminatedUnion("action", [
    z.object({ action: z.literal("update"), ticket }),
    z.object({ action: z.literal("delete"), ticketId }),
    z.object({ action: z.literal("updateUnread"), ticketId }),
    /** How far our message of that moment came, for those who hear of the ticket and may not read the message. */
    z.object({
      action: z.literal("ack"),
      ticketId,
      messageAt: isoDate,
      ack: z.number().int(),
      isFailed: z.boolean(),
      isUnconfirmed: z.boolean(),
    }),
  ]),
  /** A saved view: to its user, or to everybody if it is shared. */
  ticketView: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), view: ticketView }),
    z.object({ action: z.literal("delete"), viewId: ticketViewId }),
  ]),
  /** To the other windows of the user who has pinned a ticket, or removed the pin. */
  ticketPin,
  appMessage: z.discriminatedUnion("action", [
    z.object({ action: z.literal("create"), message, ticket, contact: ticketContact }),
    z.object({
      action: z.literal("update"),
      message,
      ticket: ticket.optional(),
      contact: ticketContact.optional(),
    }),
    z.object({ action: z.literal("delete"), message }),
  ]),
  /** A customer's answer did not come within the queue's target: told once to admins and to supervisors of the queue. */
  targetMiss: z.object({
    action: z.literal("create"),
    kind: z.enum(targetKinds),
    minutes: z.number().int(),
    ticket: z.object({ id: ticketId, uuid: z.string(), status: z.enum(ticketStatuses) }),
    contact: z.object({ name: z.string() }),
    queue: queueRef,
  }),
  presence: z.object({ ticketId, presence: z.enum(presences) }),
  /** A colleague has the ticket open, or writes in it; told again every 20 s, forgotten after 45 s without. */
  ticketViewers: z.object({
    ticketId,
    user: z.object({ id: userId, name: z.string() }),
    /** One of the user's windows; it says `left` for itself alone. */
    windowId: z.string(),
    state: z.enum(agentStates),
  }),
  ticketNote: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), note: ticketNote }),
    z.object({ action: z.literal("delete"), noteId, ticketId }),
  ]),
  /** To the mentioned user alone. `read`: the user has seen the ticket, in one of the windows. */
  mention: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), mention: mentionNotice }),
    z.object({ action: z.literal("delete"), noteId }),
    z.object({ action: z.literal("read"), ticketId }),
  ]),
  contact: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), contact }),
    z.object({ action: z.literal("delete"), contactId }),
    /** Many changed together: lists are to be read again. `records` is for clients that read it, and empty. */
    z.object({ action: z.literal("reload"), records: z.array(contact) }),
  ]),
  /** Also after its numbers were checked, or people were put on it. */
  ContactList: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: listedContactList }),
    z.object({ action: z.literal("delete"), id: contactListId }),
  ]),
  ContactListItem: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: contactListItem }),
    z.object({ action: z.literal("delete"), id: contactListItemId, contactListId }),
  ]),
  /** At most one a second while it runs. An import into a list is told to those who may manage lists. */
  contactImport: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: contactImport }),
    z.object({ action: z.literal("delete"), id: contactImportId }),
  ]),
  /** At most one a second and campaign while it runs. */
  campaign: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: campaign }),
    z.object({ action: z.literal("delete"), id: campaignId, record: z.object({ id: campaignId }) }),
  ]),
  campaignSettings: z.object({
    action: z.literal("create"),
    record: z.array(campaignSettingRow),
  }),
  campaignLine: z.object({ action: z.literal("update"), record: campaignLine }),
  /** `tags` is the tag once more, for clients that read it there. */
  tag: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), tag, tags: tag, tagId }),
    z.object({ action: z.literal("delete"), tagId }),
  ]),
  /** The lanes of the board have another order. */
  kanban: z.object({ action: z.literal("order"), tagIds: z.array(tagId) }),
  /** The opening hours and holidays, which everybody in the company may know. */
  company: z.object({
    action: z.literal("update"),
    company: z.object({
      id: companyId,
      schedules: z.array(scheduleEntry),
      holidays: holidayCalendar,
    }),
  }),
  /** A payment has come in, and moved the due date. */
  payment: z.object({
    action: z.literal("CONCLUIDA"),
    company: z.object({ id: companyId, status: z.boolean(), dueDate: isoDate.nullable() }),
  }),
  queue: z.discriminatedUnion("action", [
    z.object({ action: z.literal("update"), queue }),
    z.object({ action: z.literal("delete"), queueId }),
  ]),
  quickmessage: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: quickMessage }),
    z.object({ action: z.literal("delete"), id: quickMessageId }),
  ]),
  /** To those who manage users. */
  role: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), role }),
    z.object({ action: z.literal("delete"), roleId }),
  ]),
  resolveReason: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), reason: resolveReason }),
    z.object({ action: z.literal("delete"), reasonId: resolveReasonId }),
  ]),
  macro: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), macro }),
    z.object({ action: z.literal("delete"), macroId }),
  ]),
  /** `fileList` is the list once more, for clients that read it there. */
  file: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), files: fileList, fileList }),
    z.object({ action: z.literal("delete"), fileId: fileListId }),
  ]),
  /** Without text, keys and figures: to be read again by those who may. */
  prompt: z.discriminatedUnion("action", [
    z.object({
      action: z.enum(["create", "update"]),
      prompt: prompt.pick({ id: true, name: true }),
    }),
    z.object({ action: z.literal("delete"), promptId }),
  ]),
  /** Without texts, for the same reason. */
  knowledge: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), knowledge: knowledgeItem.pick({ id: true }) }),
    z.object({ action: z.literal("delete"), knowledgeId }),
  ]),
  /** The company's AI service is to be read again, and what it offers. */
  aiService: z.object({ action: z.literal("update") }),
  /** Without address and keys. */
  queueIntegration: z.discriminatedUnion("action", [
    z.object({
      action: z.enum(["create", "update"]),
      queueIntegration: integration.pick({ id: true, name: true, type: true }),
    }),
    z.object({ action: z.literal("delete"), integrationId }),
  ]),
  /** To admins: deliveries have begun or ended. At most one in two seconds. */
  integrationDelivery: z.object({ action: z.literal("update") }),
  schedule: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), schedule }),
    z.object({ action: z.literal("delete"), scheduleId }),
  ]),
  /** To members of the chat alone. */
  chat: chatEventPayload,
  /** To the other windows of the one who writes. */
  draft: z.object({ action: z.literal("update"), draft, clientId: z.string().nullable() }),
  /**
   * The deletion once more under the name that some clients wait for; all else goes to every company (`announcementEvent`).
   */
  announcement: z.object({ action: z.literal("delete"), id: announcementId }),
  /** To the company of the super user who changed it. */
  help: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: help }),
    z.object({ action: z.literal("delete"), id: helpId }),
  ]),
  /** To the user's other windows and devices: up to where the announcements were seen. */
  announcementsSeen: z.object({ action: z.literal("update"), seenUntil: isoDate.nullable() }),
  settings: z.object({ action: z.literal("update"), setting }),
  /** Something that the dashboard's "now" counts has changed: to be read again. At most one in two seconds. */
  figures: z.object({ action: z.literal("update") }),
  /** Something changed on the simulated network; the simulator page refetches. */
  simulator: z.object({ connectionId, phone: z.string().nullable() }),
} satisfies Record<CompanyEventSubject, z.ZodType>;

/**
 * A client's activity in a ticket that it has open (`ticketViewing`); `windowId` is the client's own name of its
 * window.
 */
export const ticketViewing = z.object({
  ticketId,
  state: z.enum(agentStates),
  windowId: z.string().min(1).max(200),
});
export type TicketViewing = z.output<typeof ticketViewing>;

export type CompanyEvents = { [S in CompanyEventSubject]: z.output<(typeof companyEvents)[S]> };
