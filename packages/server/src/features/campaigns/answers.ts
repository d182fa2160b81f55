import type { CampaignRecipientId, QueueId, TagId, TicketId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import type { Clock, Random } from "../../platform/sources.ts";
import type { SendAutomatically } from "../messages/index.ts";
import { ANSWER_DAYS } from "../messages/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";
import { wakeLines } from "./lines.ts";
import { readSettings } from "./settings.ts";

export type AnswersDeps = {
  clock: Clock;
  random: Pick<Random, "integer">;
  wake: Wake;
  domainEvents: DomainEvents;
  tickets: Pick<TicketsFeature, "putInQueue">;
  sendAutomatically: SendAutomatically;
  /** The contact of a locked ticket wants no more campaigns; false when that is known. */
  optOut(ctx: Ctx, tx: Tx, contactId: TicketRow["contactId"]): Promise<boolean>;
  /** The automatic attendant leaves a locked ticket's newest message alone. */
  skipTurn(ctx: Ctx, tx: Tx, ticketId: TicketId): Promise<void>;
};

/** The newest person of campaigns that a message may answer. */
type Answered = {
  id: CampaignRecipientId;
  /** Waits for an answer to the question for the confirmation. */
  isAsked: boolean;
  isRunning: boolean;
  isFirst: boolean;
  answerQueueId: QueueId | null;
  answerTagId: TagId | null;
};

/** A confirmed person is sent the message after up to so long (behaviour 5.6). */
const CONFIRMED_WITHIN_MS = 10_000;
const LONGEST_WORD = 40;

/**
 * What a customer writes after a message of a campaign (behaviour 5.6): a word of the company's that ends it, the confirmation, or an
 * answer. Runs in the transaction that stores the message, under its ticket's lock.
 */
export async function receiveAnswer(
  deps: AnswersDeps,
  ctx: Ctx,
  tx: Tx,
  { message, ticket, arrival, isHistory }: EventPayloads["message.stored"],
): Promise<void> {
  if (!arrival?.followsCampaign || isHistory || message.fromMe || ticket.isGroup) return;
  if (ticket.connectionId === null) return;
  const { companyId } = ctx;
  const now = deps.clock.now();
  const values = [companyId, ticket.contactId, ticket.connectionId, message.sentAt];
  const [newest] = await tx.query<Answered>(newestStatement, values);
  if (!newest) return;
  if (await isOptOutWord(ctx, tx, message.body)) {
    return leave(deps, ctx, tx, { ticket, recipient: newest, now });
  }
  if (newest.isAsked && newest.isRunning) {
    await tx.query(confirmStatement, [companyId, newest.id, now]);
    await deps.skipTurn(ctx, tx, ticket.id);
    const at = addMilliseconds(now, deps.random.integer(0, CONFIRMED_WITHIN_MS + 1));
    await wakeLines(deps, ctx, tx, { connectionId: ticket.connectionId, at });
    return;
  }
  if (!newest.isFirst) return;
  await tx.query(answerStatement, [companyId, newest.id, now, ticket.id]);
  await place(deps, ctx, tx, ticket, newest);
}

/** The whole message is one of the company's words, whatever its case, accents and the punctuation around it. */
async function isOptOutWord(ctx: Ctx, tx: Tx, body: string): Promise<boolean> {
  const written = plain(body);
  if (written === "" || written.length > LONGEST_WORD) return false;
  const { optOutWords } = await readSettings(ctx, tx);
  return optOutWords.some((word) => plain(word) === written);
}

const plain = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/^[\s\p{P}\p{C}]+|[\s\p{P}\p{C}]+$/gu, "")
    .toLowerCase();

async function leave(
  deps: AnswersDeps,
  ctx: Ctx,
  tx: Tx,
  { ticket, recipient, now }: { ticket: TicketRow; recipient: Answered; now: Date },
): Promise<void> {
  const isNew = await deps.optOut(ctx, tx, ticket.contactId);
  await tx.query(leaveStatement, [ctx.companyId, recipient.id, now, ticket.id]);
  await deps.skipTurn(ctx, tx, ticket.id);
  if (!isNew) return;
  const { optOutReply } = await readSettings(ctx, tx);
  const current = await lockTicket(ctx, tx, ticket.id);
  if (current) await deps.sendAutomatically(ctx, tx, current, optOutReply);
}

/** The queue and the tag that the campaign wants for its answers; a ticket that somebody has keeps its place. */
async function place(
  { tickets, domainEvents }: AnswersDeps,
  ctx: Ctx,
  tx: Tx,
  { id }: TicketRow,
  { answerQueueId, answerTagId }: Answered,
): Promise<void> {
  if (answerQueueId === null && answerTagId === null) return;
  const ticket = await lockTicket(ctx, tx, id);
  if (!ticket) return;
  if (answerTagId !== null) {
    const rows = await tx.query(tagStatement, [ctx.companyId, id, answerTagId]);
    if (rows.length > 0) await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
  }
  const isFree = ticket.status === "pending" && ticket.userId === null && ticket.queueId === null;
  if (answerQueueId !== null && isFree) await tickets.putInQueue(ctx, tx, ticket, answerQueueId);
}

const newestStatement = {
  name: "campaigns.newest-of-contact",
  text: `
select r.id, r.status in ('asked', 'sending') and r.requested_at is not null and r.confirmed_at is null as "isAsked",
  c.status = 'EM_ANDAMENTO' as "isRunning", r.answered_at is null as "isFirst",
  c.answer_queue_id as "answerQueueId", c.answer_tag_id as "answerTagId"
from campaign_recipients r
join campaigns c on c.company_id = $1 and c.id = r.campaign_id and c.connection_id = $3
where r.company_id = $1 and r.contact_id = $2 and r.sent_at > $4::timestamptz - interval '${ANSWER_DAYS} days'
order by r.sent_at desc, r.id desc limit 1`,
};

const confirmStatement = {
  name: "campaigns.confirm",
  text: `
update campaign_recipients set status = 'waiting', confirmed_at = $3, changed_at = $3
where company_id = $1 and id = $2 and status in ('asked', 'sending') and confirmed_at is null`,
};

const answerStatement = {
  name: "campaigns.answered",
  text: `
update campaign_recipients set answered_at = $3, ticket_id = $4, changed_at = $3
where company_id = $1 and id = $2 and answered_at is null`,
};

const leaveStatement = {
  name: "campaigns.leave",
  text: `
update campaign_recipients set left_at = coalesce(left_at, $3), ticket_id = $4, changed_at = $3,
  answered_at = coalesce(answered_at, $3), status = case when status = 'asked' then 'optedOut' else status end
where company_id = $1 and id = $2`,
};

const tagStatement = {
  name: "campaigns.tag-answer",
  text: `
insert into ticket_tags (company_id, ticket_id, tag_id)
select $1::int, $2::int, g.id from tags g where g.company_id = $1 and g.id = $3
on conflict do nothing
returning tag_id`,
};
