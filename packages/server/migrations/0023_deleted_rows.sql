ALTER TABLE "users" DROP CONSTRAINT "users_email_unique";--> statement-breakpoint
ALTER TABLE "connections" DROP CONSTRAINT "connections_company_name";--> statement-breakpoint
ALTER TABLE "queues" DROP CONSTRAINT "queues_company_name";--> statement-breakpoint
ALTER TABLE "queues" DROP CONSTRAINT "queues_company_color";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "successor_id" integer;--> statement-breakpoint
CREATE INDEX "schedules_ticket_index" ON "schedules" USING btree ("company_id","ticket_id") WHERE ticket_id is not null;--> statement-breakpoint
CREATE INDEX "companies_plan" ON "companies" USING btree ("plan_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_unique" ON "users" USING btree ("email") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_connection_index" ON "users" USING btree ("company_id","connection_id") WHERE connection_id is not null;--> statement-breakpoint
CREATE INDEX "channel_questions_connection_index" ON "channel_questions" USING btree ("company_id","connection_id");--> statement-breakpoint
CREATE UNIQUE INDEX "connections_company_name" ON "connections" USING btree ("company_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "connections_transfer_queue_index" ON "connections" USING btree ("company_id","transfer_queue_id") WHERE transfer_queue_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "queues_company_name" ON "queues" USING btree ("company_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "queues_company_color" ON "queues" USING btree ("company_id","color") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "queues_successor" ON "queues" USING btree ("company_id","successor_id") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "cloud_deliveries_connection_index" ON "cloud_deliveries" USING btree ("company_id","connection_id");
--> statement-breakpoint
-- A deleted row still satisfies a foreign key. What lives refers to what lives all the same: whoever waited for the row
-- while it was deleted gets the error that a missing row would give, and is tried again.
CREATE FUNCTION ticket_refers_to_living() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.queue_id IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.queue_id IS DISTINCT FROM OLD.queue_id) THEN
    PERFORM FROM queues WHERE company_id = NEW.company_id AND id = NEW.queue_id AND deleted_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN RAISE foreign_key_violation USING MESSAGE = 'the queue is deleted'; END IF;
  END IF;
  IF NEW.user_id IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.user_id IS DISTINCT FROM OLD.user_id) THEN
    PERFORM FROM users WHERE company_id = NEW.company_id AND id = NEW.user_id AND deleted_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN RAISE foreign_key_violation USING MESSAGE = 'the user is deleted'; END IF;
  END IF;
  IF NEW.connection_id IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.connection_id IS DISTINCT FROM OLD.connection_id) THEN
    PERFORM FROM connections WHERE company_id = NEW.company_id AND id = NEW.connection_id AND deleted_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN RAISE foreign_key_violation USING MESSAGE = 'the connection is deleted'; END IF;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER tickets_refer_to_living BEFORE INSERT OR UPDATE OF queue_id, user_id, connection_id ON tickets
  FOR EACH ROW EXECUTE FUNCTION ticket_refers_to_living();
--> statement-breakpoint
-- The same for the few rows that people write by hand: the table, and the column that refers to it.
CREATE FUNCTION refers_to_living() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  referred CONSTANT int := (to_jsonb(NEW) ->> TG_ARGV[1])::int;
  is_living boolean;
BEGIN
  IF referred IS NULL OR (TG_OP = 'UPDATE' AND (to_jsonb(OLD) ->> TG_ARGV[1])::int = referred) THEN
    RETURN NEW;
  END IF;
  EXECUTE format('SELECT true FROM %I WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE', TG_ARGV[0])
    INTO is_living USING NEW.company_id, referred;
  IF is_living IS NULL THEN
    RAISE foreign_key_violation USING MESSAGE = format('%s: %s refers to a deleted row', TG_TABLE_NAME, TG_ARGV[1]);
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER user_queues_queue_lives BEFORE INSERT ON user_queues
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('queues', 'queue_id');
--> statement-breakpoint
CREATE TRIGGER user_queues_user_lives BEFORE INSERT ON user_queues
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('users', 'user_id');
--> statement-breakpoint
CREATE TRIGGER connection_queues_queue_lives BEFORE INSERT ON connection_queues
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('queues', 'queue_id');
--> statement-breakpoint
CREATE TRIGGER connection_queues_connection_lives BEFORE INSERT ON connection_queues
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('connections', 'connection_id');
--> statement-breakpoint
CREATE TRIGGER queue_options_queue_lives BEFORE INSERT ON queue_options
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('queues', 'queue_id');
--> statement-breakpoint
CREATE TRIGGER connections_transfer_queue_lives BEFORE INSERT OR UPDATE OF transfer_queue_id ON connections
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('queues', 'transfer_queue_id');
--> statement-breakpoint
CREATE TRIGGER users_connection_lives BEFORE INSERT OR UPDATE OF connection_id ON users
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('connections', 'connection_id');
--> statement-breakpoint
CREATE TRIGGER connection_leases_connection_lives BEFORE INSERT ON connection_leases
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('connections', 'connection_id');
--> statement-breakpoint
-- Queues, connections and attendances are never removed, so these only cost time: their columns are in no index, and a
-- removal would have read the whole history.
ALTER TABLE messages DROP CONSTRAINT messages_queue;
--> statement-breakpoint
ALTER TABLE attendances DROP CONSTRAINT attendances_queue, DROP CONSTRAINT attendances_connection;
--> statement-breakpoint
ALTER TABLE tickets DROP CONSTRAINT tickets_last_attendance;
