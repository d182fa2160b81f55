import type { ChannelHandlers, Outbox } from "../../channels/runtime/index.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import { createContactService } from "../contacts/index.ts";
import type { TicketsFeature } from "../tickets/index.ts";
import { createEarlyAcks } from "./early-acks.ts";
import { createMessageEvents } from "./events.ts";
import { createFailedMessages } from "./failed.ts";
import { createPresenceTeller } from "./presence.ts";
import { createReading } from "./reading.ts";
import { createReceiver } from "./receive.ts";
import { createReporter } from "./reports.ts";
import { registerMessageRoutes } from "./routes.ts";
import { createMessageService } from "./service.ts";

export type MessagesDeps = {
  db: Database;
  sources: Sources;
  realtime: Realtime;
  tickets: Pick<TicketsFeature, "events">;
  outbox: Outbox;
};

export type MessagesFeature = Pick<ChannelHandlers, "receive" | "sent"> & {
  register(routes: Routes): void;
  /** For the channel runtime: a customer types or is there. */
  tellPresence: ReturnType<typeof createPresenceTeller>;
};

export function createMessagesFeature(deps: MessagesDeps): MessagesFeature {
  const { db, sources, realtime, outbox } = deps;
  const { clock } = sources;
  const ticketEvents = deps.tickets.events;
  const events = createMessageEvents(realtime);
  const earlyAcks = createEarlyAcks();
  const reading = createReading({ clock, outbox, ticketEvents });
  const messages = createMessageService({ db, sources, outbox, ticketEvents, events, reading });
  const failed = createFailedMessages({ db, clock, outbox, ticketEvents, events });
  const contacts = createContactService({ clock });
  const receiver = createReceiver({ sources, contacts, ticketEvents, events, earlyAcks });
  const reporter = createReporter({ clock, events, earlyAcks });

  return {
    register: (routes) => registerMessageRoutes(routes, { messages, failed }),
    async receive(tx, connection, event) {
      switch (event.type) {
        case "message":
          return receiver.receive(tx, connection, event);
        case "ack":
          return reporter.ack(tx, connection, event);
        case "send-failed":
          return reporter.sendFailed(tx, connection, event);
      }
    },
    sent: reporter.sent,
    tellPresence: createPresenceTeller(realtime),
  };
}
