import type {
  Colleague,
  Connection,
  Queue,
  SearchHit,
  SessionUser,
  Tag,
  TeamMember,
  Ticket,
} from "@balcao/contract";
import {
  colleague,
  connection,
  ticketContact,
  queue,
  searchHit,
  tag,
  teamMember,
  userQueue,
} from "@balcao/contract";
import type { z } from "zod";

const at = { createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-20T10:00:00.000Z" };

export function givenQueue(id: number, name: string, fields: Partial<Queue> = {}): Queue {
  return queue.parse({
    id,
    name,
    color: "#3b82c4",
    greetingMessage: "",
    outOfHoursMessage: "",
    orderQueue: null,
    integrationId: null,
    promptId: null,
    assignment: "manual",
    firstAnswerMinutes: null,
    nextAnswerMinutes: null,
    schedules: [],
    mediaPath: null,
    mediaName: null,
    mediaMime: null,
    hasChatbotDraft: false,
    companyId: 3,
    ...at,
    ...fields,
  });
}

/** A queue of the signed-in user. */
export function givenOwnQueue(id: number, name: string): SessionUser["queues"][number] {
  return userQueue.parse({ id, name, color: "#3b82c4", UserQueue: { userId: 7, queueId: id } });
}

export function givenColleague(id: number, name: string, queueIds: readonly number[]): Colleague {
  return colleague.parse({
    id,
    name,
    email: "",
    profile: "user",
    online: true,
    queues: queueIds.map((queueId) => ({ id: queueId, name: `Fila ${queueId}`, color: "#3b82c4" })),
  });
}

/** A colleague who is online and available, with one open ticket of six. */
export function givenMember(
  id: number,
  name: string,
  fields: Partial<TeamMember> | { queueIds: number[] } = {},
): TeamMember {
  return teamMember.parse({
    ...{ id, name, online: true, availability: "available", pauseReason: null },
    ...{ availabilitySince: at.createdAt, openTickets: 1, ticketLimit: 6, queueIds: [] },
    ...fields,
  });
}

export function givenTag(id: number, name: string): Tag {
  return tag.parse({ id, name, color: "#a4cccc", kanban: 0, companyId: 3, ...at });
}

export function givenContact(
  id: number,
  name: string,
  number = `55119000000${id}`,
): Ticket["contact"] {
  return ticketContact.parse({ id, name, number, email: "", profilePicUrl: "", optedOut: false });
}

/** A found message of the customer. */
export function givenHit(n: number, [before, match, after]: [string, string, string]): SearchHit {
  const messageId = `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
  return searchHit.parse({
    messageId,
    fromMe: false,
    createdAt: at.createdAt,
    before,
    match,
    after,
  });
}

/** A working connection by default. */
export function givenConnection(
  id: number,
  name: string,
  fields: Partial<z.input<typeof connection>> = {},
): Connection {
  return connection.parse({
    id,
    companyId: 3,
    name,
    status: "CONNECTED",
    channel: "simulator",
    qrcode: "",
    pairingCode: "",
    isDefault: false,
    retries: 0,
    number: null,
    battery: null,
    plugged: null,
    greetingMessage: "",
    complationMessage: "",
    outOfHoursMessage: "",
    ratingMessage: "",
    farewellMessage: "",
    expiresInactiveMessage: "",
    expiresTicket: 0,
    timeUseBotQueues: 0,
    maxUseBotQueues: 0,
    timeToTransfer: null,
    transferQueueId: null,
    promptId: null,
    integrationId: null,
    provider: "",
    token: null,
    queues: [],
    closeReason: null,
    connectedAt: null,
    disconnectedAt: null,
    alarmedAt: null,
    cloudApi: null,
    ...at,
    ...fields,
  });
}
