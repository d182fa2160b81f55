CREATE TABLE "contact_import_rows" (
	"company_id" integer NOT NULL,
	"contact_import_id" integer NOT NULL,
	"line" integer NOT NULL,
	"cells" jsonb NOT NULL,
	"number" text,
	"number_normal" text GENERATED ALWAYS AS (regexp_replace(number, '^(55[1-9][1-9])([6-9][0-9]{7})$', '\19\2')) STORED,
	"problem" text,
	"same_as" integer,
	"made_id" integer,
	CONSTRAINT "contact_import_rows_company_id_contact_import_id_line_pk" PRIMARY KEY("company_id","contact_import_id","line")
);
--> statement-breakpoint
CREATE TABLE "contact_imports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "contact_imports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"contact_list_id" integer,
	"user_id" integer NOT NULL,
	"is_at_once" boolean DEFAULT false NOT NULL,
	"file_key" text,
	"file_name" text NOT NULL,
	"file_bytes" integer NOT NULL,
	"state" text NOT NULL,
	"error_code" text,
	"error_data" jsonb,
	"sheet_name" text,
	"width" integer DEFAULT 0 NOT NULL,
	"settings" jsonb,
	"trial" jsonb,
	"counted_line" integer,
	"done_line" integer DEFAULT 0 NOT NULL,
	"rows" integer DEFAULT 0 NOT NULL,
	"added" integer DEFAULT 0 NOT NULL,
	"filled" integer DEFAULT 0 NOT NULL,
	"kept" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"reader" uuid,
	"told_at" timestamp (3) with time zone,
	"reloaded_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contact_imports_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "contact_tags" (
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"tag_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contact_tags_company_id_contact_id_tag_id_pk" PRIMARY KEY("company_id","contact_id","tag_id")
);
--> statement-breakpoint
ALTER TABLE "contact_import_rows" ADD CONSTRAINT "contact_import_rows_import" FOREIGN KEY ("company_id","contact_import_id") REFERENCES "public"."contact_imports"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_imports" ADD CONSTRAINT "contact_imports_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_imports" ADD CONSTRAINT "contact_imports_list" FOREIGN KEY ("company_id","contact_list_id") REFERENCES "public"."contact_lists"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_imports" ADD CONSTRAINT "contact_imports_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_tags" ADD CONSTRAINT "contact_tags_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_tags" ADD CONSTRAINT "contact_tags_tag" FOREIGN KEY ("company_id","tag_id") REFERENCES "public"."tags"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_import_rows_problem" ON "contact_import_rows" USING btree ("company_id","contact_import_id","line") WHERE problem is not null;--> statement-breakpoint
CREATE INDEX "contact_imports_file_index" ON "contact_imports" USING btree ("company_id","file_key") WHERE file_key is not null;--> statement-breakpoint
CREATE INDEX "contact_imports_list_index" ON "contact_imports" USING btree ("company_id","contact_list_id") WHERE contact_list_id is not null;--> statement-breakpoint
CREATE INDEX "contact_imports_due" ON "contact_imports" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "contact_imports_updated" ON "contact_imports" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "contact_tags_tag_index" ON "contact_tags" USING btree ("company_id","tag_id");
--> statement-breakpoint
SELECT isolate_tenants('contact_tags');
--> statement-breakpoint
SELECT isolate_tenants('contact_imports');
--> statement-breakpoint
SELECT isolate_tenants('contact_import_rows');
