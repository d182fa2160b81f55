ALTER TABLE "schedules" ADD COLUMN "series_id" uuid;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "repeat" jsonb;--> statement-breakpoint
CREATE INDEX "schedules_series" ON "schedules" USING btree ("company_id","series_id","send_at") WHERE series_id is not null;