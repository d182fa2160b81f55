import { beforeAll, describe, expect, test } from "vitest";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { MessageRef } from "../port.ts";
import { createDirectory } from "../runtime/index.ts";
import type { ChannelUnderTest } from "./channel-under-test.ts";
import type { World } from "./channel-world.ts";
import {
  acksOf,
  changesOf,
  hasStatus,
  idOf,
  isTaken,
  newWorld,
  picture,
  typeOf,
} from "./channel-world.ts";
import { stateOf } from "./company.ts";
import { eventually } from "./eventually.ts";
import type { Answer } from "./process.ts";
import { ctxOf } from "./process.ts";

/** Tests that every chat channel passes, through the real runtime and a real database. */
export function describeChannel(
  name: string,
  start: (database: TestDatabase) => Promise<ChannelUnderTest>,
): void {
  describe(name, () => {
    let database: TestDatabase;
    let under: ChannelUnderTest;
    beforeAll(async () => {
      database = await testDatabase();
      under = await start(database);
    }, 60_000);

    const makeWorld = () => newWorld(database, under);

    const texts = (seen: readonly { text: string }[]) => seen.map(({ text }) => text);

    test("a linked line is connected and knows its number", async () => {
      const { line, process } = await makeWorld();
      const state = await stateOf(process.db, line);
      expect(state).toMatchObject({ status: "CONNECTED", closeReason: null, qrcode: "" });
      expect(state.number).toMatch(/^\d{8,15}$/);
    });

    test("a customer's messages arrive in order, and a repeated one is stored once", async () => {
      const { line, process, customer } = await makeWorld();
      const wanted: string[] = [];
      for (let number = 0; number < 12; number += 1) {
        wanted.push(`mensagem ${number}`);
        const id = await customer.writes(`mensagem ${number}`);
        if (number % 4 === 0) await customer.writes(`mensagem ${number}`, { id });
      }
      await eventually(async () =>
        expect((await process.received(line)).map(({ body }) => body)).toEqual(wanted),
      );
    });

    test("the company's messages arrive once, in order, and are reported as taken and as read", async () => {
      const { process, customer, say } = await makeWorld();
      const answers = [await say("um"), await say("dois"), await say("três")];
      await eventually(async () =>
        expect(texts(await customer.sees())).toEqual(["um", "dois", "três"]),
      );
      await customer.reads();
      const last = answers[2];
      if (!last) throw new Error("nothing was said");
      await eventually(async () => {
        const levels = await acksOf({ process }, last);
        expect(Math.max(...levels)).toBe(4);
        expect(levels).toEqual(levels.toSorted((one, other) => one - other));
      });
      expect(await customer.sees()).toHaveLength(3);
    });

    test("a customer's picture arrives with its caption, and the line gets its content", async () => {
      const { line, process, channels, customer, ticketId, messages } = await makeWorld();
      await customer.sendsPicture(picture, "veja");
      await eventually(async () => expect(await messages()).toHaveLength(1));
      const [message] = await messages();
      expect(message?.content).toMatchObject({
        kind: "media",
        caption: "veja",
        file: { media: "image", mime: "image/png" },
      });
      if (message?.content.kind !== "media") throw new Error("no file");
      const id = await process.download(line, ticketId, message.content.file.locator);
      await eventually(async () => expect(await process.files(id)).toEqual([picture.toString()]));
      await channels.idle();
    });

    test("a picture of the company arrives with its caption", async () => {
      const { line, process, customer, phone, ticketId } = await makeWorld();
      const file = { key: "foto", mime: "image/png", name: "foto.png", bytes: picture.byteLength };
      const answer = await process.answer(line, ticketId, phone, {
        kind: "media",
        media: "image",
        file,
        caption: "aqui está",
      });
      await eventually(async () =>
        expect(await customer.sees()).toMatchObject([{ text: "aqui está", file: picture }]),
      );
      await isTaken({ process }, answer);
    });

    test("quotes name the message in both directions", async () => {
      const { process, customer, say, messages, phone } = await makeWorld();
      const chat = { kind: "pn", value: phone } as const;
      const asked = await customer.writes("Tem azul?");
      const answer = await say("Tem!", {
        quote: { chat, id: asked, fromMe: false, text: "Tem azul?" },
      });
      await eventually(async () =>
        expect(await customer.sees()).toMatchObject([{ text: "Tem!", quotedId: asked }]),
      );
      await isTaken({ process }, answer);
      const { providerId } = answer;
      await customer.writes("Quero", { quotedId: providerId });
      await eventually(async () => {
        const [message] = await messages();
        expect(message).toMatchObject({
          content: { kind: "text", text: "Quero" },
          quoted: { id: providerId, fromMe: true },
        });
      });
    });

    test("a customer's reactions arrive, on the customer's own message and on the company's", async () => {
      const { line, process, customer, say } = await makeWorld();
      const own = await customer.writes("Oi");
      const answer = await say("Olá");
      const { providerId } = answer;
      await eventually(async () => expect(await customer.sees()).toHaveLength(1));
      await isTaken({ process }, answer);
      await customer.reacts(own, "😀");
      await customer.reacts(providerId, "❤️");
      await customer.reacts(providerId, null);
      await eventually(async () =>
        expect(await changesOf({ process, line })).toMatchObject([
          { type: "reaction", target: { id: own, fromMe: false }, emoji: "😀", fromMe: false },
          { type: "reaction", target: { id: providerId, fromMe: true }, emoji: "❤️" },
          { type: "reaction", target: { id: providerId, fromMe: true }, emoji: null },
        ]),
      );
    });

    test("a customer's edits and deletions arrive, where the channel has them", async () => {
      const { line, process, customer } = await makeWorld();
      const id = await customer.writes("Oi");
      // The simulator delivers a message that was edited before delivery with its new text.
      await eventually(async () =>
        expect(await process.received(line)).toMatchObject([{ id, body: "Oi" }]),
      );
      const wanted: object[] = [];
      if (customer.edits) {
        await customer.edits(id, "Olá");
        wanted.push({ type: "edit", target: { id, fromMe: false }, text: "Olá" });
      }
      if (customer.deletes) {
        await customer.deletes(id);
        wanted.push({ type: "revoke", target: { id, fromMe: false } });
      }
      await eventually(async () =>
        expect(await changesOf({ process, line })).toMatchObject(wanted),
      );
    });

    test("the company's reaction reaches the customer where the channel has them", async () => {
      const { line, process, customer, say, change, outcome, phone } = await makeWorld();
      const theirs = await customer.writes("Obrigada!");
      await eventually(async () => expect(await process.received(line)).toHaveLength(1));
      const answer = await say("De nada");
      await isTaken({ process }, answer);
      const target: MessageRef = {
        chat: { kind: "pn", value: phone },
        id: theirs,
        fromMe: false,
      };
      await change(answer, { kind: "reaction", target, emoji: "👍" });
      if (under.capabilities.react) {
        await eventually(async () => expect(await customer.reactionsTo(theirs)).toEqual(["👍"]));
      } else await isUnsupported(outcome, answer);
    });

    test("an edit of the company's message is shown, or refused, as the channel says", async () => {
      const { process, customer, say, change, outcome, phone } = await makeWorld();
      const answer = await said({ process, customer, say });
      const target: MessageRef = {
        chat: { kind: "pn", value: phone },
        id: answer.providerId,
        fromMe: true,
      };
      await change(answer, { kind: "edit", target, text: "Certo" });
      if (under.capabilities.edit) {
        await eventually(async () =>
          expect(await customer.sees()).toMatchObject([{ text: "Certo", isEdited: true }]),
        );
      } else await isUnsupported(outcome, answer);
    });

    test("a deletion of the company's message is shown, or refused, as the channel says", async () => {
      const { process, customer, say, change, outcome, phone } = await makeWorld();
      const answer = await said({ process, customer, say });
      const target: MessageRef = {
        chat: { kind: "pn", value: phone },
        id: answer.providerId,
        fromMe: true,
      };
      await change(answer, { kind: "revoke", target });
      if (under.capabilities.revoke) {
        await eventually(async () =>
          expect(await customer.sees()).toMatchObject([{ isDeleted: true }]),
        );
      } else await isUnsupported(outcome, answer);
    });

    async function said({ process, customer, say }: Pick<World, "process" | "customer" | "say">) {
      const answer = await say("Errado");
      await eventually(async () => expect(texts(await customer.sees())).toEqual(["Errado"]));
      await isTaken({ process }, answer);
      return answer;
    }

    async function isUnsupported(outcome: World["outcome"], { messageId }: Answer): Promise<void> {
      await eventually(async () =>
        expect(await outcome(messageId)).toMatchObject({ result: "failed", kind: "unsupported" }),
      );
    }

    test("a message that the network refuses for good is reported as failed and not delivered", async () => {
      const { line, network, customer, say, process } = await makeWorld();
      await network.refuses();
      const { messageId, providerId } = await say("Proibido");
      await eventually(async () => {
        const outcomes = await process.sent(messageId);
        const reports = await process.events(line);
        const isTold =
          outcomes.at(-1)?.result === "failed" ||
          reports.some((event) => typeOf(event) === "send-failed" && idOf(event) === providerId);
        expect(isTold).toBe(true);
      });
      expect(texts(await customer.sees())).toEqual([]);
    });

    test("messages in both directions while the line is broken arrive in order when it is back", async () => {
      const { line, process, network, customer, say } = await makeWorld();
      await customer.writes("antes");
      await say("primeiro");
      await eventually(async () => expect(await customer.sees()).toHaveLength(1));
      await network.breaks();
      await say("segundo");
      await hasStatus({ process, line }, "TIMEOUT", "OPENING", "DISCONNECTED");
      await say("terceiro");
      await customer.writes("durante");
      await network.comesBack();
      await hasStatus({ process, line }, "CONNECTED");
      await customer.writes("depois");
      await eventually(async () =>
        expect((await process.received(line)).map(({ body }) => body)).toEqual([
          "antes",
          "durante",
          "depois",
        ]),
      );
      await eventually(async () =>
        expect(texts(await customer.sees())).toEqual(["primeiro", "segundo", "terceiro"]),
      );
    });

    test("a number is looked up where the network tells, and believed where it does not", async () => {
      const { line, process, phone } = await makeWorld();
      const { db, wake } = process;
      const directory = createDirectory({ db, wake, sources: systemSources });
      const check = (digits: string) =>
        directory.checkNumber(ctxOf(line), line.connectionId, digits);
      expect(await check(phone)).toMatchObject({ asked: phone, exists: true });
      const nobody = "5511990000000";
      const answer = await check(nobody);
      expect(answer).toMatchObject({ asked: nobody, exists: !under.capabilities.numberCheck });
    });
  });
}
