CREATE TABLE "file_list_options" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "file_list_options_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"file_list_id" integer NOT NULL,
	"place" integer NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"file_key" text,
	"file_name" text
);
--> statement-breakpoint
CREATE TABLE "file_lists" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "file_lists_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"message" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "file_lists_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "file_lists_name" UNIQUE("company_id","name")
);
--> statement-breakpoint
ALTER TABLE "file_list_options" ADD CONSTRAINT "file_list_options_list" FOREIGN KEY ("company_id","file_list_id") REFERENCES "public"."file_lists"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_list_options" ADD CONSTRAINT "file_list_options_file" FOREIGN KEY ("company_id","file_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_lists" ADD CONSTRAINT "file_lists_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_list_options_place" ON "file_list_options" USING btree ("company_id","file_list_id","place");--> statement-breakpoint
CREATE INDEX "file_list_options_file_index" ON "file_list_options" USING btree ("company_id","file_key") WHERE file_key is not null;
--> statement-breakpoint
SELECT isolate_tenants('file_lists');
--> statement-breakpoint
SELECT isolate_tenants('file_list_options');
