import type { ContactId, MessageId, UserId } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";

/** Who reacts: the company with one voice, by an agent or on its phone, or a person. */
export type Reactor = { contactId: ContactId } | { userId: UserId | null };

/** The company's reaction; null when it has none. */
export type CompanyReaction = { emoji: string; userId: UserId | null };

/** One reaction of each; an emoji of null takes it back. */
export async function saveReaction(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  by: Reactor,
  reaction: { emoji: string | null; now: Date },
): Promise<void> {
  const { emoji, now } = reaction;
  const isPerson = "contactId" in by;
  const author = isPerson ? `contact:${by.contactId}` : "company";
  if (emoji === null) {
    await tx.query(removeStatement, [ctx.companyId, messageId, author]);
    return;
  }
  await tx.query(saveStatement, [
    ctx.companyId,
    messageId,
    author,
    isPerson ? by.contactId : null,
    isPerson ? null : by.userId,
    emoji,
    now,
  ]);
}

export async function findCompanyReaction(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<CompanyReaction | null> {
  const [row] = await tx.query<CompanyReaction>(companyStatement, [ctx.companyId, messageId]);
  return row ?? null;
}

const removeStatement = {
  name: "messages.remove-reaction",
  text: "delete from message_reactions where company_id = $1 and message_id = $2 and author = $3",
};

const saveStatement = {
  name: "messages.save-reaction",
  text: `
insert into message_reactions (company_id, message_id, author, contact_id, user_id, emoji, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (company_id, message_id, author) do update
  set contact_id = excluded.contact_id, user_id = excluded.user_id, emoji = excluded.emoji,
      created_at = excluded.created_at`,
};

const companyStatement = {
  name: "messages.company-reaction",
  text: `
select emoji, user_id as "userId" from message_reactions
where company_id = $1 and message_id = $2 and author = 'company'`,
};
