ALTER TABLE "campaign_lines" ADD COLUMN "ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "campaign_lines" ADD COLUMN "chance" real DEFAULT 0.5 NOT NULL;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "last_sent_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "campaigns_over" ON "campaigns" USING btree ("updated_at") WHERE status in ('CANCELADA', 'FINALIZADA') and deleted_at is null;