import type { MediaKind, MessageId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address, MediaRef } from "../../../channels/port.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, contentEvent, newPhone } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, lastTold } from "../testing/conversations.ts";

let side: ChannelSide;
let picture: Uint8Array;
beforeAll(async () => {
  side = await channelSide();
  picture = await sharp({
    create: { width: 40, height: 30, channels: 3, background: "#2f8f6b" },
  })
    .jpeg()
    .toBuffer();
});

const ref = (media: MediaKind, mime: string, fileName?: string): MediaRef => ({
  media,
  mime,
  locator: "somewhere",
  ...(fileName === undefined ? {} : { fileName }),
});

async function* streamOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

type Arrived = { chat: Address; id: MessageId; file: MediaRef };

async function arrive(file: MediaRef, caption?: string): Promise<Arrived> {
  const chat = newPhone();
  const content = { kind: "media", file, ...(caption === undefined ? {} : { caption }) } as const;
  await side.receive(contentEvent(content, { chat }));
  const [told] = appMessages(side.told.take());
  if (!told) throw new Error("nothing was told");
  return { chat, id: told.message.id, file };
}

const filesOfSide = () =>
  side.rows<{ n: number }>(
    sql`select count(*)::int as n from files where company_id = ${side.companyId}`,
  );

describe("a message with a file", () => {
  test.each([
    ["image", "image/jpeg", undefined, "image", "imagem.jpg", "Imagem"],
    ["image", "image/jpeg", "vestido.jpg", "image", "vestido.jpg", "vestido.jpg"],
    ["video", "video/mp4", undefined, "video", "video.mp4", "Vídeo"],
    ["voice", "audio/ogg; codecs=opus", undefined, "audio", "Áudio", "Áudio"],
    ["audio", "audio/mpeg", "musica.mp3", "audio", "Áudio", "Áudio"],
    ["document", "application/pdf", "nota.pdf", "application", "nota.pdf", "nota.pdf"],
    ["document", "text/csv", "../../etc/lista.csv", "text", "lista.csv", "lista.csv"],
    ["sticker", "image/webp", undefined, "image", "sticker", "Figurinha"],
  ] as const)("%s (%s, %s) is shown before its file is here", async (...row) => {
    const [kind, mime, fileName, mediaType, body, card] = row;
    const chat = newPhone();
    await side.receive(contentEvent({ kind: "media", file: ref(kind, mime, fileName) }, { chat }));
    const [told] = appMessages(side.told.take());
    expect(told).toMatchObject({
      message: {
        mediaType,
        body,
        mediaUrl: null,
        media: { state: "loading", kind, mime, url: null, thumbnailUrl: null, isViewOnce: false },
      },
      ticket: { lastMessage: card, lastMessageKind: kind, unreadMessages: 1 },
    });
    const [download] = await side.rows<{ source: string }>(
      sql`select source from media_downloads where message_id = ${told?.message.id}`,
    );
    expect(JSON.parse(download?.source ?? "null")).toMatchObject({ locator: "somewhere" });
  });

  test("has its caption as text, also on the card", async () => {
    const { chat } = await arrive(ref("image", "image/jpeg", "a.jpg"), "serve este?");
    expect(await conversationsOf(chat, side)).toMatchObject([
      { messages: ["serve este?"], last: "serve este?", lastKind: "image" },
    ]);
  });

  test("that may be seen once says so", async () => {
    const file = ref("image", "image/jpeg");
    await side.receive(contentEvent({ kind: "media", file, isViewOnce: true }));
    expect(lastTold(side.told.take()).media).toMatchObject({ isViewOnce: true });
  });

  test("takes two statements more than a text", async () => {
    const chat = newPhone();
    await side.receive(contentEvent({ kind: "media", file: ref("image", "image/jpeg") }, { chat }));
    side.database.statements.take();
    await side.receive(contentEvent({ kind: "media", file: ref("image", "image/jpeg") }, { chat }));
    expect(side.database.statements.take()).toHaveLength(4);
  });
});

describe("a file that was fetched", () => {
  test("has a signed address for users who see the message", async () => {
    const { id, file, chat } = await arrive(ref("image", "image/jpeg", "vestido.jpg"));
    await side.storeMedia(id, file, streamOf(picture));
    const { media, mediaUrl, body } = lastTold(side.told.take());
    expect(media).toMatchObject({
      state: "ready",
      kind: "image",
      mime: "image/jpeg",
      name: "vestido.jpg",
      bytes: picture.byteLength,
      width: 40,
      height: 30,
      url: expect.stringContaining("sig="),
    });
    expect([mediaUrl, body]).toEqual([media?.url, "vestido.jpg"]);
    expect(await conversationsOf(chat, side)).toMatchObject([{ unread: 1, last: "vestido.jpg" }]);
  });

  test("a second time changes nothing and leaves no file", async () => {
    const { id, file } = await arrive(ref("image", "image/jpeg"));
    await side.storeMedia(id, file, streamOf(picture));
    const [{ n } = { n: 0 }] = await filesOfSide();
    side.told.take();
    await side.storeMedia(id, file, streamOf(picture));
    expect(side.told.take()).toEqual([]);
    expect(await filesOfSide()).toEqual([{ n }]);
  });

  test("is stored by its content, not by the network's type", async () => {
    const { id, file } = await arrive(ref("video", "video/mp4"));
    await side.storeMedia(id, file, streamOf(picture));
    expect(lastTold(side.told.take()).media).toMatchObject({ kind: "image", mime: "image/jpeg" });
  });

  test("is removed if its message was deleted", async () => {
    const { id, file } = await arrive(ref("image", "image/jpeg"));
    const [before] = await filesOfSide();
    await side.rows(sql`delete from messages where id = ${id}`);
    await side.storeMedia(id, file, streamOf(picture));
    expect(await filesOfSide()).toEqual([before]);
  });
});

describe("a file that cannot be had", () => {
  test("leaves a message that says so, on the card too", async () => {
    const { id, chat } = await arrive(ref("image", "image/jpeg", "vestido.jpg"));
    await side.mediaUnavailable(id);
    expect(lastTold(side.told.take())).toMatchObject({
      body: "[Mídia não disponível]",
      media: { state: "unavailable", url: null },
    });
    expect(await conversationsOf(chat, side)).toMatchObject([
      { messages: ["[Mídia não disponível]"], unread: 1 },
    ]);
  });

  test("leaves the caption as it is", async () => {
    const { id, chat } = await arrive(ref("image", "image/jpeg"), "serve este?");
    await side.mediaUnavailable(id);
    expect(lastTold(side.told.take())).toMatchObject({
      body: "serve este?",
      media: { state: "unavailable" },
    });
    expect(await conversationsOf(chat, side)).toMatchObject([{ last: "serve este?" }]);
  });

  test("that is here already stays", async () => {
    const { id, file } = await arrive(ref("image", "image/jpeg"));
    await side.storeMedia(id, file, streamOf(picture));
    side.told.take();
    await side.mediaUnavailable(id);
    expect(side.told.take()).toEqual([]);
  });
});
