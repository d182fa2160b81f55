import type { WAMessageContent } from "baileys";
import { expect, test } from "vitest";
import type { InboundContent } from "../../port.ts";
import { decodeLocator, encodeLocator } from "./files.ts";
import { ANA, arrived, contentOf, messageOf } from "./testing/messages.ts";

const place = {
  url: "https://mmg.whatsapp.net/v/t62/abc.enc?ccb=11-4&mms3=true",
  directPath: "/v/t62/abc.enc?ccb=11-4",
  mediaKey: Buffer.alloc(32, 1),
  fileSha256: Buffer.alloc(32, 2),
  fileEncSha256: Buffer.alloc(32, 3),
};

type Media = Extract<InboundContent, { kind: "media" }>;

function mediaOf(content: WAMessageContent): Media {
  const found = contentOf(content);
  if (found.kind !== "media") throw new Error(`it is ${found.kind}`);
  return found;
}

test.each<[string, WAMessageContent, Partial<Media["file"]>, Partial<Media>]>([
  [
    "picture",
    { imageMessage: { ...place, mimetype: "image/jpeg", caption: "veja", fileLength: 1234 } },
    { media: "image", mime: "image/jpeg", bytes: 1234 },
    { caption: "veja" },
  ],
  [
    "film",
    { videoMessage: { ...place, mimetype: "video/mp4", seconds: 12, gifPlayback: true } },
    { media: "video", mime: "video/mp4", durationMs: 12_000 },
    {},
  ],
  ["round film", { ptvMessage: { ...place, mimetype: "video/mp4" } }, { media: "video" }, {}],
  [
    "sound",
    { audioMessage: { ...place, mimetype: "audio/mpeg", seconds: 3 } },
    { media: "audio", mime: "audio/mpeg", durationMs: 3_000 },
    {},
  ],
  [
    "voice message",
    { audioMessage: { ...place, mimetype: "audio/ogg; codecs=opus", ptt: true, seconds: 3 } },
    { media: "voice", mime: "audio/ogg; codecs=opus", durationMs: 3_000 },
    {},
  ],
  [
    "document",
    { documentMessage: { ...place, mimetype: "application/pdf", fileName: "conta.pdf" } },
    { media: "document", mime: "application/pdf", fileName: "conta.pdf" },
    {},
  ],
  [
    "document with words",
    {
      documentWithCaptionMessage: {
        message: { documentMessage: { ...place, title: "conta", caption: "segue" } },
      },
    },
    { media: "document", mime: "application/octet-stream", fileName: "conta" },
    { caption: "segue" },
  ],
  ["sticker", { stickerMessage: { ...place } }, { media: "sticker", mime: "image/webp" }, {}],
  [
    "picture to be seen once",
    { viewOnceMessageV2: { message: { imageMessage: { ...place, mimetype: "image/jpeg" } } } },
    { media: "image" },
    { isViewOnce: true },
  ],
  [
    "voice message to be heard once",
    { audioMessage: { ...place, ptt: true, viewOnce: true } },
    { media: "voice" },
    { isViewOnce: true },
  ],
  [
    "picture of a template",
    {
      templateMessage: {
        hydratedTemplate: { imageMessage: { ...place }, hydratedContentText: "Oferta" },
      },
    },
    { media: "image" },
    { caption: "*Oferta*" },
  ],
])("%s", (_name, content, file, rest) => {
  const { file: found, ...others } = mediaOf(content);
  expect(found).toMatchObject(file);
  expect(others).toEqual({ kind: "media", ...rest });
});

test("the locator says where the file lies, how it is opened, and which message brought it", () => {
  const { file } = mediaOf({ imageMessage: place });
  expect(decodeLocator(file.locator)).toEqual({
    type: "image",
    url: place.url,
    directPath: place.directPath,
    mediaKey: place.mediaKey.toString("base64"),
    fileSha256: place.fileSha256.toString("base64"),
    fileEncSha256: place.fileEncSha256.toString("base64"),
    key: { remoteJid: ANA, id: "3EB0AAAA", fromMe: false },
  });
});

test("an address of any length leaves a locator that fits the journal", () => {
  const { file } = mediaOf({ imageMessage: { ...place, url: `https://${"x".repeat(20_000)}` } });
  expect(file.locator.length).toBeLessThan(8_000);
  expect(decodeLocator(file.locator)).toMatchObject({ directPath: place.directPath });
});

test.each(["", "{}", "null", "{", "[]", '{"type":"image"}'])("%j is no locator", (text) => {
  expect(decodeLocator(text)).toBeNull();
});

test("a locator comes back as it was", () => {
  const locator = {
    type: "audio",
    mediaKey: "AAAA",
    key: { remoteJid: ANA, id: "A", fromMe: true, participant: ANA },
  } as const;
  expect(decodeLocator(encodeLocator(locator))).toEqual(locator);
});

test("a view-once message without content is announced", () => {
  expect(contentOf({ viewOnceMessageV2: {} })).toEqual({ kind: "view-once" });
  expect(contentOf({ viewOnceMessageV2Extension: { message: {} } })).toEqual({ kind: "view-once" });
  expect(contentOf({ viewOnceMessage: { message: { imageMessage: {} } } })).toEqual({
    kind: "view-once",
  });
  expect(messageOf(arrived(null, { key: { isViewOnce: true } })).content).toEqual({
    kind: "view-once",
  });
});

test("a file without a key is a message all the same", () => {
  expect(contentOf({ imageMessage: { caption: "veja" } })).toMatchObject({
    kind: "media",
    caption: "veja",
  });
});
