import type { WAMessage, WAMessageUpdate } from "baileys";
import { proto } from "baileys";
import fc from "fast-check";
import { expect, test } from "vitest";
import { describeContent } from "../../../features/messages/receive/receive.ts";
import type { DurableEvent } from "../../port.ts";
import { decodeEvent, encodeEvent } from "../../runtime/journal.ts";
import { firstTimes, toContactEvent } from "./addresses.ts";
import { toDurableEvents } from "./inbound.ts";
import { pollKeyOf, readPollVote, votedPollId } from "./menus-and-polls.ts";
import { ANA, ANA_LID, AT, context, GROUP, SELF } from "./testing/messages.ts";
import { toCallEvent, toPresenceEvents, toUpdateEvents } from "./updates.ts";

const jid = fc.constantFrom(ANA, ANA_LID, GROUP, "status@broadcast", `${SELF.pn}@s.whatsapp.net`);
const leaf = fc.oneof(
  fc.string(),
  fc.constantFrom("", "\u0000", "\ud800", "2"),
  jid,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.uint8Array({ maxLength: 40 }),
  fc.record({ low: fc.integer(), high: fc.integer(), unsigned: fc.boolean() }),
  fc.date({ noInvalidDate: false }),
);

const names = fc.constantFrom(
  ...["key", "id", "fromMe", "participant", "text", "title", "displayText", "selectedRowId"],
  ...["stanzaId", "isForwarded", "externalAdReply", "optionName", "buttonText", "rows", "vcard"],
);

const kinds = Object.keys(proto.Message.prototype).filter((name) => /^[a-z]/.test(name));

const often = Array.from({ length: 10 }, () => "protocolMessage");

/** The network's field names of a kind of message; for a wrapper, those of its message. */
function fieldsOf(kind: string): string[] {
  const name = kind.replace(/^ptv/, "Video").replace(/^./, (first) => first.toUpperCase());
  const type: unknown = Reflect.get(proto.Message, name.replace(/V\d$/, ""));
  const fields = typeof type === "function" ? Object.keys(type.prototype) : [];
  return fields.length > 1 ? fields : ["message"];
}

const keys = fc.record({ id: fc.oneof(fc.constant("B"), leaf), fromMe: leaf, participant: jid });
/** The usual values of these fields; without them no message would result. */
const usual: Record<string, fc.Arbitrary<unknown>> = {
  key: keys,
  pollCreationMessageKey: keys,
  type: fc.constantFrom(0, 3, 14, null),
  degreesLatitude: fc.oneof(fc.double(), leaf),
  degreesLongitude: fc.oneof(fc.double(), leaf),
  editedMessage: fc.oneof(fc.record({ conversation: fc.string() }), leaf),
};

const { content } = fc.letrec<{ content: unknown; value: unknown }>((tie) => {
  const loose = fc.dictionary(names, tie("value"), { maxKeys: 4 });
  const value = fc.oneof(
    { maxDepth: 4, depthIdentifier: "content" },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(fc.oneof(leaf, loose), { maxLength: 3 }) },
    { weight: 1, arbitrary: loose },
    { weight: 2, arbitrary: tie("content") },
  );
  const kindOf = (kind: string) => {
    const fields = Object.fromEntries(
      fieldsOf(kind).map((name) => [name, usual[name] ?? tie("value")]),
    );
    return fc.oneof(
      { maxDepth: 4, depthIdentifier: "content" },
      { weight: 1, arbitrary: fc.record({ [kind]: leaf }) },
      { weight: 9, arbitrary: fc.record({ [kind]: fc.record(fields, { requiredKeys: [] }) }) },
    );
  };
  return { value, content: fc.oneof(...[...kinds, ...often].map(kindOf)) };
});

