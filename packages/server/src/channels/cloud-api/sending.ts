import type { MediaKind } from "@balcao/contract";
import { z } from "zod";
import type { Logger } from "../../platform/logging/logger.ts";
import type {
  MessageRef,
  OutboundMedia,
  ProviderContext,
  ProviderFailure,
  SendCommand,
  SendOutcome,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { CloudAccount } from "./account-rows.ts";
import type { Graph } from "./graph.ts";
import { GraphError } from "./graph.ts";
import type { BsuidField, WireContent } from "./payload.ts";
import {
  isWamid,
  mediaContent,
  messagePayload,
  reactionContent,
  templateContent,
  textContent,
} from "./payload.ts";
import { findUpload, forgetUpload, keepUpload, learnIds, readWamid } from "./rows.ts";

export type SendingDeps = {
  graph: Graph;
  account: CloudAccount;
  context: ProviderContext;
  bsuidField: BsuidField;
  log: Logger;
};

/** What cannot be sent, decided before anything has left. */
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

/** What Meta takes of each kind. */
const largestBytes: Record<MediaKind, number> = {
  image: 5 * MB,
  audio: 16 * MB,
  voice: 16 * MB,
  video: 16 * MB,
  document: 100 * MB,
  sticker: MB / 2,
};

/** Codes that say the file's id is of no use any more. */
const MEDIA_CODES = new Set(["131052", "131053"]);
const TRIES = 5;
const WAIT_MS = 200;

/**
 * Sends one command. Meta knows no second attempt of the same message, so one without an answer is `written`: its status
 * comes with our id, or after a while it is unconfirmed, and nobody sends it again by himself.
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

/** Not broken off when the session closes: its answer says what became of the message. */
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

/** A quoted message that Meta does not know is left out: what is said counts. */
async function quoteOf(deps: SendingDeps, { quote, body }: SendCommand): Promise<string | null> {
  if (!quote || body.kind === "template") return null;
  return wamidOf(deps, quote);
}

async function wamidOf({ context }: SendingDeps, ref: MessageRef): Promise<string | null> {
  if (isWamid(ref.id)) return ref.id;
  if (!ref.fromMe) return null;
  return context.transaction((tx) => readWamid(tx, context, ref.id));
}

/** Meta's id of the file, which goes there once and is used by every attempt. */
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
 * It has been sent: the database's troubles must not make it look otherwise. What is not kept at last is told once more
 * by the statuses, which carry both ids.
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
