import type {
  PromptId,
  QueueId,
  QueueOptionId,
  SettingKey,
  SimulatorMessage,
  Ticket,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, vi } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenCompany } from "../../../testing/given.ts";
import { unique } from "../../../testing/given.ts";
import type { AttendantSettings } from "../index.ts";

/** Quick enough for tests, and still long enough that a burst is one. */
export const quickAttendant: Partial<AttendantSettings> = {
  quiet: { firstMs: 60, answerMs: 30, longestMs: 400 },
  agentQuiet: { afterMs: 0, longestMs: 0 },
  lookEveryMs: 200,
  betweenLooksMs: 5,
  retriesMs: [10, 20],
};

export type OptionWish = {
  title: string;
  message?: string;
  fileKey?: string;
  children?: OptionWish[];
};
export type QueueWish = { name: string; greeting?: string; options?: OptionWish[] };
export type DeskWish = {
  company?: GivenCompany;
  greeting?: string;
  /** 0: any number. */
  maxMenus?: number;
  queues?: QueueWish[];
  settings?: Partial<Record<SettingKey, string>>;
};

/** A ticket's messages, in the order of the chat. */
export type Said = { body: string; fromMe: boolean; mediaType: string | null; at: Date };

/** A company whose connection has queues with options, with an agent in all of them. */
export async function createDesk(app: TestApp, wish: DeskWish = {}) {
  const { given, database } = app;
  const { queues = [], settings = {} } = wish;
  const company = wish.company ?? (await given.company({ settings }));
  const scope = { companyId: company.id };
  const queueIds: QueueId[] = [];
  for (const { name } of queues) queueIds.push(await given.queue({ company, name }));
  const admin = await given.admin({ company });
  const agent = await given.agent({ company, queueIds, allTicket: "enabled" });
  const connectionId = await given.connection({ company, queueIds, linked: true });
  await database.db.transaction(scope, async (tx) => {
    await tx.query(sql`
      update connections set greeting_message = ${wish.greeting ?? ""}, max_use_bot_queues = ${wish.maxMenus ?? 3}
      where company_id = ${company.id} and id = ${connectionId}`);
    for (const [index, { greeting = "", options = [] }] of queues.entries()) {
      const queueId = queueIds[index];
      await tx.query(sql`
        update queues set greeting_message = ${greeting}, order_queue = ${index + 1}
        where company_id = ${company.id} and id = ${queueId}`);
      await addOptions(options, null);

      async function addOptions(level: OptionWish[], parentId: QueueOptionId | null) {
        for (const [place, { title, message = "", fileKey, children = [] }] of level.entries()) {
          const fileName = fileKey === undefined ? null : "anexo.png";
          const [row] = await tx.query<{ id: QueueOptionId }>(sql`
            insert into queue_options (company_id, queue_id, parent_id, number, title, message, file_key, file_name)
            values (${company.id}, ${queueId}, ${parentId}, ${place + 1}, ${title}, ${message}, ${fileKey ?? null}, ${fileName})
            returning id`);
          await addOptions(children, row?.id ?? null);
        }
      }
    }
  });

  const chat = (phone: string): string => `/simulator/connections/${connectionId}/chats/${phone}`;
  const rows = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
    database.db.transaction(scope, (tx) => tx.query<Row>(statement));

  return {
    ...{ company, admin, agent, connectionId, queueIds, rows },

    /** The connection has an AI agent that works by an asker of the test alone. */
    async helpedByPrompt(): Promise<PromptId> {
      const [row] = await rows<{ id: PromptId }>(sql`
        insert into prompts (company_id, name, prompt, base_url, model, api_key, api_key_end, voice, max_tokens, temperature,
          max_messages, day_tokens, ticket_tokens)
        values (${company.id}, 'Agente', '', '', '', '', '', 'texto', 100, 1, 10, 0, 0) returning id`);
      if (!row) throw new Error("the statement returned no row");
      await rows(sql`update connections set prompt_id = ${row.id} where id = ${connectionId}`);
      return row.id;
    },

    /** Resolves when the connection is online. */
    async online(): Promise<void> {
      await vi.waitFor(
        async () => {
          const reply = await app.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
          expect(reply.body.status).toBe("CONNECTED");
        },
        { interval: 20 },
      );
    },

    newPhone: (): string => `55119${String(60_000_000 + unique())}`,

    /** A customer writes; resolves when the network has it. */
    async write(phone: string, body: string): Promise<void> {
      const reply = await app.as(admin).post(`${chat(phone)}/messages`, { body });
      expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
    },

    /** The company's messages on the customer's phone. */
    async heard(phone: string): Promise<string[]> {
      const reply = await app.as(admin).get<SimulatorMessage[]>(`${chat(phone)}/messages`);
      return reply.body.filter(({ fromCustomer }) => !fromCustomer).map(({ body }) => body);
    },

    /** The customer's ticket. */
    async ticketOf(phone: string): Promise<Ticket> {
      const [row] = await rows<{ id: number }>(sql`
        select t.id from tickets t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
        where t.connection_id = ${connectionId} and c.number = ${phone}`);
      if (!row) throw new Error("the customer has no ticket");
      return (await app.as(admin).get<Ticket>(`/tickets/${row.id}`)).body;
    },

    /** A ticket's state. */
    said: (ticketId: number): Promise<Said[]> =>
      rows<Said>(sql`
        select body, from_me as "fromMe", media_type as "mediaType", created_at as at from messages
        where ticket_id = ${ticketId} order by created_at, seq`),

    /** Its automatic texts and what agents wrote. */
    async answers(ticketId: number): Promise<string[]> {
      return (await this.said(ticketId)).filter(({ fromMe }) => fromMe).map(({ body }) => body);
    },
  };
}

export type Desk = Awaited<ReturnType<typeof createDesk>>;
