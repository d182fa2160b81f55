import type { ReactNode } from "react";
import { createElement, Fragment, memo } from "react";
import classes from "./formatted-text.module.css";

/** A chat text with its marks, lists and quotes as elements; one to three emoji alone are large. */
export const FormattedText = memo(function FormattedText({ text }: { text: string }): ReactNode {
  const emoji = loneEmoji(text);
  if (emoji > 0) {
    return (
      <span className={classes["emoji"]} data-count={emoji}>
        {text}
      </span>
    );
  }
  if (!BLOCK.test(text)) return inline(text);
  return createElement(Fragment, null, ...parseBlocks(text).map(blockOf));
});

const inline = (text: string): ReactNode => together(parseWhatsAppText(text));

function blockOf(block: TextBlock): ReactNode {
  if (block.kind === "text") return inline(block.text);
  if (block.kind === "quote") {
    return <blockquote className={classes["quote"]}>{inline(block.text)}</blockquote>;
  }
  const items = block.items.map((item) => createElement("li", null, inline(item)));
  return block.start === null
    ? createElement("ul", { className: classes["list"] }, ...items)
    : createElement("ol", { className: classes["list"], start: block.start }, ...items);
}

/** As static children, which need no keys: the order of a text never changes. */
function together(nodes: readonly TextNode[]): ReactNode {
  return createElement(Fragment, null, ...nodes.map(elementOf));
}

function elementOf(node: TextNode): ReactNode {
  if (node.kind === "text") return node.text;
  if (node.kind === "mono") return <code className={classes["mono"]}>{node.text}</code>;
  if (node.kind === "link") {
    return (
      <a className={classes["link"]} href={node.href} target="_blank" rel="noopener noreferrer">
        {node.text ?? node.href}
      </a>
    );
  }
  const content = together(node.children);
  if (node.kind === "bold") return <strong className={classes["bold"]}>{content}</strong>;
  return node.kind === "italic" ? <em>{content}</em> : <s>{content}</s>;
}

/** A piece of a chat text. Rendered as elements, never as HTML text. */
export type TextNode =
  | { kind: "text"; text: string }
  /** `text`: what is written, where it is no address by itself. */
  | { kind: "link"; href: string; text?: string }
  | { kind: "mono"; text: string }
  | { kind: Emphasis; children: readonly TextNode[] };

type Emphasis = "bold" | "italic" | "strike";

const emphasisOf: Readonly<Record<string, Emphasis>> = { "*": "bold", _: "italic", "~": "strike" };

