import type {
  AnyMessageContent,
  MiscMessageGenerationOptions,
  WAMessage,
  WAMessageKey,
} from "baileys";
import type {
  Address,
  MessageRef,
  OutboundBody,
  OutboundChange,
  ProviderContext,
  ProviderFailure,
  Quote,
  SendCommand,
} from "../../port.ts";
import { keyOf, toJid } from "./addresses.ts";
import { fileToSend, previewOf } from "./outbound-files.ts";

export type OutboundDeps = {
  openFile: ProviderContext["openFile"];
  /** How long the network may be silent during the upload of a file; default a minute. */
  uploadMs?: number;
};

/** The arguments of the socket's `sendMessage`. The wire id is `options.messageId`. */
export type SocketContent = {
  jid: string;
  content: AnyMessageContent;
  options: MiscMessageGenerationOptions;
};

/** Certainly not sent, and why. */
export class CannotSend extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, message: string) {
    super(message);
    this.name = "CannotSend";
    this.failure = failure;
  }
}

const UPLOAD_MS = 60_000;

/** Rejects with CannotSend. A file is opened here and read, piece by piece, by the socket. */
export async function toSocketContent(
  { providerId, to, body, quote }: SendCommand,
  deps: OutboundDeps,
): Promise<SocketContent> {
  const jid = jidOf(to);
  const { uploadMs = UPLOAD_MS } = deps;
  return {
    jid,
    content: await contentOf(body, to, deps),
    options: {
      messageId: providerId,
      mediaUploadTimeoutMs: uploadMs,
      ...(quote ? { quoted: quoted(quote, to) } : {}),
    },
  };
}

function jidOf(to: Address): string {
  if (to.kind !== "bsuid") return toJid(to);
  throw new CannotSend({ kind: "recipient-unknown" }, "an address of another channel");
}

async function contentOf(
  body: OutboundBody | OutboundChange,
  to: Address,
  { openFile }: OutboundDeps,
): Promise<AnyMessageContent> {
  switch (body.kind) {
    case "text":
      return textContent(body.text);
    case "media": {
      const opened = await openFile(body.file.key);
      if (!opened) throw new CannotSend({ kind: "media-missing" }, "the file is gone");
      return fileToSend(body, opened.content, await previewOf(body.file, openFile));
    }
    case "template":
      throw new CannotSend({ kind: "unsupported" }, "this channel has no templates");
    case "edit":
      return { ...textContent(body.text), edit: keyIn(to, body.target) };
    case "revoke":
      return { delete: keyIn(to, body.target) };
    case "reaction":
      return { react: { text: body.emoji ?? "", key: keyIn(to, body.target) } };
  }
}

/** Without a preview: the socket would fetch whatever address an agent writes, from inside our network. */
function textContent(text: string) {
  return { text, linkPreview: null };
}

/**
 * The key of a message in the chat that is written to. A person's chat may be known by number and by privacy id: the key
 * must name the one in use, else the message seems to be of another chat.
 */
function keyIn(to: Address, ref: MessageRef): WAMessageKey {
  return { ...keyOf(ref), ...(to.kind === "group" ? {} : { remoteJid: toJid(to) }) };
}

/** What is quoted goes along as a text, because the receiver's phone may not have it. */
function quoted(quote: Quote, to: Address): WAMessage {
  const author = quote.author ?? (quote.chat.kind === "group" ? undefined : quote.chat);
  return {
    key: {
      ...keyIn(to, quote),
      ...(author && !quote.fromMe ? { participant: toJid(author) } : {}),
    },
    message: { conversation: quote.text },
  };
}
