-- locks: companies for a moment (a foreign key of a new table)
CREATE TABLE "company_archives" (
	"id" uuid PRIMARY KEY NOT NULL,
	"company_id" integer NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"requester_id" integer,
	"requester_name" text NOT NULL,
	"store_key" text,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"progress" integer DEFAULT 0 NOT NULL,
	"held_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "company_archives" ADD CONSTRAINT "company_archives_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "company_archives_newest" ON "company_archives" USING btree ("company_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "company_archives_open" ON "company_archives" USING btree ("created_at") WHERE state in ('waiting', 'running') or store_key is not null;--> statement-breakpoint
SELECT isolate_tenants('company_archives');
