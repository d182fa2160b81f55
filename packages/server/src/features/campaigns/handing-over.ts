import type {
  CampaignHoldReason,
  CampaignId,
  CampaignSettings,
  ConnectionId,
  ContactId,
} from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ContactService } from "../contacts/index.ts";
import { keyedAddresses } from "../contacts/index.ts";
import type { Outgoing } from "../messages/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { freeTextUntil } from "../tickets/index.ts";
import type { Candidate } from "./candidates.ts";
import type { Content, Contents, Files, ListedFile } from "./content.ts";
import { templateOf } from "./content.ts";
import { noteSending } from "./lines.ts";
import { renderText, writtenTexts } from "./texts.ts";

export type HandOverDeps = {
  sources: Pick<Sources, "random">;
  outgoing: Outgoing;
  tickets: Pick<TicketsFeature, "findOrCreateClosedTicket">;
  contacts: Pick<ContactService, "findOrCreate">;
};

export type HandedOver = {
  candidate: Candidate;
  connectionId: ConnectionId;
  contents: Contents;
  files: { list: Files; attachment: ListedFile | null };
  settings: Pick<CampaignSettings, "variables">;
  now: Date;
  day: string;
  /** When the line looks after the outcome itself. */
  dueAt: Date;
};

/**
 * Hands one person's message to the connection: the messages, the person's step and the line's, in this transaction, whose line is
 * locked. A ticket that is there keeps its state; a new one is closed. False: the campaign was stopped meanwhile.
 */
export async function handOver(
  deps: HandOverDeps,
  ctx: Ctx,
  tx: Tx,
  { candidate, connectionId, contents, files, settings, now, day, dueAt }: HandedOver,
): Promise<boolean> {
  const { id, campaignId, run } = candidate;
  const contactId = candidate.contactId ?? (await contactOf(deps, ctx, tx, candidate));
  const found = await deps.tickets.findOrCreateClosedTicket(ctx, tx, contactId, connectionId);
  const isAsk =
    candidate.confirmation && !candidate.isConfirmed && candidate.confirmationMessage !== null;
  const messages = isAsk
    ? [{ text: candidate.confirmationMessage ?? "" }]
    : contentOf(contents, ctx, {
        candidate,
        connectionId,
        files,
        settings,
        now,
        ticket: found.ticket,
      });
  // After the ticket: whoever stops the campaign holds its row and may wait for the ticket of a queued message.
  const counted = await tx.query(countStatement, [ctx.companyId, campaignId, run, now]);
  if (counted.length === 0) return false;
  let { ticket }: { ticket: TicketRow } = found;
  let messageId: string | null = null;
  for (const content of messages) {
    const sent = await deps.outgoing.send(ctx, tx, ticket, {
      ...content,
      ...{ campaignId, isLiteral: true, priority: "campaign", decidedAt: now },
    });
    if (!sent) throw new Error("a message without client id cannot be a repetition");
    messageId ??= sent.message.messageId;
    ({ ticket } = sent);
  }
  if (messageId === null) throw new Error("a campaign without text and files has started");
  const values = [ctx.companyId, id, contactId, messageId, ticket.id, now, isAsk];
  const stepped = await tx.query(stepStatement, values);
  // Only the holder of the line takes people from the queue.
  if (stepped.length === 0) throw new Error("the person was taken by somebody else");
  const chance = deps.sources.random.integer(0, CHANCES) / CHANCES;
  const { isKnown } = candidate;
  await noteSending(ctx, tx, connectionId, { id, dueAt, now, day, isKnown, chance });
  return true;
}

const CHANCES = 10_000;

async function contactOf(
  { contacts }: HandOverDeps,
  ctx: Ctx,
  tx: Tx,
  { name, number }: Candidate,
): Promise<ContactId> {
  const addresses = keyedAddresses([{ kind: "pn", value: number }]);
  const person = { addresses, isGroup: false, ...(name.trim() === "" ? {} : { pushName: name }) };
  return (await contacts.findOrCreate(ctx, tx, person)).id;
}

function contentOf(
  contents: Contents,
  ctx: Ctx,
  {
    candidate,
    connectionId,
    files,
    settings,
    now,
    ticket,
  }: Pick<HandedOver, "candidate" | "connectionId" | "files" | "settings" | "now"> & {
    ticket: TicketRow;
  },
): Content[] {
  const template = templateOf(candidate);
  if (template === null) {
    return contents.messages(ctx, candidate.message, files.list, files.attachment);
  }
  const until = freeTextUntil(ticket);
  const texts = writtenTexts(candidate.texts);
  const text = texts[candidate.position % Math.max(1, texts.length)];
  // Without a word of theirs it ends with the making of the ticket, which may have been a moment after this step's beginning.
  const hasWritten = ticket.lastCustomerMessageAt !== null;
  const isInWindow = candidate.textInWindow && hasWritten && until !== null && until > now;
  if (isInWindow && text !== undefined) {
    return [{ text: renderText(text, settings.variables, candidate) }];
  }
  return [contents.template(connectionId, template)];
}

/** Stores why a person was not reached; without code it is tried again, three times in all. */
export async function failCandidate(
  { companyId }: Ctx,
  tx: Tx,
  { id }: Pick<Candidate, "id">,
  code: string | null,
  now: Date,
): Promise<void> {
  await tx.query(failStatement, [companyId, id, code, now]);
}

/** The campaign does not go on until a person has looked after it. */
export async function holdCampaign(
  { companyId }: Ctx,
  tx: Tx,
  id: CampaignId,
  reason: CampaignHoldReason,
  now: Date,
): Promise<void> {
  await tx.query(holdStatement, [companyId, id, reason, now]);
}

const countStatement = {
  name: "campaigns.count-sent",
  text: `
update campaigns set sent_in_run = sent_in_run + 1, last_sent_at = $4
where company_id = $1 and id = $2 and run = $3 and status = 'EM_ANDAMENTO' and deleted_at is null
returning id`,
};

const stepStatement = {
  name: "campaigns.step-recipient",
  text: `
update campaign_recipients
set status = 'sending', contact_id = $3, message_id = $4, ticket_id = $5, sent_at = $6, changed_at = $6, attempts = attempts + 1,
  error_code = null, requested_at = case when $7::bool then $6::timestamptz else requested_at end
where company_id = $1 and id = $2 and status = 'waiting'
returning id`,
};

const failStatement = {
  name: "campaigns.fail-recipient",
  text: `
update campaign_recipients
set attempts = attempts + 1, changed_at = $4, error_code = coalesce($3, 'ERR_SENDING_WAPP_MSG'),
  status = case when $3::text is not null or attempts >= 2 then 'failed' else 'waiting' end
where company_id = $1 and id = $2 and status = 'waiting'`,
};

const holdStatement = {
  name: "campaigns.hold-campaign",
  text: `
update campaigns set hold_reason = $3, hold_since = $4, updated_at = $4
where company_id = $1 and id = $2 and status = 'EM_ANDAMENTO'`,
};
