import type {
  Colleague,
  Company,
  Connection,
  ContactRef,
  ListedTicket,
  Macro,
  Message,
  Queue,
  ResolveReason,
  SearchHit,
  Setting,
  Tag,
  TeamMember,
  TeamQueue,
  TicketStatus,
  TicketView,
} from "@balcao/contract";
import { automaticTexts } from "@balcao/contract/automatic-texts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import { givenUser } from "../../../testing/given.ts";

const PAGE_SIZE = 40;
/** The id of every change that can be undone. */
const UNDO_ID = "0190a000-0000-7000-8000-000000000001";

/** State that a test can change while it runs. */
export type TicketServer = {
  requests: SeenRequest[];
  tickets: ListedTicket[];
  settings: Setting[];
  companySchedules: Queue["schedules"];
  holidays: Company["holidays"];
  /** Names of the company's reasons, by id. */
  reasons: ResolveReason[];
  /** Each resolves the ticket. */
  macros: Macro[];
  connections: Connection[];
  queues: Queue[];
  tags: Tag[];
  colleagues: Colleague[];
  team: { people: TeamMember[]; queues: TeamQueue[] };
  contacts: ContactRef[];
  /** Saved views, and how many tickets each has. */
  views: TicketView[];
  viewCounts: Record<number, number>;
  snoozed: { open: number; pending: number };
  /** Flags of the company's plan. */
  plan: { useSchedules?: boolean };
  /** The company's AI service helps people to write. */
  helps: boolean;
  /** The messages of tickets, by ticket id. */
  messages: Record<number, Message[]>;
  /** The messages that a search finds, by ticket id; other tickets are found by their contact only. */
  hits: Record<number, SearchHit>;
  /** Overrides of replies, by method and path below `/api`. */
  refusals: Record<string, { status: number; body: unknown } | "never">;
  /** The method and path below `/api` of each request, without the query. */
  calls: () => string[];
  /** Bodies of one call. */
  bodiesOf: (call: string) => unknown[];
};

