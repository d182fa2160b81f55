import type { QueueId, SettingKey, Ticket, UserId } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Address } from "../../../channels/port.ts";
import type { Reply, TestApp } from "../../../testing/app.ts";
import { testApp } from "../../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../../testing/given.ts";
import type { TextWish } from "../../messages/testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../../messages/testing/channel-side.ts";

export type AttendanceRow = {
  id: number;
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: number | null;
  queuedAt: Date | null;
  chatbotAt: Date | null;
  startedAt: Date | null;
  ratingAt: Date | null;
  finishedAt: Date | null;
  rated: boolean;
  closedBy: UserId | null;
};

export type Served = { ticket: GivenTicket; phone: Address };

/** The rating scale, word for word (behaviour 2.8). */
export const SCALE =
  "Digite de 1 à 3 para qualificar nosso atendimento:\n*1* - _Insatisfeito_\n*2* - _Satisfeito_\n*3* - _Muito Satisfeito_\n\n";

const INTRODUCTION = "{{firstName}}, como foi?";
export const COMPLETION = "Até logo, {{firstName}}!";

/** A company whose agents close tickets by HTTP and whose customers answer by the channel. */
export async function ratedOffice(
  wish: { settings?: Partial<Record<SettingKey, string>>; queues?: number } = {},
) {
  const side = await channelSide({
    settings: { userRating: "enabled", ...wish.settings },
    queues: wish.queues ?? 2,
  });
  const app: TestApp = await testApp({ database: side.database, environment: { ROLES: "http" } });
  const { given, company, connectionId } = side;
  const queueId = await given.queue({ company, name: "Vendas" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [queueId] });
  const bia = await given.agent({ company, name: "Bia", queueIds: [queueId] });
  const admin = await given.admin({ company });
  const run = (statement: SQL): Promise<unknown[]> =>
    side.database.db.acrossCompanies((tx) => tx.query(statement));
  await run(sql`
    update connections set rating_message = ${INTRODUCTION}, complation_message = ${COMPLETION}
    where id = ${connectionId}`);

  async function change(who: GivenUser, { ticket }: Served, body: object): Promise<Reply<Ticket>> {
    return app.as(who).put<Ticket>(`/tickets/${ticket.id}`, body);
  }

  async function served(as: { status?: "open" | "pending"; user?: GivenUser } = {}) {
    const phone = newPhone();
    const status = as.status ?? "open";
    const userId = status === "open" ? (as.user ?? ana).id : null;
    const ticket = await given.ticket({
      ...{ company, connectionId, queueId, status, userId },
      contactName: "Carla Dias",
      phone: phone.value,
    });
    return { ticket, phone };
  }

  /** By its agent; what follows is the customer's. */
  async function resolve(of: Served, who: GivenUser = ana): Promise<Ticket> {
    const reply = await change(who, of, { status: "closed" });
    expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
    return reply.body;
  }

  return {
    ...{ app, side, company, connectionId, queueId, ana, bia, admin, run, change, served, resolve },

    /** A ticket whose customer has been asked for a rating and has not answered. */
    async awaiting(): Promise<Served> {
      const of = await served();
      await resolve(of);
      side.told.take();
      return of;
    },

    write: ({ phone }: Served, text: string, wishes: TextWish = {}): Promise<void> =>
      side.receive(textEvent({ chat: phone, text, ...wishes })),

    attendances: ({ ticket }: Served): Promise<AttendanceRow[]> =>
      side.rows<AttendanceRow>(sql`
        select id, user_id as "userId", queue_id as "queueId", connection_id as "connectionId", queued_at as "queuedAt",
          chatbot_at as "chatbotAt", started_at as "startedAt", rating_at as "ratingAt", finished_at as "finishedAt",
          rated, closed_by as "closedBy"
        from attendances where ticket_id = ${ticket.id} order by id`),

    ratings: ({ ticket }: Served) =>
      side.rows<{ rate: number; userId: UserId; attendanceId: number }>(sql`
        select rate, user_id as "userId", attendance_id as "attendanceId" from ratings where ticket_id = ${ticket.id}`),

    /** The company's texts in the conversation, and on the wire. */
    async sent({ ticket }: Served): Promise<{ stored: string[]; onWire: string[] }> {
      const rows = await side.rows<{ stored: string; onWire: string }>(sql`
        select m.body as stored, o.body::json ->> 'text' as "onWire"
        from messages m join outbound o on o.company_id = m.company_id and o.message_id = m.id
        where m.ticket_id = ${ticket.id} order by m.seq`);
      return {
        stored: rows.map(({ stored }) => stored),
        onWire: rows.map(({ onWire }) => onWire),
      };
    },
  };
}

export type RatedOffice = Awaited<ReturnType<typeof ratedOffice>>;
