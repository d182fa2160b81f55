import { beforeAll, describe, expect, test } from "vitest";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, contentEvent, newPhone, textEvent } from "../testing/channel-side.ts";
import { conversationsOf, lastTold } from "../testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
});

describe("a customer's text", () => {
  test("is a conversation message with these words and no file", async () => {
    await side.receive(textEvent({ text: "Bom dia!\nTem M?" }));
    expect(lastTold(side.told.take())).toMatchObject({
      mediaType: "conversation",
      body: "Bom dia!\nTem M?",
      mediaUrl: null,
      media: null,
      details: null,
      quotedMsgId: null,
    });
  });

  test.each(["{{name}} {{ms}}", "{{", "Tom &amp; <b>Jerry</b> {{hora}}"])(
    "is never rendered: %s",
    async (words) => {
      const chat = newPhone();
      await side.receive(textEvent({ chat, text: words, name: "Ana" }));
      const file = { media: "image", mime: "image/jpeg", locator: "x" } as const;
      await side.receive(contentEvent({ kind: "media", file, caption: words }, { chat }));
      expect(await conversationsOf(chat, side)).toMatchObject([
        { messages: [words, words], last: words },
      ]);
    },
  );
});

describe("what a customer chose", () => {
  test.each(["buttonsResponseMessage", "templateButtonReplyMessage", "listResponseMessage"])(
    "stands under its own name (%s), with the id as its text",
    async (type) => {
      await side.receive(contentEvent({ kind: "choice", type, id: "linha-2" }));
      expect(lastTold(side.told.take())).toMatchObject({ mediaType: type, body: "linha-2" });
    },
  );
});
