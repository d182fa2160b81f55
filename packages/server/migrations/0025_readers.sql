ALTER TABLE "ticket_notes" ADD COLUMN "queue_id" integer;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "last_message_queue_id" integer;--> statement-breakpoint
UPDATE tickets t SET last_message_queue_id = m.queue_id FROM messages m
WHERE m.company_id = t.company_id AND m.id = t.last_message_id AND m.queue_id IS NOT NULL;
