CREATE TABLE "billing_lookups" (
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"seq" bigint NOT NULL,
	"is_lookup" boolean NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"unblocks" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "billing_lookups_company_id_ticket_id_seq_pk" PRIMARY KEY("company_id","ticket_id","seq")
);
--> statement-breakpoint
ALTER TABLE "billing_lookups" ADD CONSTRAINT "billing_lookups_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
SELECT isolate_tenants('billing_lookups');
