import type { ConnectionId, ContactId, MessageId } from "@balcao/contract";
import type { InboundMessage } from "../../../channels/port.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Deps } from "../deps.ts";
import { publishUpdated } from "../events.ts";
import { findQuoted, lockMessage } from "../stored-messages.ts";
import { groupAuthor } from "./conversation.ts";

/** A poll whose votes have changed is shown anew to those who have the ticket open. */
export async function publishPoll(deps: Deps, ctx: Ctx, tx: Tx, pollId: MessageId): Promise<void> {
  const poll = await lockMessage(ctx, tx, pollId);
  if (poll) publishUpdated(deps, tx, poll);
}

/** A voter has taken the vote back: the stored vote names no option any more. Without a stored one nothing changes. */
export async function withdrawVote(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  event: InboundMessage,
): Promise<void> {
  if (!event.quoted) return;
  const poll = await findQuoted(ctx, tx, connectionId, event.quoted.id);
  const locked = poll && (await lockMessage(ctx, tx, poll.messageId));
  if (!locked) return;
  const voterId = await voterOf(deps, ctx, tx, event, locked.ticket.contactId);
  const values = [ctx.companyId, locked.message.messageId, voterId, deps.sources.clock.now()];
  const [vote] = await tx.query<{ id: MessageId }>(withdrawStatement, values);
  if (!vote) return;
  const changed = await lockMessage(ctx, tx, vote.id);
  if (changed) publishUpdated(deps, tx, changed);
  await publishPoll(deps, ctx, tx, locked.message.messageId);
}

/** Null for the company's own phone. */
async function voterOf(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  event: InboundMessage,
  contactId: ContactId,
): Promise<ContactId | null> {
  if (event.ref.fromMe) return null;
  if (event.ref.chat.kind !== "group") return contactId;
  const author = groupAuthor(event);
  const member = author && (await deps.contacts.findOrCreate(ctx, tx, author));
  return member?.id ?? contactId;
}

const withdrawStatement = {
  name: "messages.withdraw-vote",
  text: `
update messages set details = jsonb_set(details, '{options}', '[]'), updated_at = greatest(updated_at, $4)
where company_id = $1 and id = (
  select v.id from messages v
  where v.company_id = $1 and v.quoted_message_id = $2 and v.contact_id is not distinct from $3
    and v.details ->> 'kind' = 'poll-vote'
  order by v.created_at desc, v.seq desc limit 1)
returning id`,
};
