import type { Address, DurableEvent, InboundContent, MessageRef, Peer } from "../port.ts";
import { addressOf } from "./account.ts";
import type { Undelivered } from "./network.ts";
import { COMPANY } from "./stored.ts";
import type { StoredFile } from "./stored.ts";

/** What a customer sent or changed, as the connection hears of it. */
export function toEvent(row: Undelivered, connectedAt: Date): DurableEvent {
  const chat = addressOf(row.phone);
  const { at } = row;
  if (row.change) return changeEvent(row, row.change, targetRef(row, row.change.targetId));
  const from = peerOf(row);
  if (row.details?.call) {
    return { type: "call", id: row.id, chat, from, isVideo: row.details.call.isVideo, at };
  }
  return {
    type: "message",
    ref: { chat, id: row.id, fromMe: false, ...authorOf(row.author) },
    from,
    ...(row.members ? { chatName: row.name } : {}),
    at,
    origin: at < connectedAt ? "offline" : "live",
    content: contentOf(row),
    ...(row.quotedId === null ? {} : { quoted: targetRef(row, row.quotedId) }),
    ...(row.isForwarded ? { isForwarded: true } : {}),
  };
}

function changeEvent(
  row: Undelivered,
  change: NonNullable<Undelivered["change"]>,
  target: MessageRef,
): DurableEvent {
  const { at } = row;
  switch (change.kind) {
    case "edit":
      return { type: "edit", target, text: change.text, at };
    case "revoke":
      return { type: "revoke", target, at };
    case "reaction":
      return {
        type: "reaction",
        target,
        from: peerOf(row),
        fromMe: false,
        emoji: change.emoji,
        at,
      };
  }
}

function targetRef(row: Undelivered, id: string): MessageRef {
  const fromMe = row.targetFromCustomer === false;
  return { chat: addressOf(row.phone), id, fromMe, ...authorOf(row.targetAuthor) };
}

function authorOf(phone: string | null): { author?: Address } {
  return phone === null || phone === COMPANY ? {} : { author: { kind: "pn", value: phone } };
}

function peerOf({ phone, name, author, members }: Undelivered): Peer {
  if (author === null) return { addresses: [{ kind: "pn", value: phone }], displayName: name };
  const member = members?.find((one) => one.phone === author);
  return {
    addresses: [{ kind: "pn", value: author }],
    ...(member ? { displayName: member.name } : {}),
  };
}

function contentOf(row: Undelivered): InboundContent {
  const { kind, body, details } = row;
  const content = details?.content;
  if (details?.file && isMediaKind(kind)) {
    return {
      kind: "media",
      file: fileOf(row.id, kind, details.file),
      ...(body === "" ? {} : { caption: body }),
      ...(row.isViewOnce ? { isViewOnce: true } : {}),
    };
  }
  switch (content?.kind) {
    case undefined:
      return { kind: "text", text: body };
    case "ad": {
      const { title, body: text, sourceUrl } = content;
      return { kind: "text", text: body, ad: { title, body: text, sourceUrl } };
    }
    case "location":
      return withoutUndefined(content);
    case "contacts":
      return {
        kind: "contacts",
        contacts: content.contacts.map((contact) => ({ ...contact, vcard: vcardOf(contact) })),
      };
    case "poll":
      return {
        kind: "poll",
        type: "pollCreationMessage",
        question: content.question,
        options: content.options,
        severalAllowed: content.severalAllowed ?? false,
      };
    case "choice":
      return { kind: "choice", type: content.type, id: content.chosen };
    case "poll-vote":
    case "view-once":
    case "other":
      return content;
  }
}

type MediaKindOf = Extract<InboundContent, { kind: "media" }>["file"]["media"];

function isMediaKind(kind: Undelivered["kind"]): kind is MediaKindOf {
  return ["image", "video", "audio", "voice", "document", "sticker"].includes(kind);
}

/** Like the real network: only documents have names. The locator is the message's id. */
function fileOf(id: string, media: MediaKindOf, { name, mime, bytes, durationMs }: StoredFile) {
  return {
    media,
    mime,
    bytes,
    locator: id,
    ...(media === "document" ? { fileName: name } : {}),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

type Location = Extract<InboundContent, { kind: "location" }>;

function withoutUndefined({
  name,
  address,
  isLive,
  thumbnail,
  ...place
}: { [K in keyof Location]: Location[K] | undefined } & Pick<
  Location,
  "kind" | "latitude" | "longitude"
>): Location {
  return {
    ...place,
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
    ...(isLive === undefined ? {} : { isLive }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

function vcardOf({ name, phones }: { name: string; phones: readonly string[] }): string {
  const numbers = phones.map((phone) => {
    const digits = phone.replaceAll(/\D/g, "");
    return `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`;
  });
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`, ...numbers];
  return [...lines, "END:VCARD"].join("\n");
}
