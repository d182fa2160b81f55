-- Foreign keys that clear only their own column: the tenant key of the row stays.
ALTER TABLE users ADD CONSTRAINT users_connection FOREIGN KEY (company_id, connection_id)
  REFERENCES connections (company_id, id) ON DELETE SET NULL (connection_id);
--> statement-breakpoint
ALTER TABLE connections ADD CONSTRAINT connections_transfer_queue FOREIGN KEY (company_id, transfer_queue_id)
  REFERENCES queues (company_id, id) ON DELETE SET NULL (transfer_queue_id);
--> statement-breakpoint
ALTER TABLE tickets
  ADD CONSTRAINT tickets_connection FOREIGN KEY (company_id, connection_id)
    REFERENCES connections (company_id, id) ON DELETE SET NULL (connection_id),
  ADD CONSTRAINT tickets_user FOREIGN KEY (company_id, user_id)
    REFERENCES users (company_id, id) ON DELETE SET NULL (user_id),
  ADD CONSTRAINT tickets_queue FOREIGN KEY (company_id, queue_id)
    REFERENCES queues (company_id, id) ON DELETE SET NULL (queue_id),
  ADD CONSTRAINT tickets_last_attendance FOREIGN KEY (company_id, last_attendance_id)
    REFERENCES attendances (company_id, id) ON DELETE SET NULL (last_attendance_id);
--> statement-breakpoint
ALTER TABLE attendances
  ADD CONSTRAINT attendances_connection FOREIGN KEY (company_id, connection_id)
    REFERENCES connections (company_id, id) ON DELETE SET NULL (connection_id),
  ADD CONSTRAINT attendances_user FOREIGN KEY (company_id, user_id)
    REFERENCES users (company_id, id) ON DELETE SET NULL (user_id),
  ADD CONSTRAINT attendances_closed_by FOREIGN KEY (company_id, closed_by)
    REFERENCES users (company_id, id) ON DELETE SET NULL (closed_by),
  ADD CONSTRAINT attendances_queue FOREIGN KEY (company_id, queue_id)
    REFERENCES queues (company_id, id) ON DELETE SET NULL (queue_id);
--> statement-breakpoint
ALTER TABLE messages
  ADD CONSTRAINT messages_connection FOREIGN KEY (company_id, connection_id)
    REFERENCES connections (company_id, id) ON DELETE SET NULL (connection_id),
  ADD CONSTRAINT messages_contact FOREIGN KEY (company_id, contact_id)
    REFERENCES contacts (company_id, id) ON DELETE SET NULL (contact_id),
  ADD CONSTRAINT messages_user FOREIGN KEY (company_id, user_id)
    REFERENCES users (company_id, id) ON DELETE SET NULL (user_id),
  ADD CONSTRAINT messages_queue FOREIGN KEY (company_id, queue_id)
    REFERENCES queues (company_id, id) ON DELETE SET NULL (queue_id),
  ADD CONSTRAINT messages_quoted FOREIGN KEY (company_id, quoted_message_id)
    REFERENCES messages (company_id, id) ON DELETE SET NULL (quoted_message_id);
--> statement-breakpoint
-- The role of everyday work. It cannot bypass row-level security, create objects or read what is the installation's.
-- Its name carries the database's, because roles belong to the whole server; its password is set at each start.
DO $$
BEGIN
  EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS', current_database() || '_app');
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- another database start on this server made it at the same moment, or an earlier installation left it
END $$;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', current_database() || '_app');
END $$;
--> statement-breakpoint
-- Puts a table under tenant isolation: rows of other companies neither exist for the application's role nor can be
-- written by it; the owner role serves migrations, jobs and the few functions across companies. The comparison is bare on
-- purpose: wrapped in a sub-select the planner loses the index.
CREATE FUNCTION isolate_tenants(target regclass, tenant_column text DEFAULT 'company_id') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format(
    'CREATE POLICY tenant ON %s TO %I USING (%3$I = nullif(current_setting(''app.company_id'', true), '''')::int) '
    'WITH CHECK (%3$I = nullif(current_setting(''app.company_id'', true), '''')::int)',
    target, current_database() || '_app', tenant_column);
  EXECUTE format('CREATE POLICY installation ON %s TO %I USING (true) WITH CHECK (true)', target, current_user);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', target, current_database() || '_app');
END $$;
--> statement-breakpoint
SELECT isolate_tenants('companies', 'id');
--> statement-breakpoint
SELECT isolate_tenants(name::regclass) FROM unnest(ARRAY[
  'settings', 'queues', 'users', 'user_queues', 'tags', 'connections', 'connection_queues', 'connection_leases',
  'inbound_journal', 'contacts', 'contact_addresses', 'tickets', 'attendances', 'messages', 'outbound', 'read_receipts', 'ticket_tags',
  'simulator_lines', 'simulator_customers', 'simulator_messages']) AS name;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('GRANT SELECT ON plans TO %I', current_database() || '_app');
END $$;
