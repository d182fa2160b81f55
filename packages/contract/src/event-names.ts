/** Subjects of the company's live events that this version sends (wire-contract 7.4). */
export type CompanyEventSubject =
  | "auth"
  | "user"
  | "whatsapp"
  | "whatsappSession"
  | "ticket"
  | "appMessage"
  | "presence"
  | "settings"
  | "simulator";

/** The only place that writes a company event's name. */
export function companyEvent<S extends CompanyEventSubject>(
  companyId: number,
  subject: S,
): `company-${number}-${S}` {
  return `company-${companyId}-${subject}`;
}

/** Sent once per connection, after authentication and the automatic joins; clients join nothing before it. */
export const READY_EVENT = "ready";

/** What a client may send; none is acknowledged (wire-contract 7.2). */
export const clientEvents = {
  joinChatBox: "joinChatBox",
  leaveChatBox: "leaveChatBox",
  joinNotification: "joinNotification",
  leaveNotification: "leaveNotification",
  joinTickets: "joinTickets",
  leaveTickets: "leaveTickets",
  userStatus: "userStatus",
} as const;
