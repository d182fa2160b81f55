import { sql } from "drizzle-orm";
import type { Database } from "../../platform/db/database.ts";

/** One row that a committed transaction inserted, changed or deleted: `update tickets`. */
export type Write = { what: string; companyIds: number[] };

export type Writes = {
  /** Those since the last call. */
  take(): Promise<Write[]>;
};

/** Counting refused sign-ins is what this table is for. */
const CHANGED_BY_REFUSALS = "login_attempts";

/**
 * Notes each changed row by a trigger on every table. Asking for the notes costs a hundredth of comparing all rows before
 * and after a request, and names what was written. An update that leaves the row as it was is none.
 */
export async function watchWrites(db: Database): Promise<Writes> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(
      sql.raw(`
      create table seen_writes (id bigserial primary key, what text not null, company_ids int[] not null);
      create function note_write() returns trigger language plpgsql security definer as $$
      declare
        key text := case when tg_table_name = 'companies' then 'id' else 'company_id' end;
      begin
        if tg_op <> 'UPDATE' or old::text <> new::text then
          insert into public.seen_writes (what, company_ids)
          values (lower(tg_op) || ' ' || tg_table_name,
                  array_remove(array[(to_jsonb(old) ->> key)::int, (to_jsonb(new) ->> key)::int], null));
        end if;
        return null;
      end $$;
      do $$
      declare
        watched text;
      begin
        for watched in
          select c.table_name from information_schema.tables c
           where c.table_schema = 'public' and c.table_type = 'BASE TABLE'
             and c.table_name not in ('seen_writes', '${CHANGED_BY_REFUSALS}')
        loop
          execute format('create trigger note_write after insert or update or delete on %I '
                         'for each row execute function note_write()', watched);
        end loop;
      end $$`),
    );
  });
  const take = (): Promise<Write[]> =>
    db.acrossCompanies((tx) =>
      tx.query<Write>(sql`
        with taken as (delete from seen_writes returning *)
        select what, company_ids as "companyIds" from taken order by id`),
    );
  // It would prove nothing if the triggers saw nothing.
  await db.acrossCompanies((tx) =>
    tx.query(sql`insert into installation (key, value) values ('watched', 'yes')`),
  );
  const [seen] = await take();
  if (seen?.what !== "insert installation") throw new Error("writes are not seen");
  return { take };
}
