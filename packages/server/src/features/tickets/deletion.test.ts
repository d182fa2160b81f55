import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

async function office() {
  const { given } = app;
  const company = await given.company();
  const queue = await given.queue({ company });
  const admin = await given.admin({ company });
  const ana = await given.agent({ company, queueIds: [queue] });
  const ticket = await given.ticket({
    ...{ company, queueId: queue, status: "open", userId: ana.id },
    connectionId: await given.connection({ company, linked: false }),
  });
  return { company, queue, admin, ana, ticket };
}

const rowsOf = async (table: string, { id }: GivenTicket): Promise<number> => {
  const [row] = await run<{ count: number }>(
    sql`select count(*)::int as count from ${sql.identifier(table)} where ticket_id = ${id}`,
  );
  return row?.count ?? 0;
};

describe("an admin's deletion of a ticket", () => {
  test("deletes its messages, queued messages, notes and tags; its attendances stay, finished", async () => {
    const { company, admin, ana, ticket } = await office();
    for (let n = 0; n < 3; n += 1) await app.given.message(ticket);
    expect((await app.as(ana).post(`/messages/${ticket.id}`, { body: "Já vai" })).status).toBe(200);
    await run(sql`
      insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note)
      values (${company.id}, ${ticket.id}, ${ticket.contactId}, ${ana.id}, 'nota')`);
    const [attendance] = await run<{ id: number }>(
      sql`select id from attendances where ticket_id = ${ticket.id}`,
    );
    const queued = () => run(sql`select id from outbound where company_id = ${company.id}`);
    expect(await queued()).toHaveLength(1);

    const reply = await app.as(admin).delete(`/tickets/${ticket.id}`);
    expect([reply.status, reply.body]).toEqual([200, { message: "ticket deleted" }]);
    for (const table of ["messages", "ticket_notes", "ticket_tags", "attendances"]) {
      expect([table, await rowsOf(table, ticket)]).toEqual([table, 0]);
    }
    expect(await queued()).toEqual([]);
    expect(
      await run(sql`
        select user_id as "userId", ticket_id as "ticketId", finished_at is not null as "isFinished"
        from attendances where id = ${attendance?.id}`),
    ).toEqual([{ userId: ana.id, ticketId: null, isFinished: true }]);
    expect((await app.as(admin).get(`/tickets/${ticket.id}`)).status).toBe(404);
    expect((await app.as(admin).get(`/contacts/${ticket.contactId}`)).status).toBe(200);
  });

  test("deletes a long conversation too", async () => {
    const { company, admin, ticket } = await office();
    await run(sql`
      insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
      select ${company.id}, gen_random_uuid(), ${ticket.id}, ${ticket.connectionId}, 'x' || n, 'texto', true, true, 2
      from generate_series(1, 4500) n`);
    expect((await app.as(admin).delete(`/tickets/${ticket.id}`)).status).toBe(200);
    expect(await rowsOf("messages", ticket)).toBe(0);
  });

  test("is published to those who had it", async () => {
    const { company, admin, ana, ticket } = await office();
    const name = companyEvent(company.id, "ticket");
    const [hisEars, chiefsEars] = [await app.live(ana), await app.live(admin)];
    chiefsEars.socket.emit("joinTickets", "open");
    hisEars.socket.emit("joinChatBox", String(ticket.id));
    await app.as(admin).delete(`/tickets/${ticket.id}`);
    for (const ears of [hisEars, chiefsEars]) {
      await vi.waitFor(() =>
        expect(ears.heard.filter((one) => one.name === name)).toEqual([
          { name, payload: { action: "delete", ticketId: ticket.id } },
        ]),
      );
    }
  });

  test("is refused to others, and to admins of another company", async () => {
    const { ana, admin, ticket } = await office();
    const stranger = (await office()).admin;
    expect((await app.as(ana).delete(`/tickets/${ticket.id}`)).status).toBe(403);
    const reply = await app.as(stranger).delete(`/tickets/${ticket.id}`);
    expect([reply.status, reply.body]).toEqual([
      404,
      expect.objectContaining({ code: "ERR_NO_TICKET_FOUND" }),
    ]);
    expect((await app.as(admin).get(`/tickets/${ticket.id}`)).status).toBe(200);
  });
});
