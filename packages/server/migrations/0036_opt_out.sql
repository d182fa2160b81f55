ALTER TABLE "contacts" ADD COLUMN "opted_out_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "opt_out_source" text;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "opted_out_by" integer;--> statement-breakpoint
CREATE INDEX "contacts_opted_out_by_index" ON "contacts" USING btree ("company_id","opted_out_by") WHERE opted_out_by is not null;--> statement-breakpoint
CREATE INDEX "contacts_by_creation" ON "contacts" USING btree ("company_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE not is_group;--> statement-breakpoint
CREATE INDEX "contacts_opted_out" ON "contacts" USING btree ("company_id","name_normal","id") WHERE opted_out_at is not null;--> statement-breakpoint
CREATE INDEX "tickets_last_contact" ON "tickets" USING btree ("company_id","last_message_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE last_message_at is not null and not is_group;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_opt_out" CHECK ((opted_out_at is null) = (opt_out_source is null));--> statement-breakpoint
-- Rows of users are kept; should one go all the same, the opt-out stays.
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_opted_out_by" FOREIGN KEY ("company_id","opted_out_by") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("opted_out_by");
