ALTER TABLE "simulator_customers" ADD COLUMN "members" jsonb;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "kind" text DEFAULT 'text' NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "details" jsonb;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "change" jsonb;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "quoted_id" text;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "author" text;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "reactions" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "is_edited" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "is_deleted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "is_forwarded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "is_view_once" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator_messages" ADD COLUMN "has_failed_once" boolean DEFAULT false NOT NULL;