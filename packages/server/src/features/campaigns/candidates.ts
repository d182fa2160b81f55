import type {
  CampaignId,
  CampaignRecipientId,
  ConnectionId,
  ContactId,
  ContactListItemId,
  FileListId,
} from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { KNOWN_NUMBER_DAYS } from "../contacts/index.ts";

/** A campaign on a line, with the person whose turn it is; the columns of the person are null without one. */
export type Candidate = {
  campaignId: CampaignId;
  run: number;
  sentInRun: number;
  confirmation: boolean;
  isTemplate: boolean;
  textInWindow: boolean;
  texts: string[];
  fileListId: FileListId | null;
  fileKey: string | null;
  fileName: string | null;
  /** Somebody waits, whether the limits of today allow it or not. */
  hasWaiting: boolean;
  id: CampaignRecipientId;
  position: number;
  itemId: ContactListItemId | null;
  contactId: ContactId | null;
  name: string;
  number: string;
  email: string;
  message: string;
  confirmationMessage: string | null;
  /** Counts as known: wrote before, or has confirmed. */
  isKnown: boolean;
  isConfirmed: boolean;
  /** The number is to be looked up first. */
  isUnchecked: boolean;
  leftOut: "removed" | "optedOut" | null;
};

/** A running campaign of which nobody can be written to now. */
export type Idle = Pick<Candidate, "campaignId" | "hasWaiting"> & { id: null };

/** The next people of each campaign that runs on a connection, the campaign that sent longest ago first. */
export async function findCandidates(
  { companyId }: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  { isKnownFree, isNewFree, now }: { isKnownFree: boolean; isNewFree: boolean; now: Date },
): Promise<(Candidate | Idle)[]> {
  return tx.query<Candidate | Idle>(candidatesStatement, [
    ...[companyId, connectionId, isKnownFree, isNewFree, now, LOOKED_AT],
  ]);
}

/** People who were taken off the list, or want nothing more, are done without a message (behaviour 5.7). */
export async function settleLeftOut(
  { companyId }: Ctx,
  tx: Tx,
  people: readonly Pick<Candidate, "id" | "leftOut">[],
  now: Date,
): Promise<void> {
  const ids = people.map(({ id }) => id);
  const reasons = people.map(({ leftOut }) => leftOut);
  await tx.query(leftOutStatement, [companyId, ids, reasons, now]);
}

/** Stores whether the network knows the numbers, also on the list. */
export async function recordChecks(
  { companyId }: Ctx,
  tx: Tx,
  answers: readonly {
    id: CampaignRecipientId;
    itemId: ContactListItemId | null;
    isValid: boolean;
  }[],
  now: Date,
): Promise<void> {
  await tx.query(checkedStatement, [
    companyId,
    answers.map(({ id }) => id),
    answers.map(({ isValid }) => isValid),
    now,
  ]);
}

/** People of one campaign that one look reads: as many as one question about numbers has. */
const LOOKED_AT = 25;

const candidatesStatement = {
  name: "campaigns.candidates",
  text: `
select c.id as "campaignId", c.run, c.sent_in_run as "sentInRun", c.confirmation, c.template is not null as "isTemplate",
  c.text_in_window as "textInWindow", c.messages as texts, c.file_list_id as "fileListId", c.file_key as "fileKey",
  c.file_name as "fileName", exists (
    select from campaign_recipients s where s.company_id = $1 and s.campaign_id = c.id and s.status = 'waiting') as "hasWaiting",
  r.id, r.position, r.item_id as "itemId", r.contact_id as "contactId", r.name, r.number, r.email, r.message,
  r.confirmation_message as "confirmationMessage", r.is_known or r.confirmed_at is not null as "isKnown",
  r.confirmed_at is not null as "isConfirmed",
  r.checked_at is null or r.checked_at < $5::timestamptz - interval '${KNOWN_NUMBER_DAYS} days' as "isUnchecked",
  case when r.item_id is not null and not exists (
      select from contact_list_items i
      where i.company_id = $1 and i.id = r.item_id and i.contact_list_id = c.contact_list_id) then 'removed'
    when exists (
      select from contacts o where o.company_id = $1 and o.opted_out_at is not null and (
        o.id = r.contact_id or o.id in (
          select a.contact_id from contact_addresses a
          where a.company_id = $1 and a.kind = 'pn' and a.key = r.number_normal))) then 'optedOut'
  end as "leftOut"
from campaigns c
left join lateral (
  select * from campaign_recipients r
  where r.company_id = $1 and r.campaign_id = c.id and r.status = 'waiting'
    and case when r.is_known or r.confirmed_at is not null then $3::bool else $4::bool end
  order by (r.confirmed_at is null), (not r.is_known), r.position
  limit $6) r on true
where c.company_id = $1 and c.connection_id = $2 and c.status = 'EM_ANDAMENTO' and c.deleted_at is null and c.hold_reason is null
order by c.last_sent_at nulls first, c.id, (r.confirmed_at is null), (not r.is_known), r.position`,
};

const leftOutStatement = {
  name: "campaigns.settle-left-out",
  text: `
update campaign_recipients r set status = g.reason, changed_at = $4
from unnest($2::int[], $3::text[]) as g(id, reason)
where r.company_id = $1 and r.id = g.id and r.status = 'waiting'`,
};

const checkedStatement = {
  name: "campaigns.record-checks",
  text: `
with checked as (
  update campaign_recipients r set
    checked_at = $4, changed_at = case when g.is_valid then r.changed_at else $4 end,
    status = case when g.is_valid then r.status else 'invalid' end
  from unnest($2::int[], $3::bool[]) as g(id, is_valid)
  where r.company_id = $1 and r.id = g.id and r.status = 'waiting'
  returning r.item_id, g.is_valid
)
update contact_list_items i set is_valid = checked.is_valid, checked_at = $4
from checked where i.company_id = $1 and i.id = checked.item_id`,
};
