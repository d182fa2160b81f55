ALTER TABLE "attendances" DROP CONSTRAINT "attendances_ticket";
--> statement-breakpoint
DROP INDEX "contacts_name_search";--> statement-breakpoint
ALTER TABLE "attendances" ALTER COLUMN "ticket_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "attendances" ADD CONSTRAINT "attendances_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- A foreign key that clears only its own column: the tenant key of the row stays.
ALTER TABLE attendances ADD CONSTRAINT attendances_ticket FOREIGN KEY (company_id, ticket_id)
  REFERENCES tickets (company_id, id) ON DELETE SET NULL (ticket_id);
