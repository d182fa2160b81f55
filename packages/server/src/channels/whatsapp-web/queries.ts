import type { BaileysEventMap, BinaryNode, GroupMetadata, WAMessage, WASocket } from "baileys";
import { getBinaryNodeChild, getBinaryNodeChildren } from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Address, NumberAnswer, ProfilePicture } from "../port.ts";
import { within } from "../runtime/concurrency.ts";
import { toAddress, toJid } from "./content/addresses.ts";
import type { MediaLocator } from "./content/files.ts";

type Asked = {
  numbers: readonly string[];
  resolve: (answers: readonly NumberAnswer[]) => void;
  reject: (error: unknown) => void;
};

/** Time between two queries (behaviour 10.5); numbers requested meanwhile share the next one. */
const GAP_MS = 1_000;
const BATCH = 50;

/** Checks which numbers are on the network: several per query, at most one query a second. */
export class NumberCheck {
  #waiting: Asked[] = [];
  #isRunning = false;
  #lastAtMs = -Infinity;

  ask(socket: WASocket, numbers: readonly string[]): Promise<readonly NumberAnswer[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ numbers, resolve, reject });
      if (!this.#isRunning) void this.#run(socket);
    });
  }

  async #run(socket: WASocket): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const waitMs = this.#lastAtMs + GAP_MS - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const asked = this.#take();
      this.#lastAtMs = performance.now();
      try {
        const numbers = [...new Set(asked.flatMap((one) => one.numbers))];
        const answers = await query(socket, numbers);
        const byNumber = new Map(answers.map((answer) => [answer.asked, answer]));
        for (const one of asked) {
          one.resolve(one.numbers.map((number) => byNumber.get(number) ?? absent(number)));
        }
      } catch (error) {
        for (const one of asked) one.reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** Takes whole calls up to the size of a query, but at least one. */
  #take(): Asked[] {
    let size = 0;
    const count = this.#waiting.findIndex(({ numbers }) => (size += numbers.length) > BATCH);
    return this.#waiting.splice(0, count === -1 ? this.#waiting.length : Math.max(count, 1));
  }
}

async function query(socket: WASocket, numbers: readonly string[]): Promise<NumberAnswer[]> {
  if (numbers.length === 0) return [];
  const users = numbers.map((number) => ({
    tag: "user",
    attrs: {},
    content: [{ tag: "contact", attrs: {}, content: `+${number}` }],
  }));
  const reply = await socket.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "usync" },
    content: [
      {
        tag: "usync",
        attrs: {
          context: "interactive",
          mode: "query",
          sid: socket.generateMessageTag(),
          last: "true",
          index: "0",
        },
        content: [
          { tag: "query", attrs: {}, content: [{ tag: "contact", attrs: {} }] },
          { tag: "list", attrs: {}, content: users },
        ],
      },
    ],
  });
  if (!reply) throw new Error("the network did not answer the number check");
  return answersOf(reply, numbers);
}

/** The reply may omit numbers that are not on the network. */
export function answersOf(reply: BinaryNode, numbers: readonly string[]): NumberAnswer[] {
  const list = getBinaryNodeChild(getBinaryNodeChild(reply, "usync"), "list");
  const found = getBinaryNodeChildren(list, "user").flatMap((user) => {
    const address = toAddress(user.attrs["jid"]);
    const contact = getBinaryNodeChild(user, "contact");
    if (address?.kind !== "pn" || contact?.attrs["type"] !== "in") return [];
    return [{ number: address.value, asked: digitsOf(contact) }];
  });
  return numbers.map((asked) => {
    const match =
      found.find((one) => one.asked === asked || one.number === asked) ??
      found.find((one) => one.asked === "" && isSamePhone(one.number, asked));
    return match ? { asked, exists: true, number: match.number } : absent(asked);
  });
}

/** The requested number, as the reply repeats it. */
function digitsOf({ content }: BinaryNode): string {
  if (typeof content === "string") return content.replace(/\D/g, "");
  return content instanceof Uint8Array ? Buffer.from(content).toString().replace(/\D/g, "") : "";
}

/** Brazilian mobile numbers exist with and without the ninth digit: compares 55, area and the last eight digits. */
function isSamePhone(one: string, other: string): boolean {
  return (
    one.startsWith("55") &&
    one.slice(0, 4) === other.slice(0, 4) &&
    one.slice(-8) === other.slice(-8)
  );
}

function absent(asked: string): NumberAnswer {
  return { asked, exists: false, number: asked };
}

const MAX_BYTES = 2 * 1024 * 1024;
const HIDDEN = new Set<unknown>([401, 403, 404]);
const PICTURE_HOST = /^([a-z0-9-]+\.)*whatsapp\.net$/;

