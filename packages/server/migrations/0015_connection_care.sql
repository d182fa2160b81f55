ALTER TABLE "connections" ADD COLUMN "unlink_channel" text;--> statement-breakpoint
CREATE INDEX "connections_lost" ON "connections" USING btree ("disconnected_at") WHERE status <> 'CONNECTED' and connected_at is not null and alarmed_at is null;--> statement-breakpoint
CREATE INDEX "inbound_journal_failed" ON "inbound_journal" USING btree ("connection_id") WHERE failed_at is not null;