DROP INDEX "attendances_queued";--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "asked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "answered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "rate" smallint;--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "is_first" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attendances" ADD COLUMN "is_reopened" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- What is known of earlier attendances: ratings, the first of each ticket, and reopenings as those that a user began.
UPDATE "attendances" a SET "rate" = r."rate" FROM "ratings" r
WHERE r."company_id" = a."company_id" AND r."attendance_id" = a."id";--> statement-breakpoint
UPDATE "attendances" a SET "is_first" = true
WHERE a."ticket_id" IS NOT NULL AND NOT EXISTS (
  SELECT FROM "attendances" b WHERE b."company_id" = a."company_id" AND b."ticket_id" = a."ticket_id" AND b."id" < a."id");--> statement-breakpoint
UPDATE "attendances" SET "is_reopened" = true
WHERE NOT "is_first" AND "ticket_id" IS NOT NULL AND "started_at" = "created_at";--> statement-breakpoint
UPDATE "attendances" a SET "asked_at" = q."asked_at", "answered_at" = q."answered_at"
FROM (
  SELECT a."company_id", a."id", c."created_at" AS "asked_at", p."created_at" AS "answered_at"
  FROM "attendances" a
  CROSS JOIN LATERAL (
    SELECT m."created_at" FROM "messages" m
    WHERE m."company_id" = a."company_id" AND m."ticket_id" = a."ticket_id" AND NOT m."from_me"
      AND m."created_at" >= a."created_at" - interval '1 minute'
      AND m."created_at" <= coalesce(a."rating_at", a."finished_at", 'infinity')
    ORDER BY m."created_at" LIMIT 1) c
  CROSS JOIN LATERAL (
    SELECT m."created_at" FROM "messages" m
    WHERE m."company_id" = a."company_id" AND m."ticket_id" = a."ticket_id" AND m."from_me" AND NOT m."is_automatic"
      AND m."created_at" > c."created_at" AND m."created_at" <= coalesce(a."rating_at", a."finished_at", 'infinity')
    ORDER BY m."created_at" LIMIT 1) p
) q
WHERE a."company_id" = q."company_id" AND a."id" = q."id";--> statement-breakpoint
CREATE INDEX "attendances_figures" ON "attendances" USING btree ("company_id","queued_at","user_id","queue_id","connection_id","ticket_id","started_at","asked_at","answered_at","rating_at","finished_at","rate","is_first","is_reopened");--> statement-breakpoint
CREATE INDEX "attendances_resolved" ON "attendances" USING btree ("company_id",coalesce(rating_at, finished_at));--> statement-breakpoint
CREATE INDEX "attendances_created" ON "attendances" USING btree ("company_id","created_at");