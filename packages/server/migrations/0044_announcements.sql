CREATE TABLE "announcement_reads" (
	"company_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"seen_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "announcement_reads_company_id_user_id_pk" PRIMARY KEY("company_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "announcements" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "announcements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"provider_id" integer NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"priority" smallint NOT NULL,
	"status" boolean NOT NULL,
	"image_key" text,
	"image_name" text,
	"published_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "helps" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "helps_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"title" text NOT NULL,
	"description" text NOT NULL,
	"video" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "announcement_reads" ADD CONSTRAINT "announcement_reads_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_provider_id_companies_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_image" FOREIGN KEY ("provider_id","image_key") REFERENCES "public"."files"("company_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "announcements_newest" ON "announcements" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "announcements_active" ON "announcements" USING btree ("published_at") WHERE status;--> statement-breakpoint
CREATE INDEX "announcements_image_index" ON "announcements" USING btree ("provider_id","image_key");--> statement-breakpoint
CREATE INDEX "helps_title" ON "helps" USING btree (f_norm("title"),"id");--> statement-breakpoint
SELECT isolate_tenants('announcement_reads');
