CREATE TABLE "phone_book_entries" (
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"number_normal" text NOT NULL,
	"number" text NOT NULL,
	"name" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "phone_book_entries_company_id_connection_id_number_normal_pk" PRIMARY KEY("company_id","connection_id","number_normal")
);
--> statement-breakpoint
ALTER TABLE "phone_book_entries" ADD CONSTRAINT "phone_book_entries_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
SELECT isolate_tenants('phone_book_entries');
