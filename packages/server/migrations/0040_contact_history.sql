CREATE TABLE "contact_events" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "contact_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"change" jsonb NOT NULL,
	"user_id" integer,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "distinct_contacts" (
	"company_id" integer NOT NULL,
	"contact_id" integer NOT NULL,
	"other_id" integer NOT NULL,
	CONSTRAINT "distinct_contacts_company_id_contact_id_other_id_pk" PRIMARY KEY("company_id","contact_id","other_id")
);
--> statement-breakpoint
ALTER TABLE "contact_events" ADD CONSTRAINT "contact_events_contact" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "distinct_contacts" ADD CONSTRAINT "distinct_contacts_one" FOREIGN KEY ("company_id","contact_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "distinct_contacts" ADD CONSTRAINT "distinct_contacts_other" FOREIGN KEY ("company_id","other_id") REFERENCES "public"."contacts"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_events_of_contact" ON "contact_events" USING btree ("company_id","contact_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "contact_events_user" ON "contact_events" USING btree ("company_id","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "distinct_contacts_other_index" ON "distinct_contacts" USING btree ("company_id","other_id");--> statement-breakpoint
CREATE INDEX "contacts_by_email" ON "contacts" USING btree ("company_id","email_normal","name_normal","id") WHERE email_normal <> '' and not is_group;--> statement-breakpoint
CREATE INDEX "contacts_without_number" ON "contacts" USING btree ("company_id","name_normal","id") WHERE number is null and not is_group;--> statement-breakpoint
CREATE INDEX "messages_with_file" ON "messages" USING btree ("company_id","ticket_id","created_at" DESC NULLS LAST,"seq" DESC NULLS LAST) WHERE media_type not in ('conversation', 'extendedTextMessage');--> statement-breakpoint
-- Rows of users are kept; should one go all the same, the history stays.
ALTER TABLE "contact_events" ADD CONSTRAINT "contact_events_by" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("user_id");--> statement-breakpoint
SELECT isolate_tenants('contact_events');--> statement-breakpoint
SELECT isolate_tenants('distinct_contacts');
