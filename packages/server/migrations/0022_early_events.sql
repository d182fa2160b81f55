CREATE TABLE "early_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "early_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"connection_id" integer NOT NULL,
	"provider_id" text NOT NULL,
	"event" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "early_events" ADD CONSTRAINT "early_events_connection" FOREIGN KEY ("company_id","connection_id") REFERENCES "public"."connections"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "early_events_message" ON "early_events" USING btree ("company_id","connection_id","provider_id");--> statement-breakpoint
CREATE INDEX "early_events_age" ON "early_events" USING btree ("created_at");--> statement-breakpoint
SELECT isolate_tenants('early_events');
