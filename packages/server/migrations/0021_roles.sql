-- Role names no longer carry the database's name: a database that is renamed or restored under another name keeps its
-- roles. The names are rows of `installation`; platform/db/roles.ts creates the roles and applies missing rights at each
-- start, so migrations name no role. A new function SECURITY DEFINER needs no GRANT either.

-- Puts a table under tenant isolation. The application's role sees one company's rows; the comparison is bare on purpose:
-- wrapped in a sub-select the planner loses the index. The service role and the owner pass by policies of their own,
-- because only a superuser could give them BYPASSRLS. May be called again: it replaces the policies.
CREATE OR REPLACE FUNCTION isolate_tenants(target regclass, tenant_column text DEFAULT 'company_id') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  application CONSTANT text := (SELECT r.rolname FROM installation i JOIN pg_roles r ON r.rolname = i.value WHERE i.key = 'app-role');
  service CONSTANT text := (SELECT r.rolname FROM installation i JOIN pg_roles r ON r.rolname = i.value WHERE i.key = 'service-role');
  of_company CONSTANT text := format('%I = nullif(current_setting(''app.company_id'', true), '''')::int', tenant_column);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('DROP POLICY IF EXISTS tenant ON %s', target);
  EXECUTE format('DROP POLICY IF EXISTS service ON %s', target);
  EXECUTE format('DROP POLICY IF EXISTS installation ON %s', target);
  EXECUTE format('CREATE POLICY installation ON %s TO %I USING (true) WITH CHECK (true)', target, current_user);
  -- The first start creates the roles after the migrations, and calls this for each table again.
  IF application IS NOT NULL THEN
    EXECUTE format('CREATE POLICY tenant ON %s TO %I USING (%s) WITH CHECK (%s)', target, application, of_company, of_company);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', target, application);
  END IF;
  IF service IS NOT NULL THEN
    EXECUTE format('CREATE POLICY service ON %s TO %I USING (true) WITH CHECK (true)', target, service);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', target, service);
  END IF;
END $$;
--> statement-breakpoint
-- Hands a job over in the caller's transaction. The application's role does not write the job tables itself. The row is
-- the one that pg-boss's own send() makes (jobs.test.ts compares the two).
CREATE FUNCTION enqueue_job(queue text, payload jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_notified boolean;
BEGIN
  INSERT INTO pgboss.job (id, name, data, priority, start_after, created_on, expire_seconds, deletion_seconds, keep_until,
                          retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds,
                          blocked, blocking, pending_dependencies)
  SELECT gen_random_uuid(), q.name, payload, 0, pgboss.job_now(), pgboss.job_now(), q.expire_seconds, q.deletion_seconds,
         pgboss.job_now() + q.retention_seconds * interval '1s', q.retry_limit, q.retry_delay, q.retry_backoff,
         q.retry_delay_max, q.policy, q.dead_letter, q.heartbeat_seconds, false, false, 0
  FROM pgboss.queue q WHERE q.name = enqueue_job.queue;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no job queue %', queue;
  END IF;
  SELECT q.notify INTO is_notified FROM pgboss.queue q WHERE q.name = enqueue_job.queue;
  IF is_notified THEN
    PERFORM pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), queue);
  END IF;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION enqueue_job FROM PUBLIC;
--> statement-breakpoint
-- The role that was named after the database, which may have another name by now. It stays where another database of the
-- server still uses it, or where this owner may not drop it.
DO $$
DECLARE
  former text;
  isolated regclass;
BEGIN
  SELECT r.rolname INTO former FROM pg_policy p JOIN pg_roles r ON r.oid = ANY (p.polroles)
  WHERE p.polrelid = 'companies'::regclass AND p.polname = 'tenant';
  FOR isolated IN SELECT polrelid FROM pg_policy WHERE polname = 'tenant' LOOP
    EXECUTE format('DROP POLICY tenant ON %s', isolated);
  END LOOP;
  IF former IS NULL THEN
    RETURN;
  END IF;
  EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I', former);
  EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM %I', former);
  EXECUTE format('REVOKE ALL ON SCHEMA public FROM %I', former);
  IF to_regnamespace('pgboss') IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA pgboss FROM %I', former);
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pgboss FROM %I', former);
    EXECUTE format('REVOKE ALL ON SCHEMA pgboss FROM %I', former);
  END IF;
  BEGIN
    EXECUTE format('DROP ROLE %I', former);
  EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege OR undefined_object THEN
    RAISE NOTICE 'role % stays', former;
  END;
END $$;
