import type { TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { JoinedContacts } from "../contacts/index.ts";
import { listAttendances, listAttendancesOfContact } from "./attendances.ts";
import { publishWithTicket, subscribeLiveTickets } from "./audience.ts";
import { changeTickets, closeAllTickets, undoChanges } from "./bulk.ts";
import {
  assignTicketTo,
  changeWithin,
  expireTicket,
  putTicketInQueue,
  toChangedDto,
  updateTicket,
} from "./change-ticket.ts";
import type { TicketDeps, TicketsDeps } from "./deps.ts";
import { createTicket, findOrCreateClosedTicket, takeTicketForSending } from "./new-ticket.ts";
import { pinTicket, unpinTicket } from "./pins.ts";
import {
  canSeeTicket,
  countLists,
  countTickets,
  findLivingTickets,
  findTicketsOfContact,
  listTickets,
  lockTicketsOfContact,
  requireAllLivingVisible,
  requireNoneOpen,
  showTicket,
  showTicketByUuid,
} from "./read-tickets.ts";
import {
  releaseTicketsOfConnection,
  releaseTicketsOfQueue,
  releaseTicketsOfUser,
} from "./released-tickets.ts";
import { joinTickets, removeTicket, removeTicketsOfContact } from "./removal.ts";
import { createSnoozeWorker, snoozeTicket, unsnoozeTicket } from "./snooze.ts";
import type { TicketRow } from "./ticket-row.ts";
import { createTicketDto } from "./ticket-row.ts";
import { replaceTicketTags } from "./ticket-tags.ts";
import {
  findNewestVisible,
  findServedTogether,
  lockTicketsOfContacts,
} from "./tickets-of-contact.ts";
import { undoChange } from "./undo.ts";

export type { SendClosingMessage, WithdrawMessage } from "./deps.ts";
export { insertTicket, pickConnection } from "./new-ticket.ts";
export { joinTickets } from "./removal.ts";
export { countOpenTickets } from "./released-tickets.ts";
export { endAwaiting, isFirstOf, lockTicket } from "./save-ticket.ts";
export {
  findOnlyQueue,
  findTicket as findShownTicket,
  findVisibility,
  findTicketsOfContact,
  noFilter as noTicketFilter,
  prepared as preparedByText,
  startValues,
} from "./read-tickets.ts";
export { listedRows } from "./list-filters.ts";
export type { TicketState, Transition } from "./ticket.ts";
export { attendantLeads, customerWroteAgain } from "./ticket.ts";
export type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
export {
  freeTextUntil,
  LAST_MESSAGE_MAX,
  newTicketRow,
  shownTicketColumns,
  ticketColumns,
  ticketJoins,
  ticketNameJoins,
} from "./ticket-row.ts";
export { publishTagged } from "./ticket-tags.ts";
export type { TicketVisibility, Viewer } from "./audience.ts";
export { sweepUndosAcrossCompanies } from "./undo.ts";
export {
  canRead,
  canSee,
  isSeenBy,
  readableCondition,
  readerOf,
  readerRooms,
  readQueuesOf,
  requireVisible,
  visibilityColumns,
  ticketRooms,
  visibleToCaller,
} from "./audience.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A ticket is new, or looks different without having changed hands. */
    "ticket.updated": { ticket: TicketRow };
    /** A ticket has another state, user, queue or connection. */
    "ticket.changed": { before: TicketRow; after: TicketRow };
    /** A locked ticket waits in a queue for a person. Published last in its transaction; not for many tickets at once. */
    "ticket.waits": { ticket: TicketRow };
    /** A ticket was deleted, or joined to another one. */
    "ticket.removed": { ticket: TicketRow };
    /**
     * A user has transferred the ticket, and the company wants the customer to be told with this text, whose variables are not
     * replaced yet, after the delay.
     */
    "ticket.transferred": {
      ticket: TicketRow;
      text: string;
      names: { queue?: string; user?: string };
      delaySeconds: number;
    };
    /** The acting user, or the helper named in `by`, has left a note for those who have the ticket now. */
    "ticket.noted": { ticket: TicketRow; note: string; by?: string };
    /** Its assignee has read the ticket. */
    "ticket.read": { ticketId: TicketId };
  }
}

export type TicketsFeature = ReturnType<typeof createTicketsFeature>;

/** Between two looks for tickets that come back at their time, unless the next one is due sooner. */
const SNOOZE_LOOK_MS = 5_000;

