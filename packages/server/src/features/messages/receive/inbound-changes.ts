import type { ConnectionId, ContactId, MessageId } from "@balcao/contract";
import type { EditEvent, MessageRef, ReactionEvent, RevokeEvent } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { ContactService } from "../../contacts/index.ts";
import { keyedAddresses } from "../../contacts/index.ts";
import { isEmoji } from "../change/emoji.ts";
import type { MessageChanges } from "../change/message-changes.ts";
import type { Reactor } from "../change/reaction-repository.ts";
import { saveReaction } from "../change/reaction-repository.ts";
import { bodyWithText } from "../last-message.ts";
import { lockMessage } from "../message-repository.ts";
import { keepEarly } from "./early-events.ts";
import type { TicketsOf } from "./people.ts";
import { ignoresGroups } from "./receive-statements.ts";
import { groupMember } from "./sender.ts";

export type InboundChangesDeps = {
  clock: Clock;
  contacts: ContactService;
  ticketsOf: TicketsOf;
  changes: MessageChanges;
};

/**
 * What people do on the chat network with messages that are there: edit, delete for everyone, react. Of an unknown
 * message it waits for that. None of it counts as unread, reopens a ticket or moves it up (behaviour 1.2, ADR 9).
 */
export function createInboundChanges(deps: InboundChangesDeps) {
  const { clock, contacts, ticketsOf, changes } = deps;
  const ctxOf = ({ companyId }: ConnectionRef, { id }: MessageRef) =>
    systemCtx(companyId, "channel", id);

  return {
    /** Only whoever wrote a message changes its text. */
    async edit(tx: Tx, connection: ConnectionRef, event: EditEvent): Promise<void> {
      const { target, text } = event;
      const ctx = ctxOf(connection, target);
      const found = await findTarget(ctx, tx, connection.connectionId, target);
      if (!found) return wait(ctx, tx, connection, event);
      if (!isItsAuthor(found, target) || text.trim() === "") return;
      const locked = await lockMessage(ctx, tx, found.messageId);
      const body = locked && bodyWithText(locked.message, text);
      if (!body || locked.message.isDeleted || locked.message.body === body) return;
      await changes.apply(ctx, tx, locked, { body, isEdited: true });
    },

    /** The text stays in the database, for nobody to read. */
    async revoke(tx: Tx, connection: ConnectionRef, event: RevokeEvent): Promise<void> {
      const { target } = event;
      const ctx = ctxOf(connection, target);
      const found = await findTarget(ctx, tx, connection.connectionId, target);
      if (!found) return wait(ctx, tx, connection, event);
      if (found.fromMe !== target.fromMe) return;
      const locked = await lockMessage(ctx, tx, found.messageId);
      if (!locked || locked.message.isDeleted) return;
      await changes.apply(ctx, tx, locked, { isDeleted: true, changeFailedCode: null });
      await changes.releaseFile(ctx, tx, found.messageId);
    },

    async react(tx: Tx, connection: ConnectionRef, event: ReactionEvent): Promise<void> {
      const { target, emoji } = event;
      if (emoji !== null && !isEmoji(emoji)) return;
      const ctx = ctxOf(connection, target);
      const found = await findTarget(ctx, tx, connection.connectionId, target);
      if (!found) return wait(ctx, tx, connection, event);
      const by = await reactorOf(ctx, tx, event, found);
      const locked = by && (await lockMessage(ctx, tx, found.messageId));
      if (!locked) return;
      await saveReaction(ctx, tx, found.messageId, by, { emoji, now: clock.now() });
      await changes.apply(ctx, tx, locked, {});
    },
  };

  /** Messages of groups that are ignored never come. */
  async function wait(
    ctx: Ctx,
    tx: Tx,
    { connectionId }: ConnectionRef,
    event: EditEvent | RevokeEvent | ReactionEvent,
  ): Promise<void> {
    const isGroup = event.target.chat.kind === "group";
    if (isGroup && (await ignoresGroups(ctx, tx))) return;
    await keepEarly(ctx, tx, connectionId, event);
  }

  async function reactorOf(
    ctx: Ctx,
    tx: Tx,
    { target, from, fromMe }: ReactionEvent,
    { contactId }: Target,
  ): Promise<Reactor | null> {
    if (fromMe) return { userId: null };
    if (target.chat.kind !== "group") return { contactId };
    const person = groupMember(from);
    const member = person && (await contacts.findOrCreate(ctx, tx, person, ticketsOf(ctx, tx)));
    return member && { contactId: member.id };
  }
}

/** A message by its id on the network, in the chat that the event names. */
type Target = {
  messageId: MessageId;
  fromMe: boolean;
  /** With whom the chat is. */
  contactId: ContactId;
  /** The named author of a group's message is the one who wrote it. */
  isNamedAuthors: boolean;
};

function isItsAuthor(found: Target, { chat, fromMe }: MessageRef): boolean {
  if (found.fromMe !== fromMe) return false;
  return fromMe || chat.kind !== "group" || found.isNamedAuthors;
}

async function findTarget(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  { chat, id, author }: MessageRef,
): Promise<Target | null> {
  const [place] = keyedAddresses([chat]);
  const [writer] = author ? keyedAddresses([author]) : [];
  const [target] = await tx.query<Target>(targetStatement, [
    ctx.companyId,
    connectionId,
    id,
    place?.kind,
    place?.key,
    writer?.kind,
    writer?.key,
  ]);
  return target ?? null;
}

const targetStatement = {
  name: "messages.target",
  text: `
select m.id as "messageId", m.from_me as "fromMe", t.contact_id as "contactId",
  exists (select from contact_addresses w where w.company_id = $1 and w.kind = $6 and w.key = $7
    and w.contact_id = m.contact_id) as "isNamedAuthors"
from messages m
join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
join contact_addresses a on a.company_id = $1 and a.kind = $4 and a.key = $5 and a.contact_id = t.contact_id
where m.company_id = $1 and m.connection_id = $2 and m.provider_id = $3`,
};
