import type { Colleague, ReplyOf, UserId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { hasPermission } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";

export type ColleagueQuery = { searchParam: string; pageNumber: number };

/** The people of the company as their colleagues may know them (wire-contract 4.2 and 5.19). */
export function createColleagues({ db }: { db: Database }) {
  return {
    /** One page, newest first. Only admins see e-mail addresses, and find people by them. */
    async list(ctx: UserCtx, query: ColleagueQuery): Promise<ReplyOf<"GET /users">> {
      const size = pageSizes.users;
      const offset = (query.pageNumber - 1) * size;
      const knowsEmails = hasPermission(ctx, "users:read-emails");
      const values = [ctx.companyId, query.searchParam, knowsEmails, size, offset];
      type Row = { total: number } & (Colleague | { id: null });
      const rows = await db.transaction(ctx, (tx) => tx.query<Row>(pageStatement, values));
      const users = rows.filter((row) => row.id !== null);
      const count = rows[0]?.total ?? 0;
      return { users, count, hasMore: count > offset + users.length };
    },

    all: (ctx: UserCtx): Promise<{ id: UserId; name: string }[]> =>
      db.transaction(ctx, (tx) => tx.query(allStatement, [ctx.companyId])),
  };
}

/** At least one row; its id is null on an empty page. */
const pageStatement = {
  name: "users.page",
  text: `
with found as materialized (
  select u.* from users u
  where u.company_id = $1 and u.deleted_at is null and ($2 = '' or strpos(f_norm(u.name), f_norm($2)) > 0
    or ($3 and strpos(u.email, lower($2)) > 0))
)
select n.total, p.id, p.name, case when $3 then p.email else '' end as email, p.profile, p.online,
  coalesce((
    select json_agg(json_build_object('id', q.id, 'name', q.name, 'color', q.color) order by q.order_queue nulls last, q.id)
    from user_queues uq
    join queues q on q.company_id = uq.company_id and q.id = uq.queue_id
    where uq.company_id = p.company_id and uq.user_id = p.id), '[]') as queues
from (select count(*)::int as total from found) n
left join (select * from found order by created_at desc, id desc limit $4 offset $5) p on true
order by p.created_at desc, p.id desc`,
};

const allStatement = {
  name: "users.all",
  text: "select id, name from users where company_id = $1 and deleted_at is null order by id limit 1000",
};
