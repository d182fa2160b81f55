import type { Attendance, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { RatedOffice, Served } from "./testing/rated-office.ts";
import { COMPLETION, ratedOffice, SCALE } from "./testing/rated-office.ts";

let office: RatedOffice;
beforeAll(async () => {
  office = await ratedOffice();
});

const finished = expect.any(Date);
const completion = "Até logo, Carla!";

describe("resolving a served ticket", () => {
  test("2.8: sends the request and closes the ticket at once; its attendance awaits the answer", async () => {
    const of = await office.served();
    const ticket = await office.resolve(of);
    expect(ticket).toMatchObject({ status: "closed", userId: null, queueId: null });
    const request = `Carla, como foi?\n\n${SCALE}`;
    expect(ticket).toMatchObject({ unreadMessages: 0, lastMessageFromMe: true });
    expect(await office.attendances(of)).toMatchObject([
      {
        ...{ ratingAt: finished, finishedAt: null, rated: false },
        ...{ userId: office.ana.id, queueId: office.queueId, closedBy: office.ana.id },
      },
    ]);
    // Marked for other installations on the number, and only there.
    expect(await office.sent(of)).toEqual({ stored: [request], onWire: [`\u200e${request}`] });
  });

  test("2.8: sends no completion message before the answer", async () => {
    const of = await office.awaiting();
    expect((await office.sent(of)).stored).not.toContain(completion);
  });

  test("2.8: shows as finished in the history, whenever the answer comes", async () => {
    const of = await office.awaiting();
    const read = async (): Promise<Attendance[]> =>
      (
        await office.app
          .as(office.admin)
          .get<{ attendances: Attendance[] }>(`/tickets/${of.ticket.id}/attendances`)
      ).body.attendances;
    const [asked] = await read();
    expect(asked).toMatchObject({ finishedAt: expect.any(String), rated: false });
    expect(asked?.closedBy).toMatchObject({ id: office.ana.id });
    await office.write(of, "3");
    expect(await read()).toMatchObject([{ finishedAt: asked?.finishedAt, rated: true }]);
  });

  test("2.8: sends the scale alone where the connection has no text", async () => {
    await office.run(
      sql`update connections set rating_message = '' where id = ${office.connectionId}`,
    );
    const of = await office.awaiting();
    await office.run(
      sql`update connections set rating_message = '{{firstName}}, como foi?' where id = ${office.connectionId}`,
    );
    expect((await office.sent(of)).stored).toEqual([SCALE]);
  });

  test("2.8: twice sends one request, and the closed ticket stays as it is", async () => {
    const of = await office.awaiting();
    const again = await office.change(office.ana, of, { status: "closed" });
    expect(again.status).toBe(200);
    expect((await office.sent(of)).stored).toHaveLength(1);
    expect(await office.attendances(of)).toMatchObject([{ finishedAt: null }]);
  });

  test("2.8: concurrently by two agents sends one request", async () => {
    const of = await office.served();
    const replies = await Promise.all([
      office.change(office.ana, of, { status: "closed" }),
      office.change(office.admin, of, { status: "closed" }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect((await office.sent(of)).stored).toHaveLength(1);
    expect(await office.attendances(of)).toMatchObject([{ ratingAt: finished, finishedAt: null }]);
  });

  test("2.8: is refused to an agent who may not see the ticket, and sends no request", async () => {
    const of = await office.served();
    const stranger = await office.side.given.agent({ company: office.company, name: "Zé" });
    const foreign = await office.side.given.admin({ company: await office.side.given.company() });
    expect((await office.change(stranger, of, { status: "closed" })).status).toBe(403);
    expect((await office.change(foreign, of, { status: "closed" })).status).toBe(404);
    expect(await office.sent(of)).toEqual({ stored: [], onWire: [] });
  });
});

describe("no request is sent", () => {
  async function closedWithoutRequest(of: Served, who = office.ana): Promise<Ticket> {
    const ticket = await office.resolve(of, who);
    expect(ticket.status).toBe("closed");
    const { stored } = await office.sent(of);
    expect(stored.filter((text) => text.includes("qualificar"))).toEqual([]);
    expect(await office.attendances(of)).toMatchObject([
      { ratingAt: null, finishedAt: finished, rated: false, closedBy: who.id },
    ]);
    return ticket;
  }

  test("2.8, 2.9: for a ticket without attendance by an agent; the customer gets the completion message", async () => {
    const of = await office.served({ status: "pending" });
    await closedWithoutRequest(of);
    expect(await office.sent(of)).toEqual({
      stored: [completion],
      onWire: [`\u200e${completion}`],
    });
  });

  test("2.8: for an open ticket that has no agent", async () => {
    const of = await office.served();
    await office.run(sql`update tickets set user_id = null where id = ${of.ticket.id}`);
    await office.run(sql`update attendances set user_id = null where ticket_id = ${of.ticket.id}`);
    await closedWithoutRequest(of, office.admin);
  });

  test("2.8, 2.9: for a group, which gets no text", async () => {
    const of = await office.served();
    await office.run(sql`update tickets set is_group = true where id = ${of.ticket.id}`);
    await closedWithoutRequest(of);
    expect((await office.sent(of)).stored).toEqual([]);
  });

  test("2.8, 2.9: for a contact with automatic texts off, who gets no text", async () => {
    const of = await office.served();
    await office.run(sql`update contacts set disable_bot = true where id = ${of.ticket.contactId}`);
    await closedWithoutRequest(of);
    expect((await office.sent(of)).stored).toEqual([]);
  });

  test.each([
    ["without a connection", "connection"],
    ["without an address", "address"],
  ])("2.8, 2.9: %s; the ticket is closed all the same", async (_why, missing) => {
    const of = await office.served();
    const { id, contactId } = of.ticket;
    if (missing === "connection") {
      await office.run(sql`update tickets set connection_id = null where id = ${id}`);
    } else {
      await office.run(sql`delete from contact_addresses where contact_id = ${contactId}`);
      await office.run(sql`update contacts set number = null where id = ${contactId}`);
    }
    await closedWithoutRequest(of);
    expect((await office.sent(of)).stored).toEqual([]);
  });

  test("2.8, 2.9: outside of the hours in which the channel takes free texts", async () => {
    const of = await office.served();
    await office.run(
      sql`update connections set channel = 'cloud-api' where id = ${office.connectionId}`,
    );
    await office.run(
      sql`update tickets set last_customer_message_at = now() - interval '2 days' where id = ${of.ticket.id}`,
    );
    await closedWithoutRequest(of);
    await office.run(
      sql`update connections set channel = 'simulator' where id = ${office.connectionId}`,
    );
    expect((await office.sent(of)).stored).toEqual([]);
  });
});

describe("in a company without ratings", () => {
  let plain: RatedOffice;
  beforeAll(async () => {
    plain = await ratedOffice({ settings: { userRating: "disabled" } });
  });

  test("2.9: resolving sends the completion message, rendered and marked, and finishes the attendance", async () => {
    const of = await plain.served();
    const ticket = await plain.resolve(of);
    expect(ticket).toMatchObject({ status: "closed", lastMessage: completion, unreadMessages: 0 });
    expect(await plain.sent(of)).toEqual({ stored: [completion], onWire: [`\u200e${completion}`] });
    expect(await plain.attendances(of)).toMatchObject([
      { ratingAt: null, finishedAt: finished, userId: plain.ana.id, closedBy: plain.ana.id },
    ]);
  });

  test("2.9: resolving sends nothing where the connection has no such message", async () => {
    await plain.run(
      sql`update connections set complation_message = ' ' where id = ${plain.connectionId}`,
    );
    const of = await plain.served();
    await plain.resolve(of);
    await plain.run(
      sql`update connections set complation_message = ${COMPLETION} where id = ${plain.connectionId}`,
    );
    expect(await plain.sent(of)).toEqual({ stored: [], onWire: [] });
  });

  test("1.7, 2.9: the same text from the company's own phone counts as ours, and is not stored again", async () => {
    const of = await plain.served();
    await plain.resolve(of);
    await plain.write(of, " até logo, CARLA! ", { fromMe: true });
    const bodies = await plain.side.rows(
      sql`select body from messages where ticket_id = ${of.ticket.id}`,
    );
    expect(bodies).toEqual([{ body: completion }]);
  });
});
