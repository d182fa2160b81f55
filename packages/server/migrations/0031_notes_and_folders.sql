ALTER TABLE "ticket_notes" ADD CONSTRAINT "ticket_notes_company_id" UNIQUE("company_id","id");--> statement-breakpoint
CREATE TABLE "mention_notices" (
	"company_id" integer NOT NULL,
	"note_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"read_at" timestamp (3) with time zone,
	CONSTRAINT "mention_notices_company_id_note_id_user_id_pk" PRIMARY KEY("company_id","note_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "quick_messages" ADD COLUMN "folder" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "quick_messages" ADD COLUMN "used_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ticket_notes" ADD COLUMN "mentions" jsonb DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "ticket_notes" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "ticket_notes" ADD COLUMN "deleted_by" integer;--> statement-breakpoint
ALTER TABLE "mention_notices" ADD CONSTRAINT "mention_notices_note" FOREIGN KEY ("company_id","note_id") REFERENCES "public"."ticket_notes"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mention_notices" ADD CONSTRAINT "mention_notices_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mention_notices_user_index" ON "mention_notices" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "mention_notices_unread" ON "mention_notices" USING btree ("company_id","user_id","note_id" DESC NULLS LAST) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX "ticket_notes_deleted" ON "ticket_notes" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "ticket_notes_deleted_by" ON "ticket_notes" USING btree ("company_id","deleted_by") WHERE deleted_by is not null;--> statement-breakpoint
-- Rows of users are kept; should one go all the same, the note stays.
ALTER TABLE "ticket_notes" ADD CONSTRAINT "ticket_notes_remover" FOREIGN KEY ("company_id","deleted_by") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("deleted_by");
--> statement-breakpoint
SELECT isolate_tenants('mention_notices');
