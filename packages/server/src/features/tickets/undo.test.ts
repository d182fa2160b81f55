import type { ChangedTicket, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import type { RatedOffice, Served } from "../ratings/testing/rated-office.ts";
import { ratedOffice } from "../ratings/testing/rated-office.ts";
import { sweepUndosAcrossCompanies } from "./index.ts";

let office: RatedOffice;
let quietOffice: RatedOffice;
beforeAll(async () => {
  office = await ratedOffice({ settings: { sendMsgTransfTicket: "enabled" } });
  quietOffice = await ratedOffice({ settings: { userRating: "disabled" } });
});

/** Ticket, attendances, messages and what is to be sent, as they are stored. */
async function stateOf({ side }: RatedOffice, { ticket }: Served): Promise<unknown> {
  const [row] = await side.rows(sql`
    select to_jsonb(t) - 'updated_at' as ticket,
      (select jsonb_agg(to_jsonb(a) order by a.id) from attendances a where a.ticket_id = t.id) as attendances,
      (select jsonb_agg(m.body order by m.seq) from messages m where m.ticket_id = t.id) as messages,
      (select count(*)::int from outbound o join messages m on m.id = o.message_id where m.ticket_id = t.id) as queued
    from tickets t where t.id = ${ticket.id}`);
  return row;
}

const undo = (
  at: RatedOffice,
  who: GivenUser,
  of: Served,
  undoId: string,
): Promise<Reply<Ticket>> =>
  at.app.as(who).post<Ticket>(`/tickets/${of.ticket.id}/undo`, { undoId });

/** Changes the ticket so that it can be undone; the id of the change. */
async function change(at: RatedOffice, who: GivenUser, of: Served, body: object): Promise<string> {
  const path = `/tickets/${of.ticket.id}`;
  const reply = await at.app.as(who).put<ChangedTicket>(path, { ...body, undoSeconds: 6 });
  expect([reply.status, reply.body.undo]).toEqual([200, expect.anything()]);
  return reply.body.undo?.id ?? "";
}

const refusal = (code: string, status = 409) => [status, expect.objectContaining({ code })];
const answer = ({ status, body }: Reply): unknown[] => [status, body];

/** A served ticket whose customer wrote last, unread. */
async function writtenTo(at: RatedOffice): Promise<Served> {
  const of = await at.served();
  await at.write(of, "Bom dia");
  await at.write(of, "Alguém?");
  return of;
}

describe("an undone change leaves no trace", () => {
  test.for<[string, () => RatedOffice, () => object, Partial<Ticket>, number]>([
    [
      "resolved, with a request for a rating",
      () => office,
      () => ({ status: "closed" }),
      { status: "closed" },
      1,
    ],
    [
      "resolved, with a completion message",
      () => quietOffice,
      () => ({ status: "closed" }),
      { status: "closed" },
      1,
    ],
    [
      "returned",
      () => office,
      () => ({ status: "pending", userId: null }),
      { status: "pending" },
      0,
    ],
    [
      "transferred to a colleague",
      () => office,
      () => ({ userId: office.bia.id }),
      { status: "open" },
      1,
    ],
  ])("%s", async ([, place, body, after, sent]) => {
    const at = place();
    const of = await writtenTo(at);
    const before = await stateOf(at, of);
    const undoId = await change(at, at.ana, of, body());
    expect(await stateOf(at, of)).toMatchObject({ ticket: after, queued: sent });

    const reply = await undo(at, at.ana, of, undoId);
    expect(answer(reply)).toEqual([200, expect.objectContaining({ unreadMessages: 2 })]);
    expect(await stateOf(at, of)).toEqual(before);
    // A repeated request finds it done.
    expect((await undo(at, at.ana, of, undoId)).status).toBe(200);
    expect(await stateOf(at, of)).toEqual(before);
  });

  test("transferred to a queue, and a closed one too, whose attendance awaits its rating", async () => {
    const queueId = await office.side.given.queue({ company: office.company });
    const of = await office.awaiting();
    const before = await stateOf(office, of);
    const undoId = await change(office, office.admin, of, { queueId });
    expect(await stateOf(office, of)).toMatchObject({ ticket: { status: "pending" } });
    expect((await undo(office, office.admin, of, undoId)).status).toBe(200);
    expect(await stateOf(office, of)).toEqual(before);
  });

  test("messages of the customer that arrive meanwhile stay and count as unread", async () => {
    const of = await writtenTo(office);
    const undoId = await change(office, office.ana, of, { status: "pending", userId: null });
    await office.write(of, "Ainda está aí?");
    const { body } = await undo(office, office.ana, of, undoId);
    expect(body).toMatchObject({
      status: "open",
      unreadMessages: 3,
      lastMessage: "Ainda está aí?",
    });
  });
});

describe("messages to the customer", () => {
  const leavesLater = (of: Served) =>
    office.side.rows<{ isLater: boolean }>(sql`
      select o.due_at > now() + interval '3 seconds' as "isLater" from outbound o
      join messages m on m.id = o.message_id where m.ticket_id = ${of.ticket.id}`);

  test("waits for the undo time if the client asks for it, and leaves at once for other clients", async () => {
    const waiting = await writtenTo(office);
    await change(office, office.ana, waiting, { status: "closed" });
    expect(await leavesLater(waiting)).toEqual([{ isLater: true }]);
    const other = await writtenTo(office);
    const reply = await office.change(office.ana, other, { status: "closed" });
    expect(reply.body).not.toHaveProperty("undo");
    expect(await leavesLater(other)).toEqual([{ isLater: false }]);
  });

  test("is sent or withdrawn, never both, whoever comes first", async () => {
    for (let round = 0; round < 8; round += 1) {
      const of = await writtenTo(office);
      const undoId = await change(office, office.ana, of, { status: "closed" });
      // As the pump does when the message is due.
      const claim = office.side.rows<{ id: number }>(sql`
        update outbound o set state = 'sending', attempted_at = now() from messages m
        where m.id = o.message_id and m.ticket_id = ${of.ticket.id} and o.state = 'queued' returning o.id`);
      const [claimed, reply] = await Promise.all([claim, undo(office, office.ana, of, undoId)]);
      const state = await stateOf(office, of);
      if (claimed.length > 0) {
        expect(answer(reply)).toEqual(refusal("ERR_UNDO_CHANGED"));
        expect(state).toMatchObject({ ticket: { status: "closed" }, queued: 1 });
      } else {
        expect(reply.status).toBe(200);
        expect(state).toMatchObject({ ticket: { status: "open" }, queued: 0 });
      }
    }
  });
});

describe("the undo is refused, and nothing changes", () => {
  test.for<[string, (of: Served) => Promise<unknown>, string]>([
    [
      "somebody else has accepted the ticket",
      (of) => office.change(office.bia, of, { status: "open" }),
      "CHANGED",
    ],
    [
      "the customer wrote again, and it waits",
      (of) => office.write(of, "Mais uma coisa"),
      "CHANGED",
    ],
    ["the customer has rated", (of) => office.write(of, "3"), "CHANGED"],
    [
      "the message was sent",
      ({ ticket }) =>
        office.run(sql`update outbound o set attempted_at = now() from messages m
          where m.id = o.message_id and m.ticket_id = ${ticket.id}`),
      "CHANGED",
    ],
    [
      "the time is over",
      ({ ticket }) =>
        office.run(
          sql`update ticket_undos set until = now() - interval '1 second' where ticket_id = ${ticket.id}`,
        ),
      "OVER",
    ],
  ])("%s", async ([, happen, code]) => {
    const of = await writtenTo(office);
    const undoId = await change(office, office.ana, of, { status: "closed" });
    await happen(of);
    const before = await stateOf(office, of);
    expect(answer(await undo(office, office.ana, of, undoId))).toEqual(refusal(`ERR_UNDO_${code}`));
    expect(await stateOf(office, of)).toEqual(before);
  });

  test("its queue was deleted", async () => {
    const queueId = await office.side.given.queue({ company: office.company });
    const of = await writtenTo(office);
    await office.change(office.admin, of, { queueId, userId: office.ana.id });
    const undoId = await change(office, office.ana, of, { status: "closed" });
    expect((await office.app.as(office.admin).delete(`/queue/${queueId}`)).status).toBe(200);
    expect(answer(await undo(office, office.ana, of, undoId))).toEqual(refusal("ERR_UNDO_CHANGED"));
  });

  test("to another user, for another change, and in another company", async () => {
    const of = await writtenTo(office);
    const first = await change(office, office.ana, of, { status: "closed" });
    expect(answer(await undo(office, office.bia, of, first))).toEqual(refusal("ERR_UNDO_OVER"));
    expect(answer(await undo(office, office.admin, of, first))).toEqual(refusal("ERR_UNDO_OVER"));
    const foreign = await office.side.given.admin({ company: await office.side.given.company() });
    expect(answer(await undo(office, foreign, of, first))).toEqual(
      refusal("ERR_NO_TICKET_FOUND", 404),
    );
    await change(office, office.ana, of, { status: "open" });
    expect(answer(await undo(office, office.ana, of, first))).toEqual(refusal("ERR_UNDO_OVER"));
  });
});

test("rows that can no longer be undone are removed", async () => {
  const of = await writtenTo(office);
  await change(office, office.ana, of, { status: "closed" });
  const kept = () => office.run(sql`select 1 from ticket_undos where ticket_id = ${of.ticket.id}`);
  const sweep = () => office.side.database.db.acrossCompanies(sweepUndosAcrossCompanies);
  await sweep();
  expect(await kept()).toHaveLength(1);
  await office.run(sql`update ticket_undos set until = now() - interval '2 hours'`);
  await sweep();
  expect(await kept()).toHaveLength(0);
});

test("a reason is kept with the attendance, and asked for where the company wants one", async () => {
  const { app, admin, ana } = office;
  const of = await writtenTo(office);
  type Reason = { id: number; name: string };
  const { body: reason } = await app.as(admin).post<Reason>("/resolve-reasons", { name: "Dúvida" });
  const required = { value: "enabled" };
  expect((await app.as(admin).put("/settings/resolveReasonRequired", required)).status).toBe(200);
  const without = await office.change(ana, of, { status: "closed" });
  expect(answer(without)).toEqual(refusal("ERR_REASON_REQUIRED", 400));
  const unknown = await office.change(ana, of, { status: "closed", reasonId: reason.id + 1_000 });
  expect(answer(unknown)).toEqual(refusal("ERR_NO_REASON_FOUND", 404));
  const resolved = await office.change(ana, of, { status: "closed", reasonId: reason.id });
  expect(resolved.status).toBe(200);
  // Its name stays where it was given.
  await app.as(admin).delete(`/resolve-reasons/${reason.id}`);
  const page = await app
    .as(admin)
    .get<{ attendances: unknown[] }>(`/tickets/${of.ticket.id}/attendances`);
  expect(page.body.attendances).toMatchObject([{ reason: { id: reason.id, name: "Dúvida" } }]);
  // Without a list there is nothing to choose.
  const other = await writtenTo(office);
  expect((await office.change(ana, other, { status: "closed" })).status).toBe(200);
});
