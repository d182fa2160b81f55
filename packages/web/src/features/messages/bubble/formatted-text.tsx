import type { ReactNode } from "react";
import { createElement, Fragment, memo } from "react";
import classes from "./formatted-text.module.css";

/** A chat text with its marks as elements. */
export const FormattedText = memo(function FormattedText({ text }: { text: string }): ReactNode {
  return together(parseWhatsAppText(text));
});

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
        {node.href}
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
  | { kind: "link"; href: string }
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

/**
 * Parses the chat app's marks: `*bold*`, `_italic_`, `~strike~`, ```` ```mono``` ```` and http(s) links. A mark counts
 * only at the edge of a word and within one line; other characters stay unchanged. One pass for any text.
 */
export function parseWhatsAppText(text: string): readonly TextNode[] {
  const root: Frame = { marker: "", contentStart: 0, nodes: [] };
  const stack: Frame[] = [root];
  let plainStart = 0;
  let isFenceWorthSeeking = true;
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
      return node.kind === "link" ? node.href : node.text;
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
