import type { WAMessage } from "baileys";
import { generateWAMessage, getMediaKeys } from "baileys";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { OutboundBody, OutboundChange, SendCommand } from "../../port.ts";
import { decrypted } from "./media.ts";
import { CannotSend, toSocketContent } from "./outbound.ts";
import { contentOf } from "./testing/messages.ts";

const ana = { kind: "pn", value: "5511988887777" } as const;
const anaLid = { kind: "lid", value: "123456789012345" } as const;
const group = { kind: "group", value: "120363041234567890" } as const;
const self = "5511900000000@s.whatsapp.net";

type Sent = { jid: string; message: WAMessage; uploaded: Buffer | null };

/** The message that the socket would send for our arguments. */
async function sent(
  body: OutboundBody | OutboundChange,
  more: Partial<SendCommand> = {},
  files: Record<string, Buffer> = {},
): Promise<Sent> {
  const command = { providerId: "3EB0FFFF", to: ana, body, ...more };
  const openFile = async (key: string) => {
    const content = files[key];
    return content ? { content: piecesOf(content), bytes: content.length } : null;
  };
  const { jid, content, options } = await toSocketContent(command, { openFile });
  let uploaded: Buffer | null = null;
  const message = await generateWAMessage(jid, content, {
    ...options,
    userJid: self,
    upload: async (path) => {
      uploaded = await readFile(path);
      return { mediaUrl: "https://mmg.whatsapp.net/v/x", directPath: "/v/x" };
    },
  });
  return { jid, message, uploaded };
}

async function* piecesOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 1_000) {
    yield Uint8Array.from(content.subarray(at, at + 1_000));
  }
}

const content = randomBytes(5_000);
const file = { key: "k", mime: "application/pdf", name: "conta.pdf", bytes: content.length };

test("a text goes out under the chosen id, and its links are not fetched", async () => {
  const { jid, message } = await sent({ kind: "text", text: "veja https://interno.example" });
  expect([jid, message.key.id]).toEqual(["5511988887777@s.whatsapp.net", "3EB0FFFF"]);
  expect(message.message?.extendedTextMessage?.text).toBe("veja https://interno.example");
  expect(message.message?.extendedTextMessage?.matchedText ?? null).toBeNull();
});

test.each([
  [anaLid, "123456789012345@lid"],
  [group, "120363041234567890@g.us"],
])("it goes to %j", async (to, jid) => {
  expect((await sent({ kind: "text", text: "Oi" }, { to })).jid).toBe(jid);
});

test("an address of another channel, and a template, are refused", async () => {
  const refused = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (error: unknown) => (error instanceof CannotSend ? error.failure.kind : error),
    );
  const to = { kind: "bsuid", value: "US.1" } as const;
  expect(await refused(sent({ kind: "text", text: "Oi" }, { to }))).toBe("recipient-unknown");
  const template = {
    kind: "template",
    name: "x",
    language: "pt",
    components: [],
    text: "",
  } as const;
  expect(await refused(sent(template))).toBe("unsupported");
  expect(await refused(sent({ kind: "media", media: "document", file }))).toBe("media-missing");
});

test("a document goes out encrypted, in chunks, with name and caption", async () => {
  const body = { kind: "media", media: "document", file, caption: "segue" } as const;
  const { message, uploaded } = await sent(body, {}, { k: content });
  const said = message.message?.documentMessage;
  expect(said).toMatchObject({
    fileName: "conta.pdf",
    caption: "segue",
    mimetype: "application/pdf",
  });
  expect(Number(said?.fileLength)).toBe(content.length);
  const keys = await getMediaKeys(said?.mediaKey, "document");
  const plain = decrypted(piecesOf(uploaded ?? Buffer.alloc(0)), {
    cipherKey: keys.cipherKey,
    iv: keys.iv,
    macKey: keys.macKey ?? new Uint8Array(),
    fileSha256: said?.fileSha256 ?? new Uint8Array(),
    fileEncSha256: said?.fileEncSha256 ?? new Uint8Array(),
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of plain) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(content)).toBe(true);
});

test("a voice message has its length and its bars", async () => {
  const voice = { ...file, mime: "audio/ogg", durationMs: 2_600, waveform: [0, 50, 100, 250] };
  const body = { kind: "media", media: "voice", file: voice } as const;
  const said = (await sent(body, {}, { k: content })).message.message?.audioMessage;
  expect(said).toMatchObject({ ptt: true, seconds: 3, mimetype: "audio/ogg; codecs=opus" });
  expect(said?.waveform).toHaveLength(64);
  expect([...(said?.waveform ?? [])].filter((_, bar) => bar % 16 === 0)).toEqual([0, 50, 100, 100]);
});

test("a voice message without a known waveform has a flat one", async () => {
  const voice = { ...file, mime: "audio/ogg", durationMs: 100 };
  const body = { kind: "media", media: "voice", file: voice } as const;
  const said = (await sent(body, {}, { k: content })).message.message?.audioMessage;
  expect(said).toMatchObject({ seconds: 1 });
  expect(said?.waveform).toEqual(new Uint8Array(64));
});

