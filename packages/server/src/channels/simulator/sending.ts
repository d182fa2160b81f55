import type { SimulatorMessageKind, SimulatorNetwork } from "@balcao/contract";
import { acks, limits } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import { MediaTooLarge } from "../../platform/media/media-store.ts";
import type {
  OutboundChange,
  OutboundMedia,
  ProviderContext,
  ProviderFailure,
  SendCommand,
} from "../port.ts";
import type { Target } from "./changes-of-messages.ts";
import { applyChange, lockTarget } from "./changes-of-messages.ts";
import type { NetworkFiles } from "./content.ts";
import { lineOf } from "./content.ts";
import type { LineRef } from "./line.ts";
import { chatOfAddress, isGroupNumber, readAccount } from "./line.ts";
import type { MessageDetails, NetworkChange, StoredFile } from "./phones.ts";
import { COMPANY, isKnownPhone } from "./phones.ts";

export type SendingDeps = { db: Database; files: NetworkFiles; context: ProviderContext };

/** Hands a command to the network; if it throws after `onBegun`, the command may have been executed. */
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
    isForwarded: body.isForwarded ?? false,
  };
  onBegun();
  const taken = await db.transaction(context, (tx) => takeOutgoing(tx, context, message, network));
  const isKept = taken.failure === undefined && taken.isNew;
  if (file && !isKept) await files.remove(context, file.key);
  return taken;
}

/** Stores the file on the network; null when its message exists already. */
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

/** No ack is reported for a message in this state, although the network has it. */
const NEVER_REPORTED = 5;

export type OutgoingMessage = {
  id: string;
  phone: string;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  quotedId: string | null;
  isForwarded: boolean;
};

const lockCustomer = {
  name: "simulator-customer-lock",
  text: `insert into simulator_customers (company_id, connection_id, phone, name)
         values ($1, $2, $3, $3)
         on conflict (company_id, connection_id, phone) do update set typing = simulator_customers.typing`,
};
const takeMessage = {
  name: "simulator-take",
  text: `insert into simulator_messages
           (company_id, connection_id, phone, id, from_customer, body, ack, reported_ack, delivered, kind, details,
            quoted_id, is_forwarded)
         values ($1, $2, $3, $4, false, $5, $6, $7, true, $8, $9::jsonb, $10, $11)
         on conflict (company_id, connection_id, id) do nothing
         returning 1`,
};
const showMessage = {
  name: "simulator-show",
  text: `update simulator_customers
            set last_message = $4, last_message_at = now(), unread = case when $5 then 0 else unread + 1 end
          where company_id = $1 and connection_id = $2 and phone = $3`,
};
const speakAgain = {
  name: "simulator-speak-again",
  text: `update simulator_messages set reported_ack = 0
          where company_id = $1 and connection_id = $2 and id = $3 and not from_customer`,
};
const findId = {
  name: "simulator-known-id",
  text: `select 1 from simulator_messages where company_id = $1 and connection_id = $2 and id = $3`,
};
// Its acknowledgements are not reported, and none is missing.
const takeChange = {
  name: "simulator-take-change",
  text: `insert into simulator_messages
           (company_id, connection_id, phone, id, from_customer, body, ack, reported_ack, delivered, change)
         values ($1, $2, $3, $4, false, '', ${acks.played}, ${acks.played}, true, $5::jsonb)`,
};

/** Whether the network has a message or change with this id. */
async function isKnownId(tx: Tx, line: LineRef, id: string): Promise<boolean> {
  const rows = await tx.query(findId, [line.companyId, line.connectionId, id]);
  return rows.length > 0;
}

export type Taken =
  | { phone: string; isNew: boolean; failure?: undefined }
  | { failure: ProviderFailure };

/**
 * Stores a message of the company on the network and shows it on the customer's phone, whose number may be new; groups
 * must exist. A repeated id is the same message: it is not shown again, but a network that was silent may report it
 * now.
 */
