CREATE TABLE "ai_service_days" (
	"company_id" integer NOT NULL,
	"day" date NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	"answers" integer DEFAULT 0 NOT NULL,
	"sounds" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "ai_service_days_company_id_day_pk" PRIMARY KEY("company_id","day")
);
--> statement-breakpoint
CREATE TABLE "ai_services" (
	"company_id" integer PRIMARY KEY NOT NULL,
	"base_url" text NOT NULL,
	"model" text NOT NULL,
	"transcription_model" text NOT NULL,
	"api_key" "bytea" NOT NULL,
	"api_key_end" text NOT NULL,
	"helps" boolean NOT NULL,
	"transcribes" boolean NOT NULL,
	"day_tokens" integer NOT NULL,
	"day_sounds" integer NOT NULL,
	"fault" text,
	"fault_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ai_service_days" ADD CONSTRAINT "ai_service_days_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_services" ADD CONSTRAINT "ai_services_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
SELECT isolate_tenants('ai_services');
--> statement-breakpoint
SELECT isolate_tenants('ai_service_days');
