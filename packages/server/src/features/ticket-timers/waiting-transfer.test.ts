import type { QueueId } from "@balcao/contract";
import { subMinutes } from "date-fns/subMinutes";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { rooms } from "../../platform/realtime/hub.ts";
import type { GivenTicket } from "../../testing/given.ts";
import type { ChannelSide } from "../messages/testing/channel-side.ts";
import { channelSide } from "../messages/testing/channel-side.ts";
import { ticketsTold } from "../messages/testing/conversations.ts";
import type { TimedOffice } from "./testing/timed-office.ts";
import { timedOffice } from "./testing/timed-office.ts";

const TRANSFER_MINUTES = 10;

let side: ChannelSide;
let office: TimedOffice;
let target: QueueId;
beforeAll(async () => {
  side = await channelSide({ settings: { sendMsgTransfTicket: "enabled" }, queues: 2 });
  office = await timedOffice(side);
  target = await side.given.queue({ company: side.company, name: "Geral" });
  await office.set(
    "connections",
    side.connectionId,
    sql`time_to_transfer_minutes = ${TRANSFER_MINUTES}, transfer_queue_id = ${target}`,
  );
});

/** A customer who has waited in no queue since so many minutes ago. */
const waiting = (minutesAgo: number): Promise<GivenTicket> =>
  office.ticket({ status: "pending", at: subMinutes(new Date(), minutesAgo) });

describe("a ticket that waits in no queue for the connection's time", () => {
  test("2.11: goes to the connection's queue, out of the chatbot, without an agent's act", async () => {
    const ticket = await waiting(TRANSFER_MINUTES + 1);
    await office.set("tickets", ticket.id, sql`chatbot = true, unread_messages = 3`);
    const [before] = await office.attendances(ticket);
    await office.timers.transferWaiting();
    expect(await office.state(ticket)).toMatchObject({
      ...{ status: "pending", userId: null, queueId: target, chatbot: false, queueOptionId: null },
      // The customer got no message, and the customer's message is unread.
      ...{ unread: 3, said: [], wire: [] },
    });
    const [attendance, ...more] = await office.attendances(ticket);
    expect(more).toEqual([]);
    expect(attendance).toMatchObject({
      ...{ queueId: target, finishedAt: null, startedAt: null, userId: null, attendedAt: null },
    });
    expect(attendance?.queuedAt.getTime()).toBeGreaterThan(before?.queuedAt.getTime() ?? Infinity);
  });

  test("2.11: is published to those who see it now, and leaves the others' lists", async () => {
    const ticket = await waiting(TRANSFER_MINUTES + 1);
    side.told.take();
    await office.timers.transferWaiting();
    const [lost, now] = side.told.take();
    expect(lost).toMatchObject({ payload: { action: "delete", ticketId: ticket.id } });
    expect(lost?.to).toContain(rooms.queuePending(side.companyId, null));
    expect(now).toMatchObject({ payload: { action: "update", ticket: { queueId: target } } });
    expect(now?.to).toContain(rooms.queuePending(side.companyId, target));
  });

  test("2.11: counts from when it began to wait, whatever has changed since", async () => {
    const [old, young] = [await waiting(TRANSFER_MINUTES + 1), await waiting(TRANSFER_MINUTES - 1)];
    await office.set("tickets", old.id, sql`updated_at = now()`);
    await office.set("tickets", young.id, sql`updated_at = now() - interval '3 days'`);
    await office.timers.transferWaiting();
    expect(await office.state(old)).toMatchObject({ queueId: target });
    expect(await office.state(young)).toMatchObject({ queueId: null });
  });

  test("2.11: goes once, though two processes look at the same time", async () => {
    const ticket = await waiting(TRANSFER_MINUTES + 1);
    side.told.take();
    await Promise.all([office.timers.transferWaiting(), office.timers.transferWaiting()]);
    const lost = ticketsTold(side.told.take()).filter(({ payload }) => payload.action === "delete");
    expect(lost).toMatchObject([{ payload: { ticketId: ticket.id } }]);
  });
});

describe("stays where it is", () => {
  test("2.11: a ticket in a queue, an open one and a closed one", async () => {
    const at = subMinutes(new Date(), TRANSFER_MINUTES + 1);
    const queueId = await side.given.queue({ company: side.company });
    const tickets = [
      await office.ticket({ status: "pending", queueId, at }),
      await office.ticket({ status: "open", userId: office.ana.id, at }),
      await office.ticket({ status: "closed", at }),
    ];
    const before = await Promise.all(tickets.map(office.state));
    await office.timers.transferWaiting();
    expect(await Promise.all(tickets.map(office.state))).toEqual(before);
  });

  test.each<[string, ReturnType<typeof sql>]>([
    ["time", sql`time_to_transfer_minutes = 0`],
    ["time at all", sql`time_to_transfer_minutes = null`],
    ["queue", sql`transfer_queue_id = null`],
  ])("2.11: a ticket of a connection without a %s to transfer", async (_what, values) => {
    const connectionId = await side.given.connection({ company: side.company, linked: false });
    await office.set(
      "connections",
      connectionId,
      sql`time_to_transfer_minutes = 1, transfer_queue_id = ${target}`,
    );
    await office.set("connections", connectionId, values);
    const at = subMinutes(new Date(), 5_000);
    const ticket = await office.ticket({ status: "pending", connectionId, at });
    await office.timers.transferWaiting();
    expect(await office.state(ticket)).toMatchObject({ queueId: null });
  });
});