/** Null when the person has no picture or hides it from us. */
export async function fetchPicture(
  socket: WASocket,
  { address, signal }: { address: Address; signal: AbortSignal },
  { queryMs, mediaHost }: { queryMs: number; mediaHost: string | null },
): Promise<ProfilePicture | null> {
  const place = await pictureUrl(socket, address, queryMs);
  if (!place) return null;
  const url = new URL(place);
  const { protocol, hostname, host } = url;
  if (protocol !== "https:" || !(host === mediaHost || PICTURE_HOST.test(hostname)))
    throw new Error("a picture lies outside the chat network");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(queryMs)]);
  const response = await fetch(url, { redirect: "error", signal: limit });
  if (response.status === 404 || response.status === 410) return null;
  if (!response.ok || !response.body)
    throw new Error(`a picture's host answered ${response.status}`);
  const content = await readAtMost(response.body, MAX_BYTES);
  return { content, mime: response.headers.get("content-type") ?? "image/jpeg" };
}

async function pictureUrl(socket: WASocket, address: Address, queryMs: number) {
  try {
    return await socket.profilePictureUrl(toJid(address), "image", queryMs);
  } catch (error) {
    // The person has no picture, or hides it from us.
    const isHidden = error instanceof Error && "data" in error && HIDDEN.has(error.data);
    if (isHidden) return null;
    throw error;
  }
}

async function readAtMost(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limit) throw new Error("a picture is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Asks the customer's phone to upload a file again; null when it does not answer or no longer has the file. */
export async function renewMedia(
  socket: WASocket,
  locator: MediaLocator,
  limitMs: number,
): Promise<{ directPath: string } | null> {
  const file = {
    mediaKey: Buffer.from(locator.mediaKey, "base64"),
    directPath: locator.directPath ?? null,
    url: locator.url ?? null,
  };
  const message: WAMessage = {
    key: { ...locator.key },
    message: { [`${locator.type}Message`]: file },
  };
  try {
    const renewed = await within(limitMs, socket.updateMediaMessage(message));
    const [content] = Object.values(renewed.message ?? {});
    const path: unknown =
      typeof content === "object" && content !== null && "directPath" in content
        ? content.directPath
        : null;
    return typeof path === "string" && path !== "" ? { directPath: path } : null;
  } catch {
    // The caller reports the file as gone.
    return null;
  }
}

const KEPT_MS = 10 * 60_000;
const QUERY_MS = 5_000;
const MAX_GROUPS = 500;

/** Metadata of groups, until the network reports a change. */
export class Groups {
  readonly #known = new Map<string, { metadata: GroupMetadata; atMs: number }>();

  /** For sending: without it the library queries before each message. */
  find(jid: string): GroupMetadata | undefined {
    const known = this.#known.get(jid);
    if (!known || performance.now() - known.atMs > KEPT_MS) return undefined;
    return known.metadata;
  }

  /** Also outdated metadata, which is better than no name. */
  nameOf(jid: string): string | undefined {
    return this.#known.get(jid)?.metadata.subject;
  }

  /** Queries unknown groups. A group without a prompt answer has no name. */
  async learn(socket: WASocket, jids: Iterable<string>): Promise<void> {
    const missing = [...new Set(jids)].filter((jid) => !this.#known.has(jid));
    await Promise.all(
      missing.map(async (jid) => {
        try {
          this.#keep(jid, await within(QUERY_MS, socket.groupMetadata(jid)));
        } catch {
          // We may have left the group; its messages are stored all the same.
        }
      }),
    );
  }

  renamed(jid: string, subject: string | undefined): void {
    const known = this.#known.get(jid);
    if (known && subject !== undefined) {
      this.#known.set(jid, { ...known, metadata: { ...known.metadata, subject } });
    }
    this.changed(jid);
  }

  /** After a change of members or addressing, the next message queries again. */
  changed(jid: string): void {
    const known = this.#known.get(jid);
    if (known) known.atMs = -Infinity;
  }

  #keep(jid: string, metadata: GroupMetadata): void {
    this.#known.set(jid, { metadata, atMs: performance.now() });
    if (this.#known.size <= MAX_GROUPS) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

const MAX_SUBSCRIPTIONS = 2_000;

/** Subscriptions to people's typing: the network sends it only after we ask for it, once per person and session. */
export class PresenceSubscriptions {
  readonly #jids = new Set<string>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The people who write to us now. */
  addWriters(socket: WASocket, { type, messages }: BaileysEventMap["messages.upsert"]): void {
    if (type !== "notify") return;
    for (const { key } of messages) {
      if (key.remoteJid && !key.fromMe) this.add(socket, key.remoteJid);
    }
  }

  add(socket: WASocket, jid: string): void {
    if (this.#jids.has(jid) || jid.endsWith("@g.us")) return;
    if (this.#jids.size >= MAX_SUBSCRIPTIONS) this.#jids.clear();
    this.#jids.add(jid);
    socket.presenceSubscribe(jid).catch((error: unknown) => {
      this.#jids.delete(jid);
      this.#log.debug({ err: error }, "a subscription to a person's typing failed");
    });
  }
}
