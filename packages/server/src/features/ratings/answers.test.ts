import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { rooms } from "../../platform/realtime/hub.ts";
import { contentEvent } from "../messages/testing/channel-side.ts";
import { appMessages, conversationsOf, ticketsTold } from "../messages/testing/conversations.ts";
import type { RatedOffice, Served } from "./testing/rated-office.ts";
import { ratedOffice } from "./testing/rated-office.ts";

let office: RatedOffice;
beforeAll(async () => {
  office = await ratedOffice();
});

const time = expect.any(Date);
const completion = "Até logo, Carla!";

const ticketOf = async (of: Served) => (await conversationsOf(of.phone, office.side))[0];

describe("an answer to the rating request", () => {
  test("2.8: is stored as the agent's rating; nothing is unread, the ticket stays closed, the completion message is sent", async () => {
    const of = await office.awaiting();
    await office.write(of, " 3\n");
    expect(await ticketOf(of)).toMatchObject({
      ...{ status: "closed", unread: 0, open: 0, attendances: 1, last: completion },
      messages: [expect.stringContaining("qualificar"), " 3\n", completion],
    });
    const [attendance] = await office.attendances(of);
    expect(attendance).toMatchObject({ finishedAt: time, ratingAt: time, rated: true });
    expect(await office.ratings(of)).toEqual([
      { rate: 3, userId: office.ana.id, attendanceId: attendance?.id },
    ]);
    expect((await office.sent(of)).onWire.at(-1)).toBe(`\u200e${completion}`);
    const read = await office.side.rows(
      sql`select read from messages where ticket_id = ${of.ticket.id} and not from_me`,
    );
    expect(read).toEqual([{ read: true }]);
  });

  test("2.8: is seen by those who served the customer, in a ticket that stays where it is", async () => {
    const of = await office.awaiting();
    await office.write(of, "2");
    const told = office.side.told.take();
    expect(appMessages(told)).toMatchObject([
      {
        message: { body: "2", fromMe: false, read: true },
        ticket: { status: "closed", unreadMessages: 0 },
      },
      { message: { body: completion, fromMe: true }, ticket: { status: "closed" } },
    ]);
    for (const { to } of told) expect(to).toContain(rooms.user(office.company.id, office.ana.id));
    expect(ticketsTold(told)).toEqual([]);
  });

  test("2.8: counts also after time offline, and without a completion message", async () => {
    await office.run(
      sql`update connections set complation_message = '' where id = ${office.connectionId}`,
    );
    const of = await office.awaiting();
    await office.write(of, "1", { origin: "offline" });
    await office.run(
      sql`update connections set complation_message = 'Até logo, {{firstName}}!' where id = ${office.connectionId}`,
    );
    expect(await office.ratings(of)).toMatchObject([{ rate: 1 }]);
    expect((await office.sent(of)).stored).toHaveLength(1);
  });

  test("2.8: counts also when the completion message cannot be sent", async () => {
    const of = await office.awaiting();
    await office.run(sql`update contacts set disable_bot = true where id = ${of.ticket.contactId}`);
    await office.write(of, "2");
    expect(await office.ratings(of)).toMatchObject([{ rate: 2 }]);
    expect(await ticketOf(of)).toMatchObject({ status: "closed", last: "2" });
  });

  test("2.8: delivered twice is one rating", async () => {
    const of = await office.awaiting();
    const answer = { id: `R${of.ticket.id}` };
    await Promise.all([office.write(of, "3", answer), office.write(of, "3", answer)]);
    expect(await office.ratings(of)).toMatchObject([{ rate: 3 }]);
    expect(await ticketOf(of)).toMatchObject({ status: "closed", attendances: 1 });
  });

  test("2.8: one of two at once is the rating; the other begins a new attendance", async () => {
    const of = await office.awaiting();
    await Promise.all([office.write(of, "1"), office.write(of, "3")]);
    expect(await office.ratings(of)).toHaveLength(1);
    expect(await ticketOf(of)).toMatchObject({
      ...{ status: "pending", unread: 1, attendances: 2, open: 1 },
    });
  });

  test("2.8: gives the automatic attendant no turn", async () => {
    const of = await office.awaiting();
    await office.write(of, "3");
    const turns = await office.side.rows(
      sql`select 1 from attendant_turns where ticket_id = ${of.ticket.id} and due_at is not null`,
    );
    expect(turns).toEqual([]);
  });

  test("1.7, 2.9: the completion message once more from the company's phone is our own", async () => {
    const of = await office.awaiting();
    await office.write(of, "3");
    await office.write(of, completion, { fromMe: true });
    expect((await ticketOf(of))?.messages).toHaveLength(3);
  });
});

