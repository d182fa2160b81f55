import type { Connection, Setting, Ticket, TicketStatus } from "@balcao/contract";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";

const PAGE_SIZE = 40;

/** What a test may change while it runs. */
export type TicketServer = {
  requests: SeenRequest[];
  tickets: Ticket[];
  settings: Setting[];
  connections: Connection[];
  /** Answers given instead of the usual ones, by method and path below `/api`. */
  refusals: Record<string, { status: number; body: unknown }>;
  /** Method and path below `/api` of what was asked, without the query. */
  calls: () => string[];
  /** Bodies of one call. */
  bodiesOf: (call: string) => unknown[];
};

/** The server of the tickets screen, as far as the screen sees it. */
export function ticketServer(tickets: Ticket[]): TicketServer {
  const server: TicketServer = {
    requests: [],
    tickets,
    settings: [],
    connections: [],
    refusals: {},
    calls: () => server.requests.map((request) => pathOf(request)),
    bodiesOf: (call) =>
      server.requests.filter((request) => pathOf(request) === call).map(({ body }) => body),
  };
  const answers: Record<string, (request: SeenRequest) => unknown> = {
    "GET /tickets": ({ call }) => pageOf(server.tickets, new URLSearchParams(call.split("?")[1])),
    "GET /tickets/counts": () => ({
      open: withStatus(server.tickets, "open").length,
      pending: withStatus(server.tickets, "pending").length,
    }),
    "GET /queue": () => [],
    "GET /whatsapp": () => server.connections,
    "GET /settings": () => server.settings,
    "GET /companies/listPlan/3": () => ({ plan: {} }),
  };
  for (const ticket of tickets) {
    const known = (): Ticket => server.tickets.find((one) => one.id === ticket.id) ?? ticket;
    answers[`GET /tickets/u/${ticket.uuid}`] = known;
    answers[`GET /messages/${ticket.id}`] = () => ({ messages: [], count: 0, hasMore: false });
    answers[`PUT /tickets/${ticket.id}`] = ({ body }) => {
      const changed = changedTicket(known(), body);
      server.tickets = server.tickets.map((one) => (one.id === changed.id ? changed : one));
      return changed;
    };
  }
  const handlers = Object.fromEntries(
    Object.entries(answers).map(([call, answer]) => [
      call.replace(" ", " /api"),
      (request: SeenRequest) => server.refusals[call] ?? { body: answer(request) },
    ]),
  );
  server.requests = fakeServer(handlers).requests;
  return server;
}

function pathOf(request: SeenRequest): string {
  return request.call.replace(" /api", " ").split("?")[0] ?? "";
}

function withStatus(tickets: readonly Ticket[], status: TicketStatus): Ticket[] {
  return tickets
    .filter((ticket) => ticket.status === status)
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

function pageOf(tickets: readonly Ticket[], query: URLSearchParams) {
  const all = tickets.filter((ticket) => ticket.status === query.get("status"));
  const rows = all.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const offset = (Number(query.get("pageNumber") ?? 1) - 1) * PAGE_SIZE;
  const page = rows.slice(offset, offset + PAGE_SIZE);
  return { tickets: page, count: rows.length, hasMore: rows.length > offset + page.length };
}

function changedTicket(ticket: Ticket, body: unknown): Ticket {
  const change = body as Pick<Ticket, "status" | "userId">;
  const userId = change.status === "open" ? change.userId : null;
  const user = userId === null ? null : { id: userId, name: "Marina Prado" };
  const updatedAt = new Date(Date.parse(ticket.updatedAt) + 60_000).toISOString();
  return { ...ticket, status: change.status, userId, user, updatedAt, unreadMessages: 0 };
}
