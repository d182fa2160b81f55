import type { ConnectionId, ContactId, MessageDetails, MessageId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Address, ContactEvent, InboundMessage, Peer } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type {
  ContactNumberChange,
  ContactRow,
  KeyedAddress,
  KnownContact,
  Person,
} from "../../contacts/index.ts";
import { isWhollyKnown, keyedAddresses } from "../../contacts/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import {
  findTicketsOfContact,
  insertTicket,
  newTicketRow,
  ticketColumns,
  ticketNameJoins,
} from "../../tickets/index.ts";
import type { EventPayloads } from "../../../platform/events.ts";
import type { Deps, MessagesDeps } from "../deps.ts";
import { NUMBER_CHANGED } from "../message.ts";
import { findMessages } from "../stored-messages.ts";

type TicketsDeps = Pick<MessagesDeps, "sources" | "domainEvents">;
type PeopleDeps = TicketsDeps & Pick<Deps, "contacts">;

/** The first attempt reads, the second creates missing rows; each lost race takes one more. */
const ATTEMPTS = 6;

/** A contact with its locked ticket; `isNew` when the ticket was made for this message. */
export type OpenConversation = {
  contact: ContactRow;
  ticket: TicketRow;
  isNew: boolean;
  attendanceId: number | null;
};

/** How to begin a conversation that does not exist. */
type Beginning = {
  /** Creates the contact's ticket; null when another transaction has just done it. */
  start(contact: ContactRow): Promise<OpenConversation | null>;
  /** Whether there is nothing to begin: checked before a stranger gets a contact, and after a lost race. */
  isOver(isStranger: boolean): Promise<boolean>;
};

/**
 * Finds the contact of a chat and locks its ticket on the connection. Addresses that appear together belong to one
 * person; new facts about the person are saved. Addresses are locked before tickets (docs/people.md). Null when the
 * conversation does not exist and no `beginning` is given.
 */
export async function openConversation(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  person: Person,
  beginning: Beginning | null,
): Promise<OpenConversation | null> {
  const { contacts } = deps;
  let isLocked = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = await lockConversation(ctx, tx, connectionId, person.addresses, isLocked);
    const [only, ...others] = found;
    const isOne = only !== undefined && others.length === 0;
    const isSure = isOne && (isLocked || isWhollyKnown(only.contact, person));

    if (isSure && only.ticket) {
      const known = await contacts.recognise(ctx, tx, only.contact, person);
      if (known && !known.isChanged) {
        return { contact: known.contact, ticket: only.ticket, isNew: false, attendanceId: null };
      }
      // Read again: the ticket's row carries the contact's name.
    } else if (!beginning && (!only || isSure)) {
      return null;
    } else if (!isLocked) {
      await contacts.lock(ctx, tx, person);
      isLocked = true;
    } else if (only && !isOne) {
      await contacts.merge(ctx, tx, person);
    } else if (beginning) {
      if (!only && (await beginning.isOver(true))) return null;
      const contact = only
        ? ((await contacts.recognise(ctx, tx, only.contact, person))?.contact ?? null)
        : await contacts.create(ctx, tx, person);
      const started = contact && (await beginning.start(contact));
      if (started) return started;
      if (await beginning.isOver(false)) return null;
    }
  }
  throw new Error("the conversation kept changing while it was opened");
}

/** Creates the first ticket of a contact on the connection, in the connection's queue if it has exactly one. */
export async function startTicket(
  { sources }: Pick<Deps, "sources">,
  ctx: Ctx,
  tx: Tx,
  first: {
    connectionId: ConnectionId;
    contact: ContactRow;
    status: TicketRow["status"];
    key: string;
  },
): Promise<OpenConversation | null> {
  const { connectionId, contact, status } = first;
  const ticket = {
    companyId: ctx.companyId,
    uuid: sources.ids.uuid(),
    contactId: contact.id,
    connectionId,
    status,
    isGroup: contact.isGroup,
    now: sources.clock.now(),
  };
  const inserted = await insertTicket(ctx, tx, ticket, first.key);
  if (!inserted) return null;
  const { attendanceId, ...made } = inserted;
  return {
    contact,
    ticket: newTicketRow({ ...ticket, ...made }, contact),
    isNew: true,
    attendanceId,
  };
}

