import { aesEncryptGCM, hmacSign, proto } from "baileys";
import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { pollKeyOf, readPollVote, votedPollId } from "./menus-and-polls.ts";
import { ANA, ANA_LID, arrived, eventsOf, GROUP, SELF } from "./testing/messages.ts";

const bruno = "5511977776666@s.whatsapp.net";
const messageSecret = randomBytes(32);
const poll = arrived(
  {
    messageContextInfo: { messageSecret },
    pollCreationMessage: {
      name: "Quando?",
      options: [{ optionName: "Hoje" }, { optionName: "Amanhã" }],
    },
  },
  { key: { remoteJid: GROUP, id: "POLL", participant: ANA_LID, participantAlt: ANA } },
);

/** A vote as a phone encrypts it. */
function voteFor(options: string[], { creator, voter }: { creator: string; voter: string }) {
  const selectedOptions = options.map((one) => createHash("sha256").update(one).digest());
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  const sign = Buffer.concat([Buffer.from(`POLL${creator}${voter}Poll Vote`), Buffer.from([1])]);
  const key = hmacSign(sign, hmacSign(messageSecret, new Uint8Array(32), "sha256"), "sha256");
  const encIv = randomBytes(12);
  const aad = Buffer.from(`POLL\u0000${voter}`);
  const encPayload = aesEncryptGCM(plain, key, encIv, aad);
  const pollCreationMessageKey = { remoteJid: GROUP, id: "POLL", participant: ANA_LID };
  return arrived(
    { pollUpdateMessage: { pollCreationMessageKey, vote: { encPayload, encIv } } },
    { key: { remoteJid: GROUP, id: "VOTE", participant: voter } },
  );
}

const kept = pollKeyOf(poll, SELF);
if (!kept) throw new Error("the poll has no key");

test.each([ANA, ANA_LID])("a vote is read, the poll being of %s", (creator) => {
  const vote = voteFor(["Amanhã"], { creator, voter: bruno });
  expect(votedPollId(vote)).toBe("POLL");
  expect(readPollVote(vote, kept, SELF)).toEqual(["Amanhã"]);
});

test("a vote that was taken back has no options", () => {
  expect(readPollVote(voteFor([], { creator: ANA, voter: bruno }), kept, SELF)).toEqual([]);
});

test("a vote is not read with another poll's secret, nor as another person's", () => {
  const vote = voteFor(["Hoje"], { creator: ANA, voter: bruno });
  const secret = randomBytes(32).toString("base64");
  expect(readPollVote(vote, { ...kept, secret }, SELF)).toBeNull();
  const stolen = { ...vote, key: { ...vote.key, participant: ANA } };
  expect(readPollVote(stolen, kept, SELF)).toBeNull();
});

test("only polls have a key, and what is kept of one is JSON", () => {
  expect(pollKeyOf(arrived({ conversation: "Olá" }), SELF)).toBeNull();
  expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
  expect(votedPollId(poll)).toBeNull();
});

test("a vote quotes its poll, and one that cannot be read is dropped", () => {
  const vote = voteFor(["Hoje"], { creator: ANA, voter: bruno });
  const decryptPollVote = (message: typeof vote) => readPollVote(message, kept, SELF);
  expect(eventsOf(vote, { decryptPollVote })).toMatchObject([
    { type: "message", content: { kind: "poll-vote", options: ["Hoje"] }, quoted: { id: "POLL" } },
  ]);
  expect(eventsOf(vote)).toEqual([]);
});
