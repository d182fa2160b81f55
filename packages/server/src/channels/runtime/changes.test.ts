import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type {
  ChannelAdapter,
  MessageRef,
  ProviderContext,
  SendCommand,
  SendOutcome,
} from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { Answer, TestProcess } from "../testing/process.ts";
import { ctxOf, startProcess } from "../testing/process.ts";
import { textOf } from "../testing/product.ts";
import { plainProvider } from "../testing/provider.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const phone = "5511921000001";
const refTo = ({ providerId }: Answer): MessageRef => ({
  chat: { kind: "pn", value: phone },
  id: providerId,
  fromMe: true,
});

type World = {
  line: LineRef;
  process: TestProcess;
  ticketId: TicketId;
  sends: SendCommand[];
  context(): ProviderContext;
};

/** A connection to a chat service that answers as the test says. */
async function newWorld(
  onSend: (command: SendCommand, number: number) => Promise<SendOutcome> | SendOutcome = () => ({
    result: "accepted",
  }),
): Promise<World> {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const sends: SendCommand[] = [];
  const contexts: ProviderContext[] = [];
  const adapter: ChannelAdapter = {
    createProvider: (context) => {
      contexts.push(context);
      return {
        ...plainProvider,
        start: () => context.sink.tell({ type: "state", status: "CONNECTED" }),
        send: async (command) => {
          sends.push(command);
          return onSend(command, sends.length);
        },
      };
    },
  };
  const process = await startProcess(database, { adapters: [["whatsapp-web", adapter]] });
  process.runChannels();
  await eventually(async () =>
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" }),
  );
  const context = () => {
    const last = contexts.at(-1);
    if (!last) throw new Error("no session");
    return last;
  };
  return { line, process, ticketId: await newTicket(database.db, line), sends, context };
}

async function rowOf({ providerId }: Answer) {
  const [row] = await database.db.acrossCompanies((tx) =>
    tx.query<{ state: string; attempt: number; errorCode: string | null }>(
      sql`select state, attempt, error_code as "errorCode" from outbound
           where provider_id = ${providerId}`,
    ),
  );
  return row;
}

test("a change goes out after its message and before later messages, also when the message is tried again", async () => {
  const { line, process, ticketId, sends } = await newWorld((_command, number) =>
    number < 4 ? { result: "refused", failure: { kind: "temporary" } } : { result: "accepted" },
  );
  const answer = await process.answer(line, ticketId, phone, "Oi");
  const { messageId } = answer;
  const target = refTo(answer);
  const edit = { kind: "edit", target, text: "Olá" } as const;
  const changed = await process.change(line, phone, { messageId, change: edit, before: '"Oi"' });
  await process.answer(line, ticketId, phone, "depois");
  await eventually(() => expect(sends).toHaveLength(6));
  expect(sends.map(({ body }) => textOf(body))).toEqual(["Oi", "Oi", "Oi", "Oi", "edit", "depois"]);
  expect(sends[4]).toEqual({
    providerId: changed.providerId,
    to: { kind: "pn", value: phone },
    body: edit,
  });
  await eventually(async () =>
    expect(await process.sent(messageId)).toEqual([
      { messageId, result: "accepted", kind: null, command: "message", before: null },
      { messageId, result: "accepted", kind: null, command: "edit", before: '"Oi"' },
    ]),
  );
  expect(await rowOf(changed)).toMatchObject({ state: "done" });
});

test("a quote and a file go along with their message", async () => {
  const { line, process, ticketId, sends } = await newWorld();
  const quote = { ...refTo({ providerId: "Q1" } as Answer), text: "o que foi dito" };
  const body = {
    kind: "media",
    media: "voice",
    file: { key: "k.ogg", mime: "audio/ogg", name: "voz.ogg", bytes: 3, waveform: [0, 100] },
    caption: "ouça",
  } as const;
  await process.answer(line, ticketId, phone, body, { quote });
  await eventually(() => expect(sends).toMatchObject([{ body, quote }]));
});

test("a change that the network refuses is reported with the state before it, and the chat continues", async () => {
  const { line, process, ticketId } = await newWorld(({ body }) =>
    body.kind === "reaction"
      ? { result: "refused", failure: { kind: "bad-request" } }
      : { result: "accepted" },
  );
  const answer = await process.answer(line, ticketId, phone, "Oi");
  const { messageId } = answer;
  const change = { kind: "reaction", target: refTo(answer), emoji: "👍" } as const;
  await process.change(line, phone, { messageId, change, before: '{"emoji":null}' });
  const later = await process.answer(line, ticketId, phone, "depois");
  await eventually(async () => expect(await process.sent(later.messageId)).toHaveLength(1));
  expect((await process.sent(messageId)).at(-1)).toEqual({
    messageId,
    result: "failed",
    kind: "bad-request",
    command: "reaction",
    before: '{"emoji":null}',
  });
  const requeued = await process.db.transaction(line, (tx) =>
    process.outbox.requeueFailed(tx, ctxOf(line), messageId),
  );
  expect(requeued).toBe(false);
});

test("a change that the network refuses later is reported once, as its outcome, and ends nothing else", async () => {
  const { line, process, ticketId, context } = await newWorld(() => ({ result: "written" }));
  const answer = await process.answer(line, ticketId, phone, "Oi");
  const { messageId } = answer;
  const change = { kind: "revoke", target: refTo(answer) } as const;
  const changed = await process.change(line, phone, { messageId, change, before: "1" });
  await eventually(async () => expect(await rowOf(changed)).toMatchObject({ state: "sent" }));
  const failed = {
    type: "send-failed",
    providerId: changed.providerId,
    chat: { kind: "pn", value: phone },
    failure: { kind: "bad-request" },
  } as const;
  await context().sink.store([failed, failed]);
  await eventually(async () =>
    expect((await process.sent(messageId)).map(({ command, result }) => [command, result])).toEqual(
      [
        ["message", "written"],
        ["revoke", "written"],
        ["revoke", "failed"],
      ],
    ),
  );
  expect(await rowOf(changed)).toMatchObject({ state: "failed", errorCode: "bad-request" });
  expect(await rowOf(answer)).toMatchObject({ state: "sent" });
  expect(await process.events(line)).toEqual([]);
});

test("an acknowledgement of a change ends its wait and is no news of the message", async () => {
  const { line, process, ticketId, context } = await newWorld(() => ({ result: "written" }));
  const answer = await process.answer(line, ticketId, phone, "Oi");
  const { messageId } = answer;
  const change = { kind: "edit", target: refTo(answer), text: "Olá" } as const;
  const changed = await process.change(line, phone, { messageId, change, before: "1" });
  await eventually(async () => expect(await rowOf(changed)).toMatchObject({ state: "sent" }));
  const chat = { kind: "pn", value: phone } as const;
  const ack = { type: "ack", chat, level: 2 } as const;
  await context().sink.store([
    { ...ack, providerId: changed.providerId },
    { ...ack, providerId: answer.providerId },
  ]);
  await eventually(async () => expect(await rowOf(answer)).toMatchObject({ state: "done" }));
  expect(await rowOf(changed)).toMatchObject({ state: "done" });
  const acks = await database.db.acrossCompanies((tx) =>
    tx.query<{ id: string }>(
      sql`select id from test_acks where connection_id = ${line.connectionId}`,
    ),
  );
  expect(acks).toEqual([{ id: answer.providerId }]);
});
