-- locks: companies for a moment (a foreign key of a new table)
CREATE TABLE "import_ids" (
	"company_id" integer NOT NULL,
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"source_id" text NOT NULL,
	"new_id" integer NOT NULL,
	CONSTRAINT "import_ids_company_id_source_kind_source_id_pk" PRIMARY KEY("company_id","source","kind","source_id")
);
--> statement-breakpoint
ALTER TABLE "import_ids" ADD CONSTRAINT "import_ids_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
SELECT isolate_tenants('import_ids');
