import type { MediaKind } from "@balcao/contract";
import { z } from "zod";
import type { Logger } from "../../platform/logging/logger.ts";
import type {
  Address,
  DurableEvent,
  MessageRef,
  OutboundBody,
  OutboundMedia,
  ProviderContext,
  ProviderFailure,
  SendCommand,
  SendOutcome,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { CloudAccount } from "./accounts.ts";
import type { Graph } from "./graph.ts";
import { GraphError } from "./graph.ts";
import { findUpload, forgetUpload, keepUpload, learnIds, readWamid } from "./rows.ts";

export type SendingDeps = {
  graph: Graph;
  account: CloudAccount;
  context: ProviderContext;
  bsuidField: BsuidField;
  log: Logger;
};

/** A message that cannot be sent; thrown before any request. */
class Refused extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure) {
    super(`refused: ${failure.kind}`);
    this.failure = failure;
  }
}

const sentMessage = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string() })).min(1),
});

const MB = 1024 * 1024;

/** The types that Meta accepts for each kind. */
const largestBytes: Record<MediaKind, number> = {
  image: 5 * MB,
  audio: 16 * MB,
  voice: 16 * MB,
  video: 16 * MB,
  document: 100 * MB,
  sticker: MB / 2,
};

/** Error codes for a file id that is no longer valid. */
const MEDIA_CODES = new Set(["131052", "131053"]);
const TRIES = 5;
const WAIT_MS = 200;

/**
 * Sends one command. Meta does not recognise a second attempt, so a message without an answer is `written`: its status
 * arrives with our id, or after a while it becomes unconfirmed, and it is never sent again automatically.
 */
export async function sendCommand(deps: SendingDeps, command: SendCommand): Promise<SendOutcome> {
  let hasLeft = false;
  try {
    const { to, providerId: ours } = command;
    if (to.kind !== "pn" && to.kind !== "bsuid") throw new Refused({ kind: "recipient-unknown" });
    const content = await contentOf(deps, command);
    const quotedWamid = await quoteOf(deps, command);
    hasLeft = true;
    const wamid = await post(
      deps,
      messagePayload(content, { to, bsuidField: deps.bsuidField, ours, quotedWamid }),
    );
    if (wamid !== null) await keepId(deps, { wamid, providerId: ours });
    return { result: wamid === null ? "written" : "accepted" };
  } catch (error) {
    if (error instanceof Refused) return { result: "refused", failure: error.failure };
    if (hasLeft && !(error instanceof GraphError && error.isCertain)) return { result: "written" };
    if (error instanceof GraphError) {
      await forgetUselessFile(deps, command, error);
      return { result: "refused", failure: error.failure };
    }
    if (error instanceof LeaseLost) return { result: "refused", failure: { kind: "lease-lost" } };
    const { connectionId } = deps.context;
    deps.log.warn({ err: error, connectionId }, "a message could not be prepared");
    return { result: "refused", failure: { kind: "temporary" } };
  }
}

/** Not aborted when the session closes: the answer decides the message's outcome. */
async function post({ graph, account }: SendingDeps, body: unknown): Promise<string | null> {
  const path = `${account.phoneNumberId}/messages`;
  const answer = await graph.call(account, { method: "POST", path, body });
  return sentMessage.safeParse(answer).data?.messages[0]?.id ?? null;
}

async function contentOf(deps: SendingDeps, { body }: SendCommand): Promise<WireContent> {
  switch (body.kind) {
    case "text":
      return textContent(body.text);
    case "media":
      return mediaContent(body, await uploadedId(deps, body));
    case "template":
      return templateContent(body);
    case "reaction": {
      const wamid = await wamidOf(deps, body.target);
      if (wamid === null) throw new Refused({ kind: "unsupported" });
      return reactionContent(wamid, body.emoji);
    }
    case "edit":
    case "revoke":
      throw new Refused({ kind: "unsupported" });
  }
}

/** A quoted message that Meta does not know is omitted. */
async function quoteOf(deps: SendingDeps, { quote, body }: SendCommand): Promise<string | null> {
  if (!quote || body.kind === "template") return null;
  return wamidOf(deps, quote);
}

async function wamidOf({ context }: SendingDeps, ref: MessageRef): Promise<string | null> {
  if (isWamid(ref.id)) return ref.id;
  if (!ref.fromMe) return null;
  return context.transaction((tx) => readWamid(tx, context, ref.id));
}

