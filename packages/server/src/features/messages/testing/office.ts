import type { Message, MessageId, ReplyOf, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Reply, TestApp } from "../../../testing/app.ts";
import { testApp } from "../../../testing/app.ts";
import type { GivenTicket, GivenUser, TicketWish } from "../../../testing/given.ts";

export type Page = ReplyOf<"GET /messages/:ticketId">;

export type OutboundRow = {
  messageId: MessageId;
  command: string;
  body: string;
  to: string;
  providerId: string;
  state: string;
};

/** A company with two queues and their agents; `sales` is Ana's, `support` is Caio's. */
export async function createOffice(app: TestApp, timeZone = "America/Sao_Paulo") {
  const { given } = app;
  const company = await given.company({ timeZone });
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  return {
    company,
    sales,
    support,
    connectionId: await given.connection({ company, linked: false }),
    admin: await given.admin({ company }),
    ana: await given.agent({ company, queueIds: [sales] }),
    caio: await given.agent({ company, queueIds: [support] }),
  };
}

export type Office = Awaited<ReturnType<typeof createOffice>>;

export const refusal = (code: string, status: number) => [
  status,
  expect.objectContaining({ code }),
];
export const answer = ({ status, body }: Reply): unknown[] => [status, body];
export const bodies = (page: Page): string[] => page.messages.map((message) => message.body);

/** The product without its channels, and what tests of messages do with it. */
export async function messageApp() {
  const app = await testApp({ environment: { ROLES: "http" } });
  const { db } = app.database;

  const ticketOf = (place: Office, wish: TicketWish = {}): Promise<GivenTicket> =>
    app.given.ticket({ company: place.company, connectionId: place.connectionId, ...wish });

  const post = (user: GivenUser, { id }: { id: number }, body: object): Promise<Reply<Message>> =>
    app.as(user).post<Message>(`/messages/${id}`, body);

  return {
    app,
    office: (timeZone?: string) => createOffice(app, timeZone),
    ticketOf,
    openTicketOf: (place: Office): Promise<GivenTicket> =>
      ticketOf(place, { status: "open", userId: place.ana.id, queueId: place.sales }),
    post,

    async send(user: GivenUser, ticket: { id: number }, body: string): Promise<Message> {
      const reply = await post(user, ticket, { body });
      expect(reply.status).toBe(200);
      return reply.body;
    },

    async read(user: GivenUser, ticket: { id: number }, query = ""): Promise<Page> {
      const reply = await app.as(user).get<Page>(`/messages/${ticket.id}?markRead=false${query}`);
      expect(reply.status).toBe(200);
      return reply.body;
    },

    async show(user: GivenUser, { id }: { id: number }): Promise<Ticket> {
      return (await app.as(user).get<Ticket>(`/tickets/${id}`)).body;
    },

    /** The queued rows for the channel, in order. */
    async outboundOf({ id }: GivenTicket): Promise<OutboundRow[]> {
      return db.acrossCompanies((tx) =>
        tx.query<OutboundRow>(sql`
          select o.message_id as "messageId", o.command, o.body, o.to_value as "to",
            o.provider_id as "providerId", o.state
          from outbound o join messages m on m.company_id = o.company_id and m.id = o.message_id
          where m.ticket_id = ${id} order by o.id`),
      );
    },

    async receiptsOf({ companyId, phone }: GivenTicket): Promise<unknown[]> {
      return db.acrossCompanies((tx) =>
        tx.query(sql`
          select r.to_value as "to", m.id as "messageId" from read_receipts r
          join messages m on m.company_id = r.company_id and m.provider_id = r.provider_id
          where r.company_id = ${companyId} and r.to_value = ${phone}`),
      );
    },
  };
}

export type MessageApp = Awaited<ReturnType<typeof messageApp>>;
