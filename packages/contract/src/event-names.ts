import type { z } from "zod";

/** Subjects of the company's live events that this version sends (wire-contract 7.4). */
export type CompanyEventSubject =
  | "auth"
  | "user"
  | "whatsapp"
  | "whatsappSession"
  | "ticket"
  | "ticketPin"
  | "ticketView"
  | "appMessage"
  | "presence"
  | "targetMiss"
  | "ticketViewers"
  | "ticketNote"
  | "mention"
  | "contact"
  | "company"
  | "payment"
  | "queue"
  | "tag"
  | "kanban"
  | "resolveReason"
  | "role"
  | "macro"
  | "quickmessage"
  | "ContactList"
  | "ContactListItem"
  | "contactImport"
  | "campaign"
  | "campaignSettings"
  | "campaignLine"
  | "file"
  | "prompt"
  | "knowledge"
  | "aiService"
  | "queueIntegration"
  | "integrationDelivery"
  | "schedule"
  | "draft"
  | "chat"
  | "announcement"
  | "announcementsSeen"
  | "help"
  | "settings"
  | "figures"
  | "simulator";

/** A colleague's activity in a ticket. */
export const agentStates = ["viewing", "typing", "recording", "left"] as const;
export type AgentState = (typeof agentStates)[number];

/** How often a client says again that a ticket is open, and when the others forget it. */
export const viewerHeartbeatMs = 20_000;
export const viewerForgottenMs = 45_000;

/** Names under which other clients of the family wait for a subject's events (wire-contract 7.4, architecture D4). */
type OtherNames = (companyId: number, action: string) => readonly string[];
const otherNames: Partial<Record<CompanyEventSubject, OtherNames>> = {
  quickmessage: (companyId) => [`company${companyId}-quickemessage`],
  schedule: (companyId) => [`company${companyId}-schedule`, "schedule"],
  tag: (_companyId, action) => (action === "delete" ? ["tag"] : ["tag", "user"]),
};

/**
 * Every name under which an event is sent: ours first. The tags page of other clients reads `user` events with `tags`; a
 * deletion has none, and would blank the page.
 */
export function companyEventNames(
  companyId: number,
  subject: CompanyEventSubject,
  action: string,
): readonly string[] {
  return [companyEvent(companyId, subject), ...(otherNames[subject]?.(companyId, action) ?? [])];
}

/** The only place that writes a company event's name. */
export function companyEvent<S extends CompanyEventSubject>(
  companyId: number,
  subject: S,
): `company-${number}-${S}` {
  return `company-${companyId}-${subject}`;
}

/** An event whose name says more than company and subject: for whom it is (wire-contract 7.4). */
export type EventAddress =
  /** Every company. */
  | { to: "installation" }
  | { to: "user"; companyId: number; userId: number }
  | { to: "chat"; companyId: number; chatId: number }
  | { to: "list"; companyId: number; listId: number };

/** The only place that writes an addressed event's name, such as `company-7-chat-user-3`. */
export function addressedEventName(subject: string, address: EventAddress): string {
  switch (address.to) {
    case "installation":
      return `company-${subject}`;
    case "user":
      return `company-${address.companyId}-${subject}-user-${address.userId}`;
    case "chat":
      return `company-${address.companyId}-${subject}-${address.chatId}`;
    case "list":
      return `company-${address.companyId}-${subject}-${address.listId}`;
  }
}

/**
 * An event that is addressed: to the installation, a user, a chat or a list. A feature declares it beside its calls:
 * `export const announcementEvent = defineAddressedEvent({ subject: "announcement", to: "installation", payload })`.
 */
export type AddressedEvent = { subject: string; to: EventAddress["to"]; payload: z.ZodType };

/** Keeps the literal types of an addressed event. */
export function defineAddressedEvent<const E extends AddressedEvent>(event: E): E {
  return event;
}

/** Sent once per connection, after authentication and the automatic joins; clients join nothing before it. */
export const READY_EVENT = "ready";

/** The answer to a client's `heartbeat`, to that client alone. */
export const HEARTBEAT_EVENT = "heartbeat";

/** The events that a client may send; none is acknowledged (wire-contract 7.2). */
export const clientEvents = {
  joinChatBox: "joinChatBox",
  leaveChatBox: "leaveChatBox",
  joinNotification: "joinNotification",
  leaveNotification: "leaveNotification",
  joinTickets: "joinTickets",
  leaveTickets: "leaveTickets",
  userStatus: "userStatus",
  /** Answered with `HEARTBEAT_EVENT`, so that a client notices a dead line between two pings of the server. */
  heartbeat: "heartbeat",
  /** `{ ticketId, state, windowId }`: relayed to who else has the ticket open. Only in a joined ticket. */
  ticketViewing: "ticketViewing",
} as const;
