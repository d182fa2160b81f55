import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../../channels/port.ts";
import type { TicketWish } from "../../../testing/given.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { ackEvent, channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { countRows } from "../testing/conversations.ts";

let side: ChannelSide;
let groups: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
  groups = await channelSide({
    database: side.database,
    queues: 1,
    settings: { CheckMsgIsGroup: "disabled" },
  });
});

/** What the company would say and sign for by itself. */
const leaving = (of: ChannelSide) =>
  of.rows(sql`
    select 'message' as kind from outbound where company_id = ${of.companyId}
    union all select 'receipt' from read_receipts where company_id = ${of.companyId}`);

const wishes: [string, TicketWish][] = [
  ["waits", { status: "pending" }],
  ["an agent serves", { status: "open" }],
  ["is closed", { status: "closed" }],
];

describe("the product says nothing by itself", () => {
  test("to who writes for the first time", async () => {
    await side.receive(textEvent({ text: "1" }));
    expect(await leaving(side)).toEqual([]);
  });

  test.each(wishes)("in a ticket that %s", async (_state, wish) => {
    const { id: agentId } = await side.given.agent({ company: side.company });
    const { company, connectionId } = side;
    const userId = wish.status === "open" ? agentId : null;
    const { phone } = await side.given.ticket({ company, connectionId, ...wish, userId });
    const chat: Address = { kind: "pn", value: phone };
    for (const text of ["Oi", "1", "#"]) await side.receive(textEvent({ chat, text }));
    expect(await leaving(side)).toEqual([]);
  });

  test("to a group", async () => {
    const chat: Address = { kind: "group", value: "5511-1800" };
    await groups.receive(textEvent({ chat, from: { addresses: [newPhone()] } }));
    expect(await countRows("messages", groups)).toBe(1);
    expect(await leaving(groups)).toEqual([]);
  });

  test("an acknowledgement does not mark the customer's messages as read on his phone", async () => {
    const chat = newPhone();
    const answer = textEvent({ chat, fromMe: true });
    for (const event of [textEvent({ chat }), answer]) await side.receive(event);
    for (const level of [2, 3, 4] as const) {
      await side.receive(ackEvent(answer.ref.id, level, chat));
    }
    expect(await leaving(side)).toEqual([]);
  });
});