describe("another message while a rating is awaited", () => {
  async function beginsAnew(of: Served): Promise<void> {
    expect(await office.ratings(of)).toEqual([]);
    expect(await ticketOf(of)).toMatchObject({
      status: "pending",
      unread: 1,
      userId: null,
      open: 1,
    });
    expect(await office.attendances(of)).toMatchObject([
      { finishedAt: time, ratingAt: time, rated: false, userId: office.ana.id },
      {
        finishedAt: null,
        ratingAt: null,
        rated: false,
        userId: null,
        queuedAt: time,
        startedAt: null,
      },
    ]);
    expect((await office.sent(of)).stored).toHaveLength(1);
  }

  test.each(["4", "0", "1!", "3 obrigada", "Olá", "um"])(
    "2.8: %j is no rating: the wait ends and a new attendance begins",
    async (text) => {
      const of = await office.awaiting();
      await office.write(of, text);
      await beginsAnew(of);
    },
  );

  test("2.8: a voice note is no rating, nor is a caption", async () => {
    for (const caption of [undefined, "3"]) {
      const of = await office.awaiting();
      const media = caption === undefined ? "voice" : "image";
      const mime = caption === undefined ? "audio/ogg" : "image/jpeg";
      const content = {
        kind: "media",
        file: { media, mime, locator: "{}" },
        ...(caption === undefined ? {} : { caption }),
      } as const;
      await office.side.receive(contentEvent(content, { chat: of.phone }));
      await beginsAnew(of);
    }
  });

  test("2.8: a rating that comes after 24 hours is none, whether or not the wait was ended", async () => {
    for (const isSwept of [false, true]) {
      const of = await office.awaiting();
      await office.run(
        sql`update attendances set rating_at = now() - interval '24 hours 1 second' where ticket_id = ${of.ticket.id}`,
      );
      if (isSwept) await office.side.ratings.endOverdue();
      await office.write(of, "3");
      await beginsAnew(of);
    }
  });

  test("2.8: a message written before the request is no rating, though it arrives later", async () => {
    const of = await office.awaiting();
    await office.write(of, "2", { origin: "offline", at: new Date(Date.now() - 300_000) });
    await beginsAnew(of);
  });

  test("2.8, 2.12: a refused call is no rating; it begins a new attendance", async () => {
    const of = await office.awaiting();
    const call = { type: "call", id: `C${of.ticket.id}`, chat: of.phone, isVideo: false } as const;
    await office.side.receive({ ...call, from: { addresses: [of.phone] }, at: new Date() });
    expect(await ticketOf(of)).toMatchObject({
      status: "pending",
      unread: 0,
      attendances: 2,
      open: 1,
    });
    expect(await office.ratings(of)).toEqual([]);
  });

  test("2.8: leaves the agent's list of closed tickets and waits for the next agent", async () => {
    const of = await office.awaiting();
    await office.write(of, "voltei");
    const [lost, now] = office.side.told.take();
    expect(lost).toMatchObject({ payload: { action: "delete", ticketId: of.ticket.id } });
    expect(lost?.to).toContain(rooms.user(office.company.id, office.ana.id));
    expect(now).toMatchObject({ payload: { action: "update", ticket: { status: "pending" } } });
  });
});

describe("a message that is no answer", () => {
  test.each([
    ["history", { origin: "history" } as const],
    ["what the company writes on its phone", { fromMe: true }],
  ])("2.8: %s leaves the wait as it is", async (_what, wish) => {
    const of = await office.awaiting();
    await office.write(of, "3", wish);
    expect(await office.ratings(of)).toEqual([]);
    expect(await office.attendances(of)).toMatchObject([{ finishedAt: null, rated: false }]);
    await office.write(of, "3");
    expect(await office.ratings(of)).toMatchObject([{ rate: 3 }]);
  });

  test("2.8: a digit without a request is a message like any other", async () => {
    const of = await office.served();
    await office.write(of, "3");
    expect(await ticketOf(of)).toMatchObject({ status: "open", unread: 1 });
    await office.run(sql`update contacts set disable_bot = true where id = ${of.ticket.contactId}`);
    await office.resolve(of);
    await office.write(of, "3");
    expect(await ticketOf(of)).toMatchObject({ status: "pending", unread: 1, attendances: 2 });
    expect(await office.ratings(of)).toEqual([]);
  });
});

test("the company's own request and thanks are sent; its completion message where the connection has none", async () => {
  const own = await ratedOffice();
  const write = async (key: string, text: string) =>
    expect((await own.app.as(own.admin).put(`/automatic-texts/${key}`, { text })).status).toBe(200);
  await write("ratingRequest", "Dê uma nota de 1 a 3");
  await write("ratingThanks", "Obrigado, {{firstName}}!");
  await write("completion", "Volte sempre");
  const of = await own.awaiting();
  await own.write(of, "3");
  const request = "Carla, como foi?\n\nDê uma nota de 1 a 3";
  expect((await own.sent(of)).stored).toEqual([request, "Obrigado, Carla!", completion]);
  await own.run(sql`update connections set complation_message = '' where id = ${own.connectionId}`);
  const next = await own.awaiting();
  await own.write(next, "3");
  expect((await own.sent(next)).stored).toEqual([request, "Obrigado, Carla!", "Volte sempre"]);
});