const looseKey = fc.record(
  {
    remoteJid: fc.oneof({ weight: 5, arbitrary: jid }, { weight: 1, arbitrary: leaf }),
    id: fc.oneof({ weight: 5, arbitrary: fc.constant("A") }, { weight: 1, arbitrary: leaf }),
    fromMe: fc.oneof(fc.boolean(), leaf),
    participant: fc.oneof(jid, leaf),
    remoteJidAlt: fc.oneof(jid, leaf),
    isViewOnce: fc.boolean(),
  },
  { requiredKeys: ["remoteJid", "id"] },
);

// Values of other types than the network's are tested on purpose.
const looseMessage = fc.record(
  {
    key: looseKey,
    message: fc.oneof({ weight: 9, arbitrary: content }, { weight: 1, arbitrary: leaf }),
    messageTimestamp: leaf,
    messageStubType: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(0, null, undefined) },
      { weight: 1, arbitrary: fc.constantFrom(1, 2, 38, 73) },
    ),
    messageStubParameters: leaf,
    pushName: leaf,
    participant: leaf,
    status: fc.constantFrom(0, 1, 2, null),
  },
  { requiredKeys: ["key"] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<WAMessage>;

const decryptPollVote = () => ["Hoje"];

/** No field is undefined, and the stored content has a body. */
function expectWhole(event: DurableEvent): void {
  const stored = encodeEvent(event);
  expect(decodeEvent(stored.text)).toEqual(stored.event);
  if (event.type !== "message") return;
  const described = describeContent(event.content, { hasQuote: false, introducesAd: true });
  expect(described.body).toEqual(expect.any(String));
  expect(described.body).not.toMatch(/^undefined|\bundefined$|\bNaN\b/);
  expect(event.at.getTime()).not.toBeNaN();
}

test("every message is translated completely, without throwing", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(looseMessage, (message) => {
      for (const event of toDurableEvents(message, { ...context, decryptPollVote })) {
        expectWhole(event);
        seen.add(event.type === "message" ? event.content.kind : event.type);
      }
    }),
    { numRuns: 10_000, seed: 42 },
  );
  // Else it would try nothing.
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      ...["choice", "contact", "contacts", "edit", "location", "media", "other", "poll"],
      ...["poll-vote", "reaction", "revoke", "text", "view-once"],
    ]),
  );
});

test("any content that the network's encoding allows is translated", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const decoded = decodedOf(bytes);
      const message: WAMessage = { key: { remoteJid: ANA, id: "A", fromMe: false }, ...decoded };
      for (const event of toDurableEvents(message, context)) expectWhole(event);
    }),
    { numRuns: 2_000 },
  );
});

function decodedOf(bytes: Uint8Array): { message?: proto.IMessage } {
  try {
    return { message: proto.Message.decode(bytes) };
  } catch {
    return {};
  }
}

test("no update, poll, contact, call or presence makes the translation throw", () => {
  fc.assert(
    fc.property(looseMessage, leaf, (message, value) => {
      const update = { key: message.key, update: message } as WAMessageUpdate;
      for (const event of toUpdateEvents(update, { self: SELF, now: AT })) expectWhole(event);
      pollKeyOf(message, SELF);
      votedPollId(message);
      readPollVote(message, { id: "A", secret: "AAAA", options: ["x"], creators: [ANA] }, SELF);
      const loose = { id: value, lid: ANA_LID, phoneNumber: value, name: value, notify: value };
      toContactEvent(loose as object, AT);
      const call = { status: "offer", id: value, from: message.key.remoteJid, date: value };
      const isNewCall = firstTimes(1_000);
      toCallEvent(call as unknown as Parameters<typeof toCallEvent>[0], {
        self: SELF,
        isNewCall,
        now: AT,
      });
      const presences = { [typeof value === "string" ? value : ANA]: value };
      toPresenceEvents(
        { id: ANA, presences } as unknown as Parameters<typeof toPresenceEvents>[0],
        SELF,
      );
    }),
    { numRuns: 2_000 },
  );
});
