CREATE TABLE "known_numbers" (
	"company_id" integer NOT NULL,
	"key" text NOT NULL,
	"number" text NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "known_numbers_company_id_key_pk" PRIMARY KEY("company_id","key")
);
--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "picture_key" text;--> statement-breakpoint
ALTER TABLE "known_numbers" ADD CONSTRAINT "known_numbers_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_picture" FOREIGN KEY ("company_id","picture_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contacts_picture_index" ON "contacts" USING btree ("company_id","picture_key") WHERE picture_key is not null;--> statement-breakpoint
SELECT isolate_tenants('known_numbers');
