import type { ConnectionId, ContactId, TicketId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Sources } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { Attendances } from "./attendances.ts";
import { createAttendances } from "./attendances.ts";
import type { ChangesByTime } from "./by-time.ts";
import { createChangesByTime } from "./by-time.ts";
import { findOrCreateClosed } from "./closed-ticket.ts";
import type { Deletion } from "./deletion.ts";
import { createDeletion } from "./deletion.ts";
import type { TicketChannel, TicketEvents } from "./events.ts";
import { createTicketEvents } from "./events.ts";
import type { LostConnections } from "./lost-connection.ts";
import { createLostConnections } from "./lost-connection.ts";
import type { LostQueues } from "./lost-queue.ts";
import { createLostQueues } from "./lost-queue.ts";
import type { LostUsers } from "./lost-user.ts";
import { createLostUsers } from "./lost-user.ts";
import { createNewTickets } from "./new-ticket.ts";
import { findLivingTickets, lockTicketsOfContact, requireAllLivingVisible } from "./repository.ts";
import { registerTicketRoutes } from "./routes.ts";
import type { SayGoodbye, TellCustomer } from "./service.ts";
import { createTicketService } from "./service.ts";
import type { TicketRow } from "./ticket-row.ts";

export { ticketRooms } from "./audience.ts";
export type { TicketEvents } from "./events.ts";
export { joinTickets, type MovedMessages, tellTicketsOf } from "./join-tickets.ts";
export { freeTextUntil } from "./free-text.ts";
export {
  findOnlyQueue,
  findTicket as findShownTicket,
  findTicketsOfContact,
  lockTicket,
} from "./repository.ts";
export { pickConnection } from "./sending-connection.ts";
export type { SayGoodbye, TellCustomer } from "./service.ts";
export type { TicketState, Transition } from "./ticket.ts";
export { attendantLeads, customerWroteAgain } from "./ticket.ts";
export type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
export {
  LAST_MESSAGE_MAX,
  newTicketRow,
  shownTicketColumns,
  ticketColumns,
  ticketJoins,
  ticketNameJoins,
  toShownTicketDto,
  toTicketDto,
} from "./ticket-row.ts";
export type { TicketSight } from "./visibility.ts";
export { readQueuesOf, requireVisible, sightColumns, viewerOf } from "./visibility.ts";
export { isUnsendable } from "./unsendable.ts";
export { endAwaiting, insertTicket } from "./write-repository.ts";

export type TicketsDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  realtime: TicketChannel;
  files: Pick<MediaFiles, "removeUnused">;
  tellCustomer: TellCustomer;
  sayGoodbye: SayGoodbye;
};

export type TicketsFeature = {
  register(routes: Routes): void;
  /** For sockets: whether the user may see the ticket now. */
  canSeeTicket(ctx: UserCtx, ticketId: TicketId): Promise<boolean>;
  /**
   * The contact's ticket on the connection, locked, whatever its state; a closed one where there is none yet: what is
   * stored in it reopens nothing.
   */
  findOrCreateClosedTicket(
    ctx: Ctx,
    tx: Tx,
    contactId: ContactId,
    connectionId: ConnectionId,
  ): Promise<TicketRow>;
  /** Removes every ticket of a contact that is about to be deleted. */
  removeOfContact: Deletion["removeOfContact"];
  /** For a connection that is about to be deleted, in the same transaction: open tickets wait, without it. */
  connectionDeleted: LostConnections;
  /** For a user who is about to be deleted, in the same transaction. */
  ofUser: LostUsers;
  /** For a queue that is about to be deleted, in the same transaction: its tickets go to another one, or to none. */
  queueDeleted: LostQueues;
  /** What becomes of a locked ticket by the passing of time. */
  byTime: ChangesByTime;
  attendancesOfContact: Attendances["ofContact"];
  /** A contact looks different on the cards of its tickets that wait or are served. */
  contactChanged(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** For another number of a contact: locks its tickets. */
  lockOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** Throws ERR_CONTACT_NUMBER_FORBIDDEN unless the user may see all tickets of the contact that wait or are served. */
  requireAllLivingVisible(ctx: UserCtx, tx: Tx, contactId: ContactId): Promise<void>;
  /** What other features tell about tickets. */
  events: TicketEvents;
};

export function createTicketsFeature(deps: TicketsDeps): TicketsFeature {
  const { db, sources, realtime, tellCustomer, sayGoodbye } = deps;
  const { clock } = sources;
  const events = createTicketEvents(realtime);
  const tickets = createTicketService({ db, clock, events, tellCustomer, sayGoodbye });
  const newTickets = createNewTickets({ db, sources, events });
  const deletion = createDeletion({ db, clock, events, files: deps.files });
  const attendances = createAttendances({ db });
  return {
    register: (routes) =>
      registerTicketRoutes(routes, { tickets, newTickets, deletion, attendances }),
    canSeeTicket: (ctx, ticketId) => tickets.canSeeTicket(ctx, ticketId),
    async findOrCreateClosedTicket(ctx, tx, contactId, connectionId) {
      const { ticket } = await findOrCreateClosed(ctx, tx, sources, contactId, connectionId);
      return ticket;
    },
    removeOfContact: deletion.removeOfContact,
    connectionDeleted: createLostConnections({ clock, events }),
    ofUser: createLostUsers({ clock, events }),
    queueDeleted: createLostQueues({ clock, events }),
    byTime: createChangesByTime({ clock, events }),
    attendancesOfContact: attendances.ofContact,
    async contactChanged(ctx, tx, contactId) {
      const living = await findLivingTickets(ctx, tx, contactId);
      for (const ticket of living) events.updated(tx, ticket);
    },
    lockOfContact: lockTicketsOfContact,
    requireAllLivingVisible,
    events,
  };
}
