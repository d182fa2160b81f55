import type { Campaign, CampaignCounts } from "@balcao/contract";
import { campaign as campaignShape } from "@balcao/contract";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";

export const at = "2026-11-20T10:00:00.000Z";

const company = {
  ...{ id: 3, name: "Loja", email: "", phone: null, status: true, dueDate: null, createdAt: at },
  plan: {
    ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
    ...{ useCampaigns: true, useKanban: false, useOpenAi: false, useIntegrations: false },
    ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
    ...{ createdAt: at, updatedAt: at },
  },
};

const connection = (id: number, name: string, channel: string) => ({
  ...{ id, name, channel, status: "CONNECTED", queues: [], companyId: 3 },
  ...{ createdAt: at, updatedAt: at },
});

/** Answers to the calls that the editor and the report have in common. */
export const standing = {
  "GET /api/whatsapp": () => ({
    body: [connection(2, "Loja Paulista", "whatsapp-web"), connection(4, "Oficial", "cloud-api")],
  }),
  "GET /api/tags/list": () => ({ body: [] }),
  "GET /api/queue": () => ({ body: [] }),
  "GET /api/companies/listPlan/3": () => ({ body: company }),
};

export const counts = (some: Partial<CampaignCounts> = {}): CampaignCounts => ({
  ...{ people: 0, valid: 0, waiting: 0, asked: 0, sending: 0, sent: 0, delivered: 0, read: 0 },
  ...{ failed: 0, retryable: 0, invalid: 0, notConfirmed: 0, optedOut: 0, removed: 0 },
  ...{ requested: 0, confirmed: 0, answered: 0, left: 0, ...some },
});

export const campaign = (fields: object = {}): Campaign =>
  campaignShape.parse({
    ...{ id: 12, name: "Pré-venda", message1: "Oi, {nome}!", message2: "Olá", message3: "" },
    ...{ message4: "", message5: "", confirmationMessage1: "", confirmationMessage2: "" },
    ...{ confirmationMessage3: "", confirmationMessage4: "", confirmationMessage5: "" },
    ...{ status: "INATIVA", confirmation: false, scheduledAt: "2099-11-17T12:00:00.000Z" },
    ...{ startedAt: null, completedAt: null, cancelledAt: null, cancelledBy: null },
    ...{ createdBy: null, mediaPath: null, mediaName: null, companyId: 3, contactListId: 5 },
    ...{ whatsappId: 2, fileListId: null, tagListId: null, answerQueueId: null },
    ...{ answerTagId: null, template: null, textInWindow: false, hold: null, endsAt: null },
    contactList: { id: 5, name: "Clientes VIP" },
    whatsapp: { id: 2, name: "Loja Paulista", channel: "whatsapp-web" },
    ...{ isEditable: true, counts: counts(), createdAt: at, updatedAt: at, ...fields },
  });

/** Signs an admin of a company with campaigns in. */
export function signIn(profile: "admin" | "user" = "admin"): void {
  startSession(givenToken("t", 3_600), givenUser({ profile }));
}
