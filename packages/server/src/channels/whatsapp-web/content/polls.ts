import type { WAMessage } from "baileys";
import { decryptPollVote } from "baileys";
import { createHash } from "node:crypto";
import type { Self } from "./addresses.ts";
import { base64Of, bytesOf, firstText, textOf } from "./fields.ts";
import { findPoll, pollOptions } from "./kinds.ts";
import { unwrap } from "./unwrap.ts";

/** What is needed of a poll to read its votes; plain JSON, to be kept by message id. The secret is one. */
export type PollKey = { id: string; secret: string; options: string[]; creators: string[] };

/** Of a message that is a poll; null for any other, and for one that keeps its secret. */
export function pollKeyOf(message: WAMessage, self: Self): PollKey | null {
  const found = findPoll(unwrap(message?.message)?.content ?? {});
  const id = textOf(message?.key?.id);
  if (!found || id === "") return null;
  const secret = secretOf(message) || base64Of(found.poll.encKey);
  if (secret === "") return null;
  return { id, secret, options: pollOptions(found.poll), creators: writersOf(message, self) };
}

/** It stands beside the poll, or beside its wrapping. */
function secretOf({ message }: WAMessage): string {
  const inner = unwrap(message)?.content.messageContextInfo?.messageSecret;
  const outer = message?.messageContextInfo?.messageSecret;
  return base64Of(inner) || base64Of(outer);
}

/** The id of the poll that a message votes in; null when it is no vote. */
export function votedPollId(message: WAMessage): string | null {
  return textOf(voteIn(message)?.pollCreationMessageKey?.id) || null;
}

function voteIn(message: WAMessage) {
  return unwrap(message?.message)?.content.pollUpdateMessage;
}

/** The chosen options (none: the vote was taken back); null when it cannot be read with this poll. */
export function readPollVote(message: WAMessage, poll: PollKey, self: Self): string[] | null {
  const vote = voteIn(message)?.vote;
  const encPayload = bytesOf(vote?.encPayload);
  const encIv = bytesOf(vote?.encIv);
  const pollEncKey = bytesOf(poll.secret);
  // Either side may have used the number or the privacy id; the wrong ones do not decrypt.
  for (const pollCreatorJid of poll.creators) {
    for (const voterJid of writersOf(message, self)) {
      const context = { pollCreatorJid, pollMsgId: poll.id, pollEncKey, voterJid };
      const chosen = decrypted({ encPayload, encIv }, context);
      if (chosen) return chosen.map((hash) => optionOf(poll, hash)).filter(Boolean);
    }
  }
  return null;
}

function decrypted(...args: Parameters<typeof decryptPollVote>): readonly Uint8Array[] | null {
  try {
    return decryptPollVote(...args).selectedOptions ?? [];
  } catch {
    // The wrong addresses; there is no other way to tell.
    return null;
  }
}

/** A vote names options by their hash. */
function optionOf({ options }: PollKey, hash: Uint8Array): string {
  const named = Buffer.from(hash).toString("hex");
  return (
    options.find((option) => createHash("sha256").update(option).digest("hex") === named) ?? ""
  );
}

/** Whoever wrote a message, by all addresses the network may use for him. */
function writersOf(message: WAMessage, self: Self): string[] {
  const { key } = message;
  const own = [self.pn && `${self.pn}@s.whatsapp.net`, self.lid && `${self.lid}@lid`];
  const other = [
    firstText(key?.participant, message.participant, key?.remoteJid),
    firstText(key?.participantAlt, key?.remoteJidAlt),
  ];
  const jids = key?.fromMe === true ? own : other;
  return jids.map((jid) => textOf(jid).replace(/:\d+@/, "@")).filter(Boolean);
}
