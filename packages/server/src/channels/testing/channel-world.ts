import type { MessageId, TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import type { InboundMessage, OutboundChange } from "../port.ts";
import type { ChannelRuntime } from "../runtime/index.ts";
import type { LineRef } from "../simulator/line.ts";
import type { ChannelUnderTest, CustomerPhone, TestNetwork } from "./channel-under-test.ts";
import { newConnection, newTicket, stateOf } from "./company.ts";
import { eventually } from "./eventually.ts";
import type { Answer, TestProcess } from "./process.ts";
import { startProcess } from "./process.ts";

/** The content of the files, which the product of these tests stores as text. */
export const picture = Buffer.from("o que se vê na foto");

/** One line of the channel under test, with what stands around it. */
export type World = {
  line: LineRef;
  process: TestProcess;
  channels: ChannelRuntime;
  network: TestNetwork;
  phone: string;
  customer: CustomerPhone;
  ticketId: TicketId;
  say(text: string, more?: Parameters<TestProcess["answer"]>[4]): Promise<Answer>;
  change(answer: { messageId: MessageId }, change: OutboundChange): Promise<void>;
  /** How the last thing that was done to a message ended. */
  outcome(messageId: MessageId): Promise<{ result: string; kind: string | null } | undefined>;
  messages(): Promise<InboundMessage[]>;
};

type OnLine = Pick<World, "process" | "line">;

let phones = 0;

/** A company with one linked line, a customer and a ticket to hang answers on. */
export async function newWorld(database: TestDatabase, under: ChannelUnderTest): Promise<World> {
  const { channel, adapters, settings } = under;
  const line = await newConnection(database.db, { channel });
  const process = await startProcess(database, {
    ownFiles: new Map([["foto", picture]]),
    settings: { fileRetriesMs: [20, 20], ...settings },
    ...(adapters ? { adapters } : {}),
  });
  const network = under.networkOf(process, line);
  await network.prepare();
  const channels = process.runChannels();
  await network.link?.();
  await hasStatus({ process, line }, "CONNECTED");
  phones += 1;
  const phone = `5511940${String(100_000 + phones)}`;
  const ticketId = await newTicket(database.db, line);
  return {
    line,
    process,
    channels,
    network,
    phone,
    ticketId,
    customer: await network.customer(phone),
    say: (text, more) => process.answer(line, ticketId, phone, text, more),
    change: async ({ messageId }, change) => {
      await process.change(line, phone, { messageId, change, before: "{}" });
    },
    outcome: async (messageId) => (await process.sent(messageId)).at(-1),
    // As the product was told, dates as texts.
    messages: async () =>
      (await process.events(line)).filter(
        (event): event is InboundMessage => typeOf(event) === "message",
      ),
  };
}

/** Waits until the connection has one of the statuses. */
export async function hasStatus({ process, line }: OnLine, ...wanted: string[]): Promise<void> {
  await eventually(async () => expect(wanted).toContain((await stateOf(process.db, line)).status));
}

/** The network's reports about a message, in order. */
export async function acksOf(
  { process }: Pick<World, "process">,
  { providerId }: Answer,
): Promise<number[]> {
  const rows = await process.db.acrossCompanies((tx) =>
    tx.query<{ level: number }>(
      sql`select level from test_acks where id = ${providerId} order by n`,
    ),
  );
  return rows.map(({ level }) => level);
}

/** Changes of messages, where one that is told twice is one; what a network tells of people is not looked at. */
export async function changesOf({ process, line }: OnLine): Promise<unknown[]> {
  const kinds = new Set<unknown>(["edit", "revoke", "reaction"]);
  const events = await process.events(line);
  const changes = events.filter((event) => kinds.has(typeOf(event)));
  return changes.filter(
    (event, place) => place === 0 || sameChange(event) !== sameChange(changes[place - 1]),
  );
}

/** The network has it: said by its report, or by the provider where that was quicker. */
export async function isTaken({ process }: Pick<World, "process">, answer: Answer): Promise<void> {
  await eventually(async () => {
    const outcomes = await process.sent(answer.messageId);
    expect(outcomes.length + (await acksOf({ process }, answer)).length).toBeGreaterThan(0);
  });
}

/** The kind of an event that was read back. */
export function typeOf(event: unknown): unknown {
  return typeof event === "object" && event !== null ? Reflect.get(event, "type") : undefined;
}

/** The message that a report is about. */
export function idOf(event: unknown): unknown {
  return typeof event === "object" && event !== null ? Reflect.get(event, "providerId") : undefined;
}

function sameChange(event: unknown): string {
  if (typeof event !== "object" || event === null) return "";
  const { at: _at, ...told }: Record<string, unknown> = { ...event };
  return JSON.stringify(told);
}
