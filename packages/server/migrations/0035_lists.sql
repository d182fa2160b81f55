CREATE TABLE "ticket_snoozes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ticket_snoozes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"attendance_id" integer,
	"user_id" integer,
	"until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"ended" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_snoozes_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "ticket_pins" (
	"company_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_pins_company_id_user_id_ticket_id_pk" PRIMARY KEY("company_id","user_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "ticket_views" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ticket_views_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"name" text NOT NULL,
	"is_shared" boolean NOT NULL,
	"filter" jsonb NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"deleted_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_views_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "snooze_id" integer;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "snoozed_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "ticket_snoozes" ADD CONSTRAINT "ticket_snoozes_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_snoozes" ADD CONSTRAINT "ticket_snoozes_attendance" FOREIGN KEY ("company_id","attendance_id") REFERENCES "public"."attendances"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_pins" ADD CONSTRAINT "ticket_pins_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_pins" ADD CONSTRAINT "ticket_pins_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_views" ADD CONSTRAINT "ticket_views_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_views" ADD CONSTRAINT "ticket_views_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ticket_snoozes_attendance_index" ON "ticket_snoozes" USING btree ("company_id","attendance_id");--> statement-breakpoint
CREATE INDEX "ticket_snoozes_user_index" ON "ticket_snoozes" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "ticket_pins_ticket_index" ON "ticket_pins" USING btree ("company_id","ticket_id");--> statement-breakpoint
CREATE INDEX "ticket_views_user_index" ON "ticket_views" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "ticket_views_deleted_by_index" ON "ticket_views" USING btree ("company_id","deleted_by") WHERE deleted_by is not null;--> statement-breakpoint
CREATE INDEX "ticket_views_deleted" ON "ticket_views" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "tickets_unread" ON "tickets" USING btree ("company_id","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE unread_messages > 0;--> statement-breakpoint
CREATE INDEX "tickets_snoozed" ON "tickets" USING btree ("company_id","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE snooze_id is not null;--> statement-breakpoint
CREATE INDEX "tickets_snooze_due" ON "tickets" USING btree ("snoozed_until") WHERE snoozed_until is not null;--> statement-breakpoint
-- Rows of users are kept; should one go all the same, the others stay.
ALTER TABLE "ticket_snoozes" ADD CONSTRAINT "ticket_snoozes_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("user_id");--> statement-breakpoint
ALTER TABLE "ticket_views" ADD CONSTRAINT "ticket_views_deleted_by" FOREIGN KEY ("company_id","deleted_by") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("deleted_by");--> statement-breakpoint
-- A ticket that is put off comes back when its customer writes, and when it gets another status, user or queue, whatever
-- statement changes it. An undo that puts a ticket off again changes one that is not put off: nothing happens here.
CREATE FUNCTION end_snooze() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ticket_snoozes SET ended_at = NEW.updated_at,
    ended = CASE WHEN NEW.last_customer_message_at IS DISTINCT FROM OLD.last_customer_message_at THEN 'customer' ELSE 'changed' END
  WHERE company_id = OLD.company_id AND id = OLD.snooze_id;
  NEW.snooze_id := NULL;
  NEW.snoozed_until := NULL;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER tickets_end_snooze BEFORE UPDATE ON tickets FOR EACH ROW
  WHEN (OLD.snooze_id IS NOT NULL AND NEW.snooze_id IS NOT DISTINCT FROM OLD.snooze_id
    AND (NEW.status <> OLD.status OR NEW.user_id IS DISTINCT FROM OLD.user_id OR NEW.queue_id IS DISTINCT FROM OLD.queue_id
      OR NEW.last_customer_message_at IS DISTINCT FROM OLD.last_customer_message_at))
  EXECUTE FUNCTION end_snooze();
--> statement-breakpoint
SELECT isolate_tenants('ticket_pins');--> statement-breakpoint
SELECT isolate_tenants('ticket_snoozes');--> statement-breakpoint
SELECT isolate_tenants('ticket_views');
