-- locks: companies and contacts for a moment, for the foreign keys (the tables are new)
CREATE TABLE "erasure_files" (
	"company_id" integer NOT NULL,
	"erasure_id" uuid NOT NULL,
	"file" text NOT NULL,
	CONSTRAINT "erasure_files_company_id_erasure_id_file_pk" PRIMARY KEY("company_id","erasure_id","file")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"state" text NOT NULL,
	"contact_id" integer,
	"person" jsonb,
	"requester_id" integer,
	"requester_name" text NOT NULL,
	"salt" text NOT NULL,
	"hashes" text[] NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"remains" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"held_until" timestamp (3) with time zone,
	"listed_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erasures_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "legal_holds" (
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"reason" text NOT NULL,
	"user_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "legal_holds_company_id_contact_id_pk" PRIMARY KEY("company_id","contact_id")
);
--> statement-breakpoint
CREATE TABLE "person_exports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"contact_id" integer,
	"state" text NOT NULL,
	"language" text NOT NULL,
	"requester_id" integer NOT NULL,
	"requester_name" text NOT NULL,
	"store_key" text,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"held_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "privacy_notices" (
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "privacy_notices_company_id_contact_id_pk" PRIMARY KEY("company_id","contact_id")
);
--> statement-breakpoint
CREATE TABLE "privacy_settings" (
	"company_id" integer PRIMARY KEY NOT NULL,
	"media_days" integer,
	"message_days" integer,
	"text_pt" text DEFAULT '' NOT NULL,
	"text_en" text DEFAULT '' NOT NULL,
	"text_es" text DEFAULT '' NOT NULL,
	"is_text_sent" boolean DEFAULT false NOT NULL,
	"officer_name" text DEFAULT '' NOT NULL,
	"officer_email" text DEFAULT '' NOT NULL,
	"officer_phone" text DEFAULT '' NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "erasure_files" ADD CONSTRAINT "erasure_files_erasure" FOREIGN KEY ("company_id","erasure_id") REFERENCES "public"."erasures"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "legal_holds" ADD CONSTRAINT "legal_holds_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_exports" ADD CONSTRAINT "person_exports_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "privacy_notices" ADD CONSTRAINT "privacy_notices_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "privacy_settings" ADD CONSTRAINT "privacy_settings_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "erasures_newest" ON "erasures" USING btree ("company_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "erasures_open" ON "erasures" USING btree ("created_at") WHERE state in ('waiting', 'running') or listed_at is null;--> statement-breakpoint
CREATE INDEX "person_exports_newest" ON "person_exports" USING btree ("company_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "person_exports_open" ON "person_exports" USING btree ("created_at") WHERE state in ('waiting', 'running') or store_key is not null;
--> statement-breakpoint
SELECT isolate_tenants('erasures');
--> statement-breakpoint
SELECT isolate_tenants('erasure_files');
--> statement-breakpoint
SELECT isolate_tenants('person_exports');
--> statement-breakpoint
SELECT isolate_tenants('privacy_settings');
--> statement-breakpoint
SELECT isolate_tenants('legal_holds');
--> statement-breakpoint
SELECT isolate_tenants('privacy_notices');