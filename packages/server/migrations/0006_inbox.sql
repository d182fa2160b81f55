CREATE TABLE "quick_messages" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quick_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"user_id" integer,
	"shortcode" text NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"geral" boolean DEFAULT false NOT NULL,
	"status" boolean DEFAULT true NOT NULL,
	"file_key" text,
	"file_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "schedules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"ticket_id" integer,
	"user_id" integer,
	"body" text NOT NULL,
	"send_at" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"status" text DEFAULT 'PENDENTE' NOT NULL,
	"error_code" text,
	"due_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"locked_at" timestamp (3) with time zone,
	"message_id" uuid,
	"file_key" text,
	"file_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedules_status" CHECK (status in ('PENDENTE', 'AGENDADA', 'ENVIADA', 'ERRO'))
);
--> statement-breakpoint
CREATE TABLE "channel_questions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"question" text NOT NULL,
	"answer" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "files" (
	"company_id" integer NOT NULL,
	"key" text NOT NULL,
	"mime" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"sha256" text DEFAULT '' NOT NULL,
	"is_whole" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "files_company_id_key_pk" PRIMARY KEY("company_id","key")
);
--> statement-breakpoint
CREATE TABLE "contact_extra_info" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "contact_extra_info_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"name" text NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "drafts" (
	"company_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"body" text NOT NULL,
	"quoted_message_id" uuid,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "drafts_company_id_user_id_ticket_id_pk" PRIMARY KEY("company_id","user_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "media_downloads" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "media_downloads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"message_id" uuid NOT NULL,
	"source" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"fence" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "media_downloads_message" UNIQUE("company_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "message_media" (
	"company_id" integer NOT NULL,
	"message_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"file_key" text,
	"thumbnail_key" text,
	"name" text NOT NULL,
	"mime" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"width" integer,
	"height" integer,
	"duration_ms" integer,
	"waveform" smallint[],
	"is_view_once" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_media_company_id_message_id_pk" PRIMARY KEY("company_id","message_id"),
	CONSTRAINT "message_media_ready_has_file" CHECK (state <> 'ready' or file_key is not null)
);
--> statement-breakpoint
CREATE TABLE "message_reactions" (
	"company_id" integer NOT NULL,
	"message_id" uuid NOT NULL,
	"author" text NOT NULL,
	"contact_id" integer,
	"user_id" integer,
	"emoji" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_reactions_company_id_message_id_author_pk" PRIMARY KEY("company_id","message_id","author")
);
--> statement-breakpoint
CREATE TABLE "ticket_notes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ticket_notes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"user_id" integer,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "outbound" DROP CONSTRAINT "outbound_message";--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "details" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "undo_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "change_failed_code" text;--> statement-breakpoint
ALTER TABLE "outbound" ADD COLUMN "command" text DEFAULT 'message' NOT NULL;--> statement-breakpoint
ALTER TABLE "outbound" ADD COLUMN "quote" text;--> statement-breakpoint
ALTER TABLE "outbound" ADD COLUMN "before" text;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "last_message_kind" text DEFAULT 'text' NOT NULL;--> statement-breakpoint
ALTER TABLE "quick_messages" ADD CONSTRAINT "quick_messages_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quick_messages" ADD CONSTRAINT "quick_messages_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_questions" ADD CONSTRAINT "channel_questions_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_extra_info" ADD CONSTRAINT "contact_extra_info_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_downloads" ADD CONSTRAINT "media_downloads_message_row" FOREIGN KEY ("company_id","message_id") REFERENCES "public"."messages"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "media_downloads" ADD CONSTRAINT "media_downloads_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_media" ADD CONSTRAINT "message_media_message" FOREIGN KEY ("company_id","message_id") REFERENCES "public"."messages"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_media" ADD CONSTRAINT "message_media_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_media" ADD CONSTRAINT "message_media_thumbnail" FOREIGN KEY ("company_id","thumbnail_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_reactions" ADD CONSTRAINT "message_reactions_message" FOREIGN KEY ("company_id","message_id") REFERENCES "public"."messages"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_reactions" ADD CONSTRAINT "message_reactions_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_notes" ADD CONSTRAINT "ticket_notes_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_notes" ADD CONSTRAINT "ticket_notes_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "quick_messages_user" ON "quick_messages" USING btree ("company_id","user_id","shortcode");--> statement-breakpoint
CREATE INDEX "quick_messages_shared" ON "quick_messages" USING btree ("company_id","shortcode") WHERE geral;--> statement-breakpoint
CREATE INDEX "quick_messages_file_index" ON "quick_messages" USING btree ("company_id","file_key");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("due_at") WHERE status in ('PENDENTE', 'AGENDADA');--> statement-breakpoint
CREATE INDEX "schedules_calendar" ON "schedules" USING btree ("company_id","send_at");--> statement-breakpoint
CREATE INDEX "schedules_created" ON "schedules" USING btree ("company_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "schedules_contact_index" ON "schedules" USING btree ("company_id","contact_id");--> statement-breakpoint
CREATE INDEX "schedules_user" ON "schedules" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "schedules_file_index" ON "schedules" USING btree ("company_id","file_key");--> statement-breakpoint
CREATE UNIQUE INDEX "schedules_message" ON "schedules" USING btree ("company_id","message_id") WHERE message_id is not null;--> statement-breakpoint
CREATE INDEX "channel_questions_open" ON "channel_questions" USING btree ("connection_id") WHERE answer is null;--> statement-breakpoint
CREATE INDEX "channel_questions_age" ON "channel_questions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "files_age" ON "files" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "files_partial" ON "files" USING btree ("created_at") WHERE not is_whole;--> statement-breakpoint
CREATE INDEX "contact_extra_info_contact_index" ON "contact_extra_info" USING btree ("company_id","contact_id");--> statement-breakpoint
CREATE INDEX "drafts_ticket_index" ON "drafts" USING btree ("company_id","ticket_id");--> statement-breakpoint
CREATE INDEX "media_downloads_due" ON "media_downloads" USING btree ("connection_id","due_at");--> statement-breakpoint
CREATE INDEX "message_media_file_index" ON "message_media" USING btree ("company_id","file_key");--> statement-breakpoint
CREATE INDEX "message_media_thumbnail_index" ON "message_media" USING btree ("company_id","thumbnail_key");--> statement-breakpoint
CREATE INDEX "message_reactions_contact_index" ON "message_reactions" USING btree ("company_id","contact_id");--> statement-breakpoint
CREATE INDEX "ticket_notes_ticket_index" ON "ticket_notes" USING btree ("company_id","ticket_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "ticket_notes_contact_index" ON "ticket_notes" USING btree ("company_id","contact_id");--> statement-breakpoint
CREATE INDEX "ticket_notes_user_index" ON "ticket_notes" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "outbound_message" ON "outbound" USING btree ("company_id","message_id") WHERE command = 'message';--> statement-breakpoint
CREATE INDEX "outbound_message_changes" ON "outbound" USING btree ("company_id","message_id");