export function createTicketsFeature(given: TicketsDeps & { log: Logger; lookEveryMs?: number }) {
  const dto = createTicketDto(given.files.signedPath);
  const deps: TicketDeps = { ...given, dto };
  const { domainEvents } = given;
  subscribeLiveTickets(deps);
  domainEvents.on("user.removing", (ctx, tx, { userId }) =>
    releaseTicketsOfUser(deps, ctx, tx, userId),
  );
  domainEvents.on("queue.removing", (ctx, tx, { queueId, targetQueueId }) =>
    releaseTicketsOfQueue(deps, ctx, tx, queueId, targetQueueId),
  );
  domainEvents.on("connection.removing", (ctx, tx, { connectionId }) =>
    releaseTicketsOfConnection(deps, ctx, tx, connectionId),
  );
  domainEvents.on("contact.removing", (ctx, tx, { contactId }) =>
    removeTicketsOfContact(deps, ctx, tx, contactId),
  );
  domainEvents.on("contact.changed", async (ctx, tx, { contactId, tickets }) => {
    const find = tickets === "all" ? findTicketsOfContact : findLivingTickets;
    for (const ticket of await find(ctx, tx, contactId)) {
      await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
    }
  });
  return {
    register(routes: Routes): void {
      routes.handle("GET /tickets", ({ ctx, query }) => listTickets(deps, ctx, query));
      routes.handle("GET /tickets/counts", ({ ctx, query }) => countTickets(deps, ctx, query));
      routes.handle("GET /tickets/:ticketId", ({ ctx, params }) =>
        showTicket(deps, ctx, params.ticketId),
      );
      routes.handle("GET /tickets/u/:ticketUuid", ({ ctx, params }) =>
        showTicketByUuid(deps, ctx, params.ticketUuid),
      );
      routes.handle("PUT /tickets/:ticketId", ({ ctx, params, body }) =>
        updateTicket(deps, ctx, params.ticketId, body),
      );
      routes.handle("POST /tickets/:ticketId/undo", ({ ctx, params, body }) =>
        undoChange(deps, ctx, params.ticketId, body.undoId),
      );
      routes.handle("POST /tickets/bulk", ({ ctx, body }) => changeTickets(deps, ctx, body));
      routes.handle("POST /tickets/bulk/undo", ({ ctx, body }) => undoChanges(deps, ctx, body));
      routes.handle("POST /tickets/closeAll", ({ ctx, body }) => closeAllTickets(deps, ctx, body));
      routes.handle("PUT /tickets/:ticketId/snooze", ({ ctx, params, body }) =>
        snoozeTicket(deps, ctx, params.ticketId, body),
      );
      routes.handle("DELETE /tickets/:ticketId/snooze", ({ ctx, params }) =>
        unsnoozeTicket(deps, ctx, params.ticketId),
      );
      routes.handle("PUT /tickets/:ticketId/pin", ({ ctx, params }) =>
        pinTicket(deps, ctx, params.ticketId),
      );
      routes.handle("DELETE /tickets/:ticketId/pin", ({ ctx, params }) =>
        unpinTicket(deps, ctx, params.ticketId),
      );
      routes.handle("POST /tickets", ({ ctx, body }) => createTicket(deps, ctx, body));
      routes.handle("DELETE /tickets/:ticketId", async ({ ctx, params }) => {
        await removeTicket(deps, ctx, params.ticketId);
        return { message: "ticket deleted" };
      });
      routes.handle("GET /tickets/:ticketId/attendances", ({ ctx, params, query }) =>
        listAttendances(deps, ctx, params.ticketId, query.pageNumber),
      );
    },
    snoozes: createSnoozeWorker(given, given.lookEveryMs ?? SNOOZE_LOOK_MS),
    canSeeTicket: canSeeTicket.bind(null, deps),
    countLists: countLists.bind(null, deps),
    listTickets: listTickets.bind(null, deps),
    showTicket: showTicket.bind(null, deps),
    findOrCreateClosedTicket: findOrCreateClosedTicket.bind(null, deps),
    takeForSending: takeTicketForSending.bind(null, deps),
    expire: expireTicket.bind(null, deps),
    putInQueue: putTicketInQueue.bind(null, deps),
    assign: assignTicketTo.bind(null, deps),
    changeWithin: changeWithin.bind(null, deps),
    toChangedDto: toChangedDto.bind(null, deps),
    replaceTags: replaceTicketTags.bind(null, deps),
    attendancesOfContact: listAttendancesOfContact,
    lockOfContact: lockTicketsOfContact,
    lockOfContacts: lockTicketsOfContacts,
    servedTogether: findServedTogether,
    newestVisible: findNewestVisible,
    joinOfContacts: (ctx: Ctx, tx: Tx, joined: JoinedContacts) =>
      joinTickets(ctx, tx, domainEvents, joined, given.sources.clock.now()),
    requireAllLivingVisible,
    requireNoneOpen,
    toShownDto: dto.shown,
    toListedDto: dto.ofReader,
    publishWithTicket: publishWithTicket.bind(null, deps),
  };
}
