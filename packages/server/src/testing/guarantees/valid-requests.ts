import type { Endpoint, EndpointName, PlanId, RequestOf } from "@balcao/contract";
import { defaultSchedules, endpoints } from "@balcao/contract";
import { sampleTemplate } from "../../channels/cloud-api/testing/graph-stub.ts";
import { sampleKey } from "../../features/integrations/testing/stubs.ts";
import { unique } from "../given.ts";
import { CONTACTS_SEEN_AT, newClientId, type Rows } from "./rows.ts";

/** A request with all its parts, before it is put on the wire. */
export type CallParts = {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
};

/** The filter of a saved view that names one of each kind. */
const viewFilterOf = ({
  queueId,
  tagId,
  colleagueId,
  connectionId,
}: Pick<Rows, "queueId" | "tagId" | "colleagueId" | "connectionId">) => ({
  ...{
    status: "open" as const,
    showAll: false,
    isUnread: false,
    isSnoozed: false,
    waitMinutes: 30,
  },
  ...{ queueIds: [queueId], tagIds: [tagId], userIds: [colleagueId] },
  connectionIds: [connectionId],
});

const webhookOf = (mark: string) => ({
  ...{ name: mark.slice(0, 50), url: "https://loja.example/balcao" },
  events: ["message.received" as const, "ticket.changed" as const],
});

/** The choice of a dashboard that names one of each kind. */
// Names of companies and plans are unique in the installation.
const companyOf = (planId: PlanId) => ({
  ...{ name: `Empresa ${unique()}`, email: `empresa${unique()}@loja.example` },
  ...{ phone: "(48) 99812-4471", planId, dueDate: "2099-12-19" },
  ...{ recurrence: "MENSAL" as const, campaignsEnabled: true },
});

const promptOf = ({
  mark,
  queueId,
  promptBaseUrl: baseUrl,
}: Pick<Rows, "mark" | "queueId" | "promptBaseUrl">) => ({
  ...{
    name: mark.slice(0, 100),
    prompt: `${mark} responde sobre trocas, prazos e horários da loja.`,
  },
  ...{
    baseUrl,
    model: "gpt-a",
    apiKey: "ok-guarantees",
    voice: "texto" as const,
    maxTokens: "200",
  },
  ...{ temperature: "0.5", maxMessages: "10", priceIn: "1.5", priceOut: "", queueId },
});

const integrationOf = (mark: string) => ({
  ...{
    type: "n8n" as const,
    name: `${mark} ${unique()}`.slice(-50),
    urlN8N: "https://n8n.example",
  },
  ...{ typebotExpires: 5, typebotDelayMessage: 500, typebotKeywordFinish: "sair" },
});

const planOf = () => ({
  ...{ name: `Plano ${unique()}`, users: 500, connections: 500, queues: 500, value: "1.234,50" },
});

const figuresChoiceOf = ({
  queueId,
  tagId,
  colleagueId,
  connectionId,
}: Pick<Rows, "queueId" | "tagId" | "colleagueId" | "connectionId">) => ({
  ...{ queueIds: JSON.stringify([queueId, null]), tagIds: JSON.stringify([tagId]) },
  ...{ userIds: JSON.stringify([colleagueId, null]) },
  whatsappIds: JSON.stringify([connectionId]),
});

const pushSubscription = {
  endpoint: "https://fcm.googleapis.com/fcm/send/abc",
  keys: { p256dh: "B".repeat(87), auth: "A".repeat(22) },
  language: "pt" as const,
};

const payer = {
  ...{ firstName: "Renata Azevedo", lastName: "", address2: "Rua das Flores, 12" },
  ...{ city: "Recife", state: "PE", zipcode: "50030-230", country: "BR" as const },
};

const someCredential = {
  ...{ id: "AAAA", rawId: "AAAA", type: "public-key" },
  ...{ response: { clientDataJSON: "AAAA" }, clientExtensionResults: {} },
};

/**
 * For each call of the product a request that is accepted, given rows of the caller's company. A new call does not
 * compile until it is here, and with that it is in the fuzz and in the matrices.
 */
