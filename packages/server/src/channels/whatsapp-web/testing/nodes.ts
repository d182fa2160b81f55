import type { BinaryNode } from "baileys";
import { getBinaryNodeChild, getBinaryNodeChildBuffer } from "baileys";

export type { BinaryNode };

type Content = BinaryNode["content"];

/** A stanza or a part of one; attributes that are undefined are left out. */
export function node(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: Content,
): BinaryNode {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(attrs)) if (value !== undefined) given[name] = value;
  return content === undefined ? { tag, attrs: given } : { tag, attrs: given, content };
}

export function childrenOf({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content : [];
}

export function child(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return getBinaryNodeChild(parent, tag);
}

/** The bytes of a child; throws without it. */
export function bytesOf(parent: BinaryNode | undefined, tag: string): Buffer {
  const bytes = getBinaryNodeChildBuffer(parent, tag);
  if (!bytes) throw new Error(`<${parent?.tag ?? "nothing"}> has no <${tag}>`);
  return Buffer.from(bytes);
}

export function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

export const SERVER = "s.whatsapp.net";

export function now(): string {
  return String(Math.floor(Date.now() / 1000));
}