/** A fake server for the tickets screen. */
export function ticketServer(tickets: ListedTicket[]): TicketServer {
  const server: TicketServer = {
    requests: [],
    tickets,
    settings: [],
    companySchedules: [],
    holidays: { national: {}, own: [] },
    reasons: [],
    macros: [],
    connections: [],
    queues: [],
    tags: [],
    colleagues: [],
    team: { people: [], queues: [] },
    contacts: [],
    views: [],
    viewCounts: {},
    snoozed: { open: 0, pending: 0 },
    plan: { useSchedules: true },
    helps: false,
    messages: {},
    hits: {},
    refusals: {},
    calls: () => server.requests.map((request) => pathOf(request)),
    bodiesOf: (call) =>
      server.requests.filter((request) => pathOf(request) === call).map(({ body }) => body),
  };
  const answers: Record<string, (request: SeenRequest) => unknown> = {
    "GET /tickets": ({ call }) => pageOf(server, new URLSearchParams(call.split("?")[1])),
    "GET /tickets/counts": () => ({
      open: withStatus(server.tickets, "open").length,
      pending: withStatus(server.tickets, "pending").length,
    }),
    "GET /queue": () => server.queues,
    "GET /team": () => server.team,
    "GET /tags/list": () => server.tags,
    "GET /users/list": () => server.colleagues.map(({ id, name }) => ({ id, name })),
    "GET /users": (request) => {
      const users = server.colleagues.filter(({ name }) =>
        name.toLowerCase().includes(asked(request, "searchParam")),
      );
      return { users, count: users.length, hasMore: false };
    },
    "GET /contacts/list": (request) =>
      server.contacts.filter(({ name }) => name.toLowerCase().includes(asked(request, "name"))),
    "GET /whatsapp": () => server.connections,
    "GET /settings": () => server.settings,
    "GET /automatic-texts": () =>
      Object.entries(automaticTexts).map(([key, { default: text }]) => ({
        ...{ key, text, isDefault: true },
      })),
    "GET /ticket-views/counts": () => ({
      views: server.views,
      counts: server.views.map(({ id }) => ({ id, count: server.viewCounts[id] ?? 0 })),
      snoozed: server.snoozed,
    }),
    "POST /ticket-views": ({ body }) => {
      const at = "2026-11-20T10:00:00.000Z";
      const common = { companyId: 3, userId: 7, createdAt: at, updatedAt: at };
      return { id: 50, ...common, ...(body as object) };
    },
    "DELETE /ticket-views/1": () => ({ message: "View deleted" }),
    "POST /ticket-views/1/undo": () => server.views[0],
    "GET /resolve-reasons": () => server.reasons,
    "GET /macros": () => server.macros,
    "POST /macros/1/run": (request) => {
      const { ticketId } = request.body as { ticketId: number };
      const body = { status: "closed", undoSeconds: 7 };
      return answers[`PUT /tickets/${ticketId}`]?.({ ...request, body });
    },
    "GET /companies/3": () => ({
      ...givenUser().company,
      schedules: server.companySchedules,
      holidays: server.holidays,
    }),
    "GET /aiService/offer": () => ({ helps: server.helps, transcribes: false }),
    "GET /companies/listPlan/3": () => ({ plan: server.plan }),
    "POST /tickets": ({ body }) => newTicket(server, body),
    "POST /tickets/bulk": ({ body }) => bulkResults(server, body),
    "POST /tickets/bulk/undo": ({ body }) => {
      const { undos } = body as { undos: { ticketId: number }[] };
      return { results: undos.map(({ ticketId }) => resultOf(server, ticketId, {})) };
    },
    "POST /contacts": ({ body }) => newContact(body),
  };
  for (const ticket of tickets) {
    const known = (): ListedTicket => server.tickets.find((one) => one.id === ticket.id) ?? ticket;
    answers[`GET /tickets/u/${ticket.uuid}`] = known;
    answers[`GET /messages/${ticket.id}`] = () => {
      const messages = server.messages[ticket.id] ?? [];
      return { messages, count: messages.length, hasMore: false };
    };
    const put = (next: ListedTicket): ListedTicket => {
      server.tickets = server.tickets.map((one) => (one.id === next.id ? next : one));
      return next;
    };
    answers[`PUT /tickets/${ticket.id}`] = ({ body }) => {
      const changed = changedTicket(known(), body);
      const before = known();
      answers[`POST /tickets/${ticket.id}/undo`] = () =>
        put({ ...before, updatedAt: changed.updatedAt });
      const canBeUndone = typeof body === "object" && body !== null && "undoSeconds" in body;
      const undo = { id: UNDO_ID, until: changed.updatedAt };
      return { ...put(changed), ...(canBeUndone ? { undo } : {}) };
    };
    answers[`PUT /tickets/${ticket.id}/snooze`] = ({ body }) => {
      const { until } = body as { until: string | null };
      const before = known();
      answers[`POST /tickets/${ticket.id}/undo`] = () => put(before);
      const undo = { id: UNDO_ID, until: before.updatedAt };
      return { ...put({ ...before, snooze: { until } }), undo };
    };
    answers[`DELETE /tickets/${ticket.id}/snooze`] = () => ({ ...known(), snooze: null });
    answers[`PUT /tickets/${ticket.id}/pin`] = () => ({ ticketId: ticket.id, isPinned: true });
    answers[`DELETE /tickets/${ticket.id}/pin`] = () => ({ ticketId: ticket.id, isPinned: false });
    answers[`POST /tickets/${ticket.id}/undo`] = known;
    answers[`POST /tickets/${ticket.id}/help`] = () => ({
      ...{ text: "Quer trocar o vestido.\nFalta a nota.", sources: [] },
    });
    answers[`DELETE /tickets/${ticket.id}`] = () => {
      server.tickets = server.tickets.filter(({ id }) => id !== ticket.id);
      return { message: "ticket deleted" };
    };
  }
  const handlers = Object.fromEntries(
    Object.keys(answers).map((call) => [
      call.replace(" ", " /api"),
      (request: SeenRequest) => server.refusals[call] ?? { body: answers[call]?.(request) },
    ]),
  );
  server.requests = fakeServer(handlers).requests;
  return server;
}

function pathOf(request: SeenRequest): string {
  return request.call.replace(" /api", " ").split("?")[0] ?? "";
}

function asked(request: SeenRequest, key: string): string {
  return new URLSearchParams(request.call.split("?")[1]).get(key) ?? "";
}

