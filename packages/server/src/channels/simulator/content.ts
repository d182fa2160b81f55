import type {
  CompanyId,
  MediaKind,
  SimulatorContent,
  SimulatorMessageKind,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import type { IdSource } from "../../platform/sources.ts";
import type { InboundContent } from "../port.ts";
import { MediaGone } from "../port.ts";
import type { LineRef } from "./line.ts";
import { readLine } from "./line.ts";
import type { MessageDetails, StoredFile } from "./phones.ts";

type Scope = { companyId: CompanyId };

/** The files on the network. */
export type NetworkFiles = Pick<MediaStore, "open" | "remove"> & {
  /** Throws MediaTooLarge when it is larger than the chat app accepts. */
  keep(
    scope: Scope,
    file: { name: string; mime: string; kind: MediaKind; content: AsyncIterable<Uint8Array> },
  ): Promise<StoredFile>;
};

export function createNetworkFiles(store: MediaStore, ids: IdSource): NetworkFiles {
  return {
    async keep(scope, { name, mime, kind, content }) {
      const key = newMediaKey(ids, extensionOf(name));
      const { bytes } = await store.put(scope, key, content, { maxBytes: longest(kind) });
      return { key, name, mime, bytes };
    },
    open: (scope, key) => store.open(scope, key),
    remove: (scope, key) => store.remove(scope, key),
  };
}

export function longest(kind: MediaKind): number {
  switch (kind) {
    case "image":
    case "sticker":
      return limits.imageMaxBytes;
    case "audio":
    case "voice":
      return limits.audioMaxBytes;
    case "video":
      return limits.videoMaxBytes;
    case "document":
      return limits.documentMaxBytes;
  }
}

function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,8})$/.exec(name.toLowerCase())?.[1] ?? "bin";
}

const readFile = {
  name: "simulator-read-file",
  text: `select details from simulator_messages
          where company_id = $1 and connection_id = $2 and id = $3 and change is null`,
};
const failOnce = {
  name: "simulator-fail-file-once",
  text: `update simulator_messages set has_failed_once = true
          where company_id = $1 and connection_id = $2 and id = $3 and not has_failed_once
      returning 1`,
};

/** The file of a message for the connection; by the network's settings at once, at the second attempt, or never. */
export async function openFileForConnection(
  { db, files }: { db: Database; files: NetworkFiles },
  line: LineRef,
  id: string,
): ReturnType<MediaStore["open"]> {
  const values = [line.companyId, line.connectionId, id];
  const { network, file, mustFail } = await db.transaction(line, async (tx) => {
    const { network } = await readLine(tx, line);
    const [message] = await tx.query<{ details: MessageDetails | null }>(readFile, values);
    const failing = network.mediaMode === "fail-once" ? await tx.query(failOnce, values) : [];
    return { network, file: message?.details?.file, mustFail: failing.length > 0 };
  });
  if (!network.online) throw new Error("the simulated network is away");
  if (!file || network.mediaMode === "gone") throw new MediaGone();
  if (mustFail) throw new Error("the simulated network does not hand out the file yet");
  return files.open(line, file.key);
}

/** A message's content as the network's table stores it. */
type StoredContent = {
  id: string;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  isViewOnce: boolean;
};

/** The content of a customer's message as the connection receives it. */
export function contentOf(row: StoredContent): InboundContent {
  const { kind, body, details } = row;
  const content = details?.content;
  if (details?.file && isMediaKind(kind)) {
    return {
      kind: "media",
      file: fileOf(row.id, kind, details.file),
      ...(body === "" ? {} : { caption: body }),
      ...(row.isViewOnce ? { isViewOnce: true } : {}),
    };
  }
  switch (content?.kind) {
    case undefined:
      return { kind: "text", text: body };
    case "ad": {
      const { title, body: text, sourceUrl } = content;
      return { kind: "text", text: body, ad: { title, body: text, sourceUrl } };
    }
    case "location":
      return withoutUndefined(content);
    case "contacts":
      return {
        kind: "contacts",
        contacts: content.contacts.map((contact) => ({ ...contact, vcard: vcardOf(contact) })),
      };
    case "poll":
      return {
        kind: "poll",
        type: "pollCreationMessage",
        question: content.question,
        options: content.options,
        severalAllowed: content.severalAllowed ?? false,
      };
    case "choice":
      return { kind: "choice", type: content.type, id: content.chosen };
    case "poll-vote":
    case "view-once":
    case "other":
      return content;
  }
}

type MediaKindOf = Extract<InboundContent, { kind: "media" }>["file"]["media"];

function isMediaKind(kind: SimulatorMessageKind): kind is MediaKindOf {
  return ["image", "video", "audio", "voice", "document", "sticker"].includes(kind);
}

/** Like the real network: only documents have names. The locator is the message's id. */
function fileOf(id: string, media: MediaKindOf, { name, mime, bytes, durationMs }: StoredFile) {
  return {
    media,
    mime,
    bytes,
    locator: id,
    ...(media === "document" ? { fileName: name } : {}),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

type Location = Extract<InboundContent, { kind: "location" }>;

function withoutUndefined({
  name,
  address,
  isLive,
  thumbnail,
  ...place
}: { [K in keyof Location]: Location[K] | undefined } & Pick<
  Location,
  "kind" | "latitude" | "longitude"
>): Location {
  return {
    ...place,
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
    ...(isLive === undefined ? {} : { isLive }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

function vcardOf({ name, phones }: { name: string; phones: readonly string[] }): string {
  const numbers = phones.map((phone) => {
    const digits = phone.replaceAll(/\D/g, "");
    return `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`;
  });
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`, ...numbers];
  return [...lines, "END:VCARD"].join("\n");
}

/** A phone's view of a content without text. */
export function textOfContent(content: SimulatorContent): string {
  switch (content.kind) {
    case "location":
      return content.name ?? `${content.latitude}, ${content.longitude}`;
    case "contacts":
      return content.contacts.map(({ name }) => name).join(", ");
    case "poll":
      return content.question;
    case "poll-vote":
      return content.options.join(", ");
    case "choice":
      return content.chosen;
    case "other":
      return content.text;
    case "view-once":
    case "ad":
      return "";
  }
}

/** A message's line in the list of conversations. */
export function lineOf(message: { body: string; details: MessageDetails | null }): string {
  return message.body === "" ? (message.details?.file?.name ?? "") : message.body;
}
