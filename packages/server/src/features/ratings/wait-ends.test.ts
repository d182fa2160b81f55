import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { conversationsOf } from "../messages/testing/conversations.ts";
import type { RatedOffice, Served } from "./testing/rated-office.ts";
import { ratedOffice } from "./testing/rated-office.ts";

let office: RatedOffice;
beforeAll(async () => {
  office = await ratedOffice();
});

const time = expect.any(Date);
const unrated = { finishedAt: time, ratingAt: time, rated: false };

async function agentActs(of: Served, act: () => Promise<{ status: number }>): Promise<void> {
  expect((await act()).status).toBe(200);
  expect(await office.attendances(of)).toHaveLength(2);
  // Too late: it is a message of the new attendance.
  await office.write(of, "3");
  expect(await office.ratings(of)).toEqual([]);
}

describe("an agent who acts while an answer is awaited ends the wait, unrated", () => {
  test("2.8, 2.13: by reopening the ticket, which has a fresh rating", async () => {
    const of = await office.awaiting();
    await agentActs(of, () => office.change(office.ana, of, { status: "open" }));
    expect(await office.attendances(of)).toMatchObject([
      { ...unrated, userId: office.ana.id },
      {
        ...{ finishedAt: null, ratingAt: null, rated: false, startedAt: time },
        ...{ userId: office.ana.id, queueId: office.queueId, closedBy: null },
      },
    ]);
  });

  test("2.8: by transferring it to a colleague or to a queue", async () => {
    const given = await office.awaiting();
    await agentActs(given, () => office.change(office.admin, given, { userId: office.bia.id }));
    expect(await office.attendances(given)).toMatchObject([
      { ...unrated, userId: office.ana.id },
      { userId: office.bia.id, startedAt: time },
    ]);
    const queued = await office.awaiting();
    await agentActs(queued, () =>
      office.change(office.admin, queued, {
        status: "pending",
        queueId: office.queueId,
        userId: null,
      }),
    );
    expect(await office.attendances(queued)).toMatchObject([
      unrated,
      { finishedAt: null, userId: null, queueId: office.queueId, queuedAt: time, startedAt: null },
    ]);
  });

  test("2.8: by opening a new ticket with the contact", async () => {
    const of = await office.awaiting();
    const { contactId, connectionId } = of.ticket;
    const wish = {
      contactId,
      whatsappId: connectionId,
      queueId: office.queueId,
      userId: office.bia.id,
      status: "open",
    };
    await agentActs(of, () => office.app.as(office.bia).post("/tickets", wish));
    expect(await office.attendances(of)).toMatchObject([
      { ...unrated, userId: office.ana.id },
      { ratingAt: null, userId: office.bia.id },
    ]);
  });

  test("2.8: by reopening at the moment of the answer: the attendance is rated or the ticket reopened", async () => {
    const of = await office.awaiting();
    const [reply] = await Promise.all([
      office.change(office.ana, of, { status: "open" }),
      office.write(of, "3"),
    ]);
    expect(reply.status).toBe(200);
    const [first, second, ...more] = await office.attendances(of);
    expect(more).toEqual([]);
    expect(first?.finishedAt).toEqual(time);
    expect(second).toMatchObject({ finishedAt: null, rated: false });
    expect(await office.ratings(of)).toHaveLength(first?.rated ? 1 : 0);
  });

  test("2.8: a ticket that was reopened and is resolved again asks again", async () => {
    const of = await office.awaiting();
    await office.change(office.ana, of, { status: "open" });
    await office.resolve(of);
    await office.write(of, "2");
    const [, second] = await office.attendances(of);
    expect(second).toMatchObject({ rated: true, finishedAt: time });
    expect(await office.ratings(of)).toMatchObject([{ rate: 2, attendanceId: second?.id }]);
  });
});

test("2.8: an agent who has the customer's new attendance accepts it like any other", async () => {
  const of = await office.awaiting();
  await office.write(of, "preciso de ajuda");
  const reply = await office.change(office.admin, of, { status: "open" });
  expect(reply).toMatchObject({ status: 200, body: { status: "open", userId: office.admin.id } });
  expect(await office.attendances(of)).toMatchObject([
    unrated,
    { finishedAt: null, userId: office.admin.id, startedAt: time },
  ]);
});

test("2.8: a wait of 24 hours is over by itself, without a completion message; a shorter one goes on", async () => {
  const [old, young] = [await office.awaiting(), await office.awaiting()];
  const age = (of: Served, span: string): Promise<unknown> =>
    office.run(
      sql`update attendances set rating_at = now() - ${span}::interval where ticket_id = ${of.ticket.id}`,
    );
  await age(old, "24 hours");
  await age(young, "23 hours 59 minutes");
  await office.side.ratings.endOverdue();
  await office.side.ratings.endOverdue();
  expect(await office.attendances(old)).toMatchObject([unrated]);
  expect(await office.attendances(young)).toMatchObject([{ finishedAt: null }]);
  expect((await office.sent(old)).stored).toHaveLength(1);
  expect(await conversationsOf(old.phone, office.side)).toMatchObject([
    { status: "closed", open: 0 },
  ]);
});

test("2.13: a ticket that is deleted ends its wait", async () => {
  const of = await office.awaiting();
  const [before] = await office.attendances(of);
  expect((await office.app.as(office.admin).delete(`/tickets/${of.ticket.id}`)).status).toBe(200);
  const rows = await office.side.rows(
    sql`select finished_at is not null as "isOver", rated from attendances where id = ${before?.id}`,
  );
  expect(rows).toEqual([{ isOver: true, rated: false }]);
});
