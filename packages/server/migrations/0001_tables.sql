CREATE TABLE "companies" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "companies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"email" text NOT NULL,
	"phone" text,
	"status" boolean DEFAULT true NOT NULL,
	"plan_id" integer NOT NULL,
	"due_date" timestamp (3) with time zone,
	"trial_expiration" timestamp (3) with time zone,
	"recurrence" text DEFAULT 'MENSAL' NOT NULL,
	"time_zone" text DEFAULT 'America/Sao_Paulo' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "companies_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_attempts" (
	"subject" text NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"failures" integer NOT NULL,
	CONSTRAINT "login_attempts_subject_pk" PRIMARY KEY("subject")
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "plans_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"users" integer NOT NULL,
	"connections" integer NOT NULL,
	"queues" integer NOT NULL,
	"value_cents" integer NOT NULL,
	"use_campaigns" boolean DEFAULT true NOT NULL,
	"use_kanban" boolean DEFAULT true NOT NULL,
	"use_open_ai" boolean DEFAULT true NOT NULL,
	"use_integrations" boolean DEFAULT true NOT NULL,
	"use_schedules" boolean DEFAULT true NOT NULL,
	"use_internal_chat" boolean DEFAULT true NOT NULL,
	"use_external_api" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plans_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "queues" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "queues_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"color" text NOT NULL,
	"greeting_message" text DEFAULT '' NOT NULL,
	"out_of_hours_message" text DEFAULT '' NOT NULL,
	"order_queue" integer,
	"schedules" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"media_path" text,
	"media_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "queues_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "queues_company_name" UNIQUE("company_id","name"),
	CONSTRAINT "queues_company_color" UNIQUE("company_id","color")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "settings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "settings_company_key" UNIQUE("company_id","key")
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tags_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"color" text DEFAULT '#A4CCCC' NOT NULL,
	"kanban" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tags_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "user_queues" (
	"company_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"queue_id" integer NOT NULL,
	CONSTRAINT "user_queues_company_id_user_id_queue_id_pk" PRIMARY KEY("company_id","user_id","queue_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"profile" text DEFAULT 'user' NOT NULL,
	"super" boolean DEFAULT false NOT NULL,
	"all_ticket" text DEFAULT 'desabled' NOT NULL,
	"connection_id" integer,
	"token_version" integer DEFAULT 0 NOT NULL,
	"refresh_generation" integer DEFAULT 0 NOT NULL,
	"refreshed_at" timestamp (3) with time zone,
	"online" boolean DEFAULT false NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "connection_leases" (
	"connection_id" integer PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"owner" uuid,
	"fence" bigint DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "connection_queues" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"queue_id" integer NOT NULL,
	CONSTRAINT "connection_queues_company_id_connection_id_queue_id_pk" PRIMARY KEY("company_id","connection_id","queue_id")
);
--> statement-breakpoint
CREATE TABLE "connections" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "connections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"channel" text NOT NULL,
	"status" text DEFAULT 'DISCONNECTED' NOT NULL,
	"qrcode" text DEFAULT '' NOT NULL,
	"close_reason" text,
	"is_default" boolean DEFAULT false NOT NULL,
	"retries" integer DEFAULT 0 NOT NULL,
	"number" text,
	"wanted" boolean DEFAULT true NOT NULL,
	"start_generation" integer DEFAULT 0 NOT NULL,
	"unlink_requested" boolean DEFAULT false NOT NULL,
	"greeting_message" text DEFAULT '' NOT NULL,
	"complation_message" text DEFAULT '' NOT NULL,
	"out_of_hours_message" text DEFAULT '' NOT NULL,
	"rating_message" text DEFAULT '' NOT NULL,
	"farewell_message" text DEFAULT '' NOT NULL,
	"expires_inactive_message" text DEFAULT '' NOT NULL,
	"expires_ticket_minutes" integer DEFAULT 0 NOT NULL,
	"time_use_bot_queues_minutes" integer DEFAULT 0 NOT NULL,
	"max_use_bot_queues" integer DEFAULT 3 NOT NULL,
	"time_to_transfer_minutes" integer,
	"transfer_queue_id" integer,
	"provider" text DEFAULT 'beta' NOT NULL,
	"token" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "connections_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "connections_company_name" UNIQUE("company_id","name")
);
--> statement-breakpoint
CREATE TABLE "inbound_journal" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "inbound_journal_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"chat_key" text NOT NULL,
	"event" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attendances" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "attendances_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"connection_id" integer,
	"user_id" integer,
	"queue_id" integer,
	"queued_at" timestamp (3) with time zone,
	"chatbot_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"rating_at" timestamp (3) with time zone,
	"rated" boolean DEFAULT false NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"closed_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attendances_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "contact_addresses" (
	"company_id" integer NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"contact_id" integer NOT NULL,
	CONSTRAINT "contact_addresses_company_id_kind_key_pk" PRIMARY KEY("company_id","kind","key")
);
--> statement-breakpoint
CREATE TABLE "contacts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "contacts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"number" text,
	"email" text DEFAULT '' NOT NULL,
	"profile_pic_url" text DEFAULT '' NOT NULL,
	"is_group" boolean DEFAULT false NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"disable_bot" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contacts_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "contacts_company_number" UNIQUE("company_id","number")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"company_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "messages_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"ticket_id" integer NOT NULL,
	"connection_id" integer,
	"provider_id" text NOT NULL,
	"contact_id" integer,
	"user_id" integer,
	"client_id" uuid,
	"body" text NOT NULL,
	"from_me" boolean NOT NULL,
	"read" boolean NOT NULL,
	"ack" smallint NOT NULL,
	"failed_code" text,
	"media_type" text,
	"quoted_message_id" uuid,
	"queue_id" integer,
	"is_deleted" boolean DEFAULT false NOT NULL,
	"is_edited" boolean DEFAULT false NOT NULL,
	"is_forwarded" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_company_id_id_pk" PRIMARY KEY("company_id","id"),
	CONSTRAINT "messages_once" UNIQUE("company_id","connection_id","provider_id"),
	CONSTRAINT "messages_ack" CHECK (ack between 0 and 5)
);
--> statement-breakpoint
CREATE TABLE "outbound" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbound_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"message_id" uuid NOT NULL,
	"chat_key" text NOT NULL,
	"to_kind" text NOT NULL,
	"to_value" text NOT NULL,
	"provider_id" text NOT NULL,
	"body" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"fence" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"attempted_at" timestamp (3) with time zone,
	"error_code" text,
	CONSTRAINT "outbound_message" UNIQUE("company_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "read_receipts" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"chat_key" text NOT NULL,
	"to_kind" text NOT NULL,
	"to_value" text NOT NULL,
	"provider_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "read_receipts_company_id_connection_id_chat_key_pk" PRIMARY KEY("company_id","connection_id","chat_key")
);
--> statement-breakpoint
CREATE TABLE "ticket_tags" (
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"tag_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_tags_company_id_ticket_id_tag_id_pk" PRIMARY KEY("company_id","ticket_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tickets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"uuid" uuid NOT NULL,
	"contact_id" integer NOT NULL,
	"connection_id" integer,
	"status" text NOT NULL,
	"user_id" integer,
	"queue_id" integer,
	"is_group" boolean DEFAULT false NOT NULL,
	"chatbot" boolean DEFAULT false NOT NULL,
	"queue_option_id" integer,
	"use_integration" boolean DEFAULT false NOT NULL,
	"prompt_id" integer,
	"integration_id" integer,
	"unread_messages" integer DEFAULT 0 NOT NULL,
	"last_message" text DEFAULT '' NOT NULL,
	"last_message_id" uuid,
	"last_message_at" timestamp (3) with time zone,
	"last_message_from_me" boolean DEFAULT false NOT NULL,
	"last_message_ack" smallint DEFAULT 0 NOT NULL,
	"last_message_failed" boolean DEFAULT false NOT NULL,
	"last_attendance_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tickets_uuid_unique" UNIQUE("uuid"),
	CONSTRAINT "tickets_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "tickets_one_per_contact" UNIQUE("company_id","contact_id","connection_id"),
	CONSTRAINT "tickets_status" CHECK (status in ('pending', 'open', 'closed')),
	CONSTRAINT "tickets_open_has_no_lost_user" CHECK (status <> 'pending' or user_id is null)
);
--> statement-breakpoint
CREATE TABLE "simulator_customers" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"phone" text NOT NULL,
	"name" text NOT NULL,
	"typing" boolean DEFAULT false NOT NULL,
	"last_message" text DEFAULT '' NOT NULL,
	"last_message_at" timestamp (3) with time zone,
	"unread" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "simulator_customers_company_id_connection_id_phone_pk" PRIMARY KEY("company_id","connection_id","phone")
);
--> statement-breakpoint
CREATE TABLE "simulator_lines" (
	"connection_id" integer PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"linked" boolean DEFAULT false NOT NULL,
	"pairing_code" text,
	"network" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "simulator_messages" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "simulator_messages_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"phone" text NOT NULL,
	"id" text NOT NULL,
	"from_customer" boolean NOT NULL,
	"body" text NOT NULL,
	"ack" smallint NOT NULL,
	"reported_ack" smallint DEFAULT 0 NOT NULL,
	"delivered" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "simulator_messages_once" UNIQUE("company_id","connection_id","id")
);
--> statement-breakpoint
ALTER TABLE "companies" ADD CONSTRAINT "companies_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "settings" ADD CONSTRAINT "settings_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_queues" ADD CONSTRAINT "user_queues_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_queues" ADD CONSTRAINT "user_queues_queue" FOREIGN KEY ("company_id","queue_id") REFERENCES "public"."queues"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_leases" ADD CONSTRAINT "connection_leases_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_queues" ADD CONSTRAINT "connection_queues_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_queues" ADD CONSTRAINT "connection_queues_queue" FOREIGN KEY ("company_id","queue_id") REFERENCES "public"."queues"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inbound_journal" ADD CONSTRAINT "inbound_journal_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attendances" ADD CONSTRAINT "attendances_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_addresses" ADD CONSTRAINT "contact_addresses_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbound" ADD CONSTRAINT "outbound_message_row" FOREIGN KEY ("company_id","message_id") REFERENCES "public"."messages"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbound" ADD CONSTRAINT "outbound_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "read_receipts" ADD CONSTRAINT "read_receipts_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_tags" ADD CONSTRAINT "ticket_tags_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_tags" ADD CONSTRAINT "ticket_tags_tag" FOREIGN KEY ("company_id","tag_id") REFERENCES "public"."tags"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulator_customers" ADD CONSTRAINT "simulator_customers_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulator_lines" ADD CONSTRAINT "simulator_lines_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD CONSTRAINT "simulator_messages_customer" FOREIGN KEY ("company_id","connection_id","phone") REFERENCES "public"."simulator_customers"("company_id","connection_id","phone") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "login_attempts_window" ON "login_attempts" USING btree ("window_start");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_company_name_color_kanban" ON "tags" USING btree ("company_id","name","color","kanban");--> statement-breakpoint
CREATE INDEX "user_queues_queue_index" ON "user_queues" USING btree ("company_id","queue_id");--> statement-breakpoint
CREATE INDEX "users_online" ON "users" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "connection_queues_queue_index" ON "connection_queues" USING btree ("company_id","queue_id");--> statement-breakpoint
CREATE UNIQUE INDEX "connections_default" ON "connections" USING btree ("company_id") WHERE is_default;--> statement-breakpoint
CREATE UNIQUE INDEX "connections_token" ON "connections" USING btree ("token") WHERE token <> '';--> statement-breakpoint
CREATE INDEX "connections_wanted" ON "connections" USING btree ("id") WHERE wanted or unlink_requested;--> statement-breakpoint
CREATE INDEX "inbound_journal_order" ON "inbound_journal" USING btree ("connection_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "attendances_one_open" ON "attendances" USING btree ("ticket_id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "attendances_ticket_index" ON "attendances" USING btree ("company_id","ticket_id");--> statement-breakpoint
CREATE INDEX "attendances_queued" ON "attendances" USING btree ("company_id","queued_at");--> statement-breakpoint
CREATE INDEX "attendances_finished" ON "attendances" USING btree ("company_id","finished_at");--> statement-breakpoint
CREATE INDEX "attendances_user" ON "attendances" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "contact_addresses_contact_index" ON "contact_addresses" USING btree ("company_id","contact_id");--> statement-breakpoint
CREATE INDEX "contacts_name_search" ON "contacts" USING gin (f_norm(name) gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "messages_page" ON "messages" USING btree ("company_id","ticket_id","created_at" DESC NULLS LAST,"seq" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "messages_client" ON "messages" USING btree ("company_id","client_id") WHERE client_id is not null;--> statement-breakpoint
CREATE INDEX "messages_unread" ON "messages" USING btree ("company_id","ticket_id") WHERE not from_me and not read;--> statement-breakpoint
CREATE INDEX "outbound_waiting" ON "outbound" USING btree ("connection_id","id") WHERE state in ('queued', 'sending', 'sent');--> statement-breakpoint
CREATE INDEX "read_receipts_connection_index" ON "read_receipts" USING btree ("connection_id");--> statement-breakpoint
CREATE INDEX "ticket_tags_tag_index" ON "ticket_tags" USING btree ("company_id","tag_id");--> statement-breakpoint
CREATE INDEX "tickets_list" ON "tickets" USING btree ("company_id","status","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "tickets_user" ON "tickets" USING btree ("company_id","user_id","status");--> statement-breakpoint
CREATE INDEX "tickets_queue" ON "tickets" USING btree ("company_id","queue_id","status");--> statement-breakpoint
CREATE INDEX "tickets_connection" ON "tickets" USING btree ("company_id","connection_id");--> statement-breakpoint
CREATE INDEX "simulator_messages_chat" ON "simulator_messages" USING btree ("company_id","connection_id","phone","seq");--> statement-breakpoint
CREATE INDEX "simulator_messages_waiting" ON "simulator_messages" USING btree ("connection_id","seq") WHERE from_customer and not delivered;--> statement-breakpoint
CREATE INDEX "simulator_messages_unreported" ON "simulator_messages" USING btree ("connection_id","seq") WHERE not from_customer and reported_ack < ack;