/** Meta's id of the file, which is uploaded once and used by every attempt. */
async function uploadedId(deps: SendingDeps, { file, media }: OutboundMedia): Promise<string> {
  const { graph, account, context } = deps;
  if (file.bytes > largestBytes[media]) throw new Refused({ kind: "media-too-big" });
  const known = await context.transaction((tx) => findUpload(tx, context, file.key));
  if (known !== null) return known;
  const opened = await context.openFile(file.key);
  if (!opened) throw new Refused({ kind: "media-missing" });
  const { mime, name } = file;
  const mediaId = await graph.upload(account, { mime, name, ...opened }, context.signal);
  await context.transaction((tx) => keepUpload(tx, context, { fileKey: file.key, mediaId }));
  return mediaId;
}

async function forgetUselessFile(
  { context }: SendingDeps,
  { body }: SendCommand,
  { failure }: GraphError,
): Promise<void> {
  if (body.kind !== "media" || !MEDIA_CODES.has(failure.code ?? "")) return;
  await context.transaction((tx) => forgetUpload(tx, context, body.file.key));
}

/**
 * Records Meta's id of a sent message. A database error must not make the send fail: statuses contain both ids and
 * provide a missing one.
 */
async function keepId(
  { context, log }: SendingDeps,
  id: { wamid: string; providerId: string },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await context.transaction((tx) => learnIds(tx, context, [id]));
      return;
    } catch (error) {
      if (tries === TRIES || error instanceof LeaseLost) {
        const { connectionId } = context;
        log.warn({ err: error, connectionId }, "the id of a sent message was not kept");
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * tries));
    }
  }
}

/** The request field for a person's business-scoped id. */
export type BsuidField = "recipient" | "to";

/** The content of a message in Meta's format. */
type WireContent = { type: string } & Readonly<Record<string, unknown>>;

/** Phones show a voice message as such only in this form. */
const VOICE = "audio/ogg";

/** The request for one message. Its statuses return `ours`. */
function messagePayload(
  content: WireContent,
  {
    to,
    bsuidField,
    ours,
    quotedWamid,
  }: { to: Address; bsuidField: BsuidField; ours: string; quotedWamid: string | null },
): Readonly<Record<string, unknown>> {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...(to.kind === "bsuid" ? { [bsuidField]: to.value } : { to: to.value }),
    ...content,
    ...(quotedWamid === null ? {} : { context: { message_id: quotedWamid } }),
    biz_opaque_callback_data: ours,
  };
}

function textContent(text: string): WireContent {
  return { type: "text", text: { body: text, preview_url: true } };
}

/** An uploaded file, by its id. */
function mediaContent({ media, file, caption }: OutboundMedia, id: string): WireContent {
  const captioned = caption === undefined ? { id } : { id, caption };
  switch (media) {
    case "image":
      return { type: "image", image: captioned };
    case "video":
      return { type: "video", video: captioned };
    case "document":
      return { type: "document", document: { ...captioned, filename: file.name } };
    case "sticker":
      return { type: "sticker", sticker: { id } };
    case "audio":
      return { type: "audio", audio: { id } };
    case "voice":
      return {
        type: "audio",
        audio: { id, ...(file.mime.startsWith(VOICE) ? { voice: true } : {}) },
      };
  }
}

function templateContent(template: Extract<OutboundBody, { kind: "template" }>): WireContent {
  const { name, language, components } = template;
  return {
    type: "template",
    template: {
      name,
      language: { code: language },
      ...(components.length === 0 ? {} : { components }),
    },
  };
}

function reactionContent(wamid: string, emoji: string | null): WireContent {
  return { type: "reaction", reaction: { message_id: wamid, emoji: emoji ?? "" } };
}

/** Whether an id is one of Meta's: messages of the connection's earlier channel have others. */
export function isWamid(id: string): boolean {
  return id.startsWith("wamid.");
}

/** Most remembered chats; customers of forgotten chats see no typing. */
const CHATS = 2_000;

/** The newest message of each customer: Meta needs it to show typing. */
export class LatestMessages {
  readonly #ids = new Map<string, string>();

  note(events: readonly DurableEvent[]): void {
    for (const event of events) {
      if (event.type !== "message" || event.ref.fromMe) continue;
      for (const address of event.from.addresses) {
        const key = keyOf(address);
        this.#ids.delete(key);
        this.#ids.set(key, event.ref.id);
      }
    }
    for (const key of this.#ids.keys()) {
      if (this.#ids.size <= CHATS) break;
      this.#ids.delete(key);
    }
  }

  of(chat: Address): string | null {
    return this.#ids.get(keyOf(chat)) ?? null;
  }
}

const keyOf = ({ kind, value }: Address): string => `${kind}:${value}`;
