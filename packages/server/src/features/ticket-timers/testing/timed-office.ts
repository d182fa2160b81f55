import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { systemSources } from "../../../platform/sources.ts";
import { quietLog } from "../../../testing/app.ts";
import type { GivenTicket, TicketWish } from "../../../testing/given.ts";
import type { ChannelSide } from "../../messages/testing/channel-side.ts";
import type { TicketTimers } from "../index.ts";
import { createTicketTimers } from "../index.ts";

/** A company whose tickets have their times, and the timers, run by hand. */
export async function timedOffice(side: ChannelSide) {
  const { given, company, connectionId, database } = side;
  const ana = await given.agent({ company, name: "Ana" });
  const timers: TicketTimers = createTicketTimers({
    db: database.db,
    sources: systemSources,
    log: quietLog(),
    tickets: side.tickets,
    sendAutomatically: side.sendAutomatically,
  });

  return {
    ...{ ana, timers },
    set: (
      what: "connections" | "tickets" | "attendances" | "contacts",
      id: number,
      values: ReturnType<typeof sql>,
    ) =>
      side.rows(
        sql`update ${sql.identifier(what)} set ${values}
          where ${sql.identifier(what === "attendances" ? "ticket_id" : "id")} = ${id}`,
      ),
    ticket: (wish: TicketWish = {}): Promise<GivenTicket> =>
      given.ticket({ company, connectionId, contactName: "Carla Dias", ...wish }),
    async state({ id }: { id: TicketId }) {
      const [ticket] = await side.rows<Record<string, unknown>>(sql`
        select status, user_id as "userId", queue_id as "queueId", chatbot, queue_option_id as "queueOptionId",
          unread_messages as unread, last_message as last,
          array(select body from messages m where m.ticket_id = t.id and m.from_me order by seq) as said,
          array(select o.body::json ->> 'text' from messages m join outbound o on o.message_id = m.id
            where m.ticket_id = t.id order by m.seq) as wire
        from tickets t where id = ${id}`);
      return ticket;
    },
    attendances: ({ id }: { id: TicketId }) =>
      side.rows<{ queuedAt: Date }>(sql`
        select user_id as "userId", queue_id as "queueId", connection_id as "connectionId", finished_at as "finishedAt",
          queued_at as "queuedAt", started_at as "startedAt", rating_at as "ratingAt", rated, closed_by as "closedBy",
          attended_at as "attendedAt"
        from attendances where ticket_id = ${id} order by id`),
  };
}

export type TimedOffice = Awaited<ReturnType<typeof timedOffice>>;
