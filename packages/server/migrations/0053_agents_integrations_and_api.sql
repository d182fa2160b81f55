CREATE TABLE "api_calls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_calls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"token_id" integer,
	"connection_id" integer,
	"token_name" text NOT NULL,
	"call" text NOT NULL,
	"status" smallint NOT NULL,
	"took_ms" integer NOT NULL,
	"code" text,
	"request_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_repeats" (
	"company_id" integer NOT NULL,
	"caller" text NOT NULL,
	"key" text NOT NULL,
	"request" text NOT NULL,
	"status" smallint,
	"reply" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_repeats_company_id_caller_key_pk" PRIMARY KEY("company_id","caller","key")
);
--> statement-breakpoint
CREATE TABLE "api_tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"user_id" integer,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"end" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"last_used_from" text,
	"created_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_tokens_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "api_tokens_hash" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "bot_sessions" (
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"integration_id" integer NOT NULL,
	"session_id" text NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"pending" jsonb,
	"busy_until" timestamp (3) with time zone,
	CONSTRAINT "bot_sessions_company_id_ticket_id_pk" PRIMARY KEY("company_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"integration_id" integer,
	"webhook_id" integer,
	"ticket_id" integer,
	"event_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"status" smallint,
	"fault" text,
	"url" text DEFAULT '' NOT NULL,
	"answer" text DEFAULT '' NOT NULL,
	"took_ms" integer,
	"tried_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deliveries_one_receiver" CHECK (num_nonnulls(integration_id, webhook_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "integrations" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "integrations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"project_name" text DEFAULT '' NOT NULL,
	"json_content" "bytea",
	"json_account" text DEFAULT '' NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"url" text DEFAULT '' NOT NULL,
	"typebot_slug" text DEFAULT '' NOT NULL,
	"typebot_expires_minutes" integer DEFAULT 1 NOT NULL,
	"typebot_keyword_finish" text DEFAULT '' NOT NULL,
	"typebot_unknown_message" text DEFAULT '' NOT NULL,
	"typebot_delay_ms" integer DEFAULT 1000 NOT NULL,
	"typebot_keyword_restart" text DEFAULT '' NOT NULL,
	"typebot_restart_message" text DEFAULT '' NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_until" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"stopped_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "integrations_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "prompt_days" (
	"company_id" integer NOT NULL,
	"prompt_id" integer NOT NULL,
	"day" date NOT NULL,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"completion_tokens" bigint DEFAULT 0 NOT NULL,
	"answers" integer DEFAULT 0 NOT NULL,
	"test_tokens" bigint DEFAULT 0 NOT NULL,
	"told_at" timestamp (3) with time zone,
	CONSTRAINT "prompt_days_company_id_prompt_id_day_pk" PRIMARY KEY("company_id","prompt_id","day")
);
--> statement-breakpoint
CREATE TABLE "prompt_tickets" (
	"company_id" integer NOT NULL,
	"prompt_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"day" date NOT NULL,
	"tokens" integer DEFAULT 0 NOT NULL,
	"answers" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "prompt_tickets_company_id_ticket_id_prompt_id_day_pk" PRIMARY KEY("company_id","ticket_id","prompt_id","day")
);
--> statement-breakpoint
CREATE TABLE "prompts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "prompts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"prompt" text NOT NULL,
	"base_url" text NOT NULL,
	"model" text NOT NULL,
	"api_key" "bytea" NOT NULL,
	"api_key_end" text NOT NULL,
	"voice" text NOT NULL,
	"voice_key" "bytea",
	"voice_key_end" text DEFAULT '' NOT NULL,
	"voice_region" text DEFAULT '' NOT NULL,
	"max_tokens" integer NOT NULL,
	"temperature" double precision NOT NULL,
	"max_messages" integer NOT NULL,
	"day_tokens" integer NOT NULL,
	"ticket_tokens" integer NOT NULL,
	"price_in" double precision,
	"price_out" double precision,
	"queue_id" integer,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"completion_tokens" bigint DEFAULT 0 NOT NULL,
	"fault" text,
	"fault_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "prompts_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhooks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_until" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"stopped_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhooks_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "prompt_id" integer;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "integration_id" integer;--> statement-breakpoint
ALTER TABLE "message_media" ADD COLUMN "transcript" text;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "prompt_id" integer;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "integration_id" integer;--> statement-breakpoint
ALTER TABLE "api_calls" ADD CONSTRAINT "api_calls_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_repeats" ADD CONSTRAINT "api_repeats_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bot_sessions" ADD CONSTRAINT "bot_sessions_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bot_sessions" ADD CONSTRAINT "bot_sessions_integration" FOREIGN KEY ("company_id","integration_id") REFERENCES "public"."integrations"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_integration" FOREIGN KEY ("company_id","integration_id") REFERENCES "public"."integrations"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook" FOREIGN KEY ("company_id","webhook_id") REFERENCES "public"."webhooks"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integrations" ADD CONSTRAINT "integrations_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_days" ADD CONSTRAINT "prompt_days_prompt" FOREIGN KEY ("company_id","prompt_id") REFERENCES "public"."prompts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_tickets" ADD CONSTRAINT "prompt_tickets_prompt" FOREIGN KEY ("company_id","prompt_id") REFERENCES "public"."prompts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompt_tickets" ADD CONSTRAINT "prompt_tickets_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prompts" ADD CONSTRAINT "prompts_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_calls_newest" ON "api_calls" USING btree ("company_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "api_calls_connection" ON "api_calls" USING btree ("company_id","connection_id","id" DESC NULLS LAST) WHERE connection_id is not null;--> statement-breakpoint
CREATE INDEX "api_calls_age" ON "api_calls" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "api_repeats_age" ON "api_repeats" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "api_tokens_user_index" ON "api_tokens" USING btree ("company_id","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "api_tokens_created_by_index" ON "api_tokens" USING btree ("company_id","created_by") WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX "bot_sessions_integration_index" ON "bot_sessions" USING btree ("company_id","integration_id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("company_id","due_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "deliveries_waiting_integration" ON "deliveries" USING btree ("company_id","integration_id","ticket_id","id") WHERE state = 'waiting' and integration_id is not null;--> statement-breakpoint
CREATE INDEX "deliveries_waiting_webhook" ON "deliveries" USING btree ("company_id","webhook_id","ticket_id","id") WHERE state = 'waiting' and webhook_id is not null;--> statement-breakpoint
CREATE INDEX "deliveries_newest" ON "deliveries" USING btree ("company_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_integration_newest" ON "deliveries" USING btree ("company_id","integration_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_webhook_newest" ON "deliveries" USING btree ("company_id","webhook_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_day" ON "deliveries" USING btree ("company_id","created_at","integration_id","state");--> statement-breakpoint
CREATE INDEX "deliveries_ticket" ON "deliveries" USING btree ("company_id","ticket_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_age" ON "deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "integrations_name" ON "integrations" USING btree ("company_id","name");--> statement-breakpoint
CREATE INDEX "integrations_newest" ON "integrations" USING btree ("company_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "prompt_tickets_prompt_index" ON "prompt_tickets" USING btree ("company_id","prompt_id");--> statement-breakpoint
CREATE INDEX "prompt_tickets_day" ON "prompt_tickets" USING btree ("day");--> statement-breakpoint
CREATE INDEX "prompts_name" ON "prompts" USING btree ("company_id","name","id");--> statement-breakpoint
CREATE INDEX "prompts_queue" ON "prompts" USING btree ("company_id","queue_id") WHERE queue_id is not null;--> statement-breakpoint
CREATE INDEX "connections_prompt" ON "connections" USING btree ("company_id","prompt_id") WHERE prompt_id is not null;--> statement-breakpoint
CREATE INDEX "connections_integration" ON "connections" USING btree ("company_id","integration_id") WHERE integration_id is not null;--> statement-breakpoint
CREATE INDEX "queues_prompt" ON "queues" USING btree ("company_id","prompt_id") WHERE prompt_id is not null;--> statement-breakpoint
CREATE INDEX "queues_integration" ON "queues" USING btree ("company_id","integration_id") WHERE integration_id is not null;--> statement-breakpoint
CREATE INDEX "tickets_prompt" ON "tickets" USING btree ("company_id","prompt_id") WHERE prompt_id is not null;--> statement-breakpoint
CREATE INDEX "tickets_integration" ON "tickets" USING btree ("company_id","integration_id") WHERE integration_id is not null;
--> statement-breakpoint
UPDATE "tickets" SET "prompt_id" = NULL, "integration_id" = NULL, "use_integration" = false WHERE "prompt_id" IS NOT NULL OR "integration_id" IS NOT NULL OR "use_integration";
--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_prompt_fk" FOREIGN KEY ("company_id", "prompt_id") REFERENCES "prompts" ("company_id", "id") ON DELETE SET NULL ("prompt_id");
--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_integration_fk" FOREIGN KEY ("company_id", "integration_id") REFERENCES "integrations" ("company_id", "id") ON DELETE SET NULL ("integration_id");
--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_prompt_fk" FOREIGN KEY ("company_id", "prompt_id") REFERENCES "prompts" ("company_id", "id");
--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_integration_fk" FOREIGN KEY ("company_id", "integration_id") REFERENCES "integrations" ("company_id", "id");
--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_prompt_fk" FOREIGN KEY ("company_id", "prompt_id") REFERENCES "prompts" ("company_id", "id");
--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_integration_fk" FOREIGN KEY ("company_id", "integration_id") REFERENCES "integrations" ("company_id", "id");
--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_one_helper" CHECK (num_nonnulls("prompt_id", "integration_id") <= 1);
--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_one_helper" CHECK (num_nonnulls("prompt_id", "integration_id") <= 1);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_ticket_fk" FOREIGN KEY ("company_id", "ticket_id") REFERENCES "tickets" ("company_id", "id") ON DELETE SET NULL ("ticket_id");
--> statement-breakpoint
SELECT isolate_tenants('prompts');
--> statement-breakpoint
SELECT isolate_tenants('prompt_days');
--> statement-breakpoint
SELECT isolate_tenants('prompt_tickets');
--> statement-breakpoint
SELECT isolate_tenants('integrations');
--> statement-breakpoint
SELECT isolate_tenants('webhooks');
--> statement-breakpoint
SELECT isolate_tenants('deliveries');
--> statement-breakpoint
SELECT isolate_tenants('bot_sessions');
--> statement-breakpoint
SELECT isolate_tenants('api_tokens');
--> statement-breakpoint
SELECT isolate_tenants('api_repeats');
--> statement-breakpoint
SELECT isolate_tenants('api_calls');
