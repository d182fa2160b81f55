-- Who served a closed ticket stands on the ticket: the closed list of an agent or a queue is read in order from an index.
ALTER TABLE "tickets" ADD COLUMN "served_user_id" integer;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "served_queue_id" integer;--> statement-breakpoint
UPDATE tickets t SET served_user_id = a.user_id, served_queue_id = a.queue_id
FROM attendances a
WHERE t.status = 'closed' AND a.company_id = t.company_id AND a.id = t.last_attendance_id
  AND (a.user_id IS NOT NULL OR a.queue_id IS NOT NULL);
--> statement-breakpoint
CREATE INDEX "tickets_served_queue" ON "tickets" USING btree ("company_id","served_queue_id","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE status = 'closed';--> statement-breakpoint
CREATE INDEX "tickets_served_unqueued" ON "tickets" USING btree ("company_id","served_user_id","updated_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE status = 'closed' and served_queue_id is null;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_served_is_closed" CHECK (status = 'closed' or (served_user_id is null and served_queue_id is null));
--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "name_normal" text GENERATED ALWAYS AS (f_norm(name)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "email_normal" text GENERATED ALWAYS AS (f_norm(email)) STORED NOT NULL;--> statement-breakpoint
DROP INDEX contacts_search;
--> statement-breakpoint
DROP INDEX contacts_by_name;
--> statement-breakpoint
CREATE INDEX contacts_search ON contacts
  USING gin (company_id, name_normal gin_trgm_ops, number gin_trgm_ops, email_normal gin_trgm_ops);
--> statement-breakpoint
-- The order of the address book, which has no groups. The day on which a contact came is in it, so that those of a period
-- are counted without reading them.
CREATE INDEX contacts_by_name ON contacts (company_id, name_normal, id) INCLUDE (created_at) WHERE NOT is_group;
--> statement-breakpoint
DROP FUNCTION search_contacts(text, text);
--> statement-breakpoint
-- The contacts in whose name, e-mail or number a text stands, with what orders and narrows a list of them; `digits` is
-- the text as a number, '' when it is none.
-- Under row-level security PostgreSQL uses no index for LIKE, because the operator is not leakproof; this function reads as
-- the owner and names the company itself, the one that row-level security is set to. Below three characters there is
-- nothing to look up in a trigram index: then all are compared.
CREATE FUNCTION search_contacts(term text, digits text)
RETURNS TABLE (id integer, name_normal text, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 500 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  normal CONSTANT text := f_norm(term);
  pattern CONSTANT text := search_pattern(normal);
BEGIN
  IF length(normal) < 3 THEN
    RETURN QUERY
      SELECT c.id, c.name_normal, c.created_at FROM contacts c
      WHERE c.company_id = company AND (c.name_normal LIKE pattern OR (digits <> '' AND c.number LIKE '%' || digits || '%'));
  ELSIF length(digits) < 3 THEN
    RETURN QUERY
      SELECT c.id, c.name_normal, c.created_at FROM contacts c
      WHERE c.company_id = company AND (c.name_normal LIKE pattern OR c.email_normal LIKE pattern);
  ELSE
    RETURN QUERY
      SELECT c.id, c.name_normal, c.created_at FROM contacts c
      WHERE c.company_id = company AND (c.name_normal LIKE pattern OR c.email_normal LIKE pattern
        OR c.number LIKE '%' || digits || '%');
  END IF;
END $$;
--> statement-breakpoint
-- The stretches of messages, by the order in which they were stored, that a message is in: one of each size, 4,096 messages
-- and eight times more from each size to the next. The size stands in the upper bits.
CREATE FUNCTION search_stretches(seq bigint) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT ARRAY[(12::bigint << 56) | (seq >> 12), (15::bigint << 56) | (seq >> 15), (18::bigint << 56) | (seq >> 18),
                     (21::bigint << 56) | (seq >> 21), (24::bigint << 56) | (seq >> 24), (27::bigint << 56) | (seq >> 27)] $$;
--> statement-breakpoint
DROP INDEX messages_search;
--> statement-breakpoint
-- Messages are searched from the newest backwards, one stretch after the other: it stands in the index between company and
-- text, so that a word is looked up in one stretch without touching the others. What is not yet merged into the index is
-- read at each stretch, so it stays small.
CREATE INDEX messages_search ON messages
  USING gin (company_id, search_stretches(seq), f_norm(body) gin_trgm_ops) WITH (gin_pending_list_limit = 512);
--> statement-breakpoint
-- How large the stretches of a company may be follows from its share of all messages, which is known from ANALYZE: often
-- enough that a new company is noticed.
ALTER TABLE messages SET (autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
-- A company's share of the messages of the installation. One that ANALYZE has not met has a part of what it did not count.
CREATE FUNCTION search_share(company integer) RETURNS float8 LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce((
    SELECT coalesce(
      s.most_common_freqs[array_position(s.most_common_vals::text::integer[], company)],
      greatest(1 - (SELECT sum(f) FROM unnest(s.most_common_freqs) f), 0.001))
    FROM pg_stats s
    WHERE s.schemaname = 'public' AND s.tablename = 'messages' AND s.attname = 'company_id'), 1)
$$;
--> statement-breakpoint
CREATE TYPE found_message AS (id uuid, ticket_id integer, queue_id integer, created_at timestamptz, seq bigint);
--> statement-breakpoint
-- The newest messages of a company in which a pattern stands, not much more than `wanted`; newer stretches come first.
-- It looks back stretch by stretch. The smallest ones hold some thousands of the company's messages. Where few match, the
-- next stretch is eight times larger, as long as it holds no more than a few hundred thousands of them; where more match
-- than that was expected, it goes back to smaller ones. So a word that nobody has used is looked for in some dozen
-- stretches, whatever the installation holds, and the work for one that everybody uses is bounded.
CREATE FUNCTION search_messages(company integer, pattern text, wanted integer)
RETURNS SETOF found_message LANGUAGE plpgsql STABLE SET search_path = public, pg_temp ROWS 1000 AS $$
DECLARE
  newest CONSTANT bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('messages', 'seq')), 0);
  share CONSTANT float8 := search_share(company);
  sparse CONSTANT integer := 1000;
  least_size integer := 12;
  most_size integer := 12;
  size integer;
  below bigint;
  stretch bigint;
  dense_from bigint := newest + 1;
  found integer := 0;
  here integer;
  few found_message[];
BEGIN
  WHILE least_size < 27 AND share * (1::bigint << (least_size + 3)) <= 4096 LOOP least_size := least_size + 3; END LOOP;
  WHILE most_size < 27 AND share * (1::bigint << (most_size + 3)) <= 300000 LOOP most_size := most_size + 3; END LOOP;
  size := least_size;
  below := ((newest >> size) + 1) << size;
  WHILE below > 0 AND found < wanted LOOP
    stretch := (size::bigint << 56) | ((below >> size) - 1);
    IF size = least_size THEN
      RETURN QUERY
        SELECT m.id, m.ticket_id, m.queue_id, m.created_at, m.seq FROM messages m
        WHERE m.company_id = company AND search_stretches(m.seq) @> ARRAY[stretch]
          AND f_norm(m.body) LIKE pattern AND NOT m.is_deleted
        ORDER BY m.seq DESC LIMIT wanted - found;
      GET DIAGNOSTICS here = ROW_COUNT;
    ELSE
      few := ARRAY(
        SELECT ROW (m.id, m.ticket_id, m.queue_id, m.created_at, m.seq)::found_message FROM messages m
        WHERE m.company_id = company AND search_stretches(m.seq) @> ARRAY[stretch]
          AND f_norm(m.body) LIKE pattern AND NOT m.is_deleted
        LIMIT sparse + 1);
      here := cardinality(few);
      IF here > sparse THEN
        dense_from := below - (1::bigint << size);
        size := size - 3;
        CONTINUE;
      END IF;
      RETURN QUERY SELECT * FROM unnest(few);
    END IF;
    found := found + here;
    below := below - (1::bigint << size);
    IF size < most_size AND here * 8 <= sparse AND (below & ((1::bigint << (size + 3)) - 1)) = 0
      AND (below <= dense_from OR dense_from > newest) THEN
      size := size + 3;
    END IF;
  END LOOP;
END $$;
--> statement-breakpoint
-- The tickets in which a text stands: in the contact's name, number or e-mail (then without message), or in a message that
-- the reader may read (reader_queues NULL: all; else those without queue and of these), with the newest such message found:
-- whoever reads a ticket of another queue because it is his own has it in no list. Several rows of one ticket are possible.
-- `near` are tickets in which more is looked for than the newest matches of the company: the first ones of a filtered list.
-- The work is bounded, whatever is searched: the 5,000 tickets changed last of the contacts found; the 5,000 newest
-- matching messages (of a reader who does not see all: those that he may read of the 10,000 newest); of `near`
-- the 200 newest messages of each ticket, 20,000 in all. Every word that stands in no more messages than that is found
-- wherever it stands.
-- Below three characters names, numbers and last messages are compared, of the 10,000 tickets changed last, those that wait
-- and are served before the closed ones.
CREATE OR REPLACE FUNCTION search_tickets(term text, digits text, reader_queues integer[], near integer[])
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
        AND (reader_queues IS NULL OR m.queue_id IS NULL OR m.queue_id = ANY (reader_queues))
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
        AND (reader_queues IS NULL OR looked.queue_id IS NULL OR looked.queue_id = ANY (reader_queues))
      ORDER BY looked.ticket_id, looked.created_at DESC, looked.seq DESC;
  END IF;
END $$;

--> statement-breakpoint
DO $$
BEGIN
  REVOKE ALL ON FUNCTION search_contacts FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION search_contacts TO %I', current_database() || '_app');
END $$;
