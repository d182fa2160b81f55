-- locks: users for a moment (a column without default, a foreign key and an index of a small table); the table roles is new
CREATE TABLE "roles" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "roles_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"name" text NOT NULL,
	"profile" text NOT NULL,
	"granted" text[] NOT NULL,
	"withheld" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_company_id" UNIQUE("company_id","id"),
	CONSTRAINT "roles_company_profile_id" UNIQUE("company_id","profile","id"),
	CONSTRAINT "roles_company_name" UNIQUE("company_id","name")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "role_id" integer;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_role" FOREIGN KEY ("company_id","profile","role_id") REFERENCES "public"."roles"("company_id","profile","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "users_role_index" ON "users" USING btree ("company_id","role_id","profile") WHERE role_id is not null;
--> statement-breakpoint
SELECT isolate_tenants('roles');
