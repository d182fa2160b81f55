CREATE TABLE "cloud_uploads" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"file_key" text NOT NULL,
	"media_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cloud_uploads_company_id_connection_id_file_key_pk" PRIMARY KEY("company_id","connection_id","file_key")
);
--> statement-breakpoint
ALTER TABLE "cloud_uploads" ADD CONSTRAINT "cloud_uploads_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
SELECT isolate_tenants('cloud_uploads');
