-- locks: each table that gets a trigger for the audit, for a moment
CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" integer,
	"actor_name" text NOT NULL,
	"actor_company_id" integer,
	"about_company_id" integer,
	"visit_id" integer,
	"session_id" text,
	"action" text NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text NOT NULL,
	"object_label" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"address" text,
	"device" text,
	"request_id" text,
	"once_mark" text,
	"words" text GENERATED ALWAYS AS (f_norm(actor_name || ' ' || object_label || ' ' || coalesce("before"::text, '') || ' ' || coalesce("after"::text, ''))) STORED NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_entries_newest" ON "audit_entries" USING btree ("company_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "audit_entries" USING btree ("company_id","actor_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_kind" ON "audit_entries" USING btree ("company_id","object_kind","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_object" ON "audit_entries" USING btree ("company_id","object_kind","object_id");--> statement-breakpoint
CREATE INDEX "audit_entries_words" ON "audit_entries" USING gin ("company_id",words gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "audit_entries_about" ON "audit_entries" USING btree ("about_company_id") WHERE about_company_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_once" ON "audit_entries" USING btree ("company_id","once_mark") WHERE once_mark is not null;
--> statement-breakpoint
-- Isolates a table as before. The roles of the product only read the table that functions of the database write.
CREATE OR REPLACE FUNCTION isolate_tenants(target regclass, tenant_column text DEFAULT 'company_id') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  application CONSTANT text := (SELECT r.rolname FROM installation i JOIN pg_roles r ON r.rolname = i.value WHERE i.key = 'app-role');
  service CONSTANT text := (SELECT r.rolname FROM installation i JOIN pg_roles r ON r.rolname = i.value WHERE i.key = 'service-role');
  of_company CONSTANT text := format('%I = nullif(current_setting(''app.company_id'', true), '''')::int', tenant_column);
  rights CONSTANT text := CASE WHEN target = to_regclass('audit_entries') THEN 'SELECT' ELSE 'SELECT, INSERT, UPDATE, DELETE' END;
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
    EXECUTE format('GRANT %s ON %s TO %I', rights, target, application);
  END IF;
  IF service IS NOT NULL THEN
    EXECUTE format('CREATE POLICY service ON %s TO %I USING (true) WITH CHECK (true)', target, service);
    EXECUTE format('GRANT %s ON %s TO %I', rights, target, service);
  END IF;
END $$;
--> statement-breakpoint
SELECT isolate_tenants('audit_entries');
--> statement-breakpoint
-- The second wall behind the missing rights: only functions of the owner change or remove entries.
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> (SELECT r.rolname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE c.oid = TG_RELID) THEN
    RAISE EXCEPTION 'entries of the audit are never changed' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION audit_refuse();
--> statement-breakpoint
CREATE TRIGGER audit_entries_stay_all BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
--> statement-breakpoint
-- A value as an entry has it: a long text is cut, a long list is its text, and an address has neither its query nor its
-- login, which may be secrets.
CREATE FUNCTION audit_value(field text, value jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN field IN ('url', 'base_url') THEN to_jsonb(left(regexp_replace(regexp_replace(value #>> '{}', '[?#].*$', '?…'), '//[^/@]*@', '//…@'), 480))
    WHEN length(value::text) <= 500 THEN value
    WHEN jsonb_typeof(value) = 'string' THEN to_jsonb(left(value #>> '{}', 480) || '…')
    ELSE to_jsonb(left(value::text, 480) || '…') END
$$;
--> statement-breakpoint
-- Adds an entry to the company, and to the company of the actor where that is another one (somebody of the provider).
-- A deed with a mark that is there already is not noted again.
CREATE FUNCTION note_audit(
  actor jsonb, company integer, action text, object_kind text, object_id text, object_label text,
  before jsonb DEFAULT NULL, after jsonb DEFAULT NULL, once_mark text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  home CONSTANT integer := (actor ->> 'company')::integer;
  is_bound CONSTANT boolean := session_user = (SELECT value FROM installation WHERE key = 'app-role');
  own_company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
BEGIN
  IF is_bound AND own_company IS DISTINCT FROM company THEN
    RAISE EXCEPTION 'the audit of another company' USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO audit_entries (company_id, actor_kind, actor_id, actor_name, actor_company_id, about_company_id, visit_id, session_id, action,
    object_kind, object_id, object_label, before, after, address, device, request_id, once_mark)
  SELECT c.id, coalesce(actor ->> 'kind', 'system'), (actor ->> 'id')::integer, left(coalesce(actor ->> 'name', ''), 200),
    CASE WHEN home <> c.id THEN home END, CASE WHEN c.id <> company THEN company END, (actor ->> 'visit')::integer, actor ->> 'session', note_audit.action,
    note_audit.object_kind, note_audit.object_id, left(note_audit.object_label, 200), note_audit.before, note_audit.after,
    left(actor ->> 'address', 100), left(actor ->> 'device', 120), left(actor ->> 'request', 100), note_audit.once_mark
  FROM companies c WHERE c.id IN (company, coalesce(home, company)) AND (NOT is_bound OR c.id = company)
  ON CONFLICT DO NOTHING;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION note_audit FROM PUBLIC;
--> statement-breakpoint
-- What a row is called: the value of its label's column, or a name that stands in another table.
CREATE FUNCTION audit_label(source text, label text, fields jsonb) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  found_name text;
  company CONSTANT integer := (fields ->> 'company_id')::integer;
BEGIN
  IF source = 'tickets' THEN
    SELECT name INTO found_name FROM contacts WHERE company_id = company AND id = (fields ->> 'contact_id')::integer;
  ELSIF source IN ('company_archives', 'invoices', 'payments') THEN
    SELECT name INTO found_name FROM companies WHERE id = company;
  ELSE
    found_name := fields ->> label;
  END IF;
  RETURN coalesce(found_name, '');
END $$;
--> statement-breakpoint
-- Notes a change of a row. Arguments: kind of the object, column of its label, columns that are noted, columns of which
-- only the change is noted, and `people` where the product's own changes are everyday work. Who acts stands in the setting
-- `app.actor` of the transaction. What the product adds by itself, or a company's removal deletes, is not noted row by row.
CREATE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  actor jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  is_person boolean := coalesce(actor ->> 'kind', 'system') <> 'system';
  is_setting CONSTANT boolean := TG_TABLE_NAME IN ('settings', 'campaign_settings');
  noted CONSTANT text[] := string_to_array(TG_ARGV[2], ',');
  masked text[] := string_to_array(TG_ARGV[3], ',');
  old_row jsonb;
  new_row jsonb;
  fields jsonb;
  action text := CASE TG_OP WHEN 'INSERT' THEN 'added' WHEN 'DELETE' THEN 'removed' ELSE 'changed' END;
  before jsonb;
  after jsonb;
  company integer;
BEGIN
  -- A visit is the visitor's, also where the session in the visited company ends it: both companies read of it.
  IF TG_TABLE_NAME = 'support_visits' AND TG_OP <> 'DELETE' THEN
    new_row := to_jsonb(NEW);
    is_person := true;
    actor := coalesce(actor, '{}') || jsonb_build_object('kind', 'user', 'id', new_row -> 'visitor_id', 'name', new_row -> 'visitor_name',
      'company', new_row -> 'visitor_company_id', 'visit', new_row -> 'id');
  END IF;
  IF NOT is_person AND (TG_ARGV[4] = 'people' OR TG_OP = 'INSERT' OR (TG_OP = 'DELETE' AND actor IS NULL)) THEN RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN old_row := to_jsonb(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN new_row := to_jsonb(NEW); END IF;
  fields := coalesce(old_row, new_row);
  company := coalesce(fields ->> 'company_id', CASE WHEN TG_TABLE_NAME = 'companies' THEN fields ->> 'id' END, actor ->> 'company');
  -- The removal of a company is noted where somebody of the provider did it, by its number alone.
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'companies' THEN
    company := actor ->> 'company';
    masked := '{}';
    fields := jsonb_build_object('id', fields -> 'id');
    old_row := fields;
  END IF;
  IF company IS NULL OR (TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM companies WHERE id = company)) THEN RETURN NULL; END IF;
  -- The first settings of a company that somebody of the provider adds: the company's own entry says so.
  IF TG_OP = 'INSERT' AND is_setting AND company <> (actor ->> 'company')::integer THEN RETURN NULL; END IF;
  -- A secret setting is known by its key.
  IF is_setting AND fields ->> 'key' ~ 'ixc$|mkauth$|^asaas$|secret$|token$|password$' THEN masked := masked || ARRAY['value']; END IF;
  SELECT jsonb_object_agg(c.name, CASE WHEN c.name = ANY (masked) THEN to_jsonb('•'::text) ELSE audit_value(c.name, old_row -> c.name) END)
           FILTER (WHERE old_row -> c.name NOT IN ('null', '""', '[]')),
         jsonb_object_agg(c.name, CASE WHEN c.name = ANY (masked) THEN to_jsonb('•'::text) ELSE audit_value(c.name, new_row -> c.name) END)
           FILTER (WHERE new_row -> c.name NOT IN ('null', '""', '[]'))
    INTO before, after
  FROM (SELECT DISTINCT unnest(noted || masked)) AS c (name)
  WHERE TG_OP <> 'UPDATE' OR old_row -> c.name IS DISTINCT FROM new_row -> c.name;
  IF TG_OP = 'UPDATE' AND old_row ->> 'deleted_at' IS NULL AND new_row ->> 'deleted_at' IS NOT NULL THEN
    action := 'removed';
  ELSIF TG_OP = 'UPDATE' AND old_row ->> 'deleted_at' IS NOT NULL AND new_row ->> 'deleted_at' IS NULL THEN
    action := 'restored';
  ELSIF TG_OP <> 'DELETE' AND before IS NULL AND after IS NULL THEN
    RETURN NULL;
  END IF;
  -- The row of a setting, or of what a company has once, comes with its first value.
  IF TG_OP = 'INSERT' AND (is_setting OR NOT fields ? 'id') THEN action := 'changed'; END IF;
  PERFORM note_audit(actor, company, action, TG_ARGV[0],
    coalesce(CASE WHEN is_setting THEN fields ->> 'key' END, fields ->> 'id', fields ->> 'connection_id', ''),
    audit_label(TG_TABLE_NAME, TG_ARGV[1], fields), before, after);
  RETURN NULL;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION audit_row FROM PUBLIC;
--> statement-breakpoint
-- Notes the queues that a user or a connection gets or loses, all of a statement in one entry. Arguments: kind, table and
-- column of the owner.
CREATE FUNCTION audit_queues() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  actor CONSTANT jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  link record;
BEGIN
  IF coalesce(actor ->> 'kind', 'system') = 'system' THEN RETURN NULL; END IF;
  FOR link IN EXECUTE format(
    'SELECT l.company_id, l.%1$I AS owner_id, o.name, jsonb_build_object(''queues'', audit_value(''queues'', jsonb_agg(q.name ORDER BY q.name))) AS queues
     FROM links l JOIN %2$I o ON o.company_id = l.company_id AND o.id = l.%1$I
     JOIN queues q ON q.company_id = l.company_id AND q.id = l.queue_id GROUP BY 1, 2, 3', TG_ARGV[2], TG_ARGV[1])
  LOOP
    PERFORM note_audit(actor, link.company_id, 'changed', TG_ARGV[0], link.owner_id::text, link.name,
      CASE WHEN TG_OP = 'DELETE' THEN link.queues END, CASE WHEN TG_OP = 'INSERT' THEN link.queues END);
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION audit_queues FROM PUBLIC;
--> statement-breakpoint
-- Has the changes of a table noted: see `audit_row`. Another call replaces the trigger.
CREATE FUNCTION audit_table(target regclass, kind text, label text, noted text, masked text DEFAULT '', makers text DEFAULT 'everyone')
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  deleted CONSTANT text := (SELECT 'deleted_at' FROM pg_attribute WHERE attrelid = target AND attname = 'deleted_at' AND NOT attisdropped);
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION audit_row(%L, %L, %L, %L, %L)',
    concat_ws(', ', nullif(noted, ''), nullif(masked, ''), deleted), target, kind, label, noted, masked, makers);
END $$;
--> statement-breakpoint
SELECT audit_table('settings', 'setting', 'key', 'value');
--> statement-breakpoint
SELECT audit_table('users', 'user', 'name', 'name,email,profile,role_id,super,all_ticket,connection_id,ticket_limit', 'password_hash');
--> statement-breakpoint
SELECT audit_table('roles', 'role', 'name', 'name,profile,granted,withheld');
--> statement-breakpoint
SELECT audit_table('companies', 'company', 'name',
  'name,email,phone,status,suspension_reason,plan_id,due_date,recurrence,unpaid,time_zone,schedules,holidays');
--> statement-breakpoint
SELECT audit_table('connections', 'connection', 'name',
  'name,channel,number,wanted,unlink_requested,is_default,greeting_message,complation_message,out_of_hours_message,rating_message,farewell_message,expires_inactive_message,expires_ticket_minutes,time_use_bot_queues_minutes,max_use_bot_queues,time_to_transfer_minutes,transfer_queue_id,prompt_id,integration_id',
  'token');
--> statement-breakpoint
SELECT audit_table('queues', 'queue', 'name',
  'name,color,greeting_message,out_of_hours_message,order_queue,schedules,first_answer_minutes,next_answer_minutes,file_name,assignment,prompt_id,integration_id',
  'menu_changed_at,draft_changed_at');
--> statement-breakpoint
SELECT audit_table('tags', 'tag', 'name', 'name,color,kanban');
--> statement-breakpoint
SELECT audit_table('resolve_reasons', 'resolveReason', 'name', 'name');
--> statement-breakpoint
SELECT audit_table('macros', 'macro', 'name', 'name,key,tag_id,queue_id,resolves,reason_id', 'message');
--> statement-breakpoint
SELECT audit_table('quick_messages', 'quickMessage', 'shortcode', 'shortcode,geral,status,folder,file_name', 'message', 'people');
--> statement-breakpoint
SELECT audit_table('file_lists', 'fileList', 'name', 'name', 'message');
--> statement-breakpoint
SELECT audit_table('api_tokens', 'apiToken', 'name', 'name,user_id,scopes', 'hash');
--> statement-breakpoint
SELECT audit_table('webhooks', 'webhook', 'name', 'name,url,events,stopped_at', 'secret', 'people');
--> statement-breakpoint
SELECT audit_table('integrations', 'integration', 'name',
  'type,name,project_name,json_account,language,url,typebot_slug,typebot_expires_minutes,typebot_keyword_finish,typebot_unknown_message,typebot_delay_ms,typebot_keyword_restart,typebot_restart_message,stopped_at',
  'json_content,secret', 'people');
--> statement-breakpoint
SELECT audit_table('prompts', 'prompt', 'name',
  'name,prompt,base_url,model,voice,voice_region,max_tokens,temperature,max_messages,day_tokens,ticket_tokens,use_knowledge,price_in,price_out,queue_id',
  'api_key,voice_key', 'people');
--> statement-breakpoint
SELECT audit_table('ai_services', 'aiService', 'model',
  'base_url,model,transcription_model,helps,transcribes,day_tokens,day_sounds', 'api_key', 'people');
--> statement-breakpoint
SELECT audit_table('knowledge_items', 'knowledge', 'title', 'kind,title,file_name,is_active', 'text', 'people');
--> statement-breakpoint
SELECT audit_table('campaign_settings', 'campaignSetting', 'key', 'value');
--> statement-breakpoint
SELECT audit_table('campaigns', 'campaign', 'name',
  'name,status,scheduled_at,connection_id,contact_list_id,tag_id,file_list_id,file_name,answer_queue_id,answer_tag_id,confirmation,text_in_window',
  'messages,confirmations,template', 'people');
--> statement-breakpoint
SELECT audit_table('contact_lists', 'contactList', 'name', 'name', '', 'people');
--> statement-breakpoint
SELECT audit_table('contact_imports', 'contactImport', 'file_name', 'file_name,contact_list_id,state', '', 'people');
--> statement-breakpoint
SELECT audit_table('brands', 'brand', 'name', 'host,name,owner,color');
--> statement-breakpoint
SELECT audit_table('brand_images', 'brand', 'kind', 'kind', 'hash');
--> statement-breakpoint
SELECT audit_table('plans', 'plan', 'name',
  'name,users,connections,queues,value_cents,use_campaigns,use_kanban,use_open_ai,use_integrations,use_schedules,use_internal_chat,use_external_api,use_internal');
--> statement-breakpoint
SELECT audit_table('billing_settings', 'billingSettings', 'bank', 'bank,receiver,city,contact', 'pix,secrets', 'people');
--> statement-breakpoint
SELECT audit_table('announcements', 'announcement', 'title', 'title,text,priority,status,image_name');
--> statement-breakpoint
SELECT audit_table('helps', 'help', 'title', 'title,description,video');
--> statement-breakpoint
SELECT audit_table('company_archives', 'companyArchive', 'requester_name', 'kind', '', 'people');
--> statement-breakpoint
SELECT audit_table('support_visits', 'visit', 'visitor_name', 'reason,ends_at,ended_at');
--> statement-breakpoint
-- An invoice is paid by a bank every day: of interest are those that a person marks.
CREATE TRIGGER audit AFTER UPDATE OF status ON invoices FOR EACH ROW WHEN (OLD.status <> NEW.status)
  EXECUTE FUNCTION audit_row('invoice', 'id', 'status,value_cents,due_date', '', 'people');
--> statement-breakpoint
CREATE TRIGGER audit AFTER UPDATE OF state ON payments FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION audit_row('payment', 'id', 'state,value_cents', '', 'people');
--> statement-breakpoint
-- A connection's limit for campaigns; the rest of the row is the sending's own.
CREATE TRIGGER audit AFTER INSERT OR UPDATE OF fixed_limit ON campaign_lines FOR EACH ROW
  EXECUTE FUNCTION audit_row('campaignSetting', '', 'fixed_limit', '', 'people');
--> statement-breakpoint
-- Contacts and tickets are everyday work: their numbers and their deletion are noted, and no customer's message runs this.
CREATE TRIGGER audit AFTER UPDATE OF number ON contacts FOR EACH ROW WHEN (OLD.number IS DISTINCT FROM NEW.number)
  EXECUTE FUNCTION audit_row('contact', 'name', 'number', '', 'people');
--> statement-breakpoint
CREATE TRIGGER audit_removed AFTER DELETE ON contacts FOR EACH ROW
  EXECUTE FUNCTION audit_row('contact', 'name', 'name,number,email', '', 'people');
--> statement-breakpoint
CREATE TRIGGER audit_removed AFTER DELETE ON tickets FOR EACH ROW
  EXECUTE FUNCTION audit_row('ticket', '', 'status,contact_id,user_id,queue_id,connection_id', '', 'people');
--> statement-breakpoint
CREATE TRIGGER audit_added AFTER INSERT ON user_queues REFERENCING NEW TABLE AS links FOR EACH STATEMENT
  EXECUTE FUNCTION audit_queues('user', 'users', 'user_id');
--> statement-breakpoint
CREATE TRIGGER audit_removed AFTER DELETE ON user_queues REFERENCING OLD TABLE AS links FOR EACH STATEMENT
  EXECUTE FUNCTION audit_queues('user', 'users', 'user_id');
--> statement-breakpoint
CREATE TRIGGER audit_added AFTER INSERT ON connection_queues REFERENCING NEW TABLE AS links FOR EACH STATEMENT
  EXECUTE FUNCTION audit_queues('connection', 'connections', 'connection_id');
--> statement-breakpoint
CREATE TRIGGER audit_removed AFTER DELETE ON connection_queues REFERENCING OLD TABLE AS links FOR EACH STATEMENT
  EXECUTE FUNCTION audit_queues('connection', 'connections', 'connection_id');
--> statement-breakpoint
-- Removes a portion of the entries that are older than their company keeps them: 90 days at least, by the database's
-- clock. Answers how many those were.
CREATE FUNCTION expire_audit(portion integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone integer := 0;
  step integer;
  company record;
BEGIN
  IF session_user = (SELECT value FROM installation WHERE key = 'app-role') THEN
    RAISE EXCEPTION 'entries expire by the job' USING ERRCODE = 'insufficient_privilege';
  END IF;
  FOR company IN
    SELECT c.id, greatest(90, CASE WHEN s.value ~ '^[0-9]{1,5}$' THEN s.value::integer ELSE 365 END) AS days
    FROM companies c LEFT JOIN settings s ON s.company_id = c.id AND s.key = 'auditDays'
  LOOP
    DELETE FROM audit_entries WHERE id = ANY (ARRAY(
      SELECT e.id FROM audit_entries e
      WHERE e.company_id = company.id AND e.at < now() - make_interval(days => company.days) LIMIT portion - gone));
    GET DIAGNOSTICS step = ROW_COUNT;
    gone := gone + step;
    EXIT WHEN gone >= portion;
  END LOOP;
  RETURN gone;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION expire_audit FROM PUBLIC;
--> statement-breakpoint
-- Removes a portion of the entries of a company that is being deleted, which is suspended by then; the service role's alone.
CREATE FUNCTION drop_audit(company integer, portion integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone integer;
BEGIN
  IF session_user = (SELECT value FROM installation WHERE key = 'app-role') OR EXISTS (SELECT FROM companies WHERE id = company AND status) THEN
    RAISE EXCEPTION 'only the audit of a suspended company is removed' USING ERRCODE = 'insufficient_privilege';
  END IF;
  DELETE FROM audit_entries WHERE id = ANY (ARRAY(SELECT e.id FROM audit_entries e WHERE e.company_id = company LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  -- The provider goes on reading that something was done, and to which company's number.
  UPDATE audit_entries SET object_label = '', before = NULL, after = NULL
  WHERE about_company_id = company AND (object_label <> '' OR before IS NOT NULL OR after IS NOT NULL);
  RETURN gone;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION drop_audit FROM PUBLIC;
--> statement-breakpoint
-- The newest entries in whose names and values a text stands, narrowed as the list of them is; NULL narrows nothing. Under
-- row-level security PostgreSQL uses no index for LIKE, because the operator is not leakproof; this function reads as the
-- owner and names the company itself, the one that row-level security is set to.
CREATE FUNCTION search_audit(
  term text, wanted integer, thing text, thing_id text, deed text, person integer,
  since timestamptz, until timestamptz, last_at timestamptz, last_id bigint
) RETURNS SETOF bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan ROWS 50 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  pattern CONSTANT text := search_pattern(f_norm(term));
BEGIN
  RETURN QUERY
    SELECT e.id FROM audit_entries e
    WHERE e.company_id = company AND e.words LIKE pattern
      AND (thing IS NULL OR e.object_kind = thing) AND (thing_id IS NULL OR e.object_id = thing_id)
      AND (deed IS NULL OR e.action = deed)
      AND (person IS NULL OR (e.actor_id = person AND e.actor_kind = 'user'))
      AND (since IS NULL OR e.at >= since) AND (until IS NULL OR e.at < until)
      AND (last_id IS NULL OR (e.at, e.id) < (last_at, last_id))
    ORDER BY e.at DESC, e.id DESC LIMIT wanted;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION search_audit FROM PUBLIC;
--> statement-breakpoint
CREATE FUNCTION audit_without(value text, pattern text, replacement text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(value, pattern, replace(replacement, '\', '\\'), 'gi')
$$;
--> statement-breakpoint
-- Replaces texts (names and numbers of a person) in the company's entries, whatever their capital letters, and notes that
-- this was done. Texts of fewer than three characters are left; entries about these contacts lose label and values whole.
-- Answers the number of entries that had something.
CREATE FUNCTION replace_in_audit(actor jsonb, company integer, texts text[], replacement text, contacts integer[] DEFAULT '{}') RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own_company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  ids CONSTANT text[] := contacts::text[];
  whole integer;
  changed integer := 0;
  pattern text;
  wanted text[];
BEGIN
  -- The application's role only while a person of its company is erased.
  IF session_user = (SELECT value FROM installation WHERE key = 'app-role') AND (own_company IS DISTINCT FROM company
     OR NOT EXISTS (SELECT FROM erasures e WHERE e.company_id = company AND e.ended_at IS NULL)) THEN
    RAISE EXCEPTION 'entries are replaced by an erasure alone' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE audit_entries SET object_label = replacement,
    before = (SELECT jsonb_object_agg(key, to_jsonb(replacement)) FROM jsonb_each(before)),
    after = (SELECT jsonb_object_agg(key, to_jsonb(replacement)) FROM jsonb_each(after))
  WHERE company_id = company
    AND ((object_kind IN ('contact', 'person', 'consent') AND object_id = ANY (ids))
      OR (object_kind IN ('ticket', 'contact') AND (before ->> 'contact_id' = ANY (ids) OR after ->> 'contact_id' = ANY (ids))));
  GET DIAGNOSTICS whole = ROW_COUNT;
  -- Also as a text in JSON has it; the longest first, so that no part of a longer one is left.
  SELECT string_agg(regexp_replace(one, '([^[:alnum:][:space:]])', '\\\1', 'g'), '|' ORDER BY length(one) DESC),
         array_agg('%' || replace(replace(replace(f_norm(one), '\', '\\'), '%', '\%'), '_', '\_') || '%')
    INTO pattern, wanted
  FROM (SELECT t AS one FROM unnest(texts) t WHERE length(t) >= 3
        UNION SELECT trim(BOTH '"' FROM to_jsonb(t)::text) FROM unnest(texts) t WHERE length(t) >= 3) one_each;
  IF pattern IS NOT NULL THEN
    UPDATE audit_entries SET
      object_label = audit_without(object_label, pattern, replacement),
      before = (SELECT jsonb_object_agg(key, CASE WHEN value::text ~* pattern THEN to_jsonb(audit_without(value #>> '{}', pattern, replacement)) ELSE value END) FROM jsonb_each(before)),
      after = (SELECT jsonb_object_agg(key, CASE WHEN value::text ~* pattern THEN to_jsonb(audit_without(value #>> '{}', pattern, replacement)) ELSE value END) FROM jsonb_each(after))
    WHERE company_id = company AND words LIKE ANY (wanted)
      AND (object_label ~* pattern OR before::text ~* pattern OR after::text ~* pattern);
    GET DIAGNOSTICS changed = ROW_COUNT;
  END IF;
  PERFORM note_audit(actor, company, 'replaced', 'audit', '', '', NULL, jsonb_build_object('entries', whole + changed));
  RETURN whole + changed;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION replace_in_audit FROM PUBLIC;