/** The person or group of the message's chat, with all known addresses. */
export function chatPartner({ ref, from, chatName }: InboundMessage): Person {
  const { chat } = ref;
  if (chat.kind === "group") {
    return { addresses: keyedAddresses([chat]), isGroup: true, pushName: chatName };
  }
  // For a message from the company, `from` may be the company itself: use it only when it is the chat's address.
  const isChat =
    !ref.fromMe ||
    from.addresses.some(({ kind, value }) => kind === chat.kind && value === chat.value);
  const addresses = keyedAddresses(isChat ? [chat, ...from.addresses] : [chat]);
  return { addresses, isGroup: false, ...(ref.fromMe ? {} : { pushName: from.displayName }) };
}

/** The author of a message in a group; null for the company itself, and when no author is named. */
export function groupAuthor({ ref, from }: InboundMessage): Person | null {
  return ref.fromMe ? null : groupMember(from, ref.author);
}

/** A member of a group, with all known addresses; null when no member is named. */
export function groupMember(peer: Peer, author?: Address): Person | null {
  const named = author ? [author, ...peer.addresses] : peer.addresses;
  const addresses = keyedAddresses(named).filter((address) => address.kind !== "group");
  return addresses.length === 0 ? null : { addresses, isGroup: false, pushName: peer.displayName };
}

/** Whether the company ignores group messages (setting CheckMsgIsGroup, on by default). */
export async function ignoresGroups(ctx: Ctx, tx: Tx): Promise<boolean> {
  const [setting] = await tx.query<{ value: string }>(groupSettingStatement, [ctx.companyId]);
  return setting?.value !== "disabled";
}

/** A contact that owns one of the given addresses, and its ticket on the connection, locked. */
type FoundConversation = { contact: KnownContact; ticket: TicketRow | null };

type ConversationRow = (TicketRow | { id: null }) & {
  knownId: ContactId;
  knownIsGroup: boolean;
  known: KeyedAddress[];
} & Pick<
    TicketRow,
    "contactName" | "contactNumber" | "contactEmail" | "contactPictureKey" | "contactOptedOut"
  >;

/**
 * One statement finds the owners of the addresses and locks the ticket: no row for an unknown person, several rows when
 * contacts must be merged. Addresses must be locked before the ticket when there are new facts about the person:
 * without `isLocked`, it locks only the ticket of a person whose addresses are all known.
 */
async function lockConversation(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  addresses: readonly KeyedAddress[],
  isLocked: boolean,
): Promise<FoundConversation[]> {
  const rows = await tx.query<ConversationRow>(lockStatement, [
    ctx.companyId,
    connectionId,
    addresses.map((address) => address.kind),
    addresses.map((address) => address.key),
    isLocked,
  ]);
  return rows.map((row) => ({
    contact: {
      id: row.knownId,
      companyId: ctx.companyId,
      name: row.contactName,
      number: row.contactNumber,
      email: row.contactEmail,
      pictureKey: row.contactPictureKey,
      isGroup: row.knownIsGroup,
      isOptedOut: row.contactOptedOut,
      known: row.known,
    },
    ticket: row.id === null ? null : row,
  }));
}

/** Shows users who have the ticket open the newest messages that moved to it, as history, if they may read them. */
export async function showMovedMessages(
  deps: TicketsDeps,
  ctx: Ctx,
  tx: Tx,
  { contactId, messageIds }: EventPayloads["contact.merged"],
): Promise<void> {
  if (messageIds.length === 0) return;
  await publishHistory(deps, ctx, tx, await findTicketsOfContact(ctx, tx, contactId), messageIds);
}

/**
 * Saves the addresses and the name of a known person, reported by the network without a message. Creates no contact. A
 * repeated event changes nothing.
 */
export async function learnPerson(
  deps: PeopleDeps,
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  event: ContactEvent,
): Promise<void> {
  const { contacts } = deps;
  const ctx = systemCtx(companyId, "channel", "contact");
  const person = personOf(event);
  if (person.addresses.length === 0) return;
  await contacts.note(ctx, tx, connectionId, person);
  const contact = await contacts.learn(ctx, tx, person);
  const [to] = event.peer.addresses;
  if (contact && to && event.isNewNumber) {
    await contacts.move(ctx, tx, contact, { person, number: to.value });
  }
}

