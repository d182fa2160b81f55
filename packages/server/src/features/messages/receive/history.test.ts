import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { rooms } from "../../../platform/realtime/hub.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { conversationsOf, setTicket } from "../testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 1 });
});

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

describe("history", () => {
  test("with an unknown person is a closed ticket without attendance, with the person's own name", async () => {
    const chat = newPhone();
    const origin = "history";
    await side.receive(textEvent({ chat, origin, text: "Bom dia", name: "Ana", at: daysAgo(9) }));
    await side.receive(
      textEvent({ chat, origin, text: "Pois não?", fromMe: true, at: daysAgo(8) }),
    );
    expect(await conversationsOf(chat, side)).toMatchObject([
      {
        ...{ status: "closed", unread: 0, attendances: 0, contact: "Ana" },
        ...{ messages: ["Bom dia", "Pois não?"], last: "Pois não?", queueId: null },
      },
    ]);
    const read = await side.rows<{ read: boolean }>(sql`
      select m.read from messages m join contact_addresses a on a.contact_id = m.contact_id
      where a.value = ${chat.value}`);
    expect(read).toEqual([{ read: true }]);
    await side.receive(textEvent({ chat, text: "Voltei" }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "pending", unread: 1, open: 1, messages: ["Bom dia", "Pois não?", "Voltei"] },
    ]);
  });

  test.each(["open", "pending", "closed"])(
    "leaves a ticket that is %s as it is, and notifies nobody",
    async (status) => {
      const chat = newPhone();
      await side.receive(textEvent({ chat, text: "agora" }));
      const [before] = await conversationsOf(chat, side);
      if (!before) throw new Error("no ticket");
      await setTicket(side, before.id, sql`status = ${status}`);
      side.told.take();
      await side.receive(textEvent({ chat, origin: "history", text: "antes", at: daysAgo(3) }));
      expect(await conversationsOf(chat, side)).toMatchObject([
        { status, unread: 1, last: "agora", messages: ["antes", "agora"], attendances: 1 },
      ]);
      const told = side.told.take();
      // An event of a closed ticket goes out twice: with its last message to those who may read that, without it to the others.
      expect(told).toHaveLength(status === "closed" ? 2 : 1);
      for (const { subject, to } of told) {
        expect([subject, to]).toEqual(["appMessage", [rooms.ticket(side.companyId, before.id)]]);
      }
    },
  );
});

describe("messages from the time without a link", () => {
  test("count, reopen and are published like new messages, once for each id", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "oi" }));
    const [ticket] = await conversationsOf(chat, side);
    if (!ticket) throw new Error("no ticket");
    await setTicket(side, ticket.id, sql`status = 'closed', unread_messages = 0`);
    side.told.take();
    const event = textEvent({ chat, origin: "offline", text: "alguém?", at: daysAgo(1) });
    for (let n = 0; n < 3; n += 1) await side.receive(event);
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "pending", unread: 1, messages: ["oi", "alguém?"], last: "alguém?" },
    ]);
    const told = side.told.take().filter(({ subject }) => subject === "appMessage");
    expect(told).toHaveLength(1);
    expect(told[0]?.to).toContain(rooms.notification(side.companyId));
  });

  test("from the company count as read, and open a ticket where there is none", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, fromMe: true, text: "olá", at: daysAgo(1) }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "open", userId: null, unread: 0 },
    ]);
  });
});
