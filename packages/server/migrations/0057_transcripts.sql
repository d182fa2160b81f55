CREATE TABLE "transcript_jobs" (
	"company_id" integer NOT NULL,
	"message_id" uuid NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transcript_jobs_company_id_message_id_pk" PRIMARY KEY("company_id","message_id")
);
--> statement-breakpoint
ALTER TABLE "transcript_jobs" ADD CONSTRAINT "transcript_jobs_message" FOREIGN KEY ("company_id","message_id") REFERENCES "public"."messages"("company_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "transcript_jobs_due" ON "transcript_jobs" USING btree ("company_id","due_at");--> statement-breakpoint
SELECT isolate_tenants('transcript_jobs');
--> statement-breakpoint
-- What was said in voice notes, inside one company: some hundred a day, so it needs no stretches as messages have them.
CREATE INDEX message_media_transcripts ON message_media
  USING gin (company_id, f_norm(transcript) gin_trgm_ops) WHERE transcript <> '';
--> statement-breakpoint
-- As before, and voice notes are found by what was said in them: the 5,000 newest in which the text stands (of a reader who
-- does not see all: those that he may read of the 10,000 newest), and those among the messages looked at of `near`.
CREATE OR REPLACE FUNCTION search_tickets(term text, digits text, reader_queues integer[], reader integer, near integer[])
RETURNS TABLE (ticket_id integer, message_id uuid, sent_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 1000 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  normal CONSTANT text := f_norm(term);
  pattern CONSTANT text := search_pattern(normal);
  accented CONSTANT text := 'áàâãäéèêëíìîïóòôõöúùûüçñ';
  plain CONSTANT text := 'aaaaaeeeeiiiiooooouuuucn';
  wanted CONSTANT integer := CASE WHEN reader_queues IS NULL THEN 5000 ELSE 10000 END;
BEGIN
  IF length(normal) < 3 THEN
    RETURN QUERY
      SELECT recent.id, m.id, m.created_at
      FROM (
        SELECT t.* FROM unnest(ARRAY['pending', 'open', 'closed']) AS state
        CROSS JOIN LATERAL (
          SELECT t.id, t.contact_id, t.last_message, t.last_message_id FROM tickets t
          WHERE t.company_id = company AND t.status = state
          ORDER BY t.updated_at DESC NULLS LAST, t.id DESC NULLS LAST LIMIT 10000
        ) t
        LIMIT 10000
      ) recent
      JOIN contacts c ON c.company_id = company AND c.id = recent.contact_id
      LEFT JOIN messages m ON m.company_id = company AND m.id = recent.last_message_id AND NOT m.is_deleted
        AND translate(lower(recent.last_message), accented, plain) LIKE pattern
        AND (reader_queues IS NULL OR m.queue_id IS NULL OR m.queue_id = ANY (reader_queues)
          OR m.queue_id = own_queue(company, recent.id, reader))
      WHERE m.id IS NOT NULL OR c.name_normal LIKE pattern
        OR (digits <> '' AND c.number LIKE '%' || digits || '%');
    RETURN;
  END IF;

  RETURN QUERY
    SELECT t.id, NULL::uuid, NULL::timestamptz FROM tickets t
    WHERE t.company_id = company AND t.contact_id = ANY (ARRAY(SELECT c.id FROM search_contacts(term, digits) c))
    ORDER BY t.updated_at DESC LIMIT 5000;

  RETURN QUERY
    SELECT DISTINCT ON (readable.ticket_id) readable.ticket_id, readable.id, readable.created_at
    FROM (
      SELECT m.* FROM search_messages(company, pattern, wanted) m
      WHERE reader_queues IS NULL OR m.queue_id IS NULL OR m.queue_id = ANY (reader_queues)
        OR m.queue_id = own_queue(company, m.ticket_id, reader)
      LIMIT 5000
    ) readable
    ORDER BY readable.ticket_id, readable.created_at DESC, readable.seq DESC;

  RETURN QUERY
    SELECT DISTINCT ON (readable.ticket_id) readable.ticket_id, readable.id, readable.created_at
    FROM (
      SELECT m.ticket_id, m.id, m.created_at, m.seq FROM (
        SELECT f.message_id FROM message_media f
        WHERE f.company_id = company AND f.transcript <> '' AND f_norm(f.transcript) LIKE pattern
        ORDER BY f.created_at DESC LIMIT wanted
      ) said
      JOIN messages m ON m.company_id = company AND m.id = said.message_id AND NOT m.is_deleted
      WHERE reader_queues IS NULL OR m.queue_id IS NULL OR m.queue_id = ANY (reader_queues)
        OR m.queue_id = own_queue(company, m.ticket_id, reader)
      LIMIT 5000
    ) readable
    ORDER BY readable.ticket_id, readable.created_at DESC, readable.seq DESC;

  IF cardinality(near) > 0 THEN
    RETURN QUERY
      SELECT DISTINCT ON (looked.ticket_id) looked.ticket_id, looked.id, looked.created_at
      FROM (
        SELECT m.* FROM unnest(near) AS wanted_ticket
        CROSS JOIN LATERAL (
          SELECT m.id, m.ticket_id, m.queue_id, m.body, m.media_type, m.is_deleted, m.created_at, m.seq FROM messages m
          WHERE m.company_id = company AND m.ticket_id = wanted_ticket
          ORDER BY m.created_at DESC NULLS LAST, m.seq DESC NULLS LAST LIMIT 200
        ) m
        LIMIT 20000
      ) looked
      WHERE NOT looked.is_deleted
        AND (f_norm(looked.body) LIKE pattern OR (looked.media_type = 'audio' AND EXISTS (
          SELECT FROM message_media f WHERE f.company_id = company AND f.message_id = looked.id
            AND f.transcript <> '' AND f_norm(f.transcript) LIKE pattern)))
        AND (reader_queues IS NULL OR looked.queue_id IS NULL OR looked.queue_id = ANY (reader_queues)
          OR looked.queue_id = own_queue(company, looked.ticket_id, reader))
      ORDER BY looked.ticket_id, looked.created_at DESC, looked.seq DESC;
  END IF;
END $$;
