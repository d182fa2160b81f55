-- locks: periodic_jobs for a moment (a column without default); the tables are new
CREATE TABLE "incidents" (
	"bucket_at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"place" text NOT NULL,
	"code" text NOT NULL,
	"count" integer NOT NULL,
	"total_ms" double precision DEFAULT 0 NOT NULL,
	"longest_ms" double precision DEFAULT 0 NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"request_id" text,
	CONSTRAINT "incidents_bucket_at_kind_place_code_pk" PRIMARY KEY("bucket_at","kind","place","code")
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"roles" text[] NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"figures" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "periodic_jobs" ADD COLUMN "fault" text;--> statement-breakpoint
CREATE INDEX "processes_seen" ON "processes" USING btree ("seen_at");