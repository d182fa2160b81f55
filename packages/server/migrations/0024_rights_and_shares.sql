CREATE INDEX "tickets_served_user" ON "tickets" USING btree ("company_id","served_user_id","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE status = 'closed' and served_user_id is not null;
--> statement-breakpoint
-- Sockets that are open learn at once that their company works until another day, or no more, whoever changed it. A company
-- changes so a few times a year: such a notification in the transaction keeps nobody waiting (platform/db/wake.ts).
CREATE FUNCTION tell_company_rights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('balcao_wake', 'company-rights:' || NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER companies_rights AFTER UPDATE OF due_date, status ON companies FOR EACH ROW
  WHEN ((NEW.due_date, NEW.status) IS DISTINCT FROM (OLD.due_date, OLD.status))
  EXECUTE FUNCTION tell_company_rights();
--> statement-breakpoint
-- A company's share of the messages of the installation, as the planner estimates it. `pg_stats` would say it more directly,
-- but hides it from an owner under forced row-level security who is no superuser. A company that ANALYZE has not met, and a
-- small one, count as a thousandth. Volatile: EXPLAIN is refused elsewhere.
CREATE OR REPLACE FUNCTION search_share(company integer) RETURNS float8
LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
  total CONSTANT float8 := (SELECT reltuples FROM pg_class WHERE oid = 'messages'::regclass);
  plan json;
BEGIN
  IF total <= 0 THEN RETURN 1; END IF;
  EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM messages WHERE company_id = %s', company) INTO plan;
  RETURN least(1, greatest((plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8 / total, 0.001));
END $$;
