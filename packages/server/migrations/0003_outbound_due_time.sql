ALTER TABLE "outbound" RENAME COLUMN "created_at" TO "due_at";--> statement-breakpoint
CREATE INDEX "outbound_provider" ON "outbound" USING btree ("connection_id","provider_id");