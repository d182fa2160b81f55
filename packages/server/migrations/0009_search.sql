-- Names, numbers and e-mails are looked up inside one company.
CREATE INDEX contacts_search ON contacts
  USING gin (company_id, f_norm(name) gin_trgm_ops, number gin_trgm_ops, f_norm(email) gin_trgm_ops);
--> statement-breakpoint
-- The order of the address book.
CREATE INDEX contacts_by_name ON contacts (company_id, f_norm(name), id);
--> statement-breakpoint
-- Deleting a message looks for the drafts that quote it.
CREATE INDEX drafts_quoted_index ON drafts (company_id, quoted_message_id) WHERE quoted_message_id IS NOT NULL;
--> statement-breakpoint
-- Messages are searched from the newest backwards, one stretch of 16,384 after the other: the stretch stands in the index
-- between company and text, so that a word is looked up in one stretch without touching the others, and a word that
-- three of four messages have costs as much as the few thousand matches that are wanted. What is not yet merged into the
-- index is read at each stretch, so it stays small.
CREATE INDEX messages_search ON messages
  USING gin (company_id, (seq >> 14), f_norm(body) gin_trgm_ops) WITH (gin_pending_list_limit = 512);
--> statement-breakpoint
DROP INDEX messages_body_search;
--> statement-breakpoint
DROP FUNCTION search_tickets(text, text, integer[], integer);
--> statement-breakpoint
-- The pattern of LIKE for a normalised text that stands anywhere.
CREATE FUNCTION search_pattern(normal text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  AS $$ SELECT '%' || regexp_replace(normal, '([\\%_])', '\\\1', 'g') || '%' $$;
--> statement-breakpoint
-- The contacts in whose name, e-mail or number a text stands; `digits` is the text as a number, '' when it is none.
-- Under row-level security PostgreSQL uses no index for LIKE, because the operator is not leakproof; this function reads as
-- the owner and names the company itself, the one that row-level security is set to. Below three characters there is
-- nothing to look up in a trigram index: then all are compared, with a cheaper way to leave the accents out.
CREATE FUNCTION search_contacts(term text, digits text)
RETURNS SETOF integer LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 500 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  normal CONSTANT text := f_norm(term);
  pattern CONSTANT text := search_pattern(normal);
  accented CONSTANT text := 'áàâãäéèêëíìîïóòôõöúùûüçñ';
  plain CONSTANT text := 'aaaaaeeeeiiiiooooouuuucn';
BEGIN
  IF length(normal) < 3 THEN
    RETURN QUERY
      SELECT c.id FROM contacts c
      WHERE c.company_id = company AND (translate(lower(c.name), accented, plain) LIKE pattern
        OR (digits <> '' AND c.number LIKE '%' || digits || '%'));
  ELSIF length(digits) < 3 THEN
    RETURN QUERY
      SELECT c.id FROM contacts c
      WHERE c.company_id = company AND (f_norm(c.name) LIKE pattern OR f_norm(c.email) LIKE pattern);
  ELSE
    RETURN QUERY
      SELECT c.id FROM contacts c
      WHERE c.company_id = company AND (f_norm(c.name) LIKE pattern OR f_norm(c.email) LIKE pattern
        OR c.number LIKE '%' || digits || '%');
  END IF;
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
CREATE FUNCTION search_tickets(term text, digits text, reader_queues integer[], near integer[])
RETURNS TABLE (ticket_id integer, message_id uuid, sent_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 1000 AS $$
DECLARE
  company CONSTANT integer := nullif(current_setting('app.company_id', true), '')::integer;
  normal CONSTANT text := f_norm(term);
  pattern CONSTANT text := search_pattern(normal);
  accented CONSTANT text := 'áàâãäéèêëíìîïóòôõöúùûüçñ';
  plain CONSTANT text := 'aaaaaeeeeiiiiooooouuuucn';
  newest_stretch bigint;
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
      WHERE m.id IS NOT NULL OR translate(lower(c.name), accented, plain) LIKE pattern
        OR (digits <> '' AND c.number LIKE '%' || digits || '%');
    RETURN;
  END IF;

  RETURN QUERY
    SELECT t.id, NULL::uuid, NULL::timestamptz FROM tickets t
    WHERE t.company_id = company AND t.contact_id = ANY (ARRAY(SELECT search_contacts(term, digits)))
    ORDER BY t.updated_at DESC LIMIT 5000;

  SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('messages', 'seq')), 0) >> 14 INTO newest_stretch;
  RETURN QUERY
    SELECT DISTINCT ON (readable.ticket_id) readable.ticket_id, readable.id, readable.created_at
    FROM (
      SELECT matching.* FROM (
        SELECT m.* FROM generate_series(newest_stretch, 0, -1) AS stretch
        CROSS JOIN LATERAL (
          SELECT m.id, m.ticket_id, m.queue_id, m.created_at, m.seq FROM messages m
          WHERE m.company_id = company AND (m.seq >> 14) = stretch AND f_norm(m.body) LIKE pattern AND NOT m.is_deleted
          ORDER BY m.seq DESC OFFSET 0
        ) m
        LIMIT CASE WHEN reader_queues IS NULL THEN 5000 ELSE 10000 END
      ) matching
      WHERE reader_queues IS NULL OR matching.queue_id IS NULL OR matching.queue_id = ANY (reader_queues)
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
-- How many characters of a text give at most `length` characters when it is normalised: some become several, some none.
CREATE FUNCTION search_reach(body text, wanted integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
  low integer := 0;
  high integer := length(body);
  middle integer;
BEGIN
  WHILE low < high LOOP
    middle := (low + high + 1) / 2;
    IF length(f_norm(left(body, middle))) <= wanted THEN low := middle; ELSE high := middle - 1; END IF;
  END LOOP;
  RETURN low;
END $$;
--> statement-breakpoint
-- The first place of a normalised text in another text: as it is written there, with `around` characters on both sides.
CREATE FUNCTION search_excerpt(body text, normal text, around integer, OUT before text, OUT match text, OUT after text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
  place CONSTANT integer := strpos(f_norm(body), normal);
  begin_at integer := place;
  end_at integer := place + length(normal) - 1;
BEGIN
  IF place = 0 THEN
    before := ''; match := ''; after := left(body, 2 * around);
    RETURN;
  END IF;
  IF f_norm(substr(body, begin_at, length(normal))) <> normal OR length(f_norm(left(body, begin_at - 1))) <> begin_at - 1 THEN
    begin_at := search_reach(body, place - 1) + 1;
    end_at := greatest(begin_at, search_reach(body, place + length(normal) - 1));
  END IF;
  -- Accents that are characters of their own belong to the letter before them.
  WHILE end_at < length(body) AND f_norm(substr(body, end_at + 1, 1)) = '' LOOP
    end_at := end_at + 1;
  END LOOP;
  before := CASE WHEN begin_at > around + 1 THEN '…' ELSE '' END
    || substr(body, greatest(1, begin_at - around), least(around, begin_at - 1));
  match := substr(body, begin_at, end_at - begin_at + 1);
  after := substr(body, end_at + 1, around) || CASE WHEN length(body) > end_at + around THEN '…' ELSE '' END;
END $$;
--> statement-breakpoint
DO $$
BEGIN
  REVOKE ALL ON FUNCTION search_contacts, search_tickets FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION search_contacts, search_tickets TO %I', current_database() || '_app');
END $$;
