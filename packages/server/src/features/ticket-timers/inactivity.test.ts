import { sql } from "drizzle-orm";
import { subMinutes } from "date-fns/subMinutes";
import { beforeAll, describe, expect, test } from "vitest";
import { rooms } from "../../platform/realtime/hub.ts";
import type { GivenTicket } from "../../testing/given.ts";
import type { ChannelSide } from "../messages/testing/channel-side.ts";
import { channelSide } from "../messages/testing/channel-side.ts";
import { appMessages, ticketsTold } from "../messages/testing/conversations.ts";
import type { TimedOffice } from "./testing/timed-office.ts";
import { timedOffice } from "./testing/timed-office.ts";

const EXPIRES_MINUTES = 30;
const goodbye = "Carla, encerramos por falta de resposta.";

let side: ChannelSide;
let office: TimedOffice;
beforeAll(async () => {
  side = await channelSide({ settings: { userRating: "enabled" } });
  office = await timedOffice(side);
  await office.set(
    "connections",
    side.connectionId,
    sql`expires_ticket_minutes = ${EXPIRES_MINUTES}, complation_message = 'Até logo',
      expires_inactive_message = '{{firstName}}, encerramos por falta de resposta.'`,
  );
});

/** Ana serves the ticket and has written last, so many minutes ago. */
async function answered(minutesAgo: number): Promise<GivenTicket> {
  const ticket = await office.ticket({ status: "open", userId: office.ana.id });
  const at = subMinutes(new Date(), minutesAgo);
  await side.given.message(ticket, { body: "Pode me dizer?", fromMe: true, at });
  return ticket;
}

test("a connection without a text has the company's sent", async () => {
  const other = await channelSide({ database: side.database });
  await other.rows(sql`
    insert into settings (company_id, key, value)
    values (${other.companyId}, 'text.inactive', 'Até mais, {{firstName}}')`);
  const theirs = await timedOffice(other);
  await theirs.set("connections", other.connectionId, sql`expires_ticket_minutes = 30`);
  const ticket = await theirs.ticket({ status: "open", userId: theirs.ana.id });
  await other.given.message(ticket, { fromMe: true, at: subMinutes(new Date(), 31) });
  await theirs.timers.closeInactive();
  expect(await theirs.state(ticket)).toMatchObject({ last: "Até mais, Carla" });
});

describe("an open ticket whose customer has not answered for the connection's time", () => {
  test("2.10: closes by itself, with a text, without a rating request and without a completion message", async () => {
    const ticket = await answered(EXPIRES_MINUTES + 1);
    await office.set("tickets", ticket.id, sql`unread_messages = 2`);
    side.told.take();
    await office.timers.closeInactive();
    expect(await office.state(ticket)).toMatchObject({
      ...{ status: "closed", userId: null, unread: 0, last: goodbye },
      said: ["Pode me dizer?", goodbye],
      wire: [`\u200e${goodbye}`],
    });
    expect(await office.attendances(ticket)).toMatchObject([
      {
        ...{ finishedAt: expect.any(Date), userId: office.ana.id, connectionId: side.connectionId },
        ...{ ratingAt: null, rated: false, closedBy: null },
      },
    ]);
  });

  test("2.10: leaves the lists of open tickets, where people see it", async () => {
    const ticket = await answered(EXPIRES_MINUTES + 1);
    side.told.take();
    await office.timers.closeInactive();
    const told = side.told.take();
    expect(appMessages(told)).toMatchObject([
      { message: { body: goodbye, fromMe: true, user: null } },
    ]);
    const [lost, closed] = ticketsTold(told);
    expect(lost).toMatchObject({ payload: { action: "delete", ticketId: ticket.id } });
    expect(lost?.to).toContain(rooms.status(side.companyId, "open"));
    expect(closed).toMatchObject({ payload: { action: "update", ticket: { status: "closed" } } });
    expect(closed?.to).toContain(rooms.status(side.companyId, "closed"));
  });

  test("2.10: counts from the last message, not from other changes", async () => {
    const [old, young] = [await answered(EXPIRES_MINUTES + 1), await answered(EXPIRES_MINUTES - 1)];
    await office.set("tickets", old.id, sql`updated_at = now()`);
    await office.set("tickets", young.id, sql`updated_at = now() - interval '3 days'`);
    await office.timers.closeInactive();
    expect(await office.state(old)).toMatchObject({ status: "closed" });
    expect(await office.state(young)).toMatchObject({ status: "open" });
  });

  test("2.10: closes once, though two processes look at the same time", async () => {
    const tickets = [await answered(40), await answered(50), await answered(60)];
    await Promise.all([office.timers.closeInactive(), office.timers.closeInactive()]);
    for (const ticket of tickets) {
      expect(await office.state(ticket)).toMatchObject({ wire: [`\u200e${goodbye}`] });
    }
  });

  test("2.10: closes without a text where there is none, or nothing to send it by", async () => {
    const [silent, lost] = [await answered(40), await answered(40)];
    const contact = lost.contactId;
    await side.rows(sql`delete from contact_addresses where contact_id = ${contact}`);
    await office.set("contacts", contact, sql`number = null`);
    const connectionId = await side.given.connection({ company: side.company, linked: false });
    await office.set("connections", connectionId, sql`expires_ticket_minutes = 1`);
    await office.set("tickets", silent.id, sql`connection_id = ${connectionId}`);
    await office.timers.closeInactive();
    for (const ticket of [silent, lost]) {
      expect(await office.state(ticket)).toMatchObject({ status: "closed", wire: [] });
    }
  });
});

describe("by itself stays open", () => {
  test.each<[string, ReturnType<typeof sql>]>([
    ["a ticket whose customer wrote last", sql`last_message_from_me = false`],
    ["a group", sql`is_group = true`],
    ["a ticket that waits", sql`status = 'pending', user_id = null`],
    ["a ticket without a connection", sql`connection_id = null`],
  ])("2.10: %s", async (_what, values) => {
    const ticket = await answered(EXPIRES_MINUTES + 1);
    await office.set("tickets", ticket.id, values);
    const before = await office.state(ticket);
    await office.timers.closeInactive();
    expect(await office.state(ticket)).toEqual(before);
  });

  test("2.10: every ticket of a connection without such a time, and of another company", async () => {
    const other = await channelSide({ database: side.database });
    const theirs = await timedOffice(other);
    const ticket = await theirs.ticket({ status: "open", userId: theirs.ana.id });
    await other.given.message(ticket, { fromMe: true, at: subMinutes(new Date(), 5_000) });
    await office.timers.closeInactive();
    expect(await theirs.state(ticket)).toMatchObject({ status: "open" });
  });

  test("2.10: a ticket whose customer writes while it is about to close", async () => {
    const ticket = await answered(EXPIRES_MINUTES + 1);
    const { db } = side.database;
    let look: Promise<void> | undefined;
    await db.transaction(side, async (tx) => {
      await tx.query(sql`update tickets set last_message_from_me = false where id = ${ticket.id}`);
      look = office.timers.closeInactive();
      await expect
        .poll(() =>
          db.acrossCompanies((other) =>
            other.query(sql`
              select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update%'`),
          ),
        )
        .toHaveLength(1);
    });
    await look;
    expect(await office.state(ticket)).toMatchObject({ status: "open", wire: [] });
  });
});
