import type { CampaignId, ContactListId, TagId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, requireRow } from "../../platform/db/records.ts";
import { contactLists, normalNumber } from "../../platform/db/schema/index.ts";
import type { ChecksDeps } from "./checks.ts";
import { tellChanged, tellList, toList } from "./lists.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A list is about to be deleted and is locked. A subscriber that throws keeps it. */
    "contactList.removing": { contactListId: ContactListId };
  }
}

/** SQL of the contacts that have a tag, themselves or on a ticket: each once, `contact_id`. `$1` is the company. */
export const taggedContacts = (tagId: string): string => `
  select contact_id from contact_tags where company_id = $1 and tag_id = ${tagId}
  union
  select t.contact_id from ticket_tags tt join tickets t on t.company_id = $1 and t.id = tt.ticket_id
  where tt.company_id = $1 and tt.tag_id = ${tagId}`;

type ListDeps = Pick<ChecksDeps, "clock" | "realtime">;

/**
 * Makes a list of everybody who has a tag, or brings an earlier one of the tag up to date, under a new name. All of them count as
 * valid (behaviour 5.3); groups and contacts without a number are left out.
 */
export async function saveTagList(
  deps: ListDeps,
  ctx: Ctx,
  tx: Tx,
  { listId, name, tagId }: { listId: ContactListId | null; name: string; tagId: TagId },
): Promise<ContactListId> {
  const now = deps.clock.now();
  const renamed =
    listId === null
      ? []
      : await tx.orm
          .update(contactLists)
          .set({ name, updatedAt: now })
          .where(hasId(ctx, contactLists, listId))
          .returning();
  const id = renamed[0]?.id ?? (await insertList(deps, ctx, tx, name));
  await tx.query(leaveStatement, [ctx.companyId, id, tagId]);
  await tx.query(joinStatement, [ctx.companyId, id, tagId, now, limits.contactListMax]);
  await tellChanged(deps, ctx, tx, id);
  return id;
}

/** Makes a list of recipients of a campaign; `codes` are failures that are no reason to write again. Null without anybody. */
export async function saveFailedList(
  deps: ListDeps,
  ctx: Ctx,
  tx: Tx,
  { campaignId, name, codes }: { campaignId: CampaignId; name: string; codes: readonly string[] },
): Promise<ContactListId | null> {
  const values = [ctx.companyId, campaignId, codes];
  const failed = await tx.query(anyFailedStatement, values);
  if (failed.length === 0) return null;
  const id = await insertList(deps, ctx, tx, name);
  await tx.query(failedStatement, [...values, id, deps.clock.now()]);
  await tellChanged(deps, ctx, tx, id);
  return id;
}

async function insertList(
  { clock, realtime }: ListDeps,
  { companyId }: Ctx,
  tx: Tx,
  name: string,
): Promise<ContactListId> {
  const now = clock.now();
  const values = { companyId, name, createdAt: now, updatedAt: now };
  const row = requireRow(await tx.orm.insert(contactLists).values(values).returning());
  tellList(realtime, tx, "create", { ...toList(row), contactsCount: 0 });
  return row.id;
}

const leaveStatement = {
  name: "contact-lists.leave-tag",
  text: `
with tagged as materialized (${taggedContacts("$3")})
delete from contact_list_items i
where i.company_id = $1 and i.contact_list_id = $2 and i.number_normal not in (
  select ${normalNumber("c.number")} from tagged join contacts c on c.company_id = $1 and c.id = tagged.contact_id
  where c.number is not null and not c.is_group)`,
};

const joinStatement = {
  name: "contact-lists.join-tag",
  text: `
with tagged as materialized (${taggedContacts("$3")})
insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at, created_at, updated_at)
select $1, $2, c.name, c.number, c.email, true, k.checked_at, $4, $4
from tagged join contacts c on c.company_id = $1 and c.id = tagged.contact_id
left join lateral (
  select checked_at from known_numbers where company_id = $1 and key = ${normalNumber("c.number")} limit 1) k on true
where c.number is not null and not c.is_group
order by c.id limit $5
on conflict (company_id, contact_list_id, number_normal) do nothing`,
};

const isFailed =
  "r.company_id = $1 and r.campaign_id = $2 and r.status = 'failed' and coalesce(r.error_code, '') <> all ($3::text[])";

const anyFailedStatement = {
  name: "contact-lists.any-failed",
  text: `select from campaign_recipients r where ${isFailed} limit 1`,
};

const failedStatement = {
  name: "contact-lists.join-failed",
  text: `
insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at, created_at, updated_at)
select $1, $4, r.name, r.number, r.email, case when r.checked_at is not null then true end, r.checked_at, $5, $5
from campaign_recipients r where ${isFailed} order by r.position`,
};