async function takeOutgoing(
  tx: Tx,
  line: LineRef,
  message: OutgoingMessage,
  network: SimulatorNetwork,
): Promise<Taken> {
  const { companyId, connectionId } = line;
  if (isGroupNumber(message.phone) && !(await isKnownPhone(tx, line, message.phone))) {
    return { failure: { kind: "recipient-unknown" } };
  }
  const phone = await readAccount(tx, line, message.phone);
  await tx.query(lockCustomer, [companyId, connectionId, phone]);
  const taken = await tx.query(takeMessage, [
    companyId,
    connectionId,
    phone,
    message.id,
    message.body,
    firstAck(network),
    reportedAck(network),
    message.kind,
    message.details && JSON.stringify(message.details),
    message.quotedId,
    message.isForwarded,
  ]);
  const isNew = taken.length > 0;
  if (isNew) {
    const values = [companyId, connectionId, phone, lineOf(message), network.autoRead];
    await tx.query(showMessage, values);
  } else if (reportedAck(network) === 0) {
    await tx.query(speakAgain, [companyId, connectionId, message.id]);
  }
  return { phone, isNew };
}

function firstAck(network: SimulatorNetwork): number {
  if (network.autoRead) return acks.read;
  return network.autoDeliver ? acks.delivered : acks.server;
}

/** Acknowledgements up to this level are not reported for a message. */
function reportedAck(network: SimulatorNetwork): number {
  if (network.sendMode === "silent") return NEVER_REPORTED;
  return network.sendMode === "unconfirmed" ? firstAck(network) : 0;
}

/** Applies a change of the company on the network and shows it. A repeated id changes nothing. */
async function takeOutgoingChange(
  tx: Tx,
  line: LineRef,
  { id, change }: { id: string; change: NetworkChange },
): Promise<Taken> {
  const target = await lockTarget(tx, line, change.targetId);
  const code = refusalOf(change, target);
  // The chat is locked, so no other attempt with this id is running.
  if (target && (await isKnownId(tx, line, id))) return { phone: target.phone, isNew: false };
  if (!target || code !== null) {
    return { failure: { kind: "bad-request", code: code ?? UNKNOWN_TARGET } };
  }
  const values = [line.companyId, line.connectionId, target.phone, id, JSON.stringify(change)];
  await tx.query(takeChange, values);
  await applyChange(tx, line, { change, by: COMPANY });
  return { phone: target.phone, isNew: true };
}

const UNKNOWN_TARGET = "simulator-unknown-message";

/** The reason for which the network refuses a change, null when it accepts it. */
function refusalOf(change: NetworkChange, target: Target | null): string | null {
  if (!target) return UNKNOWN_TARGET;
  if (target.isDeleted) return "simulator-deleted-message";
  if (change.kind === "reaction") return null;
  if (target.fromCustomer) return "simulator-foreign-message";
  if (change.kind === "edit" && target.ageMs > limits.editWithinMs)
    return "simulator-edit-too-late";
  return null;
}

const readByCompany = {
  name: "simulator-read-by-company",
  text: `update simulator_messages m set ack = ${acks.read}
           from unnest($3::text[], $4::text[]) as told (phone, id)
           join simulator_messages mark
             on mark.company_id = $1 and mark.connection_id = $2 and mark.id = told.id and mark.phone = told.phone
          where m.company_id = $1 and m.connection_id = $2 and m.phone = told.phone and m.seq <= mark.seq
            and m.from_customer and m.delivered and m.ack < ${acks.read}`,
};

/** Marks the customers' messages up to these as read by agents: blue checks on the phones. */
export async function markReadByCompany(
  tx: Tx,
  line: LineRef,
  marks: readonly { phone: string; id: string }[],
): Promise<void> {
  const values = [marks.map(({ phone }) => phone), marks.map(({ id }) => id)];
  await tx.query(readByCompany, [line.companyId, line.connectionId, ...values]);
}

const refuseCall = {
  name: "simulator-refuse-call",
  text: `update simulator_messages set details = jsonb_set(details, '{call,isRefused}', 'true')
          where company_id = $1 and connection_id = $2 and id = $3 and kind = 'call'
      returning phone`,
};

/** Refuses a call and returns its chat; null when the call does not exist. */
export async function markCallRefused(tx: Tx, line: LineRef, id: string): Promise<string | null> {
  const [row] = await tx.query<{ phone: string }>(refuseCall, [
    line.companyId,
    line.connectionId,
    id,
  ]);
  return row?.phone ?? null;
}
