import type { QueueId, UserId } from "@balcao/contract";
import { expect, test } from "vitest";
import type { Holder, TransferText } from "./ticket-row.ts";
import { transferText } from "./ticket-row.ts";

const [sales, support] = [1 as QueueId, 2 as QueueId];
const [ana, bia] = [1 as UserId, 2 as UserId];

const queueText: TransferText = { key: "transferToQueue", names: { queue: "Suporte" } };
const userText: TransferText = { key: "transferToUser", names: { user: "Bia" } };
const bothText: TransferText = {
  key: "transferToBoth",
  names: { queue: "Suporte", user: "Bia" },
};

const of = (queueId: QueueId | null, userId: UserId | null): Holder => ({ queueId, userId });

test.each<[why: string, before: Holder, after: Holder, text: TransferText | null]>([
  ["another queue", of(sales, ana), of(support, ana), queueText],
  ["another queue, nobody serves it", of(sales, null), of(support, null), queueText],
  ["another queue, given back", of(sales, ana), of(support, null), queueText],
  ["given back into its first queue", of(null, ana), of(support, null), queueText],
  ["another user", of(sales, ana), of(sales, bia), userText],
  ["another user, no queue", of(null, ana), of(null, bia), userText],
  ["both", of(sales, ana), of(support, bia), bothText],
  ["accepted", of(sales, null), of(sales, bia), null],
  ["accepted in another queue", of(sales, null), of(support, bia), null],
  ["returned", of(sales, ana), of(sales, null), null],
  ["resolved", of(sales, ana), of(null, null), null],
  ["reopened", of(null, null), of(sales, bia), null],
  ["its first queue", of(null, ana), of(support, ana), null],
  ["unchanged", of(sales, ana), of(sales, ana), null],
])("a ticket that is %s", (_why, before, after, text) => {
  const queueName = after.queueId === null ? null : "Suporte";
  const userName = after.userId === null ? null : "Bia";
  expect(transferText(before, { ...after, queueName, userName })).toEqual(text);
});
