DROP INDEX "outbound_waiting";--> statement-breakpoint
ALTER TABLE "outbound" ADD COLUMN "priority" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "outbound_raisable" ON "outbound" USING btree ("connection_id","chat_key") WHERE state in ('queued', 'sending', 'sent') and priority > 0;--> statement-breakpoint
CREATE INDEX "outbound_waiting" ON "outbound" USING btree ("connection_id","priority","id") WHERE state in ('queued', 'sending', 'sent');