CREATE TABLE "chat_members" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_members_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"chat_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"unreads" integer DEFAULT 0 NOT NULL,
	"is_silenced" boolean DEFAULT false NOT NULL,
	"last_read_id" integer,
	"last_read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_members_once" UNIQUE("company_id","chat_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "chat_messages" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chat_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"chat_id" integer NOT NULL,
	"sender_id" integer NOT NULL,
	"message" text NOT NULL,
	"mentions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"client_id" uuid,
	"quoted_id" integer,
	"has_ticket" boolean DEFAULT false NOT NULL,
	"ticket_id" integer,
	"file_key" text,
	"file_name" text,
	"thumbnail_key" text,
	"kind" text,
	"mime" text,
	"bytes" bigint,
	"width" integer,
	"height" integer,
	"duration_ms" integer,
	"waveform" smallint[],
	"edited_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_messages_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "chats" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "chats_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"uuid" uuid NOT NULL,
	"title" text NOT NULL,
	"direct_pair" text,
	"owner_id" integer NOT NULL,
	"last_message" text DEFAULT '' NOT NULL,
	"last_sender_id" integer,
	"last_message_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chats_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "chats_uuid" UNIQUE("uuid")
);
--> statement-breakpoint
ALTER TABLE "chat_members" ADD CONSTRAINT "chat_members_chat" FOREIGN KEY ("company_id","chat_id") REFERENCES "public"."chats"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_members" ADD CONSTRAINT "chat_members_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_chat" FOREIGN KEY ("company_id","chat_id") REFERENCES "public"."chats"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_sender" FOREIGN KEY ("company_id","sender_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_thumbnail" FOREIGN KEY ("company_id","thumbnail_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_owner" FOREIGN KEY ("company_id","owner_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chat_members_user_index" ON "chat_members" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "chat_messages_chat_index" ON "chat_messages" USING btree ("company_id","chat_id","id");--> statement-breakpoint
CREATE INDEX "chat_messages_sender_index" ON "chat_messages" USING btree ("company_id","sender_id");--> statement-breakpoint
CREATE UNIQUE INDEX "chat_messages_client" ON "chat_messages" USING btree ("company_id","sender_id","client_id");--> statement-breakpoint
CREATE INDEX "chat_messages_quoted" ON "chat_messages" USING btree ("company_id","quoted_id") WHERE "quoted_id" is not null;--> statement-breakpoint
CREATE INDEX "chat_messages_ticket_index" ON "chat_messages" USING btree ("company_id","ticket_id") WHERE "ticket_id" is not null;--> statement-breakpoint
CREATE INDEX "chat_messages_file_index" ON "chat_messages" USING btree ("company_id","file_key") WHERE "file_key" is not null;--> statement-breakpoint
CREATE INDEX "chat_messages_thumbnail_index" ON "chat_messages" USING btree ("company_id","thumbnail_key") WHERE "thumbnail_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "chats_direct" ON "chats" USING btree ("company_id","direct_pair");--> statement-breakpoint
CREATE INDEX "chats_owner_index" ON "chats" USING btree ("company_id","owner_id");--> statement-breakpoint
CREATE INDEX "chats_last_sender_index" ON "chats" USING btree ("company_id","last_sender_id");--> statement-breakpoint
-- Each of these clears only its own column.
ALTER TABLE "chats" ADD CONSTRAINT "chats_last_sender" FOREIGN KEY ("company_id","last_sender_id")
  REFERENCES "users"("company_id","id") ON DELETE SET NULL ("last_sender_id");--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_ticket" FOREIGN KEY ("company_id","ticket_id")
  REFERENCES "tickets"("company_id","id") ON DELETE SET NULL ("ticket_id");--> statement-breakpoint
ALTER TABLE "chat_messages" ADD CONSTRAINT "chat_messages_quote" FOREIGN KEY ("company_id","quoted_id")
  REFERENCES "chat_messages"("company_id","id") ON DELETE SET NULL ("quoted_id");--> statement-breakpoint
SELECT isolate_tenants('chats');--> statement-breakpoint
SELECT isolate_tenants('chat_members');--> statement-breakpoint
SELECT isolate_tenants('chat_messages');
