CREATE TABLE "target_misses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "target_misses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"company_id" integer NOT NULL,
	"ticket_id" integer,
	"queue_id" integer NOT NULL,
	"user_id" integer,
	"kind" text NOT NULL,
	"minutes" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "target_misses_once" UNIQUE("company_id","ticket_id","queue_id","started_at"),
	CONSTRAINT "target_misses_kind" CHECK (kind in ('first', 'next'))
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "is_automatic" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "first_answer_minutes" integer;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "next_answer_minutes" integer;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "waiting_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "queued_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "is_answered" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "target_misses" ADD CONSTRAINT "target_misses_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "target_misses_queue_index" ON "target_misses" USING btree ("company_id","queue_id","created_at");--> statement-breakpoint
CREATE INDEX "target_misses_user_index" ON "target_misses" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE INDEX "target_misses_created" ON "target_misses" USING btree ("company_id","created_at");--> statement-breakpoint
CREATE INDEX "queues_with_target" ON "queues" USING btree ("company_id","id") WHERE deleted_at is null and (first_answer_minutes is not null or next_answer_minutes is not null);--> statement-breakpoint
CREATE INDEX "tickets_waiting" ON "tickets" USING btree ("company_id","status","waiting_since","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE status in ('pending', 'open');--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_targets" CHECK (first_answer_minutes between 1 and 1440 and next_answer_minutes between 1 and 1440);--> statement-breakpoint
-- Foreign keys that clear only their own column: the tenant key of the row stays.
ALTER TABLE target_misses
  ADD CONSTRAINT target_misses_ticket FOREIGN KEY (company_id, ticket_id)
    REFERENCES tickets (company_id, id) ON DELETE SET NULL (ticket_id),
  ADD CONSTRAINT target_misses_user FOREIGN KEY (company_id, user_id)
    REFERENCES users (company_id, id) ON DELETE SET NULL (user_id),
  ADD CONSTRAINT target_misses_queue FOREIGN KEY (company_id, queue_id)
    REFERENCES queues (company_id, id) ON DELETE CASCADE;--> statement-breakpoint
SELECT isolate_tenants('target_misses');--> statement-breakpoint
-- Since when customers wait today. A message without user counts as a person's, written on the phone, once a person has
-- acted in the attendance; before that the attendant sent it.
WITH living AS (
  SELECT t.company_id, t.id, a.queued_at, a.attended_at, (
    SELECT max(p.finished_at) FROM attendances p WHERE p.company_id = t.company_id AND p.ticket_id = t.id) AS ended_at
  FROM tickets t
  LEFT JOIN attendances a ON a.company_id = t.company_id AND a.ticket_id = t.id AND a.finished_at IS NULL
  WHERE t.status IN ('pending', 'open')
), answered AS (
  SELECT living.*, (
    SELECT max(m.created_at) FROM messages m
    WHERE m.company_id = living.company_id AND m.ticket_id = living.id AND m.from_me
      AND m.media_type IS DISTINCT FROM 'number_changed' AND m.body NOT LIKE '*Mensagem automática*%'
      AND m.created_at > coalesce(living.ended_at, '-infinity')
      AND (m.user_id IS NOT NULL OR m.created_at >= living.attended_at)) AS answered_at
  FROM living
)
UPDATE tickets t SET queued_at = w.queued_at, is_answered = w.answered_at IS NOT NULL, waiting_since = (
  SELECT min(m.created_at) FROM messages m
  WHERE m.company_id = w.company_id AND m.ticket_id = w.id AND NOT m.from_me
    AND m.created_at > coalesce(greatest(w.ended_at, w.answered_at), '-infinity'))
FROM answered w WHERE t.company_id = w.company_id AND t.id = w.id;--> statement-breakpoint
-- Their cards show the customer's words again, where these are plain text.
UPDATE tickets t SET last_message = left(m.body, 500), last_message_kind = 'text', last_message_id = m.id,
  last_message_from_me = false, last_message_queue_id = m.queue_id, last_message_ack = m.ack, last_message_failed = false
FROM messages m
WHERE t.waiting_since IS NOT NULL AND t.last_message_from_me
  AND m.company_id = t.company_id AND m.details IS NULL AND m.media_type IN ('conversation', 'extendedTextMessage')
  AND m.id = (
    SELECT c.id FROM messages c
    WHERE c.company_id = t.company_id AND c.ticket_id = t.id AND NOT c.from_me
    ORDER BY c.created_at DESC, c.seq DESC LIMIT 1);
