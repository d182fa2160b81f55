CREATE TABLE "contact_list_items" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "contact_list_items_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"contact_list_id" integer NOT NULL,
	"name" text NOT NULL,
	"name_normal" text GENERATED ALWAYS AS (f_norm(name)) STORED NOT NULL,
	"number" text NOT NULL,
	"number_normal" text GENERATED ALWAYS AS (regexp_replace(number, '^(55[1-9][1-9])([6-9][0-9]{7})$', '\19\2')) STORED NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"is_valid" boolean,
	"checked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contact_list_items_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "contact_list_items_number" UNIQUE("company_id","contact_list_id","number_normal")
);
--> statement-breakpoint
CREATE TABLE "contact_lists" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "contact_lists_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"filter" jsonb,
	"check_due_at" timestamp (3) with time zone,
	"is_check_stopped" boolean DEFAULT false NOT NULL,
	"connection_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contact_lists_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
ALTER TABLE "contact_list_items" ADD CONSTRAINT "contact_list_items_list" FOREIGN KEY ("company_id","contact_list_id") REFERENCES "public"."contact_lists"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_lists" ADD CONSTRAINT "contact_lists_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_list_items_by_name" ON "contact_list_items" USING btree ("company_id","contact_list_id","name_normal","id");--> statement-breakpoint
CREATE INDEX "contact_list_items_unchecked" ON "contact_list_items" USING btree ("company_id","contact_list_id","id") WHERE is_valid is null;--> statement-breakpoint
CREATE INDEX "contact_lists_check_due" ON "contact_lists" USING btree ("company_id","id") WHERE check_due_at is not null;--> statement-breakpoint
SELECT isolate_tenants('contact_lists');
--> statement-breakpoint
SELECT isolate_tenants('contact_list_items');
