import { describe, expect, test } from "vitest";
import { i18n } from "../../i18n/index.ts";
import { previewText, writtenText } from "./message-content.ts";
import { givenMedia } from "./testing/given-media.ts";
import { givenMessage } from "./testing/given-message.ts";

const preview = (fields: Parameters<typeof givenMessage>[1]): string =>
  previewText(i18n.t, givenMessage(1, fields));

describe("what people wrote", () => {
  test.each([
    ["a text", { body: "Oi" }, "Oi"],
    ["a caption", { body: "Veja", media: givenMedia() }, "Veja"],
    ["no caption: the file's name", { body: "foto.jpg", media: givenMedia() }, ""],
    ["no caption: an audio", { body: "Áudio", media: givenMedia({ kind: "voice" }) }, ""],
    ["no caption: a sticker", { body: "sticker", media: givenMedia({ kind: "sticker" }) }, ""],
    [
      "a vote is told by its details",
      { body: "A", details: { kind: "poll-vote", options: [] } },
      "",
    ],
  ] as const)("%s", (_, fields, expected) => {
    expect(writtenText(givenMessage(1, structuredClone(fields) as never))).toBe(expected);
  });
});

describe("a message in one line", () => {
  test("is its text without marks and signature", () => {
    expect(preview({ fromMe: true, body: "*Ana:*\nOi, *tudo*\nbem?" })).toBe("Oi, tudo bem?");
  });

  test("is what it is where there is no text", () => {
    const voice = givenMedia({ kind: "voice", durationMs: 14_000 });
    expect(preview({ body: "Áudio", media: voice })).toBe("Mensagem de voz, 0:14");
    expect(preview({ body: "foto.jpg", media: givenMedia() })).toBe("Foto");
    const document = givenMedia({ kind: "document", name: "a.pdf" });
    expect(preview({ body: "a.pdf", media: document })).toBe("a.pdf");
  });

  test("says nothing of a deleted message", () => {
    expect(preview({ body: "segredo", isDeleted: true })).toBe("Mensagem apagada");
  });
});