/** A group has one address and its subject; a person has no group address. */
function personOf({ chat, peer }: ContactEvent): Person {
  const isGroup = chat.kind === "group";
  const addresses = isGroup
    ? [chat]
    : [chat, ...peer.addresses].filter(({ kind }) => kind !== "group");
  return { addresses: keyedAddresses(addresses), isGroup, pushName: peer.displayName };
}

/**
 * Shows a contact's new number, and the user who changed it, in all its conversations. The line is a row of messages
 * without queue: every user who sees the ticket can read it. Closed tickets get it too, because they may be reopened.
 * The ticket's card does not change.
 */
export async function showNumberChange(
  deps: TicketsDeps,
  ctx: Ctx,
  tx: Tx,
  { contactId, from, to }: ContactNumberChange,
): Promise<void> {
  const { clock, ids } = deps.sources;
  const tickets = await findTicketsOfContact(ctx, tx, contactId);
  const lines = tickets.map(({ id }) => ({ id: ids.uuid(), ticketId: id }));
  if (lines.length === 0) return;
  const details: MessageDetails = { kind: "number-changed", from: from ?? "", to };
  const text =
    from === null
      ? `O contato recebeu o número ${to}`
      : `O número do contato mudou de ${from} para ${to}`;
  const { actor } = ctx;
  await tx.query(numberChangedStatement, [
    ctx.companyId,
    JSON.stringify(lines),
    actor.kind === "user" ? actor.userId : null,
    actor.kind === "user" ? `${actor.name}: ${text}` : text,
    JSON.stringify(details),
    clock.now(),
  ]);
  const messageIds = lines.map(({ id }) => id as MessageId); // our own new ids get their brand
  await publishHistory(deps, ctx, tx, tickets, messageIds);
}

async function publishHistory(
  { domainEvents }: TicketsDeps,
  ctx: Ctx,
  tx: Tx,
  tickets: readonly TicketRow[],
  messageIds: readonly MessageId[],
): Promise<void> {
  for (const message of await findMessages(ctx, tx, messageIds)) {
    const ticket = tickets.find(({ id }) => id === message.ticketId);
    if (!ticket) continue;
    await domainEvents.publish(tx, ctx, "message.stored", { message, ticket, isHistory: true });
  }
}

const lockStatement = {
  name: "messages.lock-conversation",
  // The ticket is locked in its own step, so that the names joined to it belong to the locked version.
  text: `
with matched as materialized (
  select a.contact_id, a.kind, a.key, a.value
  from unnest($3::text[], $4::text[]) as wanted(kind, key)
  join contact_addresses a on a.company_id = $1 and a.kind = wanted.kind and a.key = wanted.key
), known as materialized (
  select contact_id, json_agg(json_build_object('kind', kind, 'key', key, 'value', value)) as addresses
  from matched group by contact_id
), t as materialized (
  select * from tickets
  where company_id = $1 and connection_id = $2 and contact_id in (select contact_id from known)
    and (select count(*) from known) = 1
    and ($5 or (select count(*) from matched) = cardinality($3::text[]))
  for no key update
)
select ${ticketColumns}, c.id as "knownId", c.is_group as "knownIsGroup", known.addresses as known
from known
join contacts c on c.company_id = $1 and c.id = known.contact_id
left join t on t.contact_id = c.id
${ticketNameJoins}
order by c.id`,
};

const groupSettingStatement = {
  name: "messages.group-setting",
  text: "select value from settings where company_id = $1 and key = 'CheckMsgIsGroup'",
};

const numberChangedStatement = {
  name: "messages.number-changed",
  // Never before the ticket's last message.
  text: `
insert into messages
  (company_id, id, ticket_id, connection_id, provider_id, user_id, body, from_me, read, ack, media_type, details,
   created_at, updated_at)
select $1, line.id, t.id, t.connection_id, 'line-' || line.id, $3, $4, true, true, ${acks.server},
  '${NUMBER_CHANGED}', $5, greatest($6, t.last_message_at), $6
from jsonb_to_recordset($2::jsonb) as line(id uuid, "ticketId" int)
join tickets t on t.company_id = $1 and t.id = line."ticketId"`,
};