test.each([
  ["audio", "audioMessage", { ptt: false, mimetype: "audio/mpeg", seconds: 9 }],
  ["video", "videoMessage", { caption: "veja", mimetype: "audio/mpeg", seconds: 9 }],
  ["sticker", "stickerMessage", { mimetype: "audio/mpeg" }],
] as const)("a file goes out as %s", async (media, kind, expected) => {
  const some = { ...file, mime: "audio/mpeg", durationMs: 9_000 };
  const body = { kind: "media", media, file: some, caption: "veja" } as const;
  const { message } = await sent(body, {}, { k: content });
  expect(message.message?.[kind]).toMatchObject(expected);
});

test.each([
  ["image", "imageMessage"],
  ["video", "videoMessage"],
] as const)("%s has a preview that phones show at once", async (media, kind) => {
  const { default: sharp } = await import("sharp");
  const red = { width: 640, height: 400, channels: 4, background: "#f00" } as const;
  const small = await sharp({ create: red }).webp().toBuffer();
  const some = { ...file, width: 1_600, height: 1_000, thumbnailKey: "small" };
  const body = { kind: "media", media, file: some } as const;
  const said = (await sent(body, {}, { k: content, small })).message.message?.[kind];
  expect(said).toMatchObject({ width: 1_600, height: 1_000 });
  const preview = await sharp(said?.jpegThumbnail ?? new Uint8Array()).metadata();
  expect(preview).toMatchObject({ format: "jpeg", width: 72, height: 45 });
});

test("a picture whose small one is gone, or none, goes out without", async () => {
  const some = { ...file, thumbnailKey: "small" };
  const body = { kind: "media", media: "image", file: some } as const;
  for (const files of [{ k: content }, { k: content, small: Buffer.from("no picture") }]) {
    const said = (await sent(body, {}, files)).message.message?.imageMessage;
    expect(said?.jpegThumbnail).toHaveLength(0);
  }
});

test("a file that breaks off is not sent", async () => {
  const openFile = async () => ({ content: broken(), bytes: 10 });
  const body = { kind: "media", media: "document", file } as const;
  const command = { providerId: "A", to: ana, body };
  const { jid, content, options } = await toSocketContent(command, { openFile });
  const upload = () => Promise.reject(new Error("uploaded"));
  await expect(
    generateWAMessage(jid, content, { ...options, userJid: self, upload }),
  ).rejects.toThrow("broken off");
});

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Uint8Array.from([1]);
  throw new Error("broken off");
}

test("a quote says what was said, and by whom", async () => {
  const quote = { chat: ana, id: "Q", fromMe: false, text: "Quanto custa?" };
  const { message } = await sent({ kind: "text", text: "R$ 10" }, { quote });
  expect(message.message?.extendedTextMessage?.contextInfo).toMatchObject({
    stanzaId: "Q",
    participant: "5511988887777@s.whatsapp.net",
    quotedMessage: { conversation: "Quanto custa?" },
  });
});

test("a quote of the same person's other address is of the same chat", async () => {
  const quote = { chat: anaLid, id: "Q", fromMe: false, text: "Quanto custa?" };
  const { message } = await sent({ kind: "text", text: "R$ 10" }, { quote });
  const context = message.message?.extendedTextMessage?.contextInfo;
  expect(context?.participant).toBe("123456789012345@lid");
  expect(context?.remoteJid ?? null).toBeNull();
});

test("a quote of our own message is ours, one in a group is its author's", async () => {
  const own = { chat: ana, id: "Q", fromMe: true, text: "Oi" };
  const first = await sent({ kind: "text", text: "R$ 10" }, { quote: own });
  expect(first.message.message?.extendedTextMessage?.contextInfo?.participant).toBe(self);
  const members = { chat: group, id: "Q", fromMe: false, author: anaLid, text: "" };
  const body = { kind: "media", media: "sticker", file } as const;
  const second = await sent(body, { to: group, quote: members }, { k: content });
  expect(second.message.message?.stickerMessage?.contextInfo).toMatchObject({
    stanzaId: "Q",
    participant: "123456789012345@lid",
    quotedMessage: { conversation: "" },
  });
});

test("an edit, a deletion and a reaction name their message in the chat that is written to", async () => {
  const target = { chat: anaLid, id: "OLD", fromMe: true };
  const key = { remoteJid: "5511988887777@s.whatsapp.net", id: "OLD", fromMe: true };
  const edit = (await sent({ kind: "edit", target, text: "novo" })).message.message;
  expect(edit?.protocolMessage).toMatchObject({
    type: 14,
    key,
    editedMessage: { extendedTextMessage: { text: "novo" } },
  });
  const revoke = (await sent({ kind: "revoke", target })).message.message;
  expect(revoke?.protocolMessage).toMatchObject({ type: 0, key });
  const react = (emoji: string | null) => sent({ kind: "reaction", target, emoji });
  expect((await react("👍")).message.message?.reactionMessage).toMatchObject({ key, text: "👍" });
  expect((await react(null)).message.message?.reactionMessage?.text).toBe("");
});

test("in a group the message's author is named", async () => {
  const target = { chat: group, id: "OLD", fromMe: false, author: anaLid };
  const { message } = await sent({ kind: "reaction", target, emoji: "👍" }, { to: group });
  expect(message.message?.reactionMessage?.key).toMatchObject({
    remoteJid: "120363041234567890@g.us",
    participant: "123456789012345@lid",
  });
});

test("the receiver gets exactly the content that we send", async () => {
  const { message } = await sent({ kind: "text", text: "Olá\n👋" });
  expect(contentOf(message.message ?? {})).toEqual({ kind: "text", text: "Olá\n👋" });
});
