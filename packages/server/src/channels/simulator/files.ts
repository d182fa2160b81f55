import type { CompanyId, MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import type { IdSource } from "../../platform/sources.ts";
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
