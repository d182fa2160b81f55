import { z } from "zod";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";

/** Where a flow is. */
export type TypebotAddress = { url: string; slug: string };

/** What a flow says, in its order. */
export type TypebotSaying =
  | { kind: "text"; text: string }
  | { kind: "file"; as: "image" | "audio" | "video"; url: string }
  | { kind: "command"; command: TypebotCommand };

export type TypebotCommand =
  | { kind: "stop" }
  | { kind: "transfer"; queueId: number; userId: number | null };

export type TypebotTurn = { sessionId: string | null; sayings: TypebotSaying[] };

/** The server of the flow refused the call. */
export class TypebotRefused extends Error {
  override readonly name = "TypebotRefused";
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

const MAX_BYTES = 2_000_000;
/** Of one answer: a flow that loops says something for ever. */
export const SAYINGS_MAX = 30;
const TEXT_MAX = 4_000;
const DEPTH_MAX = 50;
/** The text of its own that a flow sends when it does not understand an answer. */
const INVALID = "Invalid message. Please, try again.";

const reply = z.object({
  sessionId: z.string().max(500).optional(),
  messages: z.array(z.looseObject({ type: z.string(), content: z.unknown() })).default([]),
  input: z
    .looseObject({
      type: z.string(),
      items: z.array(z.looseObject({ content: z.unknown() })).optional(),
    })
    .nullish(),
});

/** Begins a conversation with a published flow. Throws `TypebotRefused`, and what `fetch` throws. */
export async function startChat(
  fetch: GuardedFetch,
  { url, slug }: TypebotAddress,
  customer: { number: string; pushName: string },
  signal: AbortSignal,
): Promise<TypebotTurn> {
  const body = {
    ...{ isStreamEnabled: false, isOnlyRegistering: false, prefilledVariables: customer },
    textBubbleContentFormat: "richText",
  };
  const path = `/api/v1/typebots/${encodeURIComponent(slug)}/startChat`;
  return toTurn(await call(fetch, `${url}${path}`, body, signal));
}

/** Passes on what the customer wrote. Some versions want the text in an object. */
export async function continueChat(
  fetch: GuardedFetch,
  { url }: Pick<TypebotAddress, "url">,
  { sessionId, text }: { sessionId: string; text: string },
  signal: AbortSignal,
): Promise<TypebotTurn> {
  const path = `/api/v1/sessions/${encodeURIComponent(sessionId)}/continueChat`;
  const send = (message: unknown) =>
    call(fetch, `${url}${path}`, { message, textBubbleContentFormat: "richText" }, signal);
  try {
    return toTurn(await send(text));
  } catch (error) {
    if (!(error instanceof TypebotRefused) || error.status !== 400) throw error;
    return toTurn(await send({ type: "text", text }));
  }
}

async function call(
  fetch: GuardedFetch,
  url: string,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...{ signal, maxBytes: MAX_BYTES },
  });
  const text = await response.text();
  if (!response.ok) throw new TypebotRefused(response.status);
  return JSON.parse(text);
}

function toTurn(json: unknown): TypebotTurn {
  const { sessionId = null, messages, input } = reply.parse(json);
  const said = messages.slice(0, SAYINGS_MAX).flatMap(toSayings);
  const choices = input ? choicesOf(input) : "";
  const asked: TypebotSaying[] = choices === "" ? [] : [{ kind: "text", text: choices }];
  return { sessionId, sayings: [...said, ...asked] };
}

function toSayings({ type, content }: { type: string; content?: unknown }): TypebotSaying[] {
  if (type === "text") {
    const text = textOf(content);
    return text.trim() === "" ? [] : [toSaying(text.slice(0, TEXT_MAX))];
  }
  const parsed = z.object({ url: z.url({ protocol: /^https?$/ }) }).safeParse(content);
  if (!parsed.success) return [];
  const { url } = parsed.data;
  if (type === "image" || type === "audio" || type === "video") {
    return [{ kind: "file", as: type, url }];
  }
  return [{ kind: "text", text: url }];
}

/** True for the flow's own text that it did not understand. */
export const isInvalid = (saying: TypebotSaying): boolean =>
  saying.kind === "text" && saying.text.trim() === INVALID;

const command = z.union([
  z.object({ stopBot: z.literal(true) }).transform(() => ({ kind: "stop" }) as const),
  z
    .object({
      queueId: z.coerce.number().int().positive(),
      userId: z.coerce.number().int().positive().nullish(),
    })
    .transform(({ queueId, userId }) => ({
      ...{ kind: "transfer" as const, queueId, userId: userId ?? null },
    })),
]);

/** A text that begins with `#` is a command, unless it is no JSON. */
function toSaying(text: string): TypebotSaying {
  const trimmed = text.trim();
  if (!trimmed.startsWith("#")) return { kind: "text", text };
  try {
    const parsed = command.safeParse(JSON.parse(trimmed.slice(1)));
    if (parsed.success) return { kind: "command", command: parsed.data };
  } catch {
    // Written for the customer.
  }
  return { kind: "text", text };
}

const node = z.looseObject({
  type: z.string().optional(),
  text: z.string().optional(),
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  underline: z.boolean().optional(),
  url: z.string().optional(),
  children: z.array(z.unknown()).optional(),
});

/** Rich text as the chat network writes it; its paragraphs as lines. */
export function textOf(content: unknown): string {
  const parsed = z
    .object({ richText: z.array(z.unknown()).optional(), markdown: z.string().optional() })
    .safeParse(content);
  if (!parsed.success) return "";
  const { richText, markdown = "" } = parsed.data;
  if (!richText) return markdown;
  return richText.map((paragraph) => inlineText(paragraph, 0)).join("\n");
}

function inlineText(value: unknown, depth: number): string {
  const parsed = node.safeParse(value);
  if (!parsed.success || depth > DEPTH_MAX) return "";
  const { type, text, url, children = [], bold, italic, underline } = parsed.data;
  const inner = children.map((child) => inlineText(child, depth + 1));
  const isList = type === "ul" || type === "ol";
  const whole = (text ?? "") + inner.join(isList ? "\n" : "");
  if (type === "a" && url !== undefined && url !== "") {
    return whole === "" || whole === url ? url : `${whole}: ${url}`;
  }
  const marks = [bold ? "*" : "", italic ? "_" : "", underline ? "~" : ""];
  return marks.reduce(around, whole);
}

/** Marks stand at the words: around nothing but blanks they would be shown. */
function around(text: string, mark: string): string {
  const [, before = "", words = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return words === "" ? text : `${before}${mark}${words}${mark}${after}`;
}

function choicesOf({ type, items }: { type: string; items?: { content?: unknown }[] | undefined }) {
  if (type !== "choice input") return "";
  const labels = (items ?? []).flatMap(({ content }) =>
    typeof content === "string" && content.trim() !== "" ? [content] : [],
  );
  return labels
    .map((label) => `▶️ ${label}`)
    .join("\n")
    .slice(0, TEXT_MAX);
}
