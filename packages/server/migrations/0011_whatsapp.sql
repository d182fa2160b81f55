CREATE TABLE "cloud_accounts" (
	"connection_id" integer PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"phone_number_id" text NOT NULL,
	"business_account_id" text NOT NULL,
	"access_token" "bytea" NOT NULL,
	"app_secret" "bytea" NOT NULL,
	"verify_token" "bytea" NOT NULL,
	"webhook_key" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cloud_accounts_webhook_key" UNIQUE("webhook_key")
);
--> statement-breakpoint
CREATE TABLE "cloud_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cloud_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"body" text NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud_message_ids" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"provider_id" text NOT NULL,
	"wamid" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cloud_message_ids_company_id_connection_id_provider_id_pk" PRIMARY KEY("company_id","connection_id","provider_id"),
	CONSTRAINT "cloud_message_ids_wamid" UNIQUE("company_id","connection_id","wamid")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_credentials" (
	"connection_id" integer PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"data" "bytea" NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "whatsapp_keys" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"type" text NOT NULL,
	"id" text NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "whatsapp_keys_company_id_connection_id_type_id_pk" PRIMARY KEY("company_id","connection_id","type","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_plaintexts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "whatsapp_plaintexts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"message_id" text NOT NULL,
	"data" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "whatsapp_sent" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"message_id" text NOT NULL,
	"data" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_sent_company_id_connection_id_message_id_pk" PRIMARY KEY("company_id","connection_id","message_id")
);
--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "pairing_code" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "pairing_phone" text;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "connected_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "disconnected_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "connections" ADD COLUMN "alarmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "picture_checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "last_customer_message_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "cloud_accounts" ADD CONSTRAINT "cloud_accounts_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cloud_deliveries" ADD CONSTRAINT "cloud_deliveries_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cloud_message_ids" ADD CONSTRAINT "cloud_message_ids_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "whatsapp_credentials" ADD CONSTRAINT "whatsapp_credentials_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "whatsapp_keys" ADD CONSTRAINT "whatsapp_keys_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "whatsapp_plaintexts" ADD CONSTRAINT "whatsapp_plaintexts_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "whatsapp_sent" ADD CONSTRAINT "whatsapp_sent_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cloud_deliveries_open" ON "cloud_deliveries" USING btree ("connection_id","id") WHERE failed_at is null;--> statement-breakpoint
CREATE INDEX "whatsapp_plaintexts_connection_index" ON "whatsapp_plaintexts" USING btree ("connection_id","id");--> statement-breakpoint
CREATE INDEX "whatsapp_sent_age" ON "whatsapp_sent" USING btree ("created_at");