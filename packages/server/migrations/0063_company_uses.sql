-- locks: nothing (the table is new)
CREATE TABLE "company_uses" (
	"company_id" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"calls" integer NOT NULL,
	"refused" integer NOT NULL,
	"searches" integer NOT NULL,
	"database_ms" bigint NOT NULL,
	"waited_ms" bigint NOT NULL,
	"inbound" integer NOT NULL,
	"outbound" integer NOT NULL,
	CONSTRAINT "company_uses_company_id_at_pk" PRIMARY KEY("company_id","at")
);
--> statement-breakpoint
ALTER TABLE "company_uses" ADD CONSTRAINT "company_uses_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "company_uses_age" ON "company_uses" USING btree ("at");
--> statement-breakpoint
SELECT isolate_tenants('company_uses');