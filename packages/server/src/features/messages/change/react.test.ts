import type { Message } from "@balcao/contract";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";
import type { NetworkSide } from "../testing/network-side.ts";
import { networkSide } from "../testing/network-side.ts";
import type { MessageApp } from "../testing/office.ts";
import { answer, messageApp, refusal } from "../testing/office.ts";
import { isEmoji } from "./emoji.ts";

let app: TestApp;
let network: NetworkSide;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
let outboundOf: MessageApp["outboundOf"];
let read: MessageApp["read"];
let show: MessageApp["show"];
beforeAll(async () => {
  ({ app, office, openTicketOf, outboundOf, read, show } = await messageApp());
  network = await networkSide(app);
});

const react = (user: GivenUser, id: string, type: string) =>
  app.as(user).post<Message>(`/messages/${id}/reactions`, { type });

describe("the company's reaction", () => {
  test("is one, whoever of the company gives it, and can be taken back", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket, { body: "obrigada", read: true });
    const live = await app.live(place.ana);
    const first = await react(place.ana, id, "👍");
    const { name } = place.ana;
    expect(first.body.reactions).toEqual([{ emoji: "👍", fromMe: true, contactId: null, name }]);
    expect(await live.next(`company-${place.company.id}-appMessage`)).toMatchObject({
      action: "update",
      message: { id, reactions: [{ emoji: "👍" }] },
    });
    const second = await react(place.admin, id, "❤️");
    expect(second.body.reactions).toMatchObject([{ emoji: "❤️", name: place.admin.name }]);
    expect((await react(place.ana, id, "")).body.reactions).toEqual([]);
    const changes = (await outboundOf(ticket)).map((row) => JSON.parse(row.body));
    expect(changes.map(({ emoji }) => emoji)).toEqual(["👍", "❤️", null]);
    expect(changes[0]).toMatchObject({
      kind: "reaction",
      target: { chat: { kind: "pn", value: ticket.phone }, fromMe: false },
    });
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "obrigada" });
  });

  test("the same again is nothing new", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket);
    await react(place.ana, id, "👍");
    await react(place.admin, id, "👍");
    expect(await outboundOf(ticket)).toHaveLength(1);
  });

  test("is one emoji, to a message that the network has", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket);
    for (const type of ["ok", "👍👍", " ", "1"]) {
      expect(answer(await react(place.ana, id, type))).toEqual(refusal("ERR_INVALID_REQUEST", 400));
    }
    const failed = await app.given.message(ticket, {
      fromMe: true,
      failedCode: "ERR_SENDING_WAPP_MSG",
    });
    expect(answer(await react(place.ana, failed, "👍"))).toEqual(
      refusal("ERR_REACTION_WAPP_MSG", 400),
    );
    expect(await outboundOf(ticket)).toEqual([]);
  });

  test("is for who sees the ticket", async () => {
    const [place, other] = [await office(), await office()];
    const id = await app.given.message(await openTicketOf(place));
    expect(answer(await react(place.caio, id, "👍"))).toEqual(refusal("ERR_TICKET_FORBIDDEN", 403));
    expect(answer(await react(other.admin, id, "👍"))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
    expect((await react(place.admin, id, "👍")).status).toBe(200);
  });

  test("that the network refuses is what it was before", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket, { read: true });
    const now = async () => (await read(place.ana, ticket)).messages[0];
    await react(place.ana, id, "👍");
    await network.accepts(place, id);
    await react(place.admin, id, "❤️");
    await network.refuses(place, id);
    expect(await now()).toMatchObject({
      reactions: [{ emoji: "👍", name: place.ana.name }],
      changeFailedCode: "ERR_REACTION_WAPP_MSG",
    });
    await react(place.ana, id, "");
    await network.refuses(place, id);
    expect(await now()).toMatchObject({ reactions: [{ emoji: "👍" }] });
  });
});

test.each([
  ["👍", true],
  ["👍🏽", true],
  ["❤️", true],
  ["❤", true],
  ["👩‍👩‍👧", true],
  ["🇧🇷", true],
  ["1️⃣", true],
  ["", false],
  ["a", false],
  ["1", false],
  ["👍 ", false],
  ["👍👍", false],
  ["ok👍", false],
])("%j is one emoji: %s", (text, expected) => {
  expect(isEmoji(text)).toBe(expected);
});
