import { userId } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import { limits } from "@balcao/contract/limits";
import { insertText, slashTerm } from "./use-composer-text.ts";
import { kindOf, sortFiles } from "./tray-store.ts";
import { outgoing } from "./use-composer.ts";
import { changeFor } from "../quick-messages/api.ts";
import { matchingQuickMessages, quickMessageLabel } from "./quick-messages.tsx";
import { givenQuickMessage } from "./testing/composer-server.ts";

/** `|` is the caret. */
function at(marked: string) {
  const start = marked.indexOf("|");
  return { text: marked.replace("|", ""), start, end: start };
}

test("an emoji replaces the selection at the caret", () => {
  expect(insertText(at("bom |dia"), "😀")).toEqual({ text: "bom 😀dia", start: 6, end: 6 });
  expect(insertText({ text: "bom dia", start: 0, end: 3 }, "oi")).toMatchObject({
    text: "oi dia",
    start: 2,
  });
});

test.each([
  ["/|", ""],
  ["/oi|", "oi"],
  ["Bom dia. /praz|", "praz"],
  ["linha\n/oi|", "oi"],
  ["/oi|lá", "oi"],
])("in %j the typed term is %j", (marked, term) => {
  expect(slashTerm(at(marked))?.term).toBe(term);
});

test.each(["e/ou|", "https://exemplo.com|", "/oi tudo|", "|/oi", "12/11|"])(
  "in %j none is",
  (marked) => {
    expect(slashTerm(at(marked))).toBeNull();
  },
);

describe("quick replies", () => {
  test("the label is shortcode and text, cut at 35 characters", () => {
    const short = givenQuickMessage(1, { shortcode: "oi", message: "Olá,\ntudo bem?" });
    expect(quickMessageLabel(short)).toBe("oi - Olá, tudo bem?");
    const exact = givenQuickMessage(1, { shortcode: "oi", message: "x".repeat(30) });
    expect(quickMessageLabel(exact)).toHaveLength(limits.quickReplyLabelMax);
    const long = givenQuickMessage(1, { shortcode: "oi", message: "😀".repeat(60) });
    expect(quickMessageLabel(long)).toBe(`oi - ${"😀".repeat(30)}…`);
  });

  test("are found by shortcode and by text without accents, shortcodes first", () => {
    const all = [
      givenQuickMessage(1, { shortcode: "a", message: "Informação de endereço" }),
      givenQuickMessage(2, { shortcode: "minhaacao", message: "" }),
      givenQuickMessage(3, { shortcode: "Ação", message: "" }),
      givenQuickMessage(4, { shortcode: "outra", message: "nada" }),
      givenQuickMessage(5, { shortcode: "acao", message: "desligada", status: false }),
    ];
    expect(matchingQuickMessages(all, "acao").map(({ id }) => id)).toEqual([3, 2, 1]);
    expect(matchingQuickMessages(all, "")).toHaveLength(4);
  });

  test("exclude private ones of other users", () => {
    const record = givenQuickMessage(3, { geral: true });
    const own = { ...record, geral: false, userId: userId.parse(7) };
    expect(changeFor(own.userId, { action: "create", record })).toEqual({ row: record });
    expect(changeFor(own.userId, { action: "update", record: own })).toEqual({ row: own });
    expect(changeFor(8, { action: "update", record: own })).toEqual({ removedId: 3 });
    expect(changeFor(8, { action: "delete", id: record.id })).toEqual({ removedId: 3 });
  });
});

describe("files", () => {
  const file = (name: string, type: string, size = 1): File => {
    const made = new File(["x"], name, { type });
    Object.defineProperty(made, "size", { value: size });
    return made;
  };

  test.each([
    ["a.png", "image/png", "image"],
    ["a.svg", "image/svg+xml", "document"],
    ["a.mp4", "video/mp4", "video"],
    ["a.ogg", "audio/ogg", "audio"],
    ["audio-record-site-1.mp3", "audio/mpeg", "voice"],
    ["a.pdf", "application/pdf", "document"],
    ["sem-tipo", "", "document"],
  ])("%s (%s) is sent as %s", (name, type, kind) => {
    expect(kindOf(file(name, type))).toBe(kind);
  });

  test("files too large for their kind are refused with the server's code, the others are added", () => {
    const tooLarge = limits.imageMaxBytes + 1;
    const { accepted, refused } = sortFiles(
      [
        file("a.png", "image/png", tooLarge),
        file("b.pdf", "application/pdf", tooLarge),
        file("vazio.txt", "text/plain", 0),
      ],
      0,
    );
    expect(accepted.map(({ name }) => name)).toEqual(["b.pdf"]);
    expect(refused).toEqual([
      { name: "a.png", code: "ERR_FILE_TOO_LARGE" },
      { name: "vazio.txt", code: "ERR_FILE_DAMAGED" },
    ]);
  });

  test("at most ten, including those already chosen", () => {
    const many = Array.from({ length: 5 }, (_, index) => file(`${index}.pdf`, "application/pdf"));
    const { accepted, refused } = sortFiles(many, 7);
    expect(accepted.map(({ name }) => name)).toEqual(["0.pdf", "1.pdf", "2.pdf"]);
    expect(refused.map(({ code }) => code)).toEqual(["ERR_TOO_MANY_FILES", "ERR_TOO_MANY_FILES"]);
  });
});

describe("the messages of one send", () => {
  const file = (caption: string) => ({ caption });

  test.each([
    ["a text alone", " oi ", [], { text: "oi", files: [] }],
    ["white space is nothing", "  ", [file(" ")], { text: null, files: [file("")] }],
    [
      "a text is the caption of its one file",
      "oi",
      [file("")],
      { text: null, files: [file("oi")] },
    ],
    ["beside a caption it goes before", "oi", [file("a")], { text: "oi", files: [file("a")] }],
    [
      "beside several files it goes before",
      "oi",
      [file(""), file("b")],
      { text: "oi", files: [file(""), file("b")] },
    ],
  ])("%s", (_, text, files, expected) => {
    expect(outgoing(text, files)).toEqual(expected);
  });
});
