import type { SimulatorNetwork } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import { MediaTooLarge } from "../../platform/media/media-store.ts";
import type {
  OutboundChange,
  OutboundMedia,
  ProviderContext,
  ProviderFailure,
  SendCommand,
} from "../port.ts";
import { chatOfAddress } from "./account.ts";
import type { NetworkFiles } from "./files.ts";
import type { Taken } from "./outgoing.ts";
import { isKnownId, takeOutgoing, takeOutgoingChange } from "./outgoing.ts";
import type { MessageDetails, NetworkChange, StoredFile } from "./stored.ts";

export type SendingDeps = { db: Database; files: NetworkFiles; context: ProviderContext };

/** Hands a command to the network; what it throws after `onBegun` may have happened. */
export async function handOver(
  deps: SendingDeps,
  command: SendCommand,
  { network, onBegun }: { network: SimulatorNetwork; onBegun: () => void },
): Promise<Taken> {
  const phone = chatOfAddress(command.to);
  if (phone === null) return { failure: { kind: "recipient-unknown" } };
  const { db, context, files } = deps;
  const { body, providerId: id, quote } = command;
  if (body.kind === "template") return { failure: { kind: "unsupported" } };
  if (body.kind !== "text" && body.kind !== "media") {
    const change = networkChange(body);
    onBegun();
    return db.transaction(context, (tx) => takeOutgoingChange(tx, context, { id, change }));
  }
  const file = body.kind === "media" ? await uploadOnce(deps, id, body) : null;
  if (file && "failure" in file) return file;
  const details: MessageDetails = {
    ...(file ? { file } : {}),
    ...(quote ? { quote: { text: quote.text, fromMe: quote.fromMe } } : {}),
  };
  const message = {
    id,
    phone,
    kind: body.kind === "media" ? body.media : ("text" as const),
    body: body.kind === "media" ? (body.caption ?? "") : body.text,
    details: Object.keys(details).length > 0 ? details : null,
    quotedId: quote?.id ?? null,
  };
  onBegun();
  const taken = await db.transaction(context, (tx) => takeOutgoing(tx, context, message, network));
  const isKept = taken.failure === undefined && taken.isNew;
  if (file && !isKept) await files.remove(context, file.key);
  return taken;
}

/** The file's place on the network; null when the message that has it is there already. */
async function uploadOnce(
  { db, files, context }: SendingDeps,
  id: string,
  { file, media }: OutboundMedia,
): Promise<StoredFile | null | { failure: ProviderFailure }> {
  if (await db.transaction(context, (tx) => isKnownId(tx, context, id))) return null;
  const opened = await context.openFile(file.key);
  if (!opened) return { failure: { kind: "bad-request", code: "simulator-file-missing" } };
  try {
    const { name, mime, durationMs } = file;
    const { content } = opened;
    const kept = await files.keep(context, { name, mime, kind: media, content });
    return durationMs === undefined ? kept : { ...kept, durationMs };
  } catch (error) {
    if (!(error instanceof MediaTooLarge)) throw error;
    return { failure: { kind: "bad-request", code: "simulator-file-too-large" } };
  }
}

function networkChange(change: OutboundChange): NetworkChange {
  const targetId = change.target.id;
  switch (change.kind) {
    case "edit":
      return { kind: "edit", targetId, text: change.text };
    case "revoke":
      return { kind: "revoke", targetId };
    case "reaction":
      return { kind: "reaction", targetId, emoji: change.emoji };
  }
}