const FENCE = "```";
const linkStart = /https?:\/\/[^\s<>"]/y;
const linkRest = /[^\s<>"]*/y;
const trailingPunctuation = ".,;:!?'\")]}";

/** An emphasis that is open; the first frame of the stack is the text itself. */
type Frame = { marker: string; contentStart: number; nodes: TextNode[] };

/** Lines that begin as a list or a quote stand together. */
export type TextBlock =
  | { kind: "text"; text: string }
  | { kind: "quote"; text: string }
  | { kind: "list"; start: number | null; items: string[] };

const BLOCK = /^(?:[-*] |> ?|\d{1,3}\. )\S/m;
const blockLine = /^(?:([-*]) |(>) ?|(\d{1,3})\. )(\S.*)$/;
const fenced = /```[\s\S]*?```/g;

/** Splits a text into lists, quotes and what stands between them. Lines inside a fence are no blocks. */
export function parseBlocks(text: string): readonly TextBlock[] {
  const fences = [...text.matchAll(fenced)].map(({ index, 0: { length } }) => [
    index,
    index + length,
  ]);
  const blocks: TextBlock[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const place = at;
    const isFenced = fences.some(([start = 0, end = 0]) => place > start && place < end);
    addLine(blocks, line, isFenced ? null : blockLine.exec(line));
    at += line.length + 1;
  }
  return blocks;
}

function addLine(blocks: TextBlock[], line: string, found: RegExpExecArray | null): void {
  const last = blocks.at(-1);
  if (found === null) {
    if (last?.kind === "text") last.text += `\n${line}`;
    else blocks.push({ kind: "text", text: line });
    return;
  }
  const [, bullet, quote, number, content = ""] = found;
  if (quote !== undefined) {
    if (last?.kind === "quote") last.text += `\n${content}`;
    else blocks.push({ kind: "quote", text: content });
    return;
  }
  const start = bullet === undefined ? Number(number) : null;
  if (last?.kind === "list" && (last.start === null) === (start === null)) last.items.push(content);
  else blocks.push({ kind: "list", start, items: [content] });
}

const EMOJI_MAX = 3;
/** Only emoji and their parts, with at least one that is no digit or sign. */
const emojiOnly = /^[\p{Extended_Pictographic}\p{Emoji_Component}\s]{1,40}$/u;
const pictogram = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** How many emoji a text consists of, when it has nothing else and at most three; else 0. */
function loneEmoji(text: string): number {
  if (!emojiOnly.test(text) || !pictogram.test(text)) return 0;
  const signs = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  const shown = signs.filter((sign) => sign.trim() !== "");
  const isAll = shown.every((sign) => pictogram.test(sign));
  return isAll && shown.length <= EMOJI_MAX ? shown.length : 0;
}

/**
 * Parses the chat app's marks: `*bold*`, `_italic_`, `~strike~`, `` `mono` ``, ```` ```mono``` ````, and http(s) links,
 * e-mail addresses and phone numbers. A mark counts
 * only at the edge of a word and within one line; other characters stay unchanged. One pass for any text.
 */
export function parseWhatsAppText(text: string): readonly TextNode[] {
  const root: Frame = { marker: "", contentStart: 0, nodes: [] };
  const stack: Frame[] = [root];
  let plainStart = 0;
  let isFenceWorthSeeking = true;
  // Most texts have neither an address nor a number.
  const mayReach = /@|\d{4}/.test(text);
  let at = 0;

  const top = (): Frame => stack.at(-1) ?? root;

  function flush(end: number): void {
    if (end > plainStart) addText(top().nodes, text.slice(plainStart, end));
  }

  /** Returns the innermost frame's mark and content to the surrounding text. */
  function abandonTop(): void {
    const frame = stack.pop();
    if (!frame) return;
    const parent = top().nodes;
    addText(parent, frame.marker);
    for (const node of frame.nodes) {
      if (node.kind === "text") addText(parent, node.text);
      else parent.push(node);
    }
  }

  function take(node: TextNode, end: number): void {
    flush(at);
    top().nodes.push(node);
    at = end;
    plainStart = end;
  }

  while (at < text.length) {
    const character = text.charAt(at);
    const emphasis = emphasisOf[character];

    if (character === "\n") {
      flush(at);
      plainStart = at;
      while (stack.length > 1) abandonTop();
      at += 1;
      continue;
    }

    if (isFenceWorthSeeking && character === "`" && text.startsWith(FENCE, at)) {
      const end = text.indexOf(FENCE, at + FENCE.length);
      if (end === -1) isFenceWorthSeeking = false;
      else if (text.slice(at + FENCE.length, end).trim() !== "") {
        take({ kind: "mono", text: text.slice(at + FENCE.length, end) }, end + FENCE.length);
        continue;
      }
    }

    if (emphasis) {
      const opened = stack.findIndex((frame) => frame.marker === character);
      if (opened > 0 && canClose(text, at, stack[opened]?.contentStart ?? at)) {
        flush(at);
        while (stack.length > opened + 1) abandonTop();
        const children = stack.pop()?.nodes ?? [];
        top().nodes.push({ kind: emphasis, children });
        at += 1;
        plainStart = at;
        continue;
      }
      if (opened === -1 && canOpen(text, at)) {
        flush(at);
        stack.push({ marker: character, contentStart: at + 1, nodes: [] });
        at += 1;
        plainStart = at;
        continue;
      }
    }

    if (character === "`" && text.charAt(at + 1) !== "`") {
      const end = text.indexOf("`", at + 1);
      const code = end === -1 ? "" : text.slice(at + 1, end);
      if (code.trim() !== "" && !code.includes("\n")) {
        take({ kind: "mono", text: code }, end + 1);
        continue;
      }
    }

    if (mayReach && !/[\p{L}\p{N}.,+@/$#-]/u.test(text.charAt(at - 1))) {
      const reach = reachAt(text, at, character);
      if (reach !== null) {
        take(reach, at + (reach.text?.length ?? 0));
        continue;
      }
    }

    if (character === "h" && !isWordCharacter(text.charAt(at - 1))) {
      const href = linkAt(text, at, stack);
      if (href !== null) {
        take({ kind: "link", href }, at + href.length);
        continue;
      }
    }

    at += 1;
  }

  flush(text.length);
  while (stack.length > 1) abandonTop();
  return root.nodes;
}

/** The text without marks, on one line: for previews. */
export function plainText(text: string): string {
  return textOf(parseWhatsAppText(text)).replaceAll(/\s+/g, " ").trim();
}

function textOf(nodes: readonly TextNode[]): string {
  return nodes
    .map((node) => {
      if ("children" in node) return textOf(node.children);
      return node.kind === "link" ? (node.text ?? node.href) : node.text;
    })
    .join("");
}

function addText(nodes: TextNode[], text: string): void {
  if (text === "") return;
  const last = nodes.at(-1);
  if (last?.kind === "text") nodes[nodes.length - 1] = { kind: "text", text: last.text + text };
  else nodes.push({ kind: "text", text });
}

function canOpen(text: string, at: number): boolean {
  const next = text.charAt(at + 1);
  if (next === "" || isSpace(next) || next === text.charAt(at)) return false;
  return !isWordCharacter(text.charAt(at - 1));
}

function canClose(text: string, at: number, contentStart: number): boolean {
  if (at === contentStart || isSpace(text.charAt(at - 1))) return false;
  return !isWordCharacter(text.charAt(at + 1));
}

/** The link that starts at `at`, without the punctuation of the sentence around it. */
function linkAt(text: string, at: number, stack: readonly Frame[]): string | null {
  linkStart.lastIndex = at;
  if (!linkStart.test(text)) return null;
  linkRest.lastIndex = linkStart.lastIndex;
  linkRest.test(text);
  const start = linkStart.lastIndex;
  let end = linkRest.lastIndex;
  let openParentheses = countOf(text, "(", start, end) - countOf(text, ")", start, end);
  while (end > start) {
    const last = text.charAt(end - 1);
    const isOpenMark = stack.some((frame) => frame.marker === last);
    if (!trailingPunctuation.includes(last) && !isOpenMark) break;
    if (last === ")") {
      if (openParentheses >= 0) break; // its opening one is inside the link
      openParentheses += 1;
    }
    end -= 1;
  }
  return text.slice(at, end);
}

const mail = /[a-z\d][\w.%+-]{0,63}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,4}/iy;
/** With `+` and country code, or as numbers are written in Brazil. Years, dates and documents are none. */
const phone =
  /(?:\+\d[\d ().-]{8,20}\d|\(\d{2}\) ?9?\d{4}[- ]?\d{4}|[1-9]\d 9?\d{4}[- ]\d{4}|9\d{4}-\d{4}|55[1-9]\d9\d{8})(?![\d\p{L}/-]|,\d)/uy;

/** The e-mail address or phone number that starts at `at`. */
function reachAt(
  text: string,
  at: number,
  character: string,
): { kind: "link"; href: string; text: string } | null {
  if (/[a-z\d]/i.test(character)) {
    mail.lastIndex = at;
    const [address] = mail.exec(text) ?? [];
    if (address !== undefined) return { kind: "link", href: `mailto:${address}`, text: address };
  }
  if (!/[+(\d]/.test(character)) return null;
  phone.lastIndex = at;
  const [number] = phone.exec(text) ?? [];
  if (number === undefined) return null;
  const digits = number.replaceAll(/\D/g, "");
  if (digits.length > 15) return null;
  const isWhole = number.startsWith("+") || number.startsWith("55");
  return { kind: "link", href: `tel:${isWhole ? "+" : ""}${digits}`, text: number };
}

function countOf(text: string, character: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if (text.charAt(index) === character) count += 1;
  }
  return count;
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
