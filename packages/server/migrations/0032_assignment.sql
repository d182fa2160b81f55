ALTER TABLE "users" ADD COLUMN "availability" text DEFAULT 'available' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "pause_reason" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "availability_since" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "ticket_limit" integer DEFAULT 6 NOT NULL;--> statement-breakpoint
ALTER TABLE "queues" ADD COLUMN "assignment" text DEFAULT 'manual' NOT NULL;--> statement-breakpoint
ALTER TABLE "user_queues" ADD COLUMN "last_turn" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "returned_by" integer;--> statement-breakpoint
CREATE INDEX "queues_assigned" ON "queues" USING btree ("company_id","id") WHERE assignment <> 'manual' and deleted_at is null;--> statement-breakpoint
-- Rows of users are kept; should one go all the same, the ticket stays.
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_returned_by" FOREIGN KEY ("company_id","returned_by") REFERENCES "public"."users"("company_id","id") ON DELETE SET NULL ("returned_by");--> statement-breakpoint
CREATE INDEX "tickets_returned_by_index" ON "tickets" USING btree ("company_id","returned_by") WHERE returned_by is not null;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_availability" CHECK (availability in ('available', 'paused', 'away') and (availability = 'paused') = (pause_reason is not null));--> statement-breakpoint
ALTER TABLE "queues" ADD CONSTRAINT "queues_assignment" CHECK (assignment in ('manual', 'turns', 'load'));--> statement-breakpoint
-- A reader's own tickets are in the reader's lists whatever their queue: a search finds their messages of their present queue
-- too, which the reader may read (`canRead`). Otherwise as before.
DROP FUNCTION search_tickets(text, text, integer[], integer[]);
--> statement-breakpoint
CREATE FUNCTION own_queue(company integer, ticket integer, reader integer) RETURNS integer
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT t.queue_id FROM tickets t
  WHERE t.company_id = company AND t.id = ticket AND t.user_id = reader
$$;
--> statement-breakpoint
-- The tickets in which a text stands: in the contact's name, number or e-mail (then without message), or in a message that
-- the reader may read (reader_queues NULL: all; else those without queue, of these, and of the present queue of an own
-- ticket), with the newest such message found. Several rows of one ticket are possible.
-- `near` are tickets in which more is looked for than the newest matches of the company: the first ones of a filtered list.
-- The work is bounded, whatever is searched: the 5,000 tickets changed last of the contacts found; the 5,000 newest
-- matching messages (of a reader who does not see all: those that he may read of the 10,000 newest); of `near`
-- the 200 newest messages of each ticket, 20,000 in all. Every word that stands in no more messages than that is found
-- wherever it stands.
-- Below three characters names, numbers and last messages are compared, of the 10,000 tickets changed last, those that wait
-- and are served before the closed ones.
CREATE FUNCTION search_tickets(term text, digits text, reader_queues integer[], reader integer, near integer[])
RETURNS TABLE (ticket_id integer, message_id uuid, sent_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 1000 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  normal CONSTANT text := f_norm(term);
  pattern CONSTANT text := search_pattern(normal);
  accented CONSTANT text := 'áàâãäéèêëíìîïóòôõöúùûüçñ';
  plain CONSTANT text := 'aaaaaeeeeiiiiooooouuuucn';
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
      SELECT m.* FROM search_messages(company, pattern, CASE WHEN reader_queues IS NULL THEN 5000 ELSE 10000 END) m
      WHERE reader_queues IS NULL OR m.queue_id IS NULL OR m.queue_id = ANY (reader_queues)
        OR m.queue_id = own_queue(company, m.ticket_id, reader)
      LIMIT 5000
    ) readable
    ORDER BY readable.ticket_id, readable.created_at DESC, readable.seq DESC;

  IF cardinality(near) > 0 THEN
    RETURN QUERY
      SELECT DISTINCT ON (looked.ticket_id) looked.ticket_id, looked.id, looked.created_at
      FROM (
        SELECT m.* FROM unnest(near) AS wanted
        CROSS JOIN LATERAL (
          SELECT m.id, m.ticket_id, m.queue_id, m.body, m.is_deleted, m.created_at, m.seq FROM messages m
          WHERE m.company_id = company AND m.ticket_id = wanted
          ORDER BY m.created_at DESC NULLS LAST, m.seq DESC NULLS LAST LIMIT 200
        ) m
        LIMIT 20000
      ) looked
      WHERE NOT looked.is_deleted AND f_norm(looked.body) LIKE pattern
        AND (reader_queues IS NULL OR looked.queue_id IS NULL OR looked.queue_id = ANY (reader_queues)
          OR looked.queue_id = own_queue(company, looked.ticket_id, reader))
      ORDER BY looked.ticket_id, looked.created_at DESC, looked.seq DESC;
  END IF;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION search_tickets FROM PUBLIC;
