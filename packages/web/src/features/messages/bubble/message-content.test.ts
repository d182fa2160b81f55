import { describe, expect, test, beforeEach } from "vitest";
import { i18n } from "../../../i18n/index.ts";
import {
  previewText,
  writtenText,
  barsOf,
  fileEnding,
  formatBytes,
  formatDuration,
  pictureSize,
  sign,
  splitSignature,
  isDeletable,
  isEditable,
  lastEditableMessage,
} from "./message-content.ts";
import { givenMedia } from "../testing/given-media.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { queryClient } from "../../../api/query-client.ts";
import type { MessageHistory } from "../history/message-history.ts";
import { historyKey } from "../history/message-history.ts";

const preview = (fields: Parameters<typeof givenMessage>[1]): string =>
  previewText(i18n.t, givenMessage(1, fields));

describe("the typed text", () => {
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

  test("is its kind if there is no text", () => {
    const voice = givenMedia({ kind: "voice", durationMs: 14_000 });
    expect(preview({ body: "Áudio", media: voice })).toBe("Mensagem de voz, 0:14");
    expect(preview({ body: "foto.jpg", media: givenMedia() })).toBe("Foto");
    const document = givenMedia({ kind: "document", name: "a.pdf" });
    expect(preview({ body: "a.pdf", media: document })).toBe("a.pdf");
  });

  test("hides the text of a deleted message", () => {
    expect(preview({ body: "segredo", isDeleted: true })).toBe("Mensagem apagada");
  });
});

describe("the size of a picture", () => {
  test.each([
    ["a wide one", 1_600, 1_200, 268, 201],
    ["a high one is cut to the height", 900, 1_600, 180, 320],
    ["a small one is not blown up", 200, 150, 200, 150],
    ["a tiny one still has room for a finger", 10, 10, 120, 72],
    ["a strip is not a line", 3_000, 60, 268, 72],
  ])("%s", (_, width, height, widthPx, heightPx) => {
    expect(pictureSize(givenMedia({ width, height }))).toEqual({ widthPx, heightPx });
  });

  test("has a default if unknown", () => {
    const size = pictureSize(givenMedia({ width: null, height: null }));
    expect(size).toEqual({ widthPx: 268, heightPx: 201 });
  });

  test("is smaller for a sticker", () => {
    const sticker = givenMedia({ kind: "sticker", width: 512, height: 512 });
    expect(pictureSize(sticker)).toEqual({ widthPx: 144, heightPx: 144 });
  });
});

test.each([
  [0, "0:00"],
  [14_900, "0:14"],
  [61_000, "1:01"],
  [3_750_000, "1:02:30"],
])("%i ms are %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test.each([
  [640_000, /^640 kB$/],
  [1_234_567, /^1,2 MB$/],
  [256_000_000, /^256 MB$/],
  [12, /^12 bytes$/],
])("%i bytes are formatted", (bytes, text) => {
  expect(formatBytes(bytes).replaceAll(/\s/g, " ")).toMatch(text);
});

test.each([
  ["contrato.PDF", "PDF"],
  ["sem-final", ""],
  [".oculto", ""],
  ["a.verylongending", ""],
])("the extension of %s is '%s'", (name, ending) => {
  expect(fileEnding(name)).toBe(ending);
});

describe("the bars of an audio", () => {
  test("have a fixed number for any levels", () => {
    expect(barsOf([5]).length).toBe(barsOf(Array.from({ length: 999 }, () => 50)).length);
  });

  test("show the loudest level of their part, and a minimum", () => {
    const levels = Array.from({ length: 280 }, (_, index) => (index === 15 ? 100 : 0));
    expect(barsOf(levels).filter((height) => height === 100)).toHaveLength(1);
    expect(Math.min(...barsOf(levels))).toBeGreaterThan(0);
  });

  test("are flat without levels", () => {
    expect(new Set(barsOf(null)).size).toBe(1);
  });
});

test("a signed text carries the name in bold on its own line", () => {
  expect(sign("Marina Prado", "Oi!")).toBe("*Marina Prado:*\nOi!");
});

test("a name with an asterisk does not break its own mark", () => {
  expect(splitSignature(sign("Ma*ri*na", "Oi!"))).toEqual({ author: "Marina", text: "Oi!" });
});

test.each([
  ["*Marina:*\nOi\n*Ana:*\nOlá", { author: "Marina", text: "Oi\n*Ana:*\nOlá" }],
  ["Oi *Marina:*\nOlá", { author: null, text: "Oi *Marina:*\nOlá" }],
  ["*Atenção*\nfechamos às 18h", { author: null, text: "*Atenção*\nfechamos às 18h" }],
  ["*Marina:*", { author: null, text: "*Marina:*" }],
])("%j is split into %j", (body, expected) => {
  expect(splitSignature(body)).toEqual(expected);
});

const sentAt = givenMessage(1).createdAt;
const soonMs = Date.parse(sentAt) + 15 * 60_000 - 1;
const own = (fields: Parameters<typeof givenMessage>[1] = {}) =>
  givenMessage(1, { fromMe: true, ...fields });

describe("an edit", () => {
  test("is allowed for own texts within 15 minutes", () => {
    expect(isEditable(own(), soonMs)).toBe(true);
    expect(isEditable(own(), soonMs + 1)).toBe(false);
  });

  test.each([
    ["what the customer wrote", givenMessage(1)],
    ["a deleted message", own({ isDeleted: true })],
    ["a file", own({ media: givenMedia() })],
    ["a contact card", own({ details: { kind: "contacts", contacts: [] } })],
    ["a message that never left", own({ failedCode: "ERR_SENDING_WAPP_MSG" })],
  ])("is refused for %s", (_, message) => {
    expect(isEditable(message, soonMs)).toBe(false);
  });
});

test.each([
  ["an own message, a file as well", own({ media: givenMedia() }), true],
  ["what the customer wrote", givenMessage(1), false],
  ["what is deleted already", own({ isDeleted: true }), false],
  ["what never left", own({ failedCode: "ERR_SENDING_WAPP_MSG" }), false],
])("deleting: %s", (_, message, expected) => {
  expect(isDeletable(message)).toBe(expected);
});

describe("the last message that may be edited", () => {
  beforeEach(() => queryClient.clear());

  test("is an own one, also if the customer wrote after it", () => {
    const messages = [own(), givenMessage(2, { fromMe: true }), givenMessage(3)];
    const history = { messages, hasMore: false, hasNewer: false, anchorId: null, count: 3 };
    queryClient.setQueryData<MessageHistory>(historyKey(1), history);
    expect(lastEditableMessage(1, soonMs)?.id).toBe(messageIdOf(2));
    expect(lastEditableMessage(1, soonMs + 60 * 60_000)).toBeNull();
  });

  test("is none while nothing is loaded", () => {
    expect(lastEditableMessage(1, soonMs)).toBeNull();
  });
});
