import { describe, expect, test } from "vitest";
import { renderToStaticMarkup } from "react-dom/server";
import { FormattedText, parseBlocks, parseWhatsAppText, plainText } from "./formatted-text.tsx";
import type { TextNode } from "./formatted-text.tsx";

/** Prints the tree in one line, for readable tables. */
function show(nodes: readonly TextNode[]): string {
  return nodes
    .map((node) => {
      if ("children" in node) return `<${node.kind}>${show(node.children)}</>`;
      if (node.kind === "link") return `[${node.href}]`;
      return node.kind === "mono" ? `{${node.text}}` : node.text;
    })
    .join("");
}

describe("the chat app's marks", () => {
  test.each([
    ["plain text stays", "Bom dia, tudo bem?", "Bom dia, tudo bem?"],
    ["nothing is nothing", "", ""],
    ["bold", "é *por nossa conta*: sim", "é <bold>por nossa conta</>: sim"],
    ["italic", "_talvez_ amanhã", "<italic>talvez</> amanhã"],
    ["strike", "~10~ 8 reais", "<strike>10</> 8 reais"],
    ["one letter is enough", "*a*", "<bold>a</>"],
    ["several in a row", "*a* *b*", "<bold>a</> <bold>b</>"],
    ["nested", "*a _b ~c~_*", "<bold>a <italic>b <strike>c</></></>"],
    ["marks inside words are letters", "arquivo_de_teste 2*3*4", "arquivo_de_teste 2*3*4"],
    ["a space inside the edge is no mark", "* item* e *outro *", "* item* e *outro *"],
    ["of doubled marks the inner count", "**forte** e __x__", "*<bold>forte</>* e _<italic>x</>_"],
    ["an unclosed mark stays", "preço *especial", "preço *especial"],
    ["a mark ends with its line", "*a\nb*", "*a\nb*"],
    ["an inner unclosed mark stays", "*a _b*", "<bold>a _b</>"],
    ["crossed marks: the outer one wins", "*a _b* c_", "<bold>a _b</> c_"],
    ["accents are letters", "ação*é*", "ação*é*"],
    ["beside punctuation", "(*sim*), *não*.", "(<bold>sim</>), <bold>não</>."],
    ["beside an emoji", "🚚*saiu*🚚", "🚚<bold>saiu</>🚚"],
    ["mono keeps marks and lines", "```a *b*\nc``` d", "{a *b*\nc} d"],
    ["mono inside bold", "*veja ```x```*", "<bold>veja {x}</>"],
    ["mono by one sign, in one line", "use `x *y*` e `a\nb`", "use {x *y*} e `a\nb`"],
    ["an unclosed fence stays", "```a", "```a"],
    ["an empty fence stays", "``` ``` b", "``` ``` b"],
    ["html is text", '<img src=x onerror="a()">', '<img src=x onerror="a()">'],
  ])("%s", (_, text, expected) => {
    expect(show(parseWhatsAppText(text))).toBe(expected);
  });
});

describe("links", () => {
  test.each([
    ["http and https", "http://a.br https://b.br/c?d=1#e", "[http://a.br] [https://b.br/c?d=1#e]"],
    ["the sentence's end is not the link's", "Veja https://a.br/x.", "Veja [https://a.br/x]."],
    ["in parentheses", "(https://a.br/x)", "([https://a.br/x])"],
    ["with parentheses", "https://a.br/x_(y) ok", "[https://a.br/x_(y)] ok"],
    ["marks inside a link are the link's", "https://a.br/_x_/~y", "[https://a.br/_x_/~y]"],
    ["a bold link", "*https://a.br/x*", "<bold>[https://a.br/x]</>"],
    ["other schemes are text", "javascript:alert(1) ftp://a.br", "javascript:alert(1) ftp://a.br"],
    ["a scheme without a host is text", "https:// nada", "https:// nada"],
    ["not within a word", "xhttps://a.br", "xhttps://a.br"],
    [
      "an e-mail address",
      "Mande a ana.lima@loja.com.br.",
      "Mande a [mailto:ana.lima@loja.com.br].",
    ],
    ["a bold one", "*a@b.br*", "<bold>[mailto:a@b.br]</>"],
    ["no address", "a@b e @ana", "a@b e @ana"],
    ["a phone number with its country", "+55 11 98456-2210", "[tel:+5511984562210]"],
    ["one of Brazil", "ligue (11) 3456-2210, ok", "ligue [tel:1134562210], ok"],
    ["one with its area", "é 11 98456-2210", "é [tel:11984562210]"],
    [
      "years, prices and documents are none",
      "2019-2024 1.234,56 123.456.789-09",
      "2019-2024 1.234,56 123.456.789-09",
    ],
  ])("%s", (_, text, expected) => {
    expect(show(parseWhatsAppText(text))).toBe(expected);
  });
});

