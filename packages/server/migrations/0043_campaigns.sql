CREATE TABLE "campaign_lines" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"due_at" timestamp (3) with time zone,
	"sending_id" integer,
	"ended_at" timestamp (3) with time zone,
	"chance" real DEFAULT 0.5 NOT NULL,
	"hold_reason" text,
	"hold_until" timestamp (3) with time zone,
	"hold_since" timestamp (3) with time zone,
	"in_use_since" date,
	"fixed_limit" integer,
	"day" date,
	"new_sent" integer DEFAULT 0 NOT NULL,
	"known_sent" integer DEFAULT 0 NOT NULL,
	"restrictions" integer DEFAULT 0 NOT NULL,
	"quality" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_lines_company_id_connection_id_pk" PRIMARY KEY("company_id","connection_id")
);
--> statement-breakpoint
CREATE TABLE "campaign_recipients" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "campaign_recipients_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"campaign_id" integer NOT NULL,
	"position" integer NOT NULL,
	"item_id" integer,
	"contact_id" integer,
	"name" text NOT NULL,
	"number" text NOT NULL,
	"number_normal" text GENERATED ALWAYS AS (regexp_replace(number, '^(55[1-9][1-9])([6-9][0-9]{7})$', '\19\2')) STORED NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"message" text NOT NULL,
	"confirmation_message" text,
	"status" text DEFAULT 'waiting' NOT NULL,
	"is_known" boolean NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"message_id" uuid,
	"ticket_id" integer,
	"requested_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"answered_at" timestamp (3) with time zone,
	"left_at" timestamp (3) with time zone,
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "campaign_recipients_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "campaign_recipients_person" UNIQUE("company_id","campaign_id","number_normal")
);
--> statement-breakpoint
CREATE TABLE "campaign_settings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "campaign_settings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_settings_company_key" UNIQUE("company_id","key")
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "campaigns_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"messages" jsonb NOT NULL,
	"confirmations" jsonb NOT NULL,
	"confirmation" boolean DEFAULT false NOT NULL,
	"status" text DEFAULT 'INATIVA' NOT NULL,
	"scheduled_at" timestamp (3) with time zone,
	"run" integer DEFAULT 0 NOT NULL,
	"sent_in_run" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"cancelled_by" integer,
	"created_by" integer,
	"connection_id" integer,
	"contact_list_id" integer,
	"tag_id" integer,
	"file_list_id" integer,
	"file_key" text,
	"file_name" text,
	"answer_queue_id" integer,
	"answer_tag_id" integer,
	"template" jsonb,
	"text_in_window" boolean DEFAULT false NOT NULL,
	"hold_reason" text,
	"hold_since" timestamp (3) with time zone,
	"last_sent_at" timestamp (3) with time zone,
	"counts" jsonb,
	"told_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaigns_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "campaign_id" integer;--> statement-breakpoint
ALTER TABLE "campaign_lines" ADD CONSTRAINT "campaign_lines_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_recipients" ADD CONSTRAINT "campaign_recipients_campaign" FOREIGN KEY ("company_id","campaign_id") REFERENCES "public"."campaigns"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_recipients" ADD CONSTRAINT "campaign_recipients_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_settings" ADD CONSTRAINT "campaign_settings_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "campaign_lines_due" ON "campaign_lines" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "campaign_recipients_waiting" ON "campaign_recipients" USING btree ("company_id","campaign_id",(confirmed_at is null),(not is_known),"position") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "campaign_recipients_status" ON "campaign_recipients" USING btree ("company_id","campaign_id","status");--> statement-breakpoint
CREATE INDEX "campaign_recipients_changed" ON "campaign_recipients" USING btree ("company_id","campaign_id","changed_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "campaign_recipients_message" ON "campaign_recipients" USING btree ("company_id","message_id") WHERE message_id is not null;--> statement-breakpoint
CREATE INDEX "campaign_recipients_ticket" ON "campaign_recipients" USING btree ("company_id","ticket_id") WHERE ticket_id is not null;--> statement-breakpoint
CREATE INDEX "campaign_recipients_contact_index" ON "campaign_recipients" USING btree ("company_id","contact_id") WHERE contact_id is not null;--> statement-breakpoint
CREATE INDEX "campaign_recipients_asked" ON "campaign_recipients" USING btree ("requested_at") WHERE status = 'asked';--> statement-breakpoint
CREATE INDEX "campaigns_file_index" ON "campaigns" USING btree ("company_id","file_key") WHERE file_key is not null;--> statement-breakpoint
CREATE INDEX "campaigns_planned" ON "campaigns" USING btree ("scheduled_at") WHERE status = 'PROGRAMADA' and deleted_at is null;--> statement-breakpoint
CREATE INDEX "campaigns_running" ON "campaigns" USING btree ("company_id","connection_id") WHERE status = 'EM_ANDAMENTO' and deleted_at is null;--> statement-breakpoint
CREATE INDEX "campaigns_over" ON "campaigns" USING btree ("updated_at") WHERE status in ('CANCELADA', 'FINALIZADA') and deleted_at is null;--> statement-breakpoint
CREATE INDEX "campaigns_by_date" ON "campaigns" USING btree ("company_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "campaigns_answer_queue" ON "campaigns" USING btree ("company_id","answer_queue_id") WHERE answer_queue_id is not null;--> statement-breakpoint
SELECT isolate_tenants('campaigns');
--> statement-breakpoint
SELECT isolate_tenants('campaign_recipients');
--> statement-breakpoint
SELECT isolate_tenants('campaign_settings');
--> statement-breakpoint
SELECT isolate_tenants('campaign_lines');
