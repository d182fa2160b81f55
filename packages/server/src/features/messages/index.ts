import type { DurableEvent } from "../../channels/port.ts";
import type { ChannelHandlers, ConnectionRef, Outbox } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import { createContactService } from "../contacts/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { createChanging } from "./change/change.ts";
import { createChangeOutcomes } from "./change/change-outcomes.ts";
import { createMessageChanges } from "./change/message-changes.ts";
import { createMessageEvents } from "./events.ts";
import type { ShowNumberChange } from "./number-changes.ts";
import { createNumberChanges } from "./number-changes.ts";
import { createMessageDto } from "./message-dto.ts";
import { createPages } from "./page/page.ts";
import { createReading } from "./page/reading.ts";
import type { CalledAttendant } from "./receive/arrivals.ts";
import { createArrivals } from "./receive/arrivals.ts";
import { createCalls } from "./receive/calls.ts";
import { createConversations } from "./receive/conversations.ts";
import { takeEarly } from "./receive/early-events.ts";
import { createInboundChanges } from "./receive/inbound-changes.ts";
import { createMediaArrival } from "./receive/media-arrival.ts";
import { createPeople, createTicketsOfPeople } from "./receive/people.ts";
import type { RatingAnswers } from "./receive/rating-answers.ts";
import { createPresenceTeller } from "./receive/presence.ts";
import { createReceiver } from "./receive/receive.ts";
import { createReporter } from "./receive/reports.ts";
import { registerMessageRoutes } from "./routes.ts";
import type { SendAutomatically } from "./send/automatic.ts";
import { createAutomaticTexts } from "./send/automatic.ts";
import { createFailedMessages } from "./send/failed.ts";
import type { Outgoing } from "./send/outgoing.ts";
import { createOutgoing } from "./send/outgoing.ts";
import { createRemoval } from "./send/removal.ts";
import type { Sending } from "./send/send.ts";
import { createSending } from "./send/send.ts";

export type { CardFacts } from "./last-message.ts";
export { cardOf } from "./last-message.ts";
export { mediaBody, mediaTypeOf } from "./media-text.ts";
export type { CalledAttendant } from "./receive/arrivals.ts";
export type { QuietTimes } from "./receive/receive-statements.ts";
export type { RatingAnswers } from "./receive/rating-answers.ts";
export type { SendAutomatically } from "./send/automatic.ts";
export type { Outgoing, Reach } from "./send/outgoing.ts";
export { contactAddress } from "./send/send-repository.ts";
export { createTyping } from "./send/typing.ts";

export type MessagesDeps = {
  db: Database;
  sources: Sources;
  realtime: Realtime;
  tickets: Pick<TicketsFeature, "events">;
  outbox: Outbox;
  media: Pick<MediaFiles, "storeFiles" | "storeCustomerFile" | "removeUnused" | "signedPath">;
  attendant: CalledAttendant;
  ratings: RatingAnswers;
};

export type MessagesFeature = Pick<
  ChannelHandlers,
  "receive" | "sent" | "storeMedia" | "mediaUnavailable"
> & {
  register(routes: Routes): void;
  /** For the channel runtime: a customer types or is there. */
  tellPresence: ReturnType<typeof createPresenceTeller>;
  /** The way on which every message of the company leaves. */
  outgoing: Outgoing;
  sendAutomatically: SendAutomatically;
  /** What another feature has prepared leaves in the agent's name. Throws as `outgoing` does. */
  sendAsAgent: Sending["sendAsAgent"];
  /** The conversations of a contact show its other number. */
  showNumberChange: ShowNumberChange;
  /** A text of the product itself, as it stands. Throws as `outgoing` does. */
  tellCustomer(ctx: Ctx, tx: Tx, ticket: TicketRow, text: string): Promise<void>;
};

export function createMessagesFeature(deps: MessagesDeps): MessagesFeature {
  const { db, sources, realtime, outbox, media: files } = deps;
  const { clock } = sources;
  const ticketEvents = deps.tickets.events;
  const toMessageDto = createMessageDto(files.signedPath);
  const events = createMessageEvents(realtime, toMessageDto);
  const changes = createMessageChanges({ clock, ticketEvents, events, files });

  const reading = createReading({ clock, outbox, ticketEvents });
  const outgoing = createOutgoing({ sources, outbox, events });
  const removal = createRemoval({ db, outbox, files, ticketEvents, events });
  const services = {
    pages: createPages({ db, reading, toMessageDto }),
    sending: createSending({ db, clock, files, outgoing, reading, toMessageDto }),
    failed: createFailedMessages({ db, clock, outbox, events, removal, toMessageDto }),
    removal,
    changing: createChanging({ db, sources, outbox, changes, removal, toMessageDto }),
  };

  const contacts = createContactService({ clock, realtime });
  const arrivals = createArrivals({
    ...{ sources, outbox, ticketEvents, events, attendant: deps.attendant, applyEarly },
  });
  const showNumberChange = createNumberChanges({ sources, events });
  const ticketsOf = createTicketsOfPeople({ clock, ticketEvents, events, showNumberChange });
  const conversations = createConversations({ contacts, ticketsOf });
  const receiver = createReceiver({
    ...{ sources, outbox, contacts, ticketsOf, conversations, arrivals, events },
    ratings: deps.ratings,
  });
  const learnPeople = createPeople({ contacts, ticketsOf });
  const inboundChanges = createInboundChanges({ clock, contacts, ticketsOf, changes });
  const calls = createCalls({ outbox, conversations, arrivals, outgoing });
  const mediaArrival = createMediaArrival({ db, files, changes });
  const changeRefused = createChangeOutcomes({ clock, changes });
  const reporter = createReporter({ clock, events, changes, changeRefused });

  async function applyEarly(tx: Tx, connection: ConnectionRef, providerId: string): Promise<void> {
    const events = await takeEarly(tx, connection, providerId);
    for (const event of events) await receive(tx, connection, event);
  }

  async function receive(tx: Tx, connection: ConnectionRef, event: DurableEvent): Promise<void> {
    switch (event.type) {
      case "message":
        return receiver.receive(tx, connection, event);
      case "edit":
        return inboundChanges.edit(tx, connection, event);
      case "revoke":
        return inboundChanges.revoke(tx, connection, event);
      case "reaction":
        return inboundChanges.react(tx, connection, event);
      case "call":
        return calls.ring(tx, connection, event);
      case "contact":
        return learnPeople(tx, connection, event);
      case "ack":
        return reporter.ack(tx, connection, event);
      case "send-failed":
        return reporter.sendFailed(tx, connection, event);
    }
  }

  return {
    register: (routes) => registerMessageRoutes(routes, services),
    receive,
    sent: reporter.sent,
    storeMedia: mediaArrival.store,
    mediaUnavailable: mediaArrival.unavailable,
    tellPresence: createPresenceTeller(realtime),
    outgoing,
    sendAutomatically: createAutomaticTexts(outgoing),
    sendAsAgent: services.sending.sendAsAgent,
    showNumberChange,
    async tellCustomer(ctx, tx, ticket, text) {
      await outgoing.send(ctx, tx, ticket, { text, isLiteral: true });
    },
  };
}
