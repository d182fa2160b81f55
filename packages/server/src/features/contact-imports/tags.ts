import type { TagId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { columnsOf } from "../../platform/db/records.ts";
import { tags } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { tellTag, toTag } from "../tags/index.ts";

/**
 * The ids of tags by their names as the given ones are written; case and accents make no difference. Tags that do not exist are made.
 * Lanes of the board are no such tags.
 */
export async function importTags(
  deps: { realtime: Realtime },
  ctx: Ctx,
  tx: Tx,
  names: readonly string[],
  now: Date,
): Promise<Map<string, TagId>> {
  if (names.length === 0) return new Map();
  const made = await tx.query<typeof tags.$inferSelect>(makeStatement, [ctx.companyId, names, now]);
  for (const row of made) tellTag(deps, tx, toTag(row), "create");
  type Found = { name: string; id: TagId };
  const found = await tx.query<Found>(findStatement, [ctx.companyId, names]);
  return new Map(found.map(({ name, id }) => [name, id]));
}

/** Which of these names no tag has, each once, up to `max`. */
export async function missingTags(
  ctx: Ctx,
  tx: Tx,
  names: readonly string[],
  max: number,
): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await tx.query<{ name: string }>(missingStatement, [ctx.companyId, names, max]);
  return rows.map(({ name }) => name);
}

const known = `
known as materialized (
  select f_norm(t.name) as normal, min(t.id) as id from tags t
  where t.company_id = $1 and t.kanban = 0 and t.deleted_at is null group by 1
)`;

const missing = `
missing as materialized (
  select distinct on (f_norm(n.name)) n.name from unnest($2::text[]) as n(name)
  where not exists (select from known k where k.normal = f_norm(n.name))
  order by f_norm(n.name), n.name
)`;

const makeStatement = {
  name: "contact-imports.make-tags",
  text: `
with ${known}, ${missing}
insert into tags as t (company_id, name, created_at, updated_at)
select $1, m.name, $3, $3 from missing m order by m.name
on conflict (company_id, name, color, kanban) where deleted_at is null do nothing
returning ${columnsOf(tags, "t")}`,
};

const findStatement = {
  name: "contact-imports.tags",
  text: `
with ${known}
select n.name, k.id from unnest($2::text[]) as n(name) join known k on k.normal = f_norm(n.name)`,
};

const missingStatement = {
  name: "contact-imports.missing-tags",
  text: `with ${known}, ${missing} select m.name from missing m order by m.name limit $3`,
};
