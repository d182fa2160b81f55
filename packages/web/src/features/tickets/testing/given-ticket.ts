import type { ListedTicket } from "@balcao/contract";
import { listedTicket } from "@balcao/contract";
import type { z } from "zod";

/** A valid open ticket of user 1 in queue 1 for tests; the n-th one was changed n minutes after 10:00 UTC. */
export function givenTicket(
  n: number,
  fields: Partial<z.input<typeof listedTicket>> = {},
): ListedTicket {
  const at = new Date(Date.UTC(2026, 10, 20, 10, n)).toISOString();
  const status = fields.status ?? "open";
  return listedTicket.parse({
    id: n,
    uuid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    status,
    unreadMessages: 0,
    lastMessage: `mensagem ${n}`,
    lastMessageKind: "text",
    lastMessageAt: fields.updatedAt ?? at,
    lastMessageFromMe: false,
    lastMessageAck: 0,
    lastMessageFailed: false,
    lastMessageUnconfirmed: false,
    isGroup: false,
    chatbot: false,
    useIntegration: false,
    userId: status === "open" ? 1 : null,
    queueId: 1,
    whatsappId: 1,
    promptId: null,
    integrationId: null,
    queueOptionId: null,
    contactId: n,
    companyId: 1,
    contact: {
      id: n,
      name: `Cliente ${n}`,
      number: `551199${n}`,
      email: "",
      profilePicUrl: "",
      optedOut: false,
    },
    user: status === "open" ? { id: 1, name: "Marina Prado" } : null,
    queue: { id: 1, name: "Suporte", color: "#3b82c4" },
    servedUser: null,
    servedQueue: null,
    whatsapp: { id: 1, name: "Loja Paulista" },
    tags: [],
    freeTextUntil: null,
    waitingSince: null,
    queuedAt: null,
    isAnswered: false,
    snooze: null,
    hit: null,
    isPinned: false,
    createdAt: at,
    updatedAt: at,
    ...fields,
  });
}
