CREATE TABLE "resolve_reasons" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "resolve_reasons_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "resolve_reasons_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "ticket_undos" (
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"user_id" integer NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"before" jsonb NOT NULL,
	"after" jsonb,
	"message_id" uuid,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "ticket_undos_company_id_ticket_id_pk" PRIMARY KEY("company_id","ticket_id")
);
--> statement-breakpoint
DROP INDEX "tags_company_name_color_kanban";--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "reason_id" integer;--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "deleted_by" integer;--> statement-breakpoint
ALTER TABLE "resolve_reasons" ADD CONSTRAINT "resolve_reasons_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_undos" ADD CONSTRAINT "ticket_undos_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "resolve_reasons_name" ON "resolve_reasons" USING btree ("company_id",f_norm(name)) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ticket_undos_user" ON "ticket_undos" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "ticket_undos_until" ON "ticket_undos" USING btree ("until");--> statement-breakpoint
ALTER TABLE "attendances" ADD CONSTRAINT "attendances_reason" FOREIGN KEY ("company_id","reason_id") REFERENCES "public"."resolve_reasons"("company_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attendances_reason_index" ON "attendances" USING btree ("company_id","reason_id") WHERE reason_id is not null;--> statement-breakpoint
CREATE INDEX "tags_deleted" ON "tags" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tags_company_name_color_kanban" ON "tags" USING btree ("company_id","name","color","kanban") WHERE deleted_at is null;--> statement-breakpoint
-- Rows of users are kept; should one go all the same, the tag stays.
ALTER TABLE "tags" ADD CONSTRAINT "tags_deleted_by" FOREIGN KEY ("company_id","deleted_by") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("deleted_by");--> statement-breakpoint
CREATE INDEX "tags_deleted_by_index" ON "tags" USING btree ("company_id","deleted_by") WHERE deleted_by is not null;--> statement-breakpoint
ALTER TABLE "ticket_undos" ADD CONSTRAINT "ticket_undos_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE CASCADE;--> statement-breakpoint
SELECT isolate_tenants('resolve_reasons');--> statement-breakpoint
SELECT isolate_tenants('ticket_undos');
