CREATE TABLE "lane_moves" (
	"company_id" integer NOT NULL,
	"ticket_id" integer NOT NULL,
	"tag_id" integer,
	"user_id" integer NOT NULL,
	"moved_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "lane_moves_company_id_ticket_id_pk" PRIMARY KEY("company_id","ticket_id")
);
--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "lane_place" integer;--> statement-breakpoint
ALTER TABLE "lane_moves" ADD CONSTRAINT "lane_moves_ticket" FOREIGN KEY ("company_id","ticket_id") REFERENCES "public"."tickets"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lane_moves" ADD CONSTRAINT "lane_moves_tag" FOREIGN KEY ("company_id","tag_id") REFERENCES "public"."tags"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lane_moves" ADD CONSTRAINT "lane_moves_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lane_moves_tag_index" ON "lane_moves" USING btree ("company_id","tag_id") WHERE tag_id is not null;--> statement-breakpoint
CREATE INDEX "lane_moves_user_index" ON "lane_moves" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "tags_lanes" ON "tags" USING btree ("company_id","lane_place","id") WHERE kanban = 1;
--> statement-breakpoint
SELECT isolate_tenants('lane_moves');
