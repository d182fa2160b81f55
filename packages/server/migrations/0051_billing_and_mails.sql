CREATE TABLE "billing_events" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "billing_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"action" text NOT NULL,
	"invoice_id" integer,
	"payment_id" integer,
	"value_cents" integer,
	"due_before" timestamp (3) with time zone,
	"due_after" timestamp (3) with time zone,
	"actor_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_settings" (
	"id" integer PRIMARY KEY NOT NULL,
	"bank" text NOT NULL,
	"receiver" text NOT NULL,
	"city" text NOT NULL,
	"pix" text NOT NULL,
	"contact" text NOT NULL,
	"secrets" "bytea",
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "charges" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "charges_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"invoice_id" integer NOT NULL,
	"bank" text NOT NULL,
	"txid" text NOT NULL,
	"bank_id" text,
	"value_cents" integer NOT NULL,
	"code" text DEFAULT '' NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"paid_at" timestamp (3) with time zone,
	"said_paid_at" timestamp (3) with time zone,
	"asked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "charges_txid_unique" UNIQUE("txid"),
	CONSTRAINT "charges_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invoices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"plan_id" integer,
	"detail" text NOT NULL,
	"value_cents" integer NOT NULL,
	"months" integer NOT NULL,
	"is_chosen" boolean DEFAULT false NOT NULL,
	"due_date" timestamp (3) with time zone NOT NULL,
	"status" text NOT NULL,
	"paid_at" timestamp (3) with time zone,
	"reminded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invoices_company_id" UNIQUE("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "payers" (
	"company_id" integer PRIMARY KEY NOT NULL,
	"data" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "payments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"charge_id" integer NOT NULL,
	"bank" text NOT NULL,
	"transfer_id" text NOT NULL,
	"value_cents" integer NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"state" text NOT NULL,
	"fault" text,
	"settled_by" integer,
	"settled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payments_transfer" UNIQUE("bank","transfer_id")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"address" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"html" text NOT NULL,
	"state" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"fault" text,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "password_resets" (
	"company_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"code_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "password_resets_company_id_user_id_pk" PRIMARY KEY("company_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "unpaid" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "stopped_for" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "billing_events" ADD CONSTRAINT "billing_events_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "charges" ADD CONSTRAINT "charges_invoice" FOREIGN KEY ("company_id","invoice_id") REFERENCES "public"."invoices"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payers" ADD CONSTRAINT "payers_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_charge" FOREIGN KEY ("company_id","charge_id") REFERENCES "public"."charges"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user" FOREIGN KEY ("company_id","user_id") REFERENCES "public"."users"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "billing_events_company" ON "billing_events" USING btree ("company_id","id");--> statement-breakpoint
CREATE INDEX "charges_invoice_index" ON "charges" USING btree ("company_id","invoice_id");--> statement-breakpoint
CREATE INDEX "charges_unpaid" ON "charges" USING btree ("created_at") WHERE paid_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_due" ON "invoices" USING btree ("company_id","due_date") WHERE status <> 'cancelled';--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_open" ON "invoices" USING btree ("company_id") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "invoices_newest" ON "invoices" USING btree ("company_id","due_date","id");--> statement-breakpoint
CREATE INDEX "invoices_plan" ON "invoices" USING btree ("plan_id");--> statement-breakpoint
CREATE INDEX "payments_charge_index" ON "payments" USING btree ("company_id","charge_id");--> statement-breakpoint
CREATE INDEX "payments_received" ON "payments" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "payments_unclear" ON "payments" USING btree ("created_at") WHERE state = 'unclear';--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "mails_newest" ON "mails" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "mails_company" ON "mails" USING btree ("company_id");--> statement-breakpoint
CREATE INDEX "password_resets_expired" ON "password_resets" USING btree ("expires_at");--> statement-breakpoint
SELECT isolate_tenants('invoices');
--> statement-breakpoint
SELECT isolate_tenants('charges');
--> statement-breakpoint
SELECT isolate_tenants('payments');
--> statement-breakpoint
SELECT isolate_tenants('billing_events');
--> statement-breakpoint
SELECT isolate_tenants('payers');
--> statement-breakpoint
SELECT isolate_tenants('mails');
--> statement-breakpoint
SELECT isolate_tenants('password_resets');
