CREATE TABLE "periodic_jobs" (
	"name" text PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"holder" uuid,
	"held_until" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL
);

--> statement-breakpoint
-- The job queue that ran these jobs before; nothing was ever handed to it but their own times.
DROP FUNCTION enqueue_job;
--> statement-breakpoint
DROP SCHEMA IF EXISTS pgboss CASCADE;