function withStatus(tickets: readonly ListedTicket[], status: TicketStatus): ListedTicket[] {
  return tickets
    .filter((ticket) => ticket.status === status)
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

function pageOf({ tickets, hits }: TicketServer, query: URLSearchParams) {
  const status = query.get("status");
  const words = query.get("searchParam");
  const tagIds = idsOf(query.get("tags"));
  const userIds = idsOf(query.get("users"));
  const connectionIds = idsOf(query.get("whatsappIds"));
  const isUnread = query.get("withUnreadMessages") === "true";
  const snoozed = query.get("snoozed");
  const all = tickets
    .filter((ticket) => status === null || ticket.status === status)
    .filter(
      ({ id, contact }) =>
        words === null || contact.name.toLowerCase().includes(words) || hits[id]?.match === words,
    )
    .filter(({ tags }) => tagIds.every((tagId) => tags.some(({ id }) => id === tagId)))
    .filter(({ userId }) => userIds.length === 0 || userIds.includes(userId ?? 0))
    .filter(
      ({ whatsappId }) => connectionIds.length === 0 || connectionIds.includes(whatsappId ?? 0),
    )
    .filter(({ unreadMessages }) => !isUnread || unreadMessages > 0)
    .filter(({ snooze }) => snoozed === null || snoozed === String(snooze !== null))
    .map((ticket) => ({ ...ticket, hit: words === null ? null : (hits[ticket.id] ?? null) }));
  const rows = all.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const offset = (Number(query.get("pageNumber") ?? 1) - 1) * PAGE_SIZE;
  const page = rows.slice(offset, offset + PAGE_SIZE);
  return { tickets: page, count: rows.length, hasMore: rows.length > offset + page.length };
}

function idsOf(list: string | null): number[] {
  return list === null ? [] : (JSON.parse(list) as number[]);
}

/** Tickets whose contact is called “recusado” are refused. */
function bulkResults(server: TicketServer, body: unknown) {
  const { ticketIds, change } = body as { ticketIds: number[]; change: { action: string } };
  const fields = change.action === "resolve" ? ({ status: "closed", userId: null } as const) : {};
  return { results: ticketIds.map((ticketId) => resultOf(server, ticketId, fields)) };
}

function resultOf(server: TicketServer, ticketId: number, fields: Partial<ListedTicket>) {
  const known = server.tickets.find(({ id }) => id === ticketId);
  if (!known || known.contact.name.includes("recusado")) {
    return { ticketId, error: "ERR_TICKET_FORBIDDEN", ticket: null };
  }
  const updatedAt = new Date(Date.parse(known.updatedAt) + 60_000).toISOString();
  const undo = { id: UNDO_ID, until: updatedAt };
  return { ticketId, error: null, ticket: { ...known, ...fields, updatedAt }, undo };
}

/** The test adds the new ticket as the last one. */
function newTicket(server: TicketServer, body: unknown) {
  const { contactId } = body as { contactId: number };
  return server.tickets.find((ticket) => ticket.contactId === contactId);
}

function newContact(body: unknown) {
  const at = "2026-11-20T10:00:00.000Z";
  const { name, number, email } = body as { name: string; number: string; email: string };
  const person = { id: 50, name, number: number.replaceAll(/\D/g, ""), email, profilePicUrl: "" };
  const flags = { isGroup: false, active: true, disableBot: false, invalido: false };
  const rest = {
    companyId: 3,
    whatsappId: 1,
    optOut: null,
    extraInfo: [],
    createdAt: at,
    updatedAt: at,
  };
  return { ...person, ...flags, ...rest };
}

function changedTicket(ticket: ListedTicket, body: unknown): ListedTicket {
  const change = body as Partial<Pick<ListedTicket, "status" | "userId">>;
  const status = change.status ?? ticket.status;
  const wanted = change.userId === undefined ? ticket.userId : change.userId;
  const userId = status === "open" ? wanted : null;
  const user = userId === null ? null : { id: userId, name: "Marina Prado" };
  const updatedAt = new Date(Date.parse(ticket.updatedAt) + 60_000).toISOString();
  return { ...ticket, status, userId, user, updatedAt, unreadMessages: 0 };
}
