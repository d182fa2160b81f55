import { z } from "zod";

/** Largest value of the identity columns (PostgreSQL integer). */
const MAX_ID = 2_147_483_647;

/**
 * A positive integer id. Path and query ids arrive as digit strings, bodies of older clients send numbers or
 * digit strings; everything else is refused (wire-contract 1, "Ids").
 */
export const id = z
  .union([z.number(), z.string().regex(/^\d{1,10}$/)])
  .transform(Number)
  .pipe(z.number().int().min(1).max(MAX_ID));

export const companyId = id.brand<"CompanyId">();
export const userId = id.brand<"UserId">();
export const queueId = id.brand<"QueueId">();
export const connectionId = id.brand<"ConnectionId">();
export const contactId = id.brand<"ContactId">();
export const ticketId = id.brand<"TicketId">();
export const tagId = id.brand<"TagId">();
/** Our own id of a message: a UUID version 7, unique in the installation (architecture D7). */
export const messageId = z.guid().brand<"MessageId">();

/** The company that a super user asks about; clients of others send it too, and it is ignored (wire-contract 1). */
export const askedCompanyId = companyId.optional().catch(undefined);

export type CompanyId = z.output<typeof companyId>;
export type UserId = z.output<typeof userId>;
export type QueueId = z.output<typeof queueId>;
export type ConnectionId = z.output<typeof connectionId>;
export type ContactId = z.output<typeof contactId>;
export type TicketId = z.output<typeof ticketId>;
export type TagId = z.output<typeof tagId>;
export type MessageId = z.output<typeof messageId>;

/** A signed-in browser or program of a user. */
export const sessionId = z.guid().brand<"SessionId">();
export type SessionId = z.output<typeof sessionId>;

export const planId = id.brand<"PlanId">();
export type PlanId = z.output<typeof planId>;
export const invoiceId = id.brand<"InvoiceId">();
export type InvoiceId = z.output<typeof invoiceId>;
export const chargeId = id.brand<"ChargeId">();
export type ChargeId = z.output<typeof chargeId>;
export const paymentId = id.brand<"PaymentId">();
export type PaymentId = z.output<typeof paymentId>;
export const mailId = id.brand<"MailId">();
export type MailId = z.output<typeof mailId>;
export const announcementId = id.brand<"AnnouncementId">();
export type AnnouncementId = z.output<typeof announcementId>;
export const helpId = id.brand<"HelpId">();
export type HelpId = z.output<typeof helpId>;
export const chatId = id.brand<"ChatId">();
export type ChatId = z.output<typeof chatId>;
export const chatMessageId = id.brand<"ChatMessageId">();
export type ChatMessageId = z.output<typeof chatMessageId>;
export const noteId = id.brand<"NoteId">();
export const contactListId = id.brand<"ContactListId">();
export type ContactListId = z.output<typeof contactListId>;
export const contactListItemId = id.brand<"ContactListItemId">();
export const campaignId = id.brand<"CampaignId">();
export type CampaignId = z.output<typeof campaignId>;
export const campaignRecipientId = id.brand<"CampaignRecipientId">();
export type CampaignRecipientId = z.output<typeof campaignRecipientId>;
export const contactImportId = id.brand<"ContactImportId">();
export type ContactImportId = z.output<typeof contactImportId>;
export type ContactListItemId = z.output<typeof contactListItemId>;
export const fileListId = id.brand<"FileListId">();
export type FileListId = z.output<typeof fileListId>;
export const fileListOptionId = id.brand<"FileListOptionId">();
export type FileListOptionId = z.output<typeof fileListOptionId>;
export const quickMessageId = id.brand<"QuickMessageId">();
export const scheduleId = id.brand<"ScheduleId">();
export const roleId = id.brand<"RoleId">();
export type RoleId = z.output<typeof roleId>;
export const macroId = id.brand<"MacroId">();
export type MacroId = z.output<typeof macroId>;
export const resolveReasonId = id.brand<"ResolveReasonId">();
export type ResolveReasonId = z.output<typeof resolveReasonId>;
export const queueOptionId = id.brand<"QueueOptionId">();
export const ticketViewId = id.brand<"TicketViewId">();
export type TicketViewId = z.output<typeof ticketViewId>;
export type NoteId = z.output<typeof noteId>;
export type QuickMessageId = z.output<typeof quickMessageId>;
export type ScheduleId = z.output<typeof scheduleId>;
export type QueueOptionId = z.output<typeof queueOptionId>;
export const brandId = id.brand<"BrandId">();
export type BrandId = z.output<typeof brandId>;
export const passkeyId = id.brand<"PasskeyId">();
export type PasskeyId = z.output<typeof passkeyId>;
export const signInId = id.brand<"SignInId">();
export type SignInId = z.output<typeof signInId>;
export const supportVisitId = id.brand<"SupportVisitId">();
export type SupportVisitId = z.output<typeof supportVisitId>;
export const promptId = id.brand<"PromptId">();
export type PromptId = z.output<typeof promptId>;
export const knowledgeId = id.brand<"KnowledgeId">();
export type KnowledgeId = z.output<typeof knowledgeId>;
export const integrationId = id.brand<"IntegrationId">();
export type IntegrationId = z.output<typeof integrationId>;
export const deliveryId = id.brand<"DeliveryId">();
export type DeliveryId = z.output<typeof deliveryId>;
export const apiTokenId = id.brand<"ApiTokenId">();
export type ApiTokenId = z.output<typeof apiTokenId>;
export const webhookId = id.brand<"WebhookId">();
export type WebhookId = z.output<typeof webhookId>;
