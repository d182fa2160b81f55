CREATE TABLE "attendance_changes" (
	"company_id" integer NOT NULL,
	"queued_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attendance_days" (
	"company_id" integer NOT NULL,
	"day" date NOT NULL,
	"user_id" integer,
	"queue_id" integer,
	"connection_id" integer,
	"n" integer NOT NULL,
	"resolved" integer NOT NULL,
	"reopened" integer NOT NULL,
	"firsts" integer NOT NULL,
	"waited" integer NOT NULL,
	"wait_ms" bigint NOT NULL,
	"answered" integer NOT NULL,
	"answer_ms" bigint NOT NULL,
	"supported" integer NOT NULL,
	"support_ms" bigint NOT NULL,
	"rate1" integer NOT NULL,
	"rate2" integer NOT NULL,
	"rate3" integer NOT NULL,
	"unhappy" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "summed_days" (
	"company_id" integer NOT NULL,
	"day" date NOT NULL,
	"time_zone" text NOT NULL,
	"begins_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"queued" integer[] NOT NULL,
	"resolved" integer[] NOT NULL,
	CONSTRAINT "summed_days_company_id_day_pk" PRIMARY KEY("company_id","day")
);
--> statement-breakpoint
ALTER TABLE "attendance_changes" ADD CONSTRAINT "attendance_changes_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attendance_days" ADD CONSTRAINT "attendance_days_day" FOREIGN KEY ("company_id","day") REFERENCES "public"."summed_days"("company_id","day") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "summed_days" ADD CONSTRAINT "summed_days_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attendance_changes_index" ON "attendance_changes" USING btree ("company_id","queued_at");--> statement-breakpoint
CREATE INDEX "attendance_days_index" ON "attendance_days" USING btree ("company_id","day");--> statement-breakpoint
-- What the dashboard's sums are made of has changed. A row for each change, never a counter: writers do not wait for each other.
-- A company that is being deleted with its attendances takes no more rows.
CREATE FUNCTION note_attendance_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.queued_at IS NOT NULL THEN
    INSERT INTO attendance_changes (company_id, queued_at)
    SELECT OLD.company_id, OLD.queued_at WHERE EXISTS (SELECT FROM companies WHERE id = OLD.company_id);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.queued_at IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.queued_at IS DISTINCT FROM OLD.queued_at) THEN
    INSERT INTO attendance_changes (company_id, queued_at) VALUES (NEW.company_id, NEW.queued_at);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER attendances_note_row AFTER INSERT OR DELETE ON attendances FOR EACH ROW EXECUTE FUNCTION note_attendance_change();
--> statement-breakpoint
CREATE TRIGGER attendances_note_change AFTER UPDATE ON attendances FOR EACH ROW
  WHEN ((OLD.queued_at, OLD.user_id, OLD.queue_id, OLD.connection_id, OLD.started_at, OLD.asked_at, OLD.answered_at, OLD.rating_at,
      OLD.finished_at, OLD.rate, OLD.is_first, OLD.is_reopened)
    IS DISTINCT FROM (NEW.queued_at, NEW.user_id, NEW.queue_id, NEW.connection_id, NEW.started_at, NEW.asked_at, NEW.answered_at, NEW.rating_at,
      NEW.finished_at, NEW.rate, NEW.is_first, NEW.is_reopened))
  EXECUTE FUNCTION note_attendance_change();
--> statement-breakpoint
SELECT isolate_tenants('summed_days');--> statement-breakpoint
SELECT isolate_tenants('attendance_days');--> statement-breakpoint
SELECT isolate_tenants('attendance_changes');
