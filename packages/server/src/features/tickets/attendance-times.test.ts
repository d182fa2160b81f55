import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { newPhone } from "../messages/testing/channel-side.ts";
import { conversationsOf } from "../messages/testing/conversations.ts";
import type { AttendanceRow, RatedOffice, Served } from "../ratings/testing/rated-office.ts";
import { ratedOffice } from "../ratings/testing/rated-office.ts";

// Behaviour 2.13, row by row. Ratings are tested in features/ratings, timers in features/ticket-timers.

let office: RatedOffice;
beforeAll(async () => {
  office = await ratedOffice({ settings: { userRating: "disabled" } });
});

const LONG_AGO = new Date("2026-01-02T03:04:05Z");
const isNew = expect.toSatisfy(
  (at: unknown) => at instanceof Date && Math.abs(Date.now() - at.getTime()) < 60_000,
);

/** A ticket whose attendance has had its times for long. */
async function old(status: "open" | "pending"): Promise<Served> {
  const of = await office.served({ status });
  await office.run(sql`
    update attendances set queued_at = ${LONG_AGO}, started_at = case when started_at is not null then ${LONG_AGO}::timestamptz end
    where ticket_id = ${of.ticket.id}`);
  return of;
}

async function after(of: Served, who: RatedOffice["ana"], body: object): Promise<AttendanceRow[]> {
  const reply = await office.change(who, of, body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return office.attendances(of);
}

describe("an attendance", () => {
  test("2.13: begins with the first message, and waits from then on", async () => {
    const phone = newPhone();
    await office.side.receive({
      ...{ type: "message", origin: "live", at: new Date(), from: { addresses: [phone] } },
      ref: { chat: phone, id: `F${phone.value}`, fromMe: false },
      content: { kind: "text", text: "Olá" },
    });
    const [ticket] = await conversationsOf(phone, office.side);
    const rows = await office.side.rows(sql`
      select company_id as "companyId", connection_id as "connectionId", user_id as "userId", queued_at as "queuedAt",
        started_at as "startedAt", finished_at as "finishedAt"
      from attendances where ticket_id = ${ticket?.id}`);
    expect(rows).toEqual([
      {
        ...{ companyId: office.company.id, connectionId: office.connectionId, userId: null },
        ...{ queuedAt: isNew, startedAt: null, finishedAt: null },
      },
    ]);
  });

  test("2.13: goes on with the second message, unchanged", async () => {
    const of = await old("pending");
    const before = await office.attendances(of);
    await office.write(of, "ainda aí?");
    expect(await office.attendances(of)).toEqual(before);
  });

  test("2.13: notes when the chatbot was first used, and keeps that", async () => {
    const { connectionId } = office;
    await office.run(
      sql`update connections set greeting_message = 'Olá!' where id = ${connectionId}`,
    );
    const of = await office.served({ status: "pending" });
    await office.run(sql`update tickets set queue_id = null where id = ${of.ticket.id}`);
    const turn = async (): Promise<void> => {
      await office.write(of, "#");
      // The process's clock has whole milliseconds and may read a little less than `now()`.
      await office.run(sql`
        update attendant_turns set due_at = now() - interval '1 second' where ticket_id = ${of.ticket.id}`);
      expect(await office.app.app.runDueTurns()).toBeGreaterThan(0);
    };
    await turn();
    const [first] = await office.attendances(of);
    expect(first).toMatchObject({ chatbotAt: isNew, startedAt: null });
    await office.run(
      sql`update attendances set chatbot_at = ${LONG_AGO} where ticket_id = ${of.ticket.id}`,
    );
    await turn();
    expect(await office.attendances(of)).toMatchObject([{ chatbotAt: LONG_AGO }]);
    expect((await office.sent(of)).stored.length).toBeGreaterThan(1);
  });

  test("2.13: a queue that is assigned makes it wait anew, whoever serves it", async () => {
    const support = await office.side.given.queue({ company: office.company, name: "Suporte" });
    const waiting = await old("pending");
    expect(await after(waiting, office.admin, { queueId: support })).toMatchObject([
      { queuedAt: isNew, queueId: support, startedAt: null },
    ]);
    const open = await old("open");
    const given = { queueId: support, userId: office.bia.id };
    expect(await after(open, office.admin, given)).toMatchObject([
      { queuedAt: isNew, queueId: support, startedAt: LONG_AGO },
    ]);
    const accepted = await old("pending");
    const status = { status: "open", queueId: support };
    expect(await after(accepted, office.admin, status)).toMatchObject([
      { queuedAt: isNew, queueId: support, startedAt: isNew },
    ]);
  });

  test("2.13: returned, it waits from now on: not begun, and without agent", async () => {
    const of = await old("open");
    expect(await after(of, office.ana, { status: "pending", userId: null })).toMatchObject([
      {
        ...{ queuedAt: isNew, startedAt: null, userId: null },
        ...{ connectionId: office.connectionId, queueId: office.queueId, finishedAt: null },
      },
    ]);
  });

  test("2.13: accepted it begins: the agent's, without a rating; the time of waiting stays", async () => {
    const of = await old("pending");
    await office.run(
      sql`update attendances set rating_at = ${LONG_AGO}, rated = true where ticket_id = ${of.ticket.id}`,
    );
    expect(await after(of, office.ana, { status: "open" })).toMatchObject([
      {
        ...{ startedAt: isNew, ratingAt: null, rated: false, userId: office.ana.id },
        ...{ connectionId: office.connectionId, queuedAt: LONG_AGO },
      },
    ]);
  });

  test("2.13: is the new agent's when it changes hands while it is open; its times stay", async () => {
    const of = await old("open");
    expect(await after(of, office.ana, { userId: office.bia.id })).toMatchObject([
      { userId: office.bia.id, startedAt: LONG_AGO, queuedAt: LONG_AGO, finishedAt: null },
    ]);
  });

  test("2.13: is finished when the ticket is resolved, with its agent, queue, connection and who closed it", async () => {
    const of = await old("open");
    expect(await after(of, office.admin, { status: "closed" })).toMatchObject([
      {
        ...{ finishedAt: isNew, startedAt: LONG_AGO, queuedAt: LONG_AGO, ratingAt: null },
        ...{ userId: office.ana.id, queueId: office.queueId, connectionId: office.connectionId },
        closedBy: office.admin.id,
      },
    ]);
  });

  test("2.5, 2.13: reopened is another one, in the queue that the last one had", async () => {
    const of = await old("open");
    await office.resolve(of);
    expect(await after(of, office.ana, { status: "open" })).toMatchObject([
      { finishedAt: isNew, closedBy: office.ana.id },
      {
        ...{ queuedAt: isNew, startedAt: isNew, finishedAt: null, closedBy: null },
        ...{ ratingAt: null, rated: false, userId: office.ana.id, queueId: office.queueId },
      },
    ]);
  });

  test("2.13: is finished when its ticket is deleted", async () => {
    const of = await old("open");
    const [before] = await office.attendances(of);
    const removed = await office.app.as(office.admin).delete(`/tickets/${of.ticket.id}`);
    expect(removed.status).toBe(200);
    const rows = await office.side.rows(
      sql`select finished_at as "finishedAt", ticket_id as "ticketId" from attendances where id = ${before?.id}`,
    );
    expect(rows).toEqual([{ finishedAt: isNew, ticketId: null }]);
  });

  test("2.13: keeps its times where an agent is refused", async () => {
    const of = await old("open");
    const before = await office.attendances(of);
    const stranger = await office.side.given.agent({ company: office.company });
    const foreign = await office.side.given.admin({ company: await office.side.given.company() });
    expect((await office.change(stranger, of, { status: "closed" })).status).toBe(403);
    expect((await office.change(foreign, of, { status: "closed" })).status).toBe(404);
    expect(await office.attendances(of)).toEqual(before);
  });
});
