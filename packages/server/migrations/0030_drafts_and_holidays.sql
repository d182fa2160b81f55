CREATE TABLE "queue_option_drafts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "queue_option_drafts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1000000000 CACHE 1),
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
	CONSTRAINT "queue_option_drafts_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "queue_option_drafts_in_queue" UNIQUE("company_id","queue_id","id")
);
--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "holidays" jsonb DEFAULT '{"national":{},"own":[]}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "draft_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "draft_greeting" text;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "menu_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "queue_option_drafts" ADD CONSTRAINT "queue_option_drafts_queue" FOREIGN KEY ("company_id","queue_id") REFERENCES "public"."queues"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_option_drafts" ADD CONSTRAINT "queue_option_drafts_parent" FOREIGN KEY ("company_id","queue_id","parent_id") REFERENCES "public"."queue_option_drafts"("company_id","queue_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_option_drafts" ADD CONSTRAINT "queue_option_drafts_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "queue_option_drafts_parent_index" ON "queue_option_drafts" USING btree ("company_id","queue_id","parent_id");--> statement-breakpoint
CREATE INDEX "queue_option_drafts_file_index" ON "queue_option_drafts" USING btree ("company_id","file_key");--> statement-breakpoint
-- As of the published options: numbered anew by one statement, at whose end the numbers must be unique again.
ALTER TABLE queue_option_drafts ADD CONSTRAINT queue_option_drafts_number
  UNIQUE NULLS NOT DISTINCT (company_id, queue_id, parent_id, number) DEFERRABLE INITIALLY IMMEDIATE;
--> statement-breakpoint
CREATE TRIGGER queue_option_drafts_queue_lives BEFORE INSERT ON queue_option_drafts
  FOR EACH ROW EXECUTE FUNCTION refers_to_living('queues', 'queue_id');
--> statement-breakpoint
SELECT isolate_tenants('queue_option_drafts');