const validRequests: { [K in EndpointName]: (rows: Rows) => RequestOf<K> } = {
  "GET /health": () => ({}),
  "GET /health/live": () => ({}),
  "GET /health/ready": () => ({}),
  "GET /version": () => ({}),

  "POST /auth/login": ({ email, password }) => ({ body: { email, password } }),
  "POST /auth/signup": () => ({}),
  "POST /auth/refresh_token": () => ({}),
  "GET /auth/me": () => ({}),
  "DELETE /auth/logout": () => ({}),
  "POST /auth/second-factor": ({ mark }) => ({ body: { challenge: mark, code: "123456" } }),
  "GET /auth/security": () => ({}),
  "POST /auth/factor": ({ password }) => ({ body: { password } }),
  "POST /auth/factor/confirm": () => ({ body: { code: "123456" } }),
  "POST /auth/factor/remove": ({ password }) => ({ body: { password } }),
  "POST /auth/recovery-codes": ({ password }) => ({ body: { password } }),
  "DELETE /auth/trusted-browsers": () => ({}),
  "POST /auth/passkeys/options": ({ password }) => ({ body: { password } }),
  "POST /auth/passkeys": ({ mark }) => ({
    body: { step: mark, name: "Notebook", credential: someCredential },
  }),
  "PUT /auth/passkeys/:passkeyId": ({ passkeyId }) => ({
    params: { passkeyId },
    body: { name: "Notebook" },
  }),
  "POST /auth/passkeys/:passkeyId/remove": ({ passkeyId, password }) => ({
    params: { passkeyId },
    body: { password },
  }),
  "POST /auth/passkey/options": () => ({}),
  "POST /auth/passkey": ({ mark }) => ({
    body: { step: mark, credential: someCredential },
  }),
  "GET /auth/sessions": () => ({}),
  "DELETE /auth/sessions/:sessionId": ({ sessionId }) => ({ params: { sessionId } }),
  "DELETE /auth/sessions": () => ({}),
  "GET /auth/sign-ins": () => ({}),
  "GET /users/:userId/sign-ins": ({ colleagueId }) => ({
    params: { userId: colleagueId },
    query: { pageNumber: 1 },
  }),
  "DELETE /users/:userId/sessions": ({ colleagueId }) => ({ params: { userId: colleagueId } }),
  "DELETE /users/:userId/factor": ({ colleagueId }) => ({ params: { userId: colleagueId } }),
  "POST /forgetpassword": ({ resetEmail }) => ({ body: { email: resetEmail, language: "es" } }),
  "POST /forgetpassword/:email": ({ resetEmail }) => ({ params: { email: resetEmail } }),
  "POST /resetpasswords": ({ resetEmail, resetCode }) => ({
    body: { email: resetEmail, token: resetCode, password: "Kmtpx-Qwert-47" },
  }),
  "POST /resetpasswords/:email/:token/:password": ({ resetEmail, resetCode }) => ({
    params: { email: resetEmail, token: resetCode, password: "Kmtpx-Qwert-47" },
  }),

  "GET /api-tokens": () => ({}),
  "POST /api-tokens": ({ mark }) => ({
    body: { name: mark.slice(0, 50), kind: "user", scopes: ["tickets:read", "tags:read"] },
  }),
  "DELETE /api-tokens/:apiTokenId": ({ apiTokenId }) => ({ params: { apiTokenId } }),
  "GET /api-calls": ({ apiTokenId, connectionId, apiCallId }) => ({
    query: { apiTokenId, connectionId, failed: "true", before: apiCallId },
  }),
  "GET /webhooks": () => ({}),
  "POST /webhooks": ({ mark, webhookId: _madeRoom }) => ({ body: webhookOf(mark) }),
  "PUT /webhooks/:webhookId": ({ webhookId, mark }) => ({
    params: { webhookId },
    body: webhookOf(mark),
  }),
  "DELETE /webhooks/:webhookId": ({ webhookId }) => ({ params: { webhookId } }),
  "POST /webhooks/:webhookId/test": ({ webhookId }) => ({ params: { webhookId } }),
  "POST /webhooks/:webhookId/resume": ({ webhookId }) => ({ params: { webhookId } }),
  "GET /webhooks/:webhookId/secret": ({ webhookId }) => ({ params: { webhookId } }),
  "POST /webhooks/:webhookId/secret": ({ webhookId }) => ({ params: { webhookId } }),
  "GET /webhook-deliveries": ({ webhookId, webhookDeliveryId }) => ({
    query: { webhookId, before: webhookDeliveryId, state: "failed" },
  }),
  "GET /webhook-deliveries/:deliveryId": ({ webhookDeliveryId: deliveryId }) => ({
    params: { deliveryId },
  }),
  "POST /webhook-deliveries/again": ({ webhookDeliveryId }) => ({
    body: { deliveryIds: [webhookDeliveryId] },
  }),
  // The number has a conversation on the connection: nobody is asked about it.
  "POST /messages/send": ({ phone, queueId, userId, connectionId: _own, messageId: _talked }) => ({
    body: { number: phone, body: "Bom dia", closeTicket: false, queueId, userId, status: "open" },
  }),
  "POST /v1/messages": ({ phone, connectionId, queueId, userId, messageId: _talked }) => ({
    body: { number: phone, connectionId, body: "Bom dia", queueId, userId },
  }),
  "GET /v1/messages": ({ ticketId, messageId }) => ({ query: { ticketId, cursor: messageId } }),
  "GET /v1/contacts": ({ phone }) => ({ query: { limit: "200", number: phone } }),
  "GET /v1/contacts/:contactId": ({ contactId }) => ({ params: { contactId } }),
  "POST /v1/contacts": ({ phone, mark }) => ({
    body: { name: mark.slice(0, 50), number: phone, extraInfo: [{ name: "CPF", value: "123" }] },
  }),
  "PUT /v1/contacts/:contactId": ({ contactId, mark }) => ({
    params: { contactId },
    body: {
      name: mark.slice(0, 50),
      extraInfo: [{ name: "CPF", value: "123" }],
      disableBot: true,
    },
  }),
  "GET /v1/tickets": ({ tagId, connectionId, queueId }) => ({
    query: {
      ...{ status: "pending", tagIds: JSON.stringify([tagId]), search: "pedido" },
      ...{ connectionIds: JSON.stringify([connectionId]), queueIds: JSON.stringify([queueId]) },
    },
  }),
  "GET /v1/tickets/:ticketId": ({ ticketId }) => ({ params: { ticketId } }),
  "PUT /v1/tickets/:ticketId": ({ ticketId, userId, queueId }) => ({
    params: { ticketId },
    body: { status: "open", userId, queueId },
  }),
  "PUT /v1/tickets/:ticketId/tags": ({ ticketId, tagId }) => ({
    params: { ticketId },
    body: { tagIds: [tagId] },
  }),
  "POST /v1/tickets/:ticketId/draft": ({ ticketId }) => ({
    params: { ticketId },
    body: { body: "O prazo é de dois dias." },
  }),
  "POST /mcp": ({ ticketId }) => ({
    body: {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "read_conversation", arguments: { ticketId } },
    },
  }),
  "GET /v1/tags": () => ({ query: { limit: "20" } }),
  "GET /v1/queues": () => ({}),
  "GET /v1/templates": ({ connectionId }) => ({ query: { connectionId } }),

  "GET /companies/list": () => ({}),
  "GET /companies/listPlan/:companyId": ({ companyId }) => ({ params: { companyId } }),
  "GET /companies/:companyId": ({ companyId }) => ({ params: { companyId } }),
  "GET /companies": ({ mark }) => ({
    query: { searchParam: mark, pageNumber: "1", state: "due", order: "name", descending: "true" },
  }),
  "POST /companies": ({ chosenPlanId }) => ({
    body: { ...companyOf(chosenPlanId), password: "Kmtpx-qwert-47" },
  }),
  "POST /companies/spreadsheet": () => ({}),
  "POST /companies/batch": ({ chosenPlanId }) => ({
    body: { companies: [companyOf(chosenPlanId)], language: "es" },
  }),
  "POST /companies/spreadsheet/file": ({ mark }) => ({
    body: { name: mark, rows: [["Nome", "Motivo"], [mark]] },
  }),
  "POST /companies/cadastro": ({ chosenPlanId }) => ({
    body: { ...companyOf(chosenPlanId), phone: "48998124471", password: "Kmtpx-qwert-47" },
  }),
  "PUT /companies/:companyId": ({ companyId, chosenPlanId }) => ({
    params: { companyId },
    body: companyOf(chosenPlanId),
  }),
  "DELETE /companies/:companyId": ({ spareCompanyId: companyId }) => ({ params: { companyId } }),
  "GET /companies/:companyId/exports": ({ companyId }) => ({ params: { companyId } }),
  "POST /companies/:companyId/exports": ({ companyId }) => ({ params: { companyId } }),
  "GET /companies/:companyId/exports/:companyExportId/file": ({ companyId, companyExportId }) => ({
    params: { companyId, companyExportId },
  }),
  "POST /companies/:companyId/support": ({ visitedCompanyId: companyId }) => ({
    params: { companyId },
    body: { reason: "A conexão não volta" },
  }),
  "DELETE /support": () => ({}),
  "GET /support-visits": () => ({ query: { pageNumber: "1" } }),
  "GET /invoices/all": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /subscription": () => ({}),
  "POST /subscription": ({ invoiceId }) => ({ body: { ...payer, invoiceId } }),
  "POST /subscription/:invoiceId/said-paid": ({ invoiceId, chargeId: _running }) => ({
    params: { invoiceId },
  }),
  "POST /billing/settings/test": () => ({}),
  "POST /subscription/webhook/:key": ({ notifyKey: key }) => ({
    params: { key },
    body: { pix: [{ txid: "a1" }] },
  }),
  "POST /subscription/webhook/:key/pix": ({ notifyKey: key }) => ({
    params: { key },
    body: { payment: { pixQrCodeId: "a1" } },
  }),
  "GET /billing/settings": () => ({}),
  "PUT /billing/settings": () => ({
    body: { bank: "simulated", receiver: "Conecta", city: "Recife", pixKey: "", contact: "" },
  }),
  "GET /billing/charges": () => ({ query: { pageNumber: "1" } }),
  "POST /billing/charges/:chargeId/pay": ({ chargeId }) => ({
    params: { chargeId },
    body: { value: 99 },
  }),
  "GET /billing/payments": () => ({ query: { pageNumber: "1" } }),
  "POST /billing/payments/:paymentId/settle": ({ paymentId }) => ({
    params: { paymentId },
    body: { as: "accepted" },
  }),
  "GET /plans/list": () => ({}),
  "GET /plans/register": () => ({}),
  "GET /plans/all": () => ({}),
  "GET /plans": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /plans/:planId": ({ planId }) => ({ params: { planId } }),
  "POST /plans": () => ({ body: planOf() }),
  "PUT /plans/:planId": ({ planId }) => ({ params: { planId }, body: planOf() }),
  "DELETE /plans/:planId": ({ planId }) => ({ params: { planId } }),
  "GET /mails": ({ mark }) => ({
    query: { searchParam: mark, pageNumber: "1", state: "failed" },
  }),
  "POST /mails/test": () => ({ body: { language: "en" } }),
  "POST /mails/:mailId/send": ({ mailId }) => ({ params: { mailId } }),
  "PUT /companies/:companyId/schedules": ({ companyId }) => ({
    params: { companyId },
    body: { schedules: defaultSchedules() },
  }),
  "PUT /companies/:companyId/holidays": ({ companyId, mark }) => ({
    params: { companyId },
    body: {
      national: { christmas: false },
      own: [{ date: "2026-06-24", name: mark.slice(0, 50), everyYear: true, isOn: true }],
    },
  }),

  "GET /prompt/:promptId": ({ promptId }) => ({ params: { promptId } }),
  "POST /prompt": (rows) => ({ body: promptOf(rows) }),
  "PUT /prompt/:promptId": ({ promptId, ...rows }) => ({
    params: { promptId },
    body: promptOf(rows),
  }),
  "DELETE /prompt/:promptId": ({ promptId }) => ({ params: { promptId } }),
  "POST /prompt/check": ({ promptId, promptBaseUrl: baseUrl }) => ({
    body: { baseUrl, model: "gpt-a", apiKey: "ok-check", promptId },
  }),
  "POST /prompt/try": ({ promptId, ...rows }) => ({
    body: {
      ...{ promptId, prompt: promptOf(rows) },
      conversation: [{ from: "customer" as const, text: `Oi, ${rows.mark}` }],
    },
  }),
  "GET /prompt": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /knowledge": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /knowledge/:knowledgeId": ({ knowledgeId }) => ({ params: { knowledgeId } }),
  "POST /knowledge": ({ mark }) => ({ body: { kind: "article", title: mark, text: mark } }),
  "PUT /knowledge/:knowledgeId": ({ knowledgeId, mark }) => ({
    params: { knowledgeId },
    body: { title: mark, text: mark },
  }),
  "DELETE /knowledge/:knowledgeId": ({ knowledgeId }) => ({ params: { knowledgeId } }),
  "POST /knowledge/upload": () => ({}),
  "POST /knowledge/search": ({ mark }) => ({ body: { text: mark } }),
  "GET /aiService": () => ({}),
  "GET /aiService/offer": () => ({}),
  "PUT /aiService": ({ promptBaseUrl: baseUrl }) => ({ body: { baseUrl, apiKey: "ok-service" } }),
  "POST /tickets/:ticketId/help": ({ ticketId, helpedMessageId }) => ({
    params: { ticketId },
    body: { kind: "translateMessage", messageId: helpedMessageId, language: "en" },
  }),
  "GET /queueIntegration/:integrationId": ({ integrationId }) => ({ params: { integrationId } }),
  "POST /queueIntegration": ({ mark }) => ({ body: integrationOf(mark) }),
  "PUT /queueIntegration/:integrationId": ({ integrationId, mark }) => ({
    params: { integrationId },
    body: integrationOf(mark),
  }),
  "DELETE /queueIntegration/:integrationId": ({ integrationId }) => ({ params: { integrationId } }),
  "POST /queueIntegration/testSession": ({ integrationId }) => ({
    body: { projectName: "loja", jsonContent: sampleKey.text, language: "pt-BR", integrationId },
  }),
  "POST /queueIntegration/:integrationId/test": ({ integrationId }) => ({
    params: { integrationId },
  }),
  "POST /billingLookups/test": () => ({ body: { system: "asaas" } }),
  "POST /queueIntegration/:integrationId/resume": ({ integrationId }) => ({
    params: { integrationId },
  }),
  "GET /queueIntegration/:integrationId/secret": ({ integrationId }) => ({
    params: { integrationId },
  }),
  "POST /queueIntegration/:integrationId/secret": ({ integrationId }) => ({
    params: { integrationId },
  }),
  "GET /integration-deliveries": ({ integrationId, ticketId, deliveryId }) => ({
    query: { integrationId, ticketId, before: deliveryId, state: "failed" },
  }),
  "GET /integration-deliveries/:deliveryId": ({ deliveryId }) => ({ params: { deliveryId } }),
  "POST /integration-deliveries/again": ({ deliveryId }) => ({
    body: { deliveryIds: [deliveryId] },
  }),
  "GET /queueIntegration": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),

  "GET /chats": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /chats/:chatUuid": ({ chatUuid }) => ({ params: { chatUuid } }),
  "POST /chats": ({ mark, colleagueId }) => ({
    body: { title: mark.slice(0, 60), users: [{ id: colleagueId }] },
  }),
  "PUT /chats/:chatId": ({ chatId, mark, colleagueId }) => ({
    params: { chatId },
    body: { title: mark.slice(0, 60), users: [{ id: colleagueId }] },
  }),
  "DELETE /chats/:chatId": ({ chatId }) => ({ params: { chatId } }),
  "POST /chats/:chatId/leave": ({ othersChatId }) => ({ params: { chatId: othersChatId } }),
  "PUT /chats/:chatId/silence": ({ chatId }) => ({
    params: { chatId },
    body: { isSilenced: true },
  }),
  "GET /chats/:chatId/messages": ({ chatId }) => ({
    params: { chatId },
    query: { pageNumber: "1" },
  }),
  "GET /chats/:chatId/search": ({ chatId, mark }) => ({
    params: { chatId },
    query: { searchParam: mark },
  }),
  "POST /chats/:chatId/messages": ({ chatId, chatMessageId, colleagueId, mark }) => ({
    params: { chatId },
    body: { message: mark, mentionedUserIds: [colleagueId], quotedId: chatMessageId },
  }),
  "POST /chats/:chatId/read": ({ chatId, userId }) => ({ params: { chatId }, body: { userId } }),
  "PUT /chats/messages/:chatMessageId": ({ chatMessageId, colleagueId, mark }) => ({
    params: { chatMessageId },
    body: { message: mark, mentionedUserIds: [colleagueId] },
  }),
  "GET /chats/messages/:chatMessageId/ticket": ({ chatMessageId }) => ({
    params: { chatMessageId },
  }),

  "GET /announcements": ({ mark }) => ({
    query: { searchParam: mark, pageNumber: "1", order: "priority", active: "true" },
  }),
  "GET /announcements/unseen": () => ({}),
  "PUT /announcements/seen": () => ({}),
  "GET /announcements/:announcementId": ({ announcementId }) => ({ params: { announcementId } }),
  "POST /announcements": ({ mark }) => ({
    body: { title: mark, text: `Leia: ${mark}`, priority: 1, status: true },
  }),
  "PUT /announcements/:announcementId": ({ announcementId, mark }) => ({
    params: { announcementId },
    body: { title: mark, text: mark, priority: "2", status: false },
  }),
  "DELETE /announcements/:announcementId": ({ announcementId }) => ({ params: { announcementId } }),
  "POST /announcements/:announcementId/media-upload": ({ announcementId }) => ({
    params: { announcementId },
  }),
  "DELETE /announcements/:announcementId/media-upload": ({ announcementId }) => ({
    params: { announcementId },
  }),

  "GET /helps": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /helps/list": () => ({}),
  "GET /helps/:helpId": ({ helpId }) => ({ params: { helpId } }),
  "POST /helps": ({ mark }) => ({
    body: { title: mark, description: mark, video: "aqz-KE-bpKQ" },
  }),
  "PUT /helps/:helpId": ({ helpId, mark }) => ({
    params: { helpId },
    body: { title: mark, description: "", video: "aqz-KE-bpKQ" },
  }),
  "DELETE /helps/:helpId": ({ helpId }) => ({ params: { helpId } }),

  "GET /brands": () => ({}),
  "POST /brands": ({ mark }) => ({
    body: { host: `m${unique()}.example`, name: mark, owner: mark, color: "#7a1fa2" },
  }),
  "PUT /brands/:brandId": ({ brandId, mark }) => ({
    params: { brandId },
    body: { host: `m${unique()}.example`, name: mark, owner: "", color: null },
  }),
  "DELETE /brands/:brandId": ({ brandId }) => ({ params: { brandId } }),
  "POST /brands/:brandId/images/:kind": ({ brandId }) => ({ params: { brandId, kind: "logo" } }),
  "DELETE /brands/:brandId/images/:kind": ({ brandId }) => ({
    params: { brandId, kind: "logo" },
  }),

  "GET /settings": () => ({}),
  "GET /settings/:key": () => ({ params: { key: "trial" } }),
  "PUT /settings/:key": () => ({ params: { key: "call" }, body: { value: "disabled" } }),

  "GET /automatic-texts": () => ({}),
  "PUT /automatic-texts/:key": ({ mark }) => ({
    params: { key: "completion" },
    body: { text: mark },
  }),
  "DELETE /automatic-texts/:key": () => ({ params: { key: "completion" } }),

  "GET /queue": ({ companyId }) => ({ query: { companyId } }),
  "GET /queue/:queueId": ({ queueId }) => ({ params: { queueId } }),
  "GET /queue/:queueId/use": ({ queueId }) => ({ params: { queueId } }),
  "POST /queue": ({ mark }) => ({
    body: {
      name: `Fila ${newClientId()}`.slice(0, 50),
      color: `#${newClientId().slice(-6)}`,
      greetingMessage: `Bem-vindo a ${mark}`,
      outOfHoursMessage: "",
      orderQueue: "3",
      schedules: defaultSchedules(),
    },
  }),
  "PUT /queue/:queueId": ({ spareQueueId, mark }) => ({
    params: { queueId: spareQueueId },
    body: { greetingMessage: mark, orderQueue: "" },
  }),
  "DELETE /queue/:queueId": ({ spareQueueId, queueId }) => ({
    params: { queueId: spareQueueId },
    query: { targetQueueId: queueId },
  }),
  "POST /queue/:queueId/media-upload": ({ spareQueueId }) => ({
    params: { queueId: spareQueueId },
  }),
  "DELETE /queue/:queueId/media-upload": ({ spareQueueId }) => ({
    params: { queueId: spareQueueId },
  }),

  "GET /queue-options": ({ spareQueueId, queueOptionId }) => ({
    query: { queueId: spareQueueId, parentId: queueOptionId },
  }),
  "GET /queue-options/count": () => ({}),
  "GET /queue-options/:queueOptionId": ({ queueOptionId }) => ({ params: { queueOptionId } }),
  "POST /queue-options": ({ spareQueueId, queueOptionId, mark }) => ({
    body: {
      queueId: spareQueueId,
      parentId: queueOptionId,
      title: mark,
      message: "Escolha o assunto",
      option: "7",
    },
  }),
  "PUT /queue-options/:queueOptionId": ({ queueOptionId, mark }) => ({
    params: { queueOptionId },
    body: { title: mark, message: null, option: 2 },
  }),
  "POST /queue-options/order": ({ spareQueueId, queueOptionId, childOptionId }) => ({
    body: { queueId: spareQueueId, parentId: queueOptionId, ids: [childOptionId] },
  }),
  "DELETE /queue-options/:queueOptionId": ({ queueOptionId }) => ({
    params: { queueOptionId },
    query: {},
  }),
  "POST /queue-options/:queueOptionId/media-upload": ({ queueOptionId }) => ({
    params: { queueOptionId },
  }),
  "DELETE /queue-options/:queueOptionId/media-upload": ({ queueOptionId }) => ({
    params: { queueOptionId },
    query: {},
  }),

  "GET /queue/:queueId/chatbot": ({ spareQueueId }) => ({ params: { queueId: spareQueueId } }),
  "PUT /queue/:queueId/chatbot": ({ spareQueueId, mark }) => ({
    params: { queueId: spareQueueId },
    body: { greetingMessage: mark },
  }),
  "POST /queue/:queueId/chatbot/publish": ({ spareQueueId, draftAt }) => ({
    params: { queueId: spareQueueId },
    body: { draftAt },
  }),
  "DELETE /queue/:queueId/chatbot": ({ spareQueueId }) => ({ params: { queueId: spareQueueId } }),
  "POST /queue/:queueId/trial": ({ spareQueueId, queueOptionId }) => ({
    params: { queueId: spareQueueId },
    body: {
      state: {
        queueId: spareQueueId,
        chatbot: true,
        queueOptionId,
        menusSent: 0,
        wrongAnswers: 0,
        greeted: false,
      },
      text: "0",
      contactName: "Ana",
      connectionId: null,
    },
  }),

  "GET /whatsapp": () => ({}),
  "GET /whatsapp/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),
  "POST /whatsapp": ({ queueId, mark }) => ({
    body: {
      name: `Nova ${newClientId()}`.slice(0, 50),
      channel: "simulator",
      isDefault: false,
      greetingMessage: `Bem-vindo a ${mark}`,
      queueIds: [queueId],
      transferQueueId: queueId,
      provider: "beta",
      token: newClientId(),
      // Not used by this channel.
      cloudApi: { phoneNumberId: "1", businessAccountId: "2" },
    },
  }),
  "PUT /whatsapp/:connectionId": ({ connectionId, queueId, mark }) => ({
    params: { connectionId },
    body: { greetingMessage: mark, queueIds: [queueId], transferQueueId: queueId },
  }),
  "DELETE /whatsapp/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),
  "POST /whatsapp-restart": () => ({}),
  "GET /operation/now": () => ({}),
  "GET /operation/security": () => ({}),
  "GET /operation/usage": () => ({ query: { span: "hour" } }),
  "GET /operation/backups": () => ({}),
  "POST /operation/backups": () => ({}),
  "GET /operation/whaticket": () => ({}),
  "POST /operation/whaticket": () => ({ body: { kind: "trial" } }),
  "GET /connections-health": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "POST /whatsappsession/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),
  "PUT /whatsappsession/:connectionId": ({ connectionId }) => ({
    params: { connectionId },
    body: { pairingPhone: "5511987654321" },
  }),
  "DELETE /whatsappsession/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),

  "GET /tickets": ({ queueId, userId, connectionId }) => ({
    query: {
      searchParam: "marca",
      pageNumber: "1",
      status: "pending",
      showAll: "true",
      queueIds: JSON.stringify([queueId]),
      tags: "[]",
      users: JSON.stringify([userId]),
      whatsappIds: JSON.stringify([connectionId]),
      date: "2026-01-31",
      updatedAt: "",
      withUnreadMessages: "false",
      snoozed: "false",
      waitMinutes: "30",
      pinnedFirst: "true",
    },
  }),
  "GET /tickets/counts": ({ queueId, tagId, userId, connectionId }) => ({
    query: {
      showAll: "false",
      queueIds: JSON.stringify([queueId]),
      tags: JSON.stringify([tagId]),
      users: JSON.stringify([userId]),
      whatsappIds: JSON.stringify([connectionId]),
      withUnreadMessages: "true",
    },
  }),
  "GET /tickets/:ticketId": ({ ticketId }) => ({ params: { ticketId } }),
  "GET /tickets/u/:ticketUuid": ({ ticketUuid }) => ({ params: { ticketUuid } }),
  "POST /tickets": ({ freeContactId, queueId, connectionId }) => ({
    body: {
      contactId: freeContactId,
      queueId,
      whatsappId: connectionId,
      userId: "",
      status: "open",
    },
  }),
  "DELETE /tickets/:ticketId": ({ ticketId }) => ({ params: { ticketId } }),
  "GET /ticket-views": () => ({}),
  "GET /ticket-views/counts": () => ({}),
  "POST /ticket-views": (rows) => ({
    body: { name: "VIP sem resposta", isShared: true, filter: viewFilterOf(rows) },
  }),
  "PUT /ticket-views/:ticketViewId": ({ ticketViewId, ...rows }) => ({
    params: { ticketViewId },
    body: { name: "Trocas", isShared: false, filter: viewFilterOf(rows) },
  }),
  "DELETE /ticket-views/:ticketViewId": ({ ticketViewId }) => ({ params: { ticketViewId } }),
  "POST /ticket-views/:ticketViewId/undo": ({ deletedViewId }) => ({
    params: { ticketViewId: deletedViewId },
  }),
  "POST /tickets/bulk": ({ ticketId, queueId }) => ({
    body: {
      ticketIds: [ticketId],
      change: { action: "transfer", queueId, userId: null },
      undoSeconds: 5,
    },
  }),
  "POST /tickets/bulk/undo": ({ acceptedTicketId, undoId }) => ({
    body: { undos: [{ ticketId: acceptedTicketId, undoId }] },
  }),
  "POST /tickets/closeAll": ({ spareQueueId }) => ({
    body: { status: "open", selectedQueueIds: [spareQueueId] },
  }),
  "PUT /tickets/:ticketId/snooze": ({ ticketId }) => ({
    params: { ticketId },
    body: { until: null, undoSeconds: 5 },
  }),
  "DELETE /tickets/:ticketId/snooze": ({ ticketId }) => ({ params: { ticketId } }),
  "PUT /tickets/:ticketId/pin": ({ ticketId }) => ({ params: { ticketId } }),
  "DELETE /tickets/:ticketId/pin": ({ ticketId }) => ({ params: { ticketId } }),
  "GET /tickets/:ticketId/attendances": ({ ticketId }) => ({
    params: { ticketId },
    query: { pageNumber: "1" },
  }),
  "PUT /tickets/:ticketId": ({ ticketId, reasonId }) => ({
    params: { ticketId },
    body: { status: "open", reasonId, undoSeconds: 5 },
  }),
  "POST /tickets/:ticketId/undo": ({ acceptedTicketId, undoId }) => ({
    params: { ticketId: acceptedTicketId },
    body: { undoId },
  }),

  "GET /messages/:ticketId": ({ ticketId }) => ({
    params: { ticketId },
    query: { pageNumber: "1", markRead: "false" },
  }),
  "GET /messages/:ticketId/search": ({ ticketId, messageId }) => ({
    params: { ticketId },
    query: { searchParam: "marca", beforeId: messageId },
  }),
  "GET /messages/:ticketId/shared": ({ ticketId, messageId }) => ({
    params: { ticketId },
    query: { beforeId: messageId },
  }),
  "POST /messages/:ticketId": ({ ticketId, messageId }) => ({
    params: { ticketId },
    body: { body: "Olá! Posso ajudar?", quotedMsg: { id: messageId }, clientId: newClientId() },
  }),
  "GET /whatsapp/:connectionId/templates": ({ officialConnectionId }) => ({
    params: { connectionId: officialConnectionId },
  }),
  "POST /messages/:ticketId/template": ({ officialTicketId }) => ({
    params: { ticketId: officialTicketId },
    body: {
      name: sampleTemplate.name,
      language: sampleTemplate.language,
      headerParameters: ["7"],
      bodyParameters: ["Helena", "amanhã"],
      buttonParameters: ["p7"],
    },
  }),
  "POST /message/forward": ({ messageId, contactId }) => ({
    body: {
      ...{ messageIds: [messageId], clientIds: [newClientId()], contactId, signMessage: true },
    },
  }),
  "POST /messages/:ticketId/read": ({ ticketId }) => ({ params: { ticketId } }),
  "POST /messages/retry/:messageId": ({ failedMessageId }) => ({
    params: { messageId: failedMessageId },
    body: { confirmed: false },
  }),
  "DELETE /messages/failed/:messageId": ({ failedMessageId }) => ({
    params: { messageId: failedMessageId },
  }),

  "DELETE /messages/undo/:messageId": ({ waitingMessageId }) => ({
    params: { messageId: waitingMessageId },
  }),
  "POST /messages/edit/:messageId": ({ sentMessageId }) => ({
    params: { messageId: sentMessageId },
    body: { body: "Olá! Em que posso ajudar?" },
  }),
  "PUT /messages/:messageId": ({ sentMessageId }) => ({ params: { messageId: sentMessageId } }),
  "DELETE /messages/:messageId": ({ sentMessageId }) => ({ params: { messageId: sentMessageId } }),
  "POST /messages/:messageId/transcript": ({ heardMessageId }) => ({
    params: { messageId: heardMessageId },
  }),
  "POST /messages/:messageId/reactions": ({ messageId }) => ({
    params: { messageId },
    body: { type: "👍" },
  }),

  "GET /contacts": ({ mark, tagId, connectionId }) => ({
    query: {
      ...{ searchParam: mark, pageNumber: "1", date: "", dateStart: "2020-01-01", dateEnd: "" },
      ...{ sort: "lastContact", descending: "true" },
      ...{ tags: JSON.stringify([tagId]), whatsappIds: JSON.stringify([connectionId]) },
      ...{ lastStart: "2020-01-01", lastEnd: "", optedOut: "false", unnamed: "" },
    },
  }),
  "GET /contacts/list": ({ mark }) => ({ query: { name: mark, limit: 100 } }),
  "GET /contacts/:contactId": ({ contactId }) => ({ params: { contactId } }),
  // A number that the company knows already: the chat network is not asked.
  "POST /contacts": ({ phone, mark }) => ({
    body: {
      name: mark.slice(0, 50),
      number: phone,
      email: "cliente@exemplo.com.br",
      extraInfo: [{ name: "CPF", value: "123" }],
    },
  }),
  "PUT /contacts/:contactId": ({ contactId, mark }) => ({
    params: { contactId },
    body: {
      name: mark.slice(0, 50),
      extraInfo: [{ name: "CPF", value: "123" }],
      disableBot: false,
    },
  }),
  "DELETE /contacts/:contactId": ({ contactId }) => ({ params: { contactId } }),
  "POST /contacts/bulk": ({ contactId }) => ({
    body: { selection: { ids: [contactId] }, action: "optOut", afterId: null },
  }),
  "POST /contacts/export": ({ contactId }) => ({
    body: { selection: { ids: [contactId] }, format: "csv", language: "pt" },
  }),
  "PUT /contacts/:contactId/opt-out": ({ contactId }) => ({ params: { contactId } }),
  "DELETE /contacts/:contactId/opt-out": ({ contactId }) => ({ params: { contactId } }),
  "POST /privacy/find": ({ phone }) => ({ body: { term: phone } }),
  "GET /privacy/contacts/:contactId": ({ contactId }) => ({ params: { contactId } }),
  "PUT /privacy/contacts/:contactId/hold": ({ contactId }) => ({
    ...{ params: { contactId }, body: { reason: "Processo" } },
  }),
  "DELETE /privacy/contacts/:contactId/hold": ({ contactId }) => ({ params: { contactId } }),
  "GET /privacy/contacts/:contactId/consents": ({ contactId }) => ({ params: { contactId } }),
  "POST /privacy/contacts/:contactId/consents": ({ contactId }) => ({
    ...{ params: { contactId }, body: { kind: "given", way: "form", note: "Ficha" } },
  }),
  "POST /privacy/contacts/:contactId/exports": ({ contactId }) => ({
    ...{ params: { contactId }, body: { language: "pt" } },
  }),
  "GET /privacy/exports/:personExportId/file": ({ personExportId }) => ({
    params: { personExportId },
  }),
  "GET /privacy/erasures": () => ({}),
  "POST /privacy/erasures": ({ contactId, mark }) => ({ body: { contactId, confirmation: mark } }),
  "GET /privacy/erasures/:erasureId/certificate": ({ erasureId }) => ({
    ...{ params: { erasureId }, query: { language: "pt" } },
  }),
  "GET /privacy/settings": () => ({}),
  "PUT /privacy/settings": () => ({
    body: {
      ...{ mediaDays: 365, messageDays: null, textPt: "Aviso", textEn: "", textEs: "" },
      ...{ isTextSent: false, officerName: "", officerEmail: "", officerPhone: "" },
    },
  }),
  "POST /privacy/retention": () => ({ body: { mediaDays: 365, messageDays: null } }),
  "GET /contacts/:contactId/attendances": ({ contactId }) => ({
    params: { contactId },
    query: { pageNumber: "1" },
  }),
  "GET /contacts/:contactId/summary": ({ contactId }) => ({ params: { contactId } }),
  "GET /contacts/:contactId/history": ({ contactId }) => ({
    params: { contactId },
    query: { pageNumber: "1" },
  }),
  "GET /contacts/:contactId/notes": ({ contactId }) => ({
    params: { contactId },
    query: { pageNumber: "1" },
  }),
  "GET /contacts/:contactId/files": ({ contactId }) => ({
    params: { contactId },
    query: { pageNumber: "1", kind: "pictures" },
  }),
  "GET /contacts/duplicates": () => ({ query: { pageNumber: "1" } }),
  "POST /contacts/:contactId/distinct": ({ freeContactId, twinContactId }) => ({
    params: { contactId: freeContactId },
    body: { otherId: twinContactId },
  }),
  "GET /contacts/:contactId/merge": ({ freeContactId, twinContactId }) => ({
    params: { contactId: freeContactId },
    query: { otherId: twinContactId },
  }),
  "POST /contacts/:contactId/merge": ({ freeContactId, twinContactId }) => ({
    params: { contactId: freeContactId },
    body: {
      ...{ otherId: twinContactId, name: "own", number: "other", email: "own" },
      ...{ updatedAt: CONTACTS_SEEN_AT, otherUpdatedAt: CONTACTS_SEEN_AT },
      extraInfo: [{ name: "Cidade", from: "other" }],
    },
  }),

  "GET /tags": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /tags/list": () => ({ query: { searchParam: "" } }),
  "GET /tags/kanban": () => ({}),
  "GET /kanban": ({ mark, queueId, connectionId }) => ({
    query: {
      searchParam: mark,
      ...{ queueIds: JSON.stringify([queueId]), whatsappIds: JSON.stringify([connectionId]) },
    },
  }),
  "GET /kanban/counts": ({ mark }) => ({ query: { searchParam: mark } }),
  "GET /kanban/cards": ({ laneTagId, ticketId }) => ({
    query: { laneId: laneTagId, before: CONTACTS_SEEN_AT, beforeId: ticketId },
  }),
  "PUT /kanban/cards/:ticketId": ({ ticketId, cardLaneId, laneTagId }) => ({
    params: { ticketId },
    body: { from: cardLaneId, to: laneTagId },
  }),
  "PUT /kanban/lanes": ({ laneTagId }) => ({ body: { tagIds: [laneTagId] } }),
  "GET /ticket/kanban": ({ queueId }) => ({ query: { queueIds: JSON.stringify([queueId]) } }),
  "PUT /ticket-tags/:ticketId/:tagId": ({ ticketId, laneTagId }) => ({
    params: { ticketId, tagId: laneTagId },
  }),
  "DELETE /ticket-tags/:ticketId": ({ ticketId }) => ({ params: { ticketId } }),
  "GET /tags/:tagId": ({ tagId }) => ({ params: { tagId } }),
  "POST /tags": ({ mark }) => ({ body: { name: `${mark} nova`, color: "#ff8800", kanban: 0 } }),
  // Only what a supervisor may change too.
  "PUT /tags/:tagId": ({ tagId }) => ({ params: { tagId }, body: { kanban: 1 } }),
  "DELETE /tags/:tagId": ({ tagId }) => ({ params: { tagId }, query: { undo: "true" } }),
  "POST /tags/:tagId/undo": ({ deletedTagId }) => ({ params: { tagId: deletedTagId } }),
  "POST /tags/sync": ({ ticketId, tagId }) => ({ body: { ticketId, tags: [{ id: tagId }] } }),

  "GET /contact-lists": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /contact-lists/list": () => ({}),
  "GET /contact-lists/:contactListId": ({ contactListId }) => ({ params: { contactListId } }),
  "POST /contact-lists": ({ mark }) => ({ body: { name: `${mark} nova`.slice(0, 50) } }),
  "PUT /contact-lists/:contactListId": ({ contactListId, mark }) => ({
    params: { contactListId },
    body: { name: `${mark} outra`.slice(0, 50) },
  }),
  "DELETE /contact-lists/:contactListId": ({ contactListId }) => ({ params: { contactListId } }),
  "POST /contact-lists/:contactListId/export": ({ contactListId }) => ({
    params: { contactListId },
    body: { format: "xlsx", language: "es", validity: "unchecked" },
  }),
  "POST /contact-lists/:contactListId/contacts": ({
    contactListId,
    mark,
    contactId,
    tagId,
    connectionId,
  }) => ({
    params: { contactListId },
    body: {
      keepsFilter: true,
      selection: {
        filter: {
          ...{ searchParam: mark, tags: [tagId], whatsappIds: [connectionId], unnamed: false },
          ...{ createdWithin: 30, contactedWithin: 30, contactedBefore: 1, optedOut: false },
        },
        except: [contactId],
      },
    },
  }),
  "POST /contact-lists/:contactListId/refresh": ({ contactListId }) => ({
    params: { contactListId },
  }),
  "POST /contact-lists/:contactListId/check": ({ contactListId }) => ({
    params: { contactListId },
  }),
  "GET /contact-list-items": ({ mark, contactListId }) => ({
    query: { searchParam: mark, pageNumber: "1", contactListId, validity: "unchecked" },
  }),
  "GET /contact-list-items/:contactListItemId": ({ contactListItemId }) => ({
    params: { contactListItemId },
  }),
  "POST /contact-list-items": ({ contactListId, mark, phone }) => ({
    body: { name: mark.slice(0, 50), number: phone, email: "", contactListId },
  }),
  "PUT /contact-list-items/:contactListItemId": ({ contactListItemId, mark }) => ({
    params: { contactListItemId },
    body: { name: `${mark} outra`.slice(0, 50), email: "" },
  }),
  "DELETE /contact-list-items/:contactListItemId": ({ contactListItemId }) => ({
    params: { contactListItemId },
  }),

  "GET /contact-imports": ({ contactListId }) => ({ query: { pageNumber: "1", contactListId } }),
  "POST /contact-imports": () => ({}),
  "GET /contact-imports/example": () => ({}),
  "GET /contact-imports/:contactImportId": ({ contactImportId }) => ({
    params: { contactImportId },
  }),
  "PUT /contact-imports/:contactImportId": ({ contactImportId, mark }) => ({
    params: { contactImportId },
    body: {
      ...{ titleRow: 1, country: "BR", rule: "fill" },
      columns: [
        { target: "number", extraName: "" },
        { target: "extra", extraName: mark.slice(0, 50) },
      ],
    },
  }),
  "DELETE /contact-imports/:contactImportId": ({ contactImportId }) => ({
    params: { contactImportId },
  }),
  "GET /contact-imports/:contactImportId/rows": ({ contactImportId }) => ({
    params: { contactImportId },
    query: { pageNumber: "1", problem: "notANumber" },
  }),
  "GET /contact-imports/:contactImportId/refused": ({ contactImportId }) => ({
    params: { contactImportId },
  }),
  "POST /contact-imports/:contactImportId/start": ({ contactImportId }) => ({
    params: { contactImportId },
  }),
  "POST /contact-imports/:contactImportId/pause": ({ waitingImportId }) => ({
    params: { contactImportId: waitingImportId },
  }),
  "POST /contact-imports/:contactImportId/resume": ({ pausedImportId }) => ({
    params: { contactImportId: pausedImportId },
  }),
  "POST /contact-imports/:contactImportId/stop": ({ pausedImportId }) => ({
    params: { contactImportId: pausedImportId },
  }),
  "POST /contacts/import": () => ({}),
  "POST /contacts/upload": () => ({}),
  "POST /contact-lists/:contactListId/upload": ({ contactListId }) => ({
    params: { contactListId },
  }),

  "POST /ticket-notes": ({ ticketId, contactId, colleagueId, queueId }) => ({
    body: {
      ...{ note: "Prefere ser chamado à tarde", ticketId, contactId },
      ...{ mentionedUserIds: [colleagueId], mentionedQueueIds: [queueId] },
    },
  }),
  "GET /ticket-notes/readers": ({ ticketId }) => ({ query: { ticketId } }),
  "GET /ticket-notes/mentions": () => ({}),
  "POST /ticket-notes/mentions/read": ({ ticketId }) => ({ body: { ticketId } }),
  "PUT /ticket-notes/:noteId": ({ noteId, colleagueId, queueId }) => ({
    params: { noteId },
    body: {
      note: "Prefere ser chamado de manhã",
      ...{ mentionedUserIds: [colleagueId], mentionedQueueIds: [queueId] },
    },
  }),
  "POST /ticket-notes/:noteId/undo": ({ deletedNoteId }) => ({ params: { noteId: deletedNoteId } }),
  "GET /ticket-notes/list": ({ ticketId, contactId }) => ({ query: { ticketId, contactId } }),
  "DELETE /ticket-notes/:noteId": ({ noteId }) => ({ params: { noteId } }),

  "GET /campaigns": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /campaigns/:campaignId": ({ campaignId }) => ({ params: { campaignId } }),
  "POST /campaigns": ({ contactListId, connectionId, mark }) => ({
    body: {
      ...{ name: `${mark} nova`.slice(0, 50), message1: "Oi {nome}", contactListId },
      ...{ whatsappId: connectionId, scheduledAt: "2031-01-01 09:00:00" },
    },
  }),
  "PUT /campaigns/:campaignId": ({ campaignId, contactListId, mark }) => ({
    params: { campaignId },
    body: { name: `${mark} outra`.slice(0, 50), message1: "Oi", contactListId },
  }),
  "DELETE /campaigns/:campaignId": ({ campaignId }) => ({ params: { campaignId } }),
  "POST /campaigns/:campaignId/start": ({ campaignId }) => ({ params: { campaignId } }),
  "POST /campaigns/:campaignId/cancel": ({ runningCampaignId }) => ({
    params: { campaignId: runningCampaignId },
  }),
  "POST /campaigns/:campaignId/restart": ({ cancelledCampaignId }) => ({
    params: { campaignId: cancelledCampaignId },
  }),
  "POST /campaigns/:campaignId/media-upload": ({ campaignId }) => ({ params: { campaignId } }),
  "DELETE /campaigns/:campaignId/media-upload": ({ campaignId }) => ({ params: { campaignId } }),
  "POST /campaigns/:campaignId/duplicate": ({ campaignId }) => ({ params: { campaignId } }),
  "POST /campaigns/:campaignId/resend": ({ cancelledCampaignId }) => ({
    params: { campaignId: cancelledCampaignId },
  }),
  // A number that the company knows already: the chat network is not asked.
  "POST /campaigns/:campaignId/test": ({ campaignId, phone }) => ({
    params: { campaignId },
    body: { number: phone },
  }),
  "POST /campaigns/estimate": ({ contactListId }) => ({ body: { contactListId } }),
  "POST /campaigns/preview": ({ contactListId }) => ({
    body: { contactListId, message1: "Oi {nome}" },
  }),
  "GET /campaigns/:campaignId/report": ({ campaignId }) => ({ params: { campaignId } }),
  "GET /campaigns/:campaignId/recipients": ({ cancelledCampaignId, mark }) => ({
    params: { campaignId: cancelledCampaignId },
    query: { searchParam: mark, pageNumber: "1", status: "failed" },
  }),
  "POST /campaigns/:campaignId/export": ({ cancelledCampaignId }) => ({
    params: { campaignId: cancelledCampaignId },
    body: { format: "csv", language: "pt" },
  }),
  "GET /campaign-settings": () => ({}),
  "POST /campaign-settings": () => ({ body: { settings: { messageInterval: 15 } } }),
  "GET /campaign-lines": () => ({}),
  "PUT /campaign-lines/:connectionId": ({ connectionId }) => ({
    params: { connectionId },
    body: { inUseSince: "2024-01-01", fixedLimit: 100 },
  }),

  "GET /files": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /files/:fileListId": ({ fileListId }) => ({ params: { fileListId } }),
  "POST /files": () => ({
    body: { name: `Nova ${unique()}`, message: "Catálogo", options: [{ name: "Capa" }] },
  }),
  "PUT /files/:fileListId": ({ fileListId, fileListOptionId, mark }) => ({
    params: { fileListId },
    body: {
      ...{ name: `${mark} outra`.slice(0, 50), message: "Catálogo" },
      options: [{ id: fileListOptionId, name: "Capa" }, { name: "Preços" }],
    },
  }),
  "DELETE /files/:fileListId": ({ fileListId }) => ({ params: { fileListId } }),
  "POST /files/uploadList/:fileListId": ({ fileListId, fileListOptionId }) => ({
    params: { fileListId },
    body: { fileId: fileListId, typeArch: "fileList", id: fileListOptionId },
  }),

  "GET /quick-messages": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /quick-messages/list": () => ({}),
  "GET /quick-messages/:quickMessageId": ({ quickMessageId }) => ({ params: { quickMessageId } }),
  "POST /quick-messages": () => ({
    body: { shortcode: "pix", message: "Nossa chave é 123", geral: false, status: true },
  }),
  "PUT /quick-messages/:quickMessageId": ({ quickMessageId }) => ({
    params: { quickMessageId },
    body: { shortcode: "pix", message: "Nossa chave é 456", geral: false, status: true },
  }),
  "POST /quick-messages/:quickMessageId/use": ({ quickMessageId }) => ({
    params: { quickMessageId },
  }),
  "DELETE /quick-messages/:quickMessageId": ({ quickMessageId }) => ({
    params: { quickMessageId },
  }),
  "POST /quick-messages/:quickMessageId/media-upload": ({ quickMessageId }) => ({
    params: { quickMessageId },
  }),
  "DELETE /quick-messages/:quickMessageId/media-upload": ({ quickMessageId }) => ({
    params: { quickMessageId },
  }),

  "GET /macros": () => ({}),
  "POST /macros": ({ mark, tagId, queueId, reasonId }) => ({
    body: {
      ...{ name: mark.slice(0, 50), message: "Oi", resolves: true },
      ...{ tagId, queueId, reasonId },
    },
  }),
  "PUT /macros/:macroId": ({ macroId, mark, tagId, queueId, reasonId }) => ({
    params: { macroId },
    body: { name: mark.slice(0, 50), resolves: true, tagId, queueId, reasonId },
  }),
  "DELETE /macros/:macroId": ({ macroId }) => ({ params: { macroId } }),
  "POST /macros/:macroId/run": ({ macroId, ticketId }) => ({
    params: { macroId },
    body: { ticketId, undoSeconds: 5 },
  }),

  "GET /resolve-reasons": () => ({}),
  "POST /resolve-reasons": () => ({ body: { name: `Motivo ${newClientId()}` } }),
  "PUT /resolve-reasons/:resolveReasonId": ({ reasonId }) => ({
    params: { resolveReasonId: reasonId },
    body: { name: `Motivo ${newClientId()}` },
  }),
  "DELETE /resolve-reasons/:resolveReasonId": ({ reasonId }) => ({
    params: { resolveReasonId: reasonId },
  }),

  "GET /schedules": ({ contactId, userId }) => ({
    query: { searchParam: "", pageNumber: "1", contactId, userId, dateStart: "", dateEnd: "" },
  }),
  "GET /schedules/calendar": ({ contactId, userId, connectionId }) => ({
    query: {
      ...{ contactId, userId, whatsappId: connectionId, states: `["waiting","sent"]` },
      ...{ dateStart: "2090-01-01", dateEnd: "2090-02-01", perDay: "3" },
    },
  }),
  "GET /schedules/:scheduleId": ({ scheduleId }) => ({ params: { scheduleId } }),
  "POST /schedules": ({ contactId }) => ({
    body: { body: "Sua consulta é amanhã", contactId, sendAt: "2090-01-31T09:30" },
  }),
  "PUT /schedules/:scheduleId": ({ scheduleId, contactId }) => ({
    params: { scheduleId },
    query: { scope: "following" },
    body: {
      ...{ body: "Sua consulta é depois de amanhã", contactId, sendAt: "2090-02-01 09:30:00" },
      repeat: { every: "week", weekdays: [3, 5], until: "2090-03-01" },
    },
  }),
  "DELETE /schedules/:scheduleId": ({ scheduleId }) => ({
    params: { scheduleId },
    query: { scope: "one" },
  }),
  "POST /schedules/:scheduleId/media-upload": ({ scheduleId }) => ({
    params: { scheduleId },
    query: { scope: "one" },
  }),
  "DELETE /schedules/:scheduleId/media-upload": ({ scheduleId }) => ({
    params: { scheduleId },
    query: { scope: "one" },
  }),

  "GET /drafts": () => ({}),
  "GET /drafts/:ticketId": ({ ticketId }) => ({ params: { ticketId } }),
  "PUT /drafts/:ticketId": ({ ticketId, messageId }) => ({
    params: { ticketId },
    body: { body: "Vou verif", quotedMsgId: messageId, clientId: newClientId() },
  }),

  "GET /push": () => ({}),
  "PUT /push/choices": () => ({
    body: {
      ...{ kinds: ["tickets", "chats"], content: "plain", quiet: { from: 1_320, to: 420 } },
      timeZone: "America/Recife",
    },
  }),
  "POST /push/subscriptions": () => ({ body: pushSubscription }),
  "POST /push/subscriptions/remove": () => ({ body: { endpoint: pushSubscription.endpoint } }),
  "POST /push/test": () => ({ body: { endpoint: "https://fcm.googleapis.com/fcm/send/none" } }),

  "GET /users": () => ({ query: { searchParam: "pessoa", pageNumber: "1" } }),
  "GET /users/list": ({ companyId }) => ({ query: { companyId } }),
  "GET /users/:userId": ({ userId }) => ({ params: { userId } }),
  "PUT /users/availability": () => ({ body: { availability: "paused", pauseReason: "Almoço" } }),
  "GET /dashboard": () => ({ query: { date_from: "2026-01-01", date_to: "2026-01-31" } }),
  "GET /dashboard/ticketsUsers": ({ companyId }) => ({
    query: { initialDate: "2026-01-01", finalDate: "2026-01-31", companyId: String(companyId) },
  }),
  "GET /dashboard/ticketsDay": () => ({
    query: { initialDate: "2026-01-01", finalDate: "2026-01-01" },
  }),
  "GET /dashboard/figures": (rows) => ({ query: { days: "30", ...figuresChoiceOf(rows) } }),
  "GET /dashboard/by-user": (rows) => ({ query: { days: "7", ...figuresChoiceOf(rows) } }),
  "GET /dashboard/by-time": (rows) => ({
    query: { dateFrom: "2026-01-01", dateTo: "2026-01-31", ...figuresChoiceOf(rows) },
  }),
  "GET /dashboard/now": (rows) => ({ query: figuresChoiceOf(rows) }),
  "GET /dashboard/export": (rows) => ({
    query: { days: "30", ...figuresChoiceOf(rows), format: "csv", language: "en" },
  }),
  "GET /reports/attendances": (rows) => ({
    query: {
      ...{ dateFrom: "2026-01-01", dateTo: "2026-12-31", ...figuresChoiceOf(rows) },
      ...{ by: "resolved", state: "rated", time: "support", rates: "[1,2]", waitOver: "20" },
      ...{ weekday: "0", hour: "9", contactId: rows.contactId, protocol: "12" },
      ...{ searchParam: rows.mark, after: "1764000000000_7" },
    },
  }),
  "GET /reports/export": (rows) => ({
    query: { days: "30", ...figuresChoiceOf(rows), state: "resolved", format: "xlsx" },
  }),
  "GET /audit": ({ userId, mark }) => ({
    query: { dateFrom: "2026-01-01", userId, kind: "user", action: "changed", searchParam: mark },
  }),
  "GET /audit/export": ({ userId }) => ({ query: { userId, format: "xlsx" } }),
  "GET /ticket/reports": ({ contactId, connectionId, queueId, colleagueId, mark }) => ({
    query: {
      ...{ contactId, whatsappId: JSON.stringify([connectionId]) },
      ...{ queueIds: JSON.stringify([queueId]), users: JSON.stringify([colleagueId]) },
      ...{
        status: '["open"]',
        searchParam: mark,
        dateFrom: "2026-01-01",
        page: "1",
        pageSize: "9",
      },
    },
  }),
  "GET /reports/appointmentsAtendent": () => ({
    query: { initialDate: "2026-01-01", finalDate: "2026-01-31" },
  }),
  "GET /reports/rushHour": () => ({
    query: { initialDate: "2026-01-01", finalDate: "2026-01-31" },
  }),
  "GET /reports/departamentRatings": () => ({
    query: { dateFrom: "2026-01-01", dateTo: "2026-01-31" },
  }),

  "GET /team": () => ({}),
  "GET /first-steps": () => ({}),
  "GET /users/:userId/use": ({ colleagueId }) => ({ params: { userId: colleagueId } }),
  "POST /users": ({ queueId, connectionId, mark }) => ({
    body: {
      name: mark.slice(0, 50),
      email: `${newClientId()}@empresa.example`,
      password: "segredo-456",
      profile: "user",
      allTicket: "enabled",
      whatsappId: connectionId,
      queueIds: [queueId],
    },
  }),
  // Neither a password nor another profile, which would end the caller's own session.
  "PUT /users/:userId": ({ userId, queueId, connectionId, mark }) => ({
    params: { userId },
    body: {
      name: mark.slice(0, 50),
      password: "",
      allTicket: "desabled",
      whatsappId: connectionId,
      queueIds: [queueId],
    },
  }),
  "GET /roles": () => ({}),
  "POST /roles": ({ mark }) => ({
    body: { name: `${mark} novo`.slice(0, 50), profile: "user", permissions: ["tickets:spy"] },
  }),
  "PUT /roles/:roleId": ({ roleId, mark }) => ({
    params: { roleId },
    body: { name: `${mark} mudado`.slice(0, 50), permissions: ["chats:use"] },
  }),
  "DELETE /roles/:roleId": ({ roleId, otherRoleId }) => ({
    params: { roleId },
    query: { toRoleId: otherRoleId },
  }),
  "DELETE /users/:userId": ({ colleagueId }) => ({ params: { userId: colleagueId } }),

  "GET /simulator/connections": () => ({}),
  "POST /simulator/connections/:connectionId/scan": ({ pairingConnectionId, pairingCode }) => ({
    params: { connectionId: pairingConnectionId },
    body: { code: pairingCode },
  }),
  "POST /simulator/connections/:connectionId/unlink": ({ connectionId }) => ({
    params: { connectionId },
  }),
  "PUT /simulator/connections/:connectionId/network": ({ connectionId }) => ({
    params: { connectionId },
    body: { online: true, delayMs: 0, sendMode: "deliver", autoDeliver: true, autoRead: false },
  }),
  "GET /simulator/connections/:connectionId/chats": ({ connectionId }) => ({
    params: { connectionId },
    query: { searchParam: "" },
  }),
  "POST /simulator/connections/:connectionId/chats": ({ connectionId, phone, mark }) => ({
    params: { connectionId },
    body: { name: mark, phone },
  }),
  "GET /simulator/connections/:connectionId/chats/:phone/messages": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    query: {},
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/messages": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    body: { body: "Bom dia", messageId: `SIM-${newClientId()}` },
  }),
  "PUT /simulator/connections/:connectionId/messages/:messageId": ({
    connectionId,
    networkMessageId,
  }) => ({
    params: { connectionId, messageId: networkMessageId },
    body: { body: "Boa tarde" },
  }),
  "DELETE /simulator/connections/:connectionId/messages/:messageId": ({
    connectionId,
    networkMessageId,
  }) => ({ params: { connectionId, messageId: networkMessageId } }),
  "POST /simulator/connections/:connectionId/messages/:messageId/reactions": ({
    connectionId,
    networkMessageId,
  }) => ({
    params: { connectionId, messageId: networkMessageId },
    body: { emoji: "👍" },
  }),
  "GET /simulator/connections/:connectionId/messages/:messageId/file": ({
    connectionId,
    networkFileId,
  }) => ({ params: { connectionId, messageId: networkFileId } }),
  "POST /simulator/connections/:connectionId/groups": ({ connectionId }) => ({
    params: { connectionId },
    body: { name: "Família", members: [{ name: "Ana" }] },
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/calls": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    body: { isVideo: true },
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/read": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/typing": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    body: { on: true },
  }),
};

