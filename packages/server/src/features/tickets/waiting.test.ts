import type { ReplyOf, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { systemCtx } from "../../platform/context.ts";
import type { TextWish } from "../messages/testing/channel-side.ts";
import type { RatedOffice, Served } from "../ratings/testing/rated-office.ts";
import { ratedOffice } from "../ratings/testing/rated-office.ts";
import { lockTicket } from "./index.ts";

// Since when a customer waits: the first message that no person of the company has answered.

let office: RatedOffice;
beforeAll(async () => {
  office = await ratedOffice({ settings: { userRating: "disabled" } });
});

const show = async ({ ticket }: Served): Promise<Ticket> =>
  (await office.app.as(office.admin).get<Ticket>(`/tickets/${ticket.id}`)).body;

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

const write = (of: Served, text: string, minutes: number, wish: TextWish = {}): Promise<void> =>
  office.write(of, text, { at: minutesAgo(minutes), ...wish });

/** What the attendant, the timers and closings do. */
async function replyAutomatically({ ticket }: Served, text: string): Promise<void> {
  const { side } = office;
  const ctx = systemCtx(side.companyId, "test", "waiting");
  await side.database.db.transaction(ctx, async (tx) => {
    const row = await lockTicket(ctx, tx, ticket.id);
    if (row) await side.sendAutomatically(ctx, tx, row, text);
  });
}

async function answer(of: Served, text: string): Promise<string> {
  const reply = await office.app
    .as(office.ana)
    .post<{ id: string }>(`/messages/${of.ticket.id}`, { body: text });
  expect(reply.status).toBe(200);
  return reply.body.id;
}

/** A waiting ticket with two messages of its customer, 20 and 10 minutes old. */
async function waiting(as: Parameters<RatedOffice["served"]>[0] = {}) {
  const of = await office.served(as);
  await write(of, "Oi", 20);
  await write(of, "Alguém?", 10);
  const { waitingSince } = await show(of);
  return { of, waitingSince };
}

describe("a wait", () => {
  test("begins with the first message; more messages and automatic replies change neither it nor the card's words", async () => {
    const { of, waitingSince } = await waiting({ status: "pending" });
    expect(Date.parse(waitingSince ?? "")).toBeCloseTo(minutesAgo(20).getTime(), -4);
    office.side.told.take();
    await replyAutomatically(of, "Escolha uma fila");
    const after = await show(of);
    expect(after).toMatchObject({
      ...{ waitingSince, isAnswered: false, lastMessage: "Alguém?", lastMessageFromMe: false },
      unreadMessages: 2,
    });
    expect(Date.parse(after.lastMessageAt ?? "")).toBeGreaterThan(minutesAgo(1).getTime());
    const told = office.side.told
      .take()
      .flatMap((event) => (event.subject === "appMessage" ? [event.payload] : []));
    expect(told).toMatchObject([
      {
        message: { body: "Escolha uma fila", isAutomatic: true, user: null },
        ticket: { waitingSince, lastMessage: "Alguém?", lastMessageAt: after.lastMessageAt },
      },
    ]);
    await write(of, "2", 0);
    expect(await show(of)).toMatchObject({ waitingSince, lastMessage: "2" });
  });

  test.each<[string, (of: Served) => Promise<unknown>]>([
    ["an agent's answer", (of) => answer(of, "Bom dia!")],
    ["an answer on the phone", (of) => office.write(of, "Já vejo", { fromMe: true })],
  ])("ends with %s, and begins again with the next message", async (_who, act) => {
    const { of } = await waiting();
    await act(of);
    expect(await show(of)).toMatchObject({ waitingSince: null, isAnswered: true });
    await replyAutomatically(of, "Estamos fechados");
    expect(await show(of)).toMatchObject({ lastMessage: "Estamos fechados" });
    await office.write(of, "Obrigada");
    const again = await show(of);
    expect(Date.parse(again.waitingSince ?? "")).toBeGreaterThan(minutesAgo(1).getTime());
    expect(again).toMatchObject({ lastMessage: "Obrigada", isAnswered: true });
  });

  test("goes on while the ticket is accepted, returned and transferred; another queue has it since then", async () => {
    const { of, waitingSince } = await waiting({ status: "pending" });
    const { ana, change, side, company } = office;
    await change(ana, of, { status: "open", userId: ana.id });
    const accepted = await show(of);
    expect(accepted).toMatchObject({ status: "open", waitingSince, isAnswered: false });
    await change(ana, of, { status: "pending", userId: null });
    expect(await show(of)).toMatchObject({ waitingSince, queuedAt: accepted.queuedAt });
    const queueId = await side.given.queue({ company });
    await change(ana, of, { queueId, userId: null });
    const moved = await show(of);
    expect(moved).toMatchObject({ queueId, waitingSince });
    expect(moved.queuedAt).not.toBe(accepted.queuedAt);
  });

  test("is over when the ticket is resolved, returns with its undo, and begins anew with the next message", async () => {
    const { of, waitingSince } = await waiting();
    const path = `/tickets/${of.ticket.id}`;
    const { app, ana } = office;
    const body = { status: "closed", undoSeconds: 6 };
    const { undo } = (await app.as(ana).put<ReplyOf<"PUT /tickets/:ticketId">>(path, body)).body;
    expect(await show(of)).toMatchObject({ status: "closed", waitingSince: null });
    await app.as(ana).post(`${path}/undo`, { undoId: undo?.id });
    expect(await show(of)).toMatchObject({ status: "open", waitingSince, lastMessage: "Alguém?" });

    await answer(of, "Pronto");
    await office.resolve(of);
    await office.write(of, "Voltei");
    expect(await show(of)).toMatchObject({
      ...{ status: "pending", isAnswered: false, lastMessage: "Voltei" },
      waitingSince: expect.any(String),
    });
  });

  test("returns when the only answer was not sent and is discarded", async () => {
    const { of, waitingSince } = await waiting();
    const id = await answer(of, "Não foi");
    await office.run(sql`update outbound set state = 'failed' where message_id = ${id}`);
    await office.run(
      sql`update messages set failed_code = 'ERR_SENDING_WAPP_MSG' where id = ${id}`,
    );
    await office.app.as(office.ana).delete(`/messages/failed/${id}`);
    expect(await show(of)).toMatchObject({ waitingSince, lastMessage: "Alguém?" });
  });

  test("does not begin with history", async () => {
    const of = await office.served();
    await write(of, "Em março", 90_000, { origin: "history" });
    expect(await show(of)).toMatchObject({ waitingSince: null });
  });
});

describe("the order by wait", () => {
  type List = ReplyOf<"GET /tickets">;
  const list = async (query: string): Promise<List> =>
    (await place.app.as(place.admin).get<List>(`/tickets?showAll=true&${query}`)).body;
  const idsOf = ({ tickets }: List): number[] => tickets.map(({ id }) => id);
  let place: RatedOffice;
  beforeAll(async () => {
    place = await ratedOffice();
  });

  test("has the longest wait first, then newest activity, over the borders of pages", async () => {
    const made: number[] = [];
    for (let n = 0; n < 45; n += 1) {
      made.push((await place.served({ status: "pending" })).ticket.id);
    }
    // The newest tickets wait longest; the first five do not wait.
    await place.run(sql`
      update tickets set waiting_since = case when id >= ${made[5]} then
          timestamptz '2026-11-20 10:00Z' - make_interval(mins => id - ${made[0]}) end,
        updated_at = timestamptz '2026-11-20 12:00Z' + make_interval(mins => id - ${made[0]})
      where id = any(${sql.param(made)}::int[])`);
    const expected = [...made.slice(5).toReversed(), ...made.slice(0, 5).toReversed()];
    const pages = [
      await list("status=pending&order=wait&pageNumber=1"),
      await list("status=pending&order=wait&pageNumber=2"),
    ];
    expect(pages.flatMap(idsOf)).toEqual(expected);
    expect(pages.map(({ count, hasMore }) => [count, hasMore])).toEqual([
      [45, true],
      [45, false],
    ]);
    expect(idsOf(await list("status=pending"))).toEqual(made.toReversed().slice(0, 40));
    // Lists of other tickets keep their order.
    expect(idsOf(await list("order=wait"))).toEqual(idsOf(await list("")));
  });

  test("another word is refused", async () => {
    const reply = await place.app.as(place.admin).get("/tickets?order=longest");
    expect(reply.status).toBe(400);
  });
});