describe("lists and quotes", () => {
  test.each([
    [
      "a list",
      "Leve:\n- RG\n* CPF\nObrigada",
      [
        ["text", "Leve:"],
        ["list", null, "RG", "CPF"],
        ["text", "Obrigada"],
      ],
    ],
    ["a numbered one keeps its numbers", "3. a\n4. b", [["list", 3, "a", "b"]]],
    [
      "a quote of several lines",
      "> a\n> b\nc",
      [
        ["quote", "a\nb"],
        ["text", "c"],
      ],
    ],
    [
      "no list without space, and none in a fence",
      "-a\n*b*\n```\n- c\n```",
      [["text", "-a\n*b*\n```\n- c\n```"]],
    ],
  ] as const)("%s", (_, text, expected) => {
    const shown = parseBlocks(text).map((block) =>
      block.kind === "list" ? ["list", block.start, ...block.items] : [block.kind, block.text],
    );
    expect(shown).toEqual(expected);
  });

  test("are elements whose items have marks", () => {
    const markup = renderToStaticMarkup(FormattedText.type({ text: "- *a*\n- b\n> c" }));
    expect(markup.replaceAll(/ class="[^"]*"/g, "")).toBe(
      "<ul><li><strong>a</strong></li><li>b</li></ul><blockquote>c</blockquote>",
    );
  });
});

test.each([
  ["👍", 1],
  ["👍🏽 ❤️", 2],
  ["👨‍👩‍👧🇧🇷1️⃣", 3],
  ["👍👍👍👍", 0],
  ["ok 👍", 0],
  ["123", 0],
])("“%s” is %i large emoji", (text, count) => {
  const markup = renderToStaticMarkup(FormattedText.type({ text }));
  expect(/data-count="(\d)"/.exec(markup)?.[1] ?? "0").toBe(String(count));
});

/** The reverse of the parser. */
function write(nodes: readonly TextNode[]): string {
  const marks = { bold: "*", italic: "_", strike: "~" } as const;
  return nodes
    .map((node) => {
      if ("children" in node) return marks[node.kind] + write(node.children) + marks[node.kind];
      if (node.kind === "mono") return `\`\`\`${node.text}\`\`\``;
      return node.kind === "link" ? node.href : node.text;
    })
    .join("");
}

test.each(["*a _b ~c* d_ e~ ``` f", "((https://a.br)).", "*\n_\n~\n```", "*a\n_b_ ```*``` ~c~*"])(
  "no character is lost of %j",
  (text) => {
    expect(write(parseWhatsAppText(text))).toBe(text);
  },
);

test.each([
  ["open marks", "*a ".repeat(20_000)],
  ["crossed marks", "*a _b ~c ".repeat(7_000)],
  ["fences", "``` ".repeat(16_000)],
  ["links", "https://a".repeat(7_000)],
  ["closing parentheses", `https://a${")".repeat(60_000)}`],
])("the longest message of %s is parsed in one pass", (_, text) => {
  const startMs = performance.now();
  parseWhatsAppText(text);
  expect(performance.now() - startMs).toBeLessThan(500);
});

test("a preview is one line without marks", () => {
  expect(plainText("*Oi*,\n  veja _isto_: https://a.br ```x```")).toBe(
    "Oi, veja isto: https://a.br x",
  );
});
