CREATE TABLE "attendant_turns" (
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"attendance_id" integer,
	"due_at" timestamp (3) with time zone,
	"waiting_since" timestamp (3) with time zone,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"handled_seq" bigint DEFAULT 0 NOT NULL,
	"menus_sent" smallint DEFAULT 0 NOT NULL,
	"last_menu_at" timestamp (3) with time zone,
	"wrong_answers" smallint DEFAULT 0 NOT NULL,
	"greeted_at" timestamp (3) with time zone,
	"closed_told_until" timestamp (3) with time zone,
	CONSTRAINT "attendant_turns_company_id_ticket_id_pk" PRIMARY KEY("company_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "ratings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ratings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"attendance_id" integer NOT NULL,
	"ticket_id" integer,
	"user_id" integer,
	"rate" smallint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ratings_attendance" UNIQUE("company_id","attendance_id"),
	CONSTRAINT "ratings_rate" CHECK (rate between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "queue_options" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "queue_options_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"queue_id" integer NOT NULL,
	"parent_id" integer,
	"number" smallint NOT NULL,
	"title" text NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"file_key" text,
	"file_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "queue_options_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "queue_options_in_queue" UNIQUE("company_id","queue_id","id")
);
--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "schedules" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "file_key" text;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "file_name" text;--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "attended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "attendant_turns" ADD CONSTRAINT "attendant_turns_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ratings" ADD CONSTRAINT "ratings_attendance_row" FOREIGN KEY ("company_id","attendance_id") REFERENCES "public"."attendances"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_options" ADD CONSTRAINT "queue_options_queue" FOREIGN KEY ("company_id","queue_id") REFERENCES "public"."queues"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_options" ADD CONSTRAINT "queue_options_parent" FOREIGN KEY ("company_id","queue_id","parent_id") REFERENCES "public"."queue_options"("company_id","queue_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_options" ADD CONSTRAINT "queue_options_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attendant_turns_due" ON "attendant_turns" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "ratings_ticket_index" ON "ratings" USING btree ("company_id","ticket_id");--> statement-breakpoint
CREATE INDEX "ratings_user_index" ON "ratings" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "ratings_created" ON "ratings" USING btree ("company_id","created_at");--> statement-breakpoint
CREATE INDEX "queue_options_parent_index" ON "queue_options" USING btree ("company_id","queue_id","parent_id");--> statement-breakpoint
CREATE INDEX "queue_options_file_index" ON "queue_options" USING btree ("company_id","file_key");--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "queues_file_index" ON "queues" USING btree ("company_id","file_key");--> statement-breakpoint
CREATE INDEX "attendances_rating" ON "attendances" USING btree ("rating_at") WHERE finished_at is null and rating_at is not null;--> statement-breakpoint
CREATE INDEX "tickets_queue_option" ON "tickets" USING btree ("company_id","queue_option_id") WHERE queue_option_id is not null;--> statement-breakpoint
ALTER TABLE "queues" DROP COLUMN "media_path";--> statement-breakpoint
ALTER TABLE "queues" DROP COLUMN "media_name";--> statement-breakpoint
-- Numbered anew by one statement, at whose end the numbers must be unique again.
ALTER TABLE queue_options ADD CONSTRAINT queue_options_number
  UNIQUE NULLS NOT DISTINCT (company_id, queue_id, parent_id, number) DEFERRABLE INITIALLY IMMEDIATE;
--> statement-breakpoint
UPDATE tickets SET queue_option_id = NULL WHERE queue_option_id IS NOT NULL;
--> statement-breakpoint
ALTER TABLE tickets ADD CONSTRAINT tickets_queue_option_row FOREIGN KEY (company_id, queue_option_id)
  REFERENCES queue_options (company_id, id) ON DELETE SET NULL (queue_option_id);
--> statement-breakpoint
ALTER TABLE ratings
  ADD CONSTRAINT ratings_ticket FOREIGN KEY (company_id, ticket_id)
    REFERENCES tickets (company_id, id) ON DELETE SET NULL (ticket_id),
  ADD CONSTRAINT ratings_user FOREIGN KEY (company_id, user_id)
    REFERENCES users (company_id, id) ON DELETE SET NULL (user_id);
--> statement-breakpoint
-- Whoever served before the attendant was there has acted in it.
UPDATE attendances SET attended_at = started_at WHERE finished_at IS NULL AND started_at IS NOT NULL;
--> statement-breakpoint
SELECT isolate_tenants(name::regclass) FROM unnest(ARRAY['queue_options', 'ratings', 'attendant_turns']) AS name;
