CREATE TABLE "macros" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "macros_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"key" text,
	"message" text DEFAULT '' NOT NULL,
	"tag_id" integer,
	"queue_id" integer,
	"resolves" boolean DEFAULT false NOT NULL,
	"reason_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "macros_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
ALTER TABLE "ticket_undos" ADD COLUMN "macro_message_id" uuid;--> statement-breakpoint
ALTER TABLE "ticket_undos" ADD COLUMN "macro_tag_id" integer;--> statement-breakpoint
ALTER TABLE "macros" ADD CONSTRAINT "macros_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "macros" ADD CONSTRAINT "macros_queue" FOREIGN KEY ("company_id","queue_id") REFERENCES "public"."queues"("company_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "macros" ADD CONSTRAINT "macros_reason" FOREIGN KEY ("company_id","reason_id") REFERENCES "public"."resolve_reasons"("company_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "macros_key" ON "macros" USING btree ("company_id","key") WHERE key is not null;--> statement-breakpoint
CREATE INDEX "macros_tag_index" ON "macros" USING btree ("company_id","tag_id");--> statement-breakpoint
CREATE INDEX "macros_queue_index" ON "macros" USING btree ("company_id","queue_id");--> statement-breakpoint
CREATE INDEX "macros_reason_index" ON "macros" USING btree ("company_id","reason_id");
--> statement-breakpoint
ALTER TABLE macros ADD CONSTRAINT macros_tag FOREIGN KEY (company_id, tag_id)
  REFERENCES tags (company_id, id) ON DELETE SET NULL (tag_id);
--> statement-breakpoint
SELECT isolate_tenants('macros');