/** The valid request of a call by its parts; those that the call does not have are empty. */
export function validParts(name: EndpointName, rows: Rows): CallParts {
  const request: Partial<CallParts> = validRequests[name](rows);
  return { params: { ...request.params }, query: { ...request.query }, body: request.body };
}

export function splitName(name: EndpointName): { method: string; pattern: string } {
  const [method = "", pattern = ""] = name.split(" ");
  return { method, pattern };
}

/** The smallest picture there is. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Method, address below the server's root, and the body with its type: JSON, or a file where only that is taken. */
export function toWire(name: EndpointName, { params, query, body }: CallParts) {
  const { method, pattern } = splitName(name);
  const { upload, body: schema, outsideApi }: Endpoint = endpoints[name];
  const path = pattern.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)])),
  );
  const target = `${outsideApi ? "" : "/api"}${path}${search.size > 0 ? `?${search.toString()}` : ""}`;
  const wire = { method, target };
  if (upload && !schema) {
    return {
      ...wire,
      body: multipart(upload.field, isOfSheet(name) ? SHEET : PICTURE, body),
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    };
  }
  if (body === undefined) return { ...wire, body: undefined, contentType: undefined };
  return { ...wire, body: JSON.stringify(body), contentType: "application/json" };
}

const BOUNDARY = "limite-das-partes";

const SHEET = Buffer.from("nome;numero;email;plano\nAna;5511977770001;ana@loja.example;x\n");
const isOfSheet = (name: EndpointName): boolean =>
  /^POST \/(companies\/spreadsheet|contact-imports|contacts\/upload|knowledge\/upload|contact-lists\/:contactListId\/upload)$/.test(
    name,
  );

/** The body's values are the text fields in front of the file. */
function multipart(field: string, file: Buffer, body: unknown): Buffer {
  const fields = Object.entries(body ?? {}).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
  );
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="foto.png"\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(fields.join("") + head),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